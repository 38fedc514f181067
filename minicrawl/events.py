"""Events of a running crawl, as `Crawl.events` yields them: frozen values, each with its time.

Event
├── PageFetched        a request for a page is over
├── Progressed         the state of the crawl, every half second
├── SettingChanged     a setting has a new value from now on
├── SeedsAdded, PageAskedAgain, HostBanned, HostUnbanned
├── Paused, Resumed
├── Stopping           a limit is reached, or the user stopped the crawl: no more pages are requested
└── EventsDropped      the reader was too slow
"""

from dataclasses import dataclass

from minicrawl.model import Progress


@dataclass(frozen=True, slots=True)
class Event:
    """`at`: Unix seconds."""

    at: float


@dataclass(frozen=True, slots=True)
class PageFetched(Event):
    """A request for a page is over.

    `status`: of the answer; None without one, and then the reason code `reason` says why. `bytes`: of the body, on the
    network. `seconds`: duration of the request. It is committed within a second.
    """

    url: str
    status: int | None
    reason: str | None
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Progressed(Event):
    progress: Progress


@dataclass(frozen=True, slots=True)
class SettingChanged(Event):
    """`before`, `after`: values of the setting, as text."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SeedsAdded(Event):
    """`new`: number of seeds that were not known before."""

    seeds: int
    new: int


@dataclass(frozen=True, slots=True)
class PageAskedAgain(Event):
    url: str


@dataclass(frozen=True, slots=True)
class HostBanned(Event):
    host: str


@dataclass(frozen=True, slots=True)
class HostUnbanned(Event):
    host: str


@dataclass(frozen=True, slots=True)
class Paused(Event):
    """No new requests are made; those in flight finish."""


@dataclass(frozen=True, slots=True)
class Resumed(Event):
    """`seconds`: duration of the pause."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Stopping(Event):
    """`reason`: as in `CrawlReport`."""

    reason: str


@dataclass(frozen=True, slots=True)
class EventsDropped(Event):
    """`events`: number of events that the reader missed, being too slow."""

    events: int
