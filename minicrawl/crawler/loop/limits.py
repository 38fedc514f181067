"""The clock of a crawl, that of a run, which stands still while the crawl is paused, and the limits of a run."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from minicrawl.model import LimitsNow
from minicrawl.settings import CrawlSettings


class SteadyClock:
    """Unix seconds by the running event loop's clock, which never steps back when the machine's clock does. `offset`:
    Unix seconds less those of the loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.offset = min(_readings(), key=lambda reading: reading[0])[1]

    def __call__(self) -> float:
        return self._loop.time() + self.offset


def _readings() -> Iterator[tuple[float, float]]:
    """Three of both clocks: seconds that each took, and Unix seconds less monotonic ones, which every usual loop has.
    A process may be held up between its looks at the two."""
    for _ in range(3):
        began, now, ended = time.monotonic(), time.time(), time.monotonic()
        yield ended - began, now - ended


class RunClock:
    """clock: gives Unix seconds. started: Unix seconds from which on the run's time counts."""

    def __init__(self, clock: Callable[[], float], started: float) -> None:
        self._clock = clock
        self._started = started
        self._paused_at: float | None = None
        self._runs_on = False

    @property
    def is_paused(self) -> bool:
        return self._paused_at is not None

    @property
    def seconds(self) -> float:
        """Duration of the run so far, pauses left out."""
        return (self._clock() if self._paused_at is None or self._runs_on else self._paused_at) - self._started

    def when(self, seconds: float) -> float:
        """Unix seconds at which the run will have lasted `seconds`, without further pauses."""
        return self._started + seconds

    def pause(self, *, runs_on: bool = False) -> None:
        """runs_on: the time of this pause counts, as nobody has asked for it."""
        if self._paused_at is None or self._runs_on:
            self._paused_at, self._runs_on = self._clock(), runs_on

    def resume(self) -> float:
        """Go on; returns the seconds of the pause."""
        if self._paused_at is None:
            return 0.0
        pause = self._clock() - self._paused_at
        self._started += 0.0 if self._runs_on else pause
        self._paused_at = None
        return pause


class Limits:
    """The limits of a run. `settings`: the current ones. done: returns the pages fetched so far, their bytes, and the
    seconds; coverage: the coverage."""

    def __init__(
        self, settings: CrawlSettings, done: Callable[[], tuple[int, int, float]], coverage: Callable[[], float]
    ) -> None:
        self.settings = settings
        self._done = done
        self._coverage = coverage
        self._let: int | None = None
        self.quota: int | None = None
        """Pages of the run that may be fetched by now; the run waits there for a higher quota. None: no quota."""

    def reached(self) -> str | None:
        """The limit that the run has reached, if any."""
        coverage = 0.0 if self.settings.until_coverage is None else self._coverage()
        return limit_reached(self.settings, *self._done(), coverage)

    @property
    def now(self) -> LimitsNow:
        return LimitsNow(self.settings.pages, self.settings.time, self.settings.bytes, self.settings.until_coverage)

    def let(self, pages: int, expected: int) -> None:
        """Set the quota of pages if others share the limit. expected: pages in flight that are expected to be
        fetched. A lower quota counts only from the next `take_back` on; the first is no less than the pages fetched and
        expected."""
        self._let = pages
        self.quota = max(pages, self._done()[0] + expected if self.quota is None else self.quota)

    def take_back(self, expected: int) -> None:
        """Lower the quota to that of the last `let`, or to the pages fetched and expected. It never rises here, as
        others rely on it: an answer that was no longer expected may count in place of an expected one, which is dropped
        then."""
        if self._let is not None and self.quota is not None:
            self.quota = min(self.quota, max(self._let, self._done()[0] + expected))

    @property
    def has_enough(self) -> bool:
        return not self.allow_one_more(0)

    def allow_one_more(self, expected: int) -> bool:
        """True if one more page may be requested, while `expected` pages are in flight."""
        most = [limit for limit in (self.settings.pages, self.quota) if limit is not None]
        return not most or self._done()[0] + expected < min(most)


def limit_reached(settings: CrawlSettings, fetched: int, size: int, seconds: float, coverage: float) -> str | None:
    """The limit that a run with these figures has reached, if any."""
    if settings.time is not None and seconds >= settings.time:
        return "time"
    if settings.pages is not None and fetched >= settings.pages:
        return "pages"
    if settings.bytes is not None and size >= settings.bytes:
        return "bytes"
    if settings.until_coverage is not None and coverage >= settings.until_coverage:
        return "coverage"
    return None


class Aim(NamedTuple):
    """Progress toward a limit of a run. `left`: seconds until it is reached; None if unknown."""

    name: str
    done: float
    of: float
    left: float | None


def aims(limits: Mapping[str, float | None], done: Mapping[str, float], speed: Mapping[str, float]) -> Iterator[Aim]:
    """Progress toward each limit that is set. done, speed: amount and amount per second, by name of the limit."""
    for name, limit in limits.items():
        if limit:
            reached, a_second = done.get(name, 0.0), speed.get(name, 0.0)
            rest = limit - reached
            left = 0.0 if rest <= 0 else rest / a_second if a_second > 0 else None
            yield Aim(name, reached, limit, left)
