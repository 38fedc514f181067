"""What a run has done so far, for the display and for the store."""

import json
from collections.abc import Callable
from dataclasses import asdict

from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.books.graph_counts import LiveGraphCounts
from minicrawl.crawler.loop.run_clock import RunClock
from minicrawl.model import Fetched, Progress, Silence
from minicrawl.store.rows import MetaValue

_TOP = 10


class RunProgress:
    """Counts answers for pages. `time`: how long the run has gone on."""

    def __init__(self, absorber: Absorber, clock: Callable[[], float], started: float) -> None:
        """started: Unix seconds from which on the crawl's time counts."""
        self._absorber = absorber
        self._clock = clock
        self.time = RunClock(clock, started)
        self._graph_counts = LiveGraphCounts(absorber.writer.sizes.read)
        self.fetched = 0
        self.bytes = 0

    @property
    def seconds(self) -> float:
        return self.time.seconds

    def add(self, fetched: Fetched) -> None:
        """Count what a request for a page led to."""
        self.fetched += fetched.status is not None
        self.bytes += fetched.size

    def now(self, silence: Silence | None) -> Progress:
        """The crawl as it stands; looks at every page for the most important ones, now and then at every link."""
        absorber, accounts, frontier = self._absorber, self._absorber.accounts, self._absorber.frontier
        ready, waiting = frontier.counts()
        best, importance = accounts.ledger.most_important(_TOP)
        return Progress(
            seconds=self.seconds,
            fetched=self.fetched,
            bytes=self.bytes,
            known=accounts.size,
            never_read=accounts.size - accounts.coverage.collected,
            hosts_ready=ready,
            hosts_waiting=waiting,
            in_flight=frontier.in_flight,
            clock=accounts.book.clock / max(accounts.book.in_hand(), 1),
            coverage=accounts.coverage.bound(),
            errors=dict(absorber.tally.failures),
            top=tuple(zip(importance.tolist(), map(absorber.urls.url, best.tolist()), strict=True)),
            left_out=absorber.tally.left_out,
            graph=self._graph_counts.look(accounts.book.payees, int(accounts.inlinks.sum()), absorber.writer.links),
            silence=silence,
        )

    def meta(self, silence: Silence | None, reason: str | None, asked_until: float) -> dict[str, MetaValue]:
        """What the store keeps of this run, for `status`. reason: why it is over, if it is."""
        accounts, in_flight = self._absorber.accounts, self._absorber.frontier.in_flight
        state = {
            "fetched": self.fetched,
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "in_flight": in_flight,
            "errors": dict(self._absorber.tally.failures),
            "coverage": accounts.coverage.bound(),
            "shape": None if self._graph_counts.latest is None else asdict(self._graph_counts.latest),
            "silence": None if silence is None else asdict(silence),
        }
        now = self._clock()
        is_over = reason is not None and not in_flight
        return {
            "run": json.dumps(state),
            "run_at": now,
            "stopped": reason,
            "asked_until": now if is_over else asked_until,
            "in_doubt": int(not is_over),
        }
