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

from msgspec import Struct

from minicrawl.model import Progress


class Event(Struct, frozen=True):
    """`at`: Unix seconds."""

    at: float


class PageFetched(Event, frozen=True):
    """A request for a page is over.

    `status`: HTTP status, or None without an answer; then the reason code `reason` says why. `bytes`: size of the
    body on the network. `seconds`: duration of the request. It is committed within a second.
    """

    url: str
    status: int | None
    reason: str | None
    bytes: int
    seconds: float


class Progressed(Event, frozen=True):
    progress: Progress


class SettingChanged(Event, frozen=True):
    """`before`, `after`: values of the setting, as text."""

    name: str
    before: str
    after: str


class SeedsAdded(Event, frozen=True):
    """`new`: number of seeds that were not known before."""

    seeds: int
    new: int


class PageAskedAgain(Event, frozen=True):
    url: str


class HostBanned(Event, frozen=True):
    host: str


class HostUnbanned(Event, frozen=True):
    host: str


class Paused(Event, frozen=True):
    """No new requests are made; those in flight finish."""


class Resumed(Event, frozen=True):
    """`seconds`: duration of the pause."""

    seconds: float


class Stopping(Event, frozen=True):
    """`reason`: as in `CrawlReport`."""

    reason: str


class EventsDropped(Event, frozen=True):
    """`events`: number of events that the reader missed because it was too slow."""

    events: int
