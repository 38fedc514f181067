"""For what the hosts that have pages wait, and until when: for people who ask why a crawl is slow."""

import heapq
import math
from collections.abc import Iterable

from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.hosts.politeness import Health, delay_of
from minicrawl.model import HostWait

SMALLEST = 1e-9
"""Seconds: a delay that is none, but for being switched on."""


def longest_waits(hosts: Iterable[Host], now: float, number: int) -> tuple[HostWait, ...]:
    """Of these hosts, the ones that wait the longest; those that are being asked wait for nothing else."""
    waits = (wait for host in hosts if (wait := wait_of(host, now)) is not None)
    return tuple(heapq.nlargest(number, waits, key=lambda wait: wait.until))


def wait_of(host: Host, now: float) -> HostWait | None:
    """What a host that is not on offer waits for; None: for an answer, or for nothing that has a time."""
    if host.in_flight >= host.most or host.opening or host.is_banned:
        return None
    until, address = host.not_before, host.address
    if until > now:
        return HostWait(host.name, until, _why(host, now), host.delay, host.health.strains)
    if address is not None and now < address.ready_at < math.inf:
        return HostWait(host.name, address.ready_at, "address", address.delay)
    return None


def _why(host: Host, now: float) -> str:
    delay, health = host.delay, host.health
    if health.strains:
        return "failures"
    if host.rests_until > max(host.ready_at, now + delay):
        return "rest"
    if delay and delay == host.crawl_delay:
        return "crawl-delay"
    return "slow" if delay and delay == delay_of(SMALLEST, Health(health.seconds)) else "delay"
