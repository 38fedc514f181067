"""Counts of a run so far, for the display and for the store."""

import json
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict

from minicrawl.crawler.books.stored_forms import EARLIER_RUNS, earlier_runs
from minicrawl.crawler.frontier.waits import HostsNow, hosts_now, waits_by_reason
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.loop.clock import RunClock
from minicrawl.crawler.loop.measurements import AnswerCounts, Course, Speed
from minicrawl.crawler.parts.archive import Archive
from minicrawl.model import CoursePoint, Fetched, InFlightNow, Progress, RunLook, Silence, State, Sums
from minicrawl.store.database import logs
from minicrawl.store.declaration import MetaValue

_LATELY = 30.0
"""Seconds over which the speed is measured."""
_GIVEN_UP = frozenset({State.ERROR, State.DISALLOWED})


class RunProgress:
    """Counts answers for pages. `time`: the run's clock; `course`: its course over time, saved."""

    def __init__(self, intake: Intake, clock: Callable[[], float], started: float) -> None:
        """started: Unix seconds from which on the crawl's time counts."""
        self._intake, self._state, self._store = intake, intake.state, intake.state.writer
        self._clock = clock
        self.time = RunClock(clock, started)
        self.fetched = 0
        self.bytes = 0
        self._answers = AnswerCounts()
        self.earlier = _runs_before(earlier_runs(intake.state.writer), intake.state.writer.meta_json("run"))
        self._speed = Speed(_LATELY)
        self._speed.record(0.0, 0, 0)
        self.course = Course(lambda: self.seconds_in_all, self.point, intake.state.writer.course())
        intake.savers.append(self.course)

    @property
    def seconds(self) -> float:
        return self.time.seconds

    def add(self, fetched: Fetched) -> None:
        """Count the result of a request for a page."""
        self._answers.add(fetched)
        if fetched.status is not None:
            self.fetched += 1
        self.bytes += fetched.size

    def now(self, silence: Silence | None) -> Progress:
        """The crawl as it stands."""
        intake, accounts, frontier = self._intake, self._state.accounts, self._state.frontier
        ready, waiting = frontier.ready_or_waiting()
        self._speed.record(self.seconds, self.fetched, self.bytes)
        speed = self._speed.now()
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
            coverage=accounts.coverage.told(),
            errors=dict(intake.state.tally.failures),
            left_out=intake.state.tally.left_out,
            silence=silence,
            earlier=self.earlier,
            given_up=self._given_up(),
            pages_per_second=speed.pages,
            bytes_per_second=speed.bytes,
            waiting_for=waits_by_reason(waiting, self._clock()),
            has_its_pages=frontier.errands_only,
        )

    def look(self, silence: Silence | None, requests: tuple[InFlightNow, ...], hosts: int) -> RunLook:
        """The crawl as it stands, without reading every page; with up to `hosts` hosts."""
        began = time.perf_counter()
        accounts, frontier = self._state.accounts, self._state.frontier
        all_hosts = hosts_now(frontier.hosts, frontier.pages.has_page, self._clock(), hosts) if hosts else HostsNow()
        return RunLook(
            coverage=accounts.coverage.told(),
            errors=dict(self._state.tally.failures),
            silence=silence,
            earlier=self.earlier,
            requests=requests,
            hosts=all_hosts.first,
            doing=dict(all_hosts.doing),
            host_states=dict(all_hosts.states),
            statuses=self._answers.statuses(),
            failed=self._answers.failed(),
            histograms=self._answers.histograms(),
            pages={f"{state}/{reason}": count for (state, reason), count in self._store.page_table.counts().items()},
            work=self._work(),
            took=time.perf_counter() - began,
        )

    def _work(self) -> dict[str, float]:
        commits, archive = self._intake.commits, self._intake.parts.find(Archive)
        return {
            "commits": commits.number,
            "commit_rows": commits.rows,
            "commit_seconds": commits.seconds,
            "uncommitted": self._intake.turns_in_batch,
            "store_bytes": sum(
                file.stat().st_size for file in (self._store.path, *logs(self._store.path)) if file.exists()
            ),
            "text_bytes": self._store.texts.size,
            "archive_bytes": 0 if archive is None else archive.size,
        }

    @property
    def seconds_in_all(self) -> float:
        """Seconds of all runs, without pauses."""
        return self.earlier.seconds + self.seconds

    def point(self) -> CoursePoint:
        """The crawl as it stands, by the committed data."""
        accounts = self._state.accounts
        return CoursePoint(
            seconds=self.seconds_in_all,
            at=self._clock(),
            fetched=self.earlier.fetched + self.fetched,
            bytes=self.earlier.bytes + self.bytes,
            known=accounts.size,
            read=accounts.coverage.collected,
            given_up=sum(self._given_up().values()),
            coverage=accounts.coverage.told(),
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
        if coverage.bound() >= asked_for:
            return None
        missing, shares = coverage.missing(), defaultdict[str, float](float)
        for page, reason in store.page_table.given_up():
            shares[reason] += missing.item(page)
        return {reason: share for reason, share in shares.items() if share > 0.0}

    def meta(self, silence: Silence | None, reason: str | None, asked_until: float) -> dict[str, MetaValue]:
        """The run's data for the store and `status`. reason: why it is over, if it is."""
        accounts, in_flight = self._state.accounts, self._state.frontier.in_flight
        state = {
            "fetched": self.fetched,
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "in_flight": in_flight,
            "errors": dict(self._state.tally.failures),
            "refreshed": self._state.tally.refreshed,
            "coverage": accounts.coverage.told(),
            "silence": None if silence is None else asdict(silence),
        }
        now = self._clock()
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
