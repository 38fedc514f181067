"""The limits of a run, and the progress toward each at the current speed."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from minicrawl.model import LimitsNow
from minicrawl.settings import CrawlSettings


class Done(Protocol):
    """What a run has done so far."""

    @property
    def fetched(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def seconds(self) -> float: ...


class Limits:
    """`settings`: those of now. coverage: gives the coverage so far."""

    def __init__(self, settings: CrawlSettings, done: Done, coverage: Callable[[], float]) -> None:
        self.settings = settings
        self._done = done
        self._coverage = coverage
        self._let: int | None = None
        self.quota: int | None = None
        """How many pages of the run may be fetched by now: then it waits for more to be let. None: any."""

    def reached(self) -> str | None:
        """The limit that the run has reached, if any."""
        done = self._done
        coverage = 0.0 if self.settings.until_coverage is None else self._coverage()
        return limit_reached(self.settings, done.fetched, done.bytes, done.seconds, coverage)

    @property
    def now(self) -> LimitsNow:
        """The limits there are."""
        settings = self.settings
        return LimitsNow(settings.pages, settings.time, settings.bytes, settings.until_coverage)

    @property
    def time(self) -> float | None:
        """For how many seconds the run may go on."""
        return self.settings.time

    def let(self, pages: int, expected: int) -> None:
        """Let so many pages of the run be fetched by now, where others have a part in its limit of pages.

        expected: to be fetched of those asked for. Fewer than before only from the next `take_back` on; the first time
        no fewer than are fetched, or expected to be.
        """
        self._let = pages
        self.quota = max(pages, self._done.fetched + expected if self.quota is None else self.quota)

    def take_back(self, expected: int) -> None:
        """Let no more pages be fetched than `let` has said, but for those that are, or are expected to be.

        The quota never rises by this, as others go by what was said of it: an answer that nobody expected any more may
        be fetched in place of one that is expected, which is dropped then.
        """
        if self._let is not None and self.quota is not None:
            self.quota = min(self.quota, max(self._let, self._done.fetched + expected))

    @property
    def has_enough(self) -> bool:
        """Whether all pages are fetched that may be."""
        return not self.allow_one_more(0)

    def allow_one_more(self, expected: int) -> bool:
        """Whether one more page may be asked for, while so many are expected to be fetched."""
        most = [limit for limit in (self.settings.pages, self.quota) if limit is not None]
        return not most or self._done.fetched + expected < min(most)


def limit_reached(settings: CrawlSettings, fetched: int, size: int, seconds: float, coverage: float) -> str | None:
    """The limit that a run has reached by so many pages, bytes and seconds, if any."""
    if settings.pages is not None and fetched >= settings.pages:
        return "pages"
    if settings.time is not None and seconds >= settings.time:
        return "time"
    if settings.bytes is not None and size >= settings.bytes:
        return "bytes"
    if settings.until_coverage is not None and coverage >= settings.until_coverage:
        return "coverage"
    return None


class Aim(NamedTuple):
    """A limit of a run. `left`: seconds until it is reached; None where nobody can tell."""

    name: str
    done: float
    of: float
    left: float | None


def aims(limits: Mapping[str, float | None], done: Mapping[str, float], speed: Mapping[str, float]) -> Iterator[Aim]:
    """The limits that there are. done, speed: by the name of the limit, so much and so much a second."""
    for name, limit in limits.items():
        if limit:
            reached, a_second = done.get(name, 0.0), speed.get(name, 0.0)
            rest = limit - reached
            left = 0.0 if rest <= 0 else rest / a_second if a_second > 0 else None
            yield Aim(name, reached, limit, left)
