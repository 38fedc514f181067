"""Counts of a run so far, and the reasons for which its hosts wait, for the display and for the store."""

import heapq
import json
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable
from dataclasses import asdict
from typing import Any  # Any: JSON

from minicrawl.crawler.books.stored_forms import EARLIER_RUNS, earlier_runs
from minicrawl.crawler.hosts.clocks import Host, delay_of
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.loop.limits import RunClock
from minicrawl.crawler.loop.measurements import AnswerCounts, Course, Speed
from minicrawl.crawler.steps.archive import Archive
from minicrawl.model import CoursePoint, Fetched, HostNow, IllHost, InFlightNow, Progress, Silence, State, Sums
from minicrawl.store.database import logs, size_of
from minicrawl.store.declaration import MetaValue

SMALLEST = 1e-9
"""Seconds: practically no delay, but switched on."""


_FIRST = {"asked": 0, "opening": 1, "waiting": 2, "ready": 3, "banned": 4, "idle": 5}
"""Activities of hosts, in the order in which they are shown."""


def hosts_now(
    hosts: Iterable[Host], has_page: Callable[[Host], bool], now: float, number: int, in_doubt: Container[int] = ()
) -> tuple[tuple[HostNow, ...], dict[str, int], dict[str, int]]:
    """The first `number` hosts, busy and waiting ones first; numbers of all by activity; and the same, but waiting ones
    by the reason. in_doubt: numbers of hosts whose witness is requested."""
    seen = [(host, _host_now(host, has_page, now, in_doubt)) for host in hosts]
    first = heapq.nsmallest(number, seen, key=lambda one: (_FIRST[one[1].doing], one[0].id))
    doing = Counter(one.doing for _, one in seen)
    states = Counter(one.why or one.doing for _, one in seen)
    return tuple(one for _, one in first), dict(doing), dict(states)


def waits_by_reason(hosts: Iterable[Host], now: float) -> dict[str, int]:
    """Numbers of hosts that wait by the reason, as in `HostNow.why`; hosts with a request in flight are left out."""
    return dict(Counter(waits_for(host, now) for host in hosts if wait_until(host, now) is not None))


def _host_now(host: Host, has_page: Callable[[Host], bool], now: float, in_doubt: Container[int]) -> HostNow:
    until = why = None
    if host.is_banned:
        doing = "banned"
    elif host.opening and not _illness(host):
        doing = "asked" if host.id in in_doubt else "opening"
    elif host.in_flight:
        doing = "asked"
    elif not (has_page(host) or host.opening):
        doing = "idle"
    elif (until := wait_until(host, now)) is None:
        doing = "ready"
    else:
        doing, why = "waiting", waits_for(host, now)
    return HostNow(host.name, doing, until, why, host.delay, _illness(host))


def _illness(host: Host) -> str:
    """How a host is ill; "" for one that is not."""
    return host.health.kind if host.health is not None and host.health.is_ill else ""


def wait_until(host: Host, now: float) -> float | None:
    """Unix seconds at which the wait of a host that is not on offer ends; None: it waits for an answer, or for nothing
    with a time."""
    if host.in_flight >= host.most or host.is_banned or (host.opening and not _illness(host)):
        return None
    if host.not_before > now:
        return host.not_before
    address = host.address
    return address.ready_at if address is not None and now < address.ready_at < math.inf else None


def waits_for(host: Host, now: float) -> str:
    """The reason of a wait, as in `HostNow.why`."""
    delay = host.delay
    if host.not_before <= now and host.address is not None:
        return "address"
    if _illness(host):
        return "ill"
    if host.rests_until > max(host.ready_at, now + delay):
        return "rest"
    if delay and delay == host.crawl_delay:
        return "crawl-delay"
    return "slow" if delay and delay == delay_of(SMALLEST, host.seconds, None) else "delay"


_ILL_SHOWN = 3
_LATELY = 30.0
"""Seconds over which the speed is measured."""
_GIVEN_UP = frozenset({State.ERROR, State.DISALLOWED})


class RunProgress:
    """Counts answers for pages. `time`: the run's clock; `course`: its course over time, saved."""

    def __init__(self, intake: Intake, clock: Callable[[], float], started: float) -> None:
        """started: Unix seconds from which on the crawl's time counts."""
        self._intake, self._state, self._store = intake, intake.state, intake.state.writer
        self._judge = intake.visits.judge
        self.clock = clock
        self.time = RunClock(clock, started)
        self.fetched = 0
        self.bytes = 0
        self._answers = AnswerCounts()
        self.earlier = _runs_before(earlier_runs(intake.state.writer), intake.state.writer.meta_json("run"))
        self._speed = Speed(_LATELY)
        self._speed.record(0.0, 0, 0)
        self.course = Course(lambda: self.seconds_in_all, self.point, intake.state.writer.course())
        intake.savers.append(self.course.save)

    @property
    def seconds(self) -> float:
        return self.time.seconds

    def done(self) -> tuple[int, int, float]:
        return self.fetched, self.bytes, self.seconds

    def add(self, fetched: Fetched) -> None:
        self._answers.add(fetched)
        if fetched.status is not None:
            self.fetched += 1
        self.bytes += fetched.size

    def now(self, silence: Silence | None) -> Progress:
        intake, accounts, frontier = self._intake, self._state.accounts, self._state.frontier
        ready, waiting = frontier.ready_or_waiting()
        self._speed.record(self.seconds, self.fetched, self.bytes)
        pages_per_second, bytes_per_second = self._speed.now()
        return Progress(
            seconds=self.seconds,
            fetched=self.fetched,
            bytes=self.bytes,
            known=accounts.size,
            never_read=accounts.size - accounts.coverage.collected,
            hosts_ready=ready,
            hosts_waiting=len(waiting),
            in_flight=frontier.in_flight,
            clock=accounts.book.clock / max(accounts.book.births, 1),
            **accounts.share().figures(),
            errors=dict(intake.state.pages.failures),
            left_out=intake.state.pages.left_out,
            silence=silence,
            earlier=self.earlier,
            given_up=self._given_up(),
            pages_per_second=pages_per_second,
            bytes_per_second=bytes_per_second,
            waiting_for=waits_by_reason(waiting, self.clock()),
            has_its_pages=frontier.errands_only,
            ill_hosts=tuple(self._ill_hosts()[:_ILL_SHOWN]),
        )

    def _ill_hosts(self) -> list[IllHost]:
        """The hosts that are closed as ill, with the numbers of their pages on offer then, most first."""
        found, pages = list[IllHost](), self._state.frontier.pages
        for host in self._judge.ill.values():
            if (of := host.health) is not None:
                facts = of.state, of.kind, of.reason, of.since, of.tries, of.next_at
                found.append(IllHost(host.name, *facts, pages.unread_of(host)))
        return sorted(found, key=lambda one: -one.waiting)

    def ill_in_all(self) -> tuple[dict[str, int], int]:
        """As in `CrawlReport`, as of the last commit: numbers of ill hosts with pages that wait, by kind, and of these
        pages."""
        found = [host for host in self._store.hosts.ill() if host.waiting]
        return dict(Counter(host.kind for host in found)), sum(host.waiting for host in found)

    def look(self, silence: Silence | None, requests: tuple[InFlightNow, ...], hosts: int) -> dict[str, Any]:
        """The crawl as it stands, as JSON, without reading every page; with up to `hosts` hosts.

        `coverage` and the like, `errors`, `silence`, `earlier`: as in `Progress`. `requests`: the oldest in
        flight. `hosts`: busy and waiting ones first; `doing`: number of hosts by `HostNow.doing`; both are empty unless
        hosts were asked for, and so is `host_states`, numbers of hosts by activity, waiting ones by the reason.
        `statuses`, `failed`: requests for pages of this run by class of status, and by reason where there was no
        answer; `histograms`:
        "latency_seconds" and "size_bytes" of the answers by "http" and "https", each a number by upper bound and their
        "sum". `pages`: numbers of pages by "state/reason" as of the last commit. `work`: commits of this run with their
        rows and seconds, turns not committed yet, and bytes of the files. `took`: seconds spent on this value.
        """
        began = time.perf_counter()
        accounts, frontier = self._state.accounts, self._state.frontier
        looked_at = frontier.hosts if hosts else ()
        in_doubt = self._judge.in_doubt
        listed, doing, states = hosts_now(looked_at, frontier.pages.has_page, self.clock(), hosts, in_doubt)
        return {
            **accounts.share().figures(),
            "errors": dict(self._state.pages.failures),
            "silence": None if silence is None else asdict(silence),
            "earlier": self.earlier._asdict(),
            "requests": [request._asdict() for request in requests],
            "hosts": [host._asdict() for host in listed],
            "doing": doing,
            "host_states": states,
            "statuses": self._answers.statuses(),
            "failed": self._answers.failed(),
            "histograms": self._answers.histograms(),
            "pages": {f"{state}/{reason}": count for (state, reason), count in self._store.page_table.counts().items()},
            "work": self._work(),
            "took": time.perf_counter() - began,
        }

    def _work(self) -> dict[str, float]:
        commits, archive = self._intake.commits, self._intake.steps.find(Archive)
        path = self._store.path
        return {
            "commits": commits.number,
            "commit_rows": commits.rows,
            "commit_seconds": commits.seconds,
            "uncommitted": self._intake.turns_in_batch,
            "store_bytes": size_of(path, *logs(path)),
            "archive_bytes": 0 if archive is None else archive.size,
        }

    @property
    def seconds_in_all(self) -> float:
        """Seconds of all runs, without pauses."""
        return self.earlier.seconds + self.seconds

    def point(self) -> CoursePoint:
        """The crawl as it stands, by the committed data."""
        accounts = self._state.accounts
        share = accounts.share()
        return CoursePoint(
            seconds=self.seconds_in_all,
            at=self.clock(),
            fetched=self.earlier.fetched + self.fetched,
            bytes=self.earlier.bytes + self.bytes,
            known=accounts.size,
            read=accounts.coverage.collected,
            given_up=sum(self._given_up().values()),
            coverage=share.low,
            shown=share.shown,
            about=share.about,
        )

    def _given_up(self) -> dict[str, int]:
        store = self._state.writer
        given_up: dict[str, int] = {}
        for (state, reason), count in store.page_table.counts().items():
            if state in _GIVEN_UP:
                given_up[reason] = given_up.get(reason, 0) + count
        return given_up

    def out_of_reach(self, asked_for: float) -> dict[str, float] | None:
        """Most importance of pages that could not be read, by reason, if a requested coverage was missed."""
        coverage, store = self._state.accounts.coverage, self._state.writer
        if self._state.accounts.share().low >= asked_for:
            return None
        missing, shares = coverage.missing(), defaultdict[str, float](float)
        for page, reason in store.page_table.given_up():
            shares[reason] += missing.item(page)
        return {reason: share for reason, share in shares.items() if share > 0.0}

    def meta(self, silence: Silence | None, reason: str | None, asked_until: float) -> dict[str, MetaValue]:
        """The run's data for the store and `status`. reason: why it has ended, if it has."""
        accounts, in_flight = self._state.accounts, self._state.frontier.in_flight
        state = {
            "fetched": self.fetched,
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "in_flight": in_flight,
            "errors": dict(self._state.pages.failures),
            "refreshed": self._state.pages.refreshed,
            "coverage": accounts.share(),
            "silence": None if silence is None else asdict(silence),
        }
        now = self.clock()
        is_over = reason is not None and not in_flight
        return {
            "run": json.dumps(state),
            EARLIER_RUNS: json.dumps(self.earlier._asdict()),
            "run_at": now,
            "stopped": reason,
            "asked_until": now if is_over else asked_until,
            "in_doubt": int(not is_over),
        }


def _runs_before(before: Sums, last: dict[str, float]) -> Sums:
    """Sums of all runs before this one. before: those before the last one; last: the stored data of that."""
    if not last:
        return before
    return Sums(
        runs=before.runs + 1,
        fetched=before.fetched + int(last["fetched"]),
        bytes=before.bytes + int(last["bytes"]),
        seconds=round(before.seconds + last["seconds"], 3),
    )
