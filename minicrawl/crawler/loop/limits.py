"""When a run has done what it was to do."""

from collections.abc import Callable
from typing import Protocol

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

    @property
    def has_enough(self) -> bool:
        """Whether all pages are fetched that are to be."""
        return self.settings.pages is not None and self._done.fetched >= self.settings.pages

    def allow_one_more(self, expected: int) -> bool:
        """Whether one more page may be asked for, while so many are expected to be fetched."""
        return self.settings.pages is None or self._done.fetched + expected < self.settings.pages


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
