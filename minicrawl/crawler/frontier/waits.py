"""The reasons for which hosts with pages wait, and until when: for people who ask why a crawl is slow."""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.hosts.politeness import Health, delay_of
from minicrawl.model import HostNow, HostWait

SMALLEST = 1e-9
"""Seconds: practically no delay, but switched on."""


_FIRST = {"asked": 0, "opening": 1, "waiting": 2, "ready": 3, "banned": 4, "idle": 5}
"""Activities of hosts, in the order in which they are shown."""


class HostsNow(NamedTuple):
    """The hosts of a crawl. first: some, busy and waiting ones first. doing: numbers of all by activity; states: the
    same, but waiting ones by the reason, and those that are dead for now as "dead"."""

    first: tuple[HostNow, ...] = ()
    doing: Mapping[str, int] = MappingProxyType({})
    states: Mapping[str, int] = MappingProxyType({})


def hosts_now(hosts: Iterable[Host], has_page: Callable[[Host], bool], now: float, number: int) -> HostsNow:
    """The activity of all hosts, and the first `number` of them."""
    seen = [(_doing(host, has_page, now), host) for host in hosts]
    first = heapq.nsmallest(number, seen, key=lambda one: (_FIRST[one[0]], one[1].id))
    doing = Counter(doing for doing, _ in seen)
    states = Counter(_state(doing, host, now) for doing, host in seen)
    return HostsNow(tuple(_host_now(host, doing, now) for doing, host in first), doing, states)


def _state(doing: str, host: Host, now: float) -> str:
    if host.health.dead_until > now and not host.is_banned:
        return "dead"
    return _waits_for(host, now) if doing == "waiting" else doing


def waits_by_reason(hosts: Iterable[Host], now: float) -> dict[str, int]:
    """Numbers of hosts that wait by the reason, as in `HostWait`; hosts with a request in flight are left out."""
    return dict(Counter(_waits_for(host, now) for host in hosts if wait_until(host, now) is not None))


def _doing(host: Host, has_page: Callable[[Host], bool], now: float) -> str:
    if host.is_banned:
        return "banned"
    if host.opening:
        return "opening"
    if host.in_flight:
        return "asked"
    if not has_page(host):
        return "idle"
    return "ready" if wait_until(host, now) is None else "waiting"


def _host_now(host: Host, doing: str, now: float) -> HostNow:
    wait = wait_of(host, now) if doing == "waiting" else None
    until, why = (None, None) if wait is None else (wait.until, wait.why)
    return HostNow(host.name, doing, until, why, host.delay, host.health.strains)


def wait_of(host: Host, now: float) -> HostWait | None:
    """The wait of a host that is not on offer; None: it waits for an answer, or for nothing with a time."""
    until = wait_until(host, now)
    return None if until is None else _wait(host, until, now)


def wait_until(host: Host, now: float) -> float | None:
    """Unix seconds at which the wait ends."""
    if host.in_flight >= host.most or host.opening or host.is_banned:
        return None
    if host.not_before > now:
        return host.not_before
    address = host.address
    return address.ready_at if address is not None and now < address.ready_at < math.inf else None


def _wait(host: Host, until: float, now: float) -> HostWait:
    why = _waits_for(host, now)
    if why == "address" and host.address is not None:
        return HostWait(host.name, until, why, host.address.delay)
    return HostWait(host.name, until, why, host.delay, host.health.strains)


def _waits_for(host: Host, now: float) -> str:
    return _why(host, now) if host.not_before > now or host.address is None else "address"


def _why(host: Host, now: float) -> str:
    delay, health = host.delay, host.health
    if health.strains:
        return "failures"
    if host.rests_until > max(host.ready_at, now + delay):
        return "rest"
    if delay and delay == host.crawl_delay:
        return "crawl-delay"
    return "slow" if delay and delay == delay_of(SMALLEST, Health(health.seconds)) else "delay"
