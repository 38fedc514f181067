"""A host, its IP address, and the clocks that say when they may be asked. Time is passed in.

turn     a host is handed out for a page or an errand, and is in flight until that ends, with or without a request
errand   a request to a host that is for no page: robots.txt, a sitemap, the host's address
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from minicrawl.crawler.hosts.politeness import FRESH, Health, reached_by

TURNS_PER_ERRAND = 10
"""At most one in so many turns of a host with pages is for an errand, but for those that alternate with pages."""


class Errand(Protocol):
    """`opens`: it asks for robots.txt or an address, without which hosts are closed, so it may run on a closed host.

    `alternates`: every second turn of a host with pages may be for such an errand.
    """

    opens: bool
    alternates: bool


@dataclass(slots=True, kw_only=True)
class Clock:
    """The clock of a host or an IP address: when it may be asked.

    `delay`: seconds between two requests; `most`: requests in flight at most; `ready_at`, `rests_until`: Unix seconds
    at which the delay, and a rest for another reason, are over. `waits_until`: the time of the next check, if it waits.
    """

    id: int
    name: str
    delay: float
    most: int
    ready_at: float = 0.0
    rests_until: float = 0.0
    in_flight: int = 0
    is_offered: bool = False
    waits_until: float | None = None

    def begin(self, now: float) -> None:
        """Begin a turn."""
        self.in_flight += 1
        self.ready_at = max(self.ready_at, now + self.delay)

    def end(self, now: float, asked: bool, left: float, on_its_way: float) -> None:
        """End a turn. asked: a request was made, which left at `left` and took `on_its_way` to its host at most."""
        self.in_flight -= 1
        if asked:
            self.ready_at = max(self.ready_at, reached_by(left, now, self.delay, on_its_way) + self.delay)
        elif not self.in_flight:
            self.ready_at = min(self.ready_at, now)


@dataclass(slots=True, kw_only=True)
class Address(Clock):
    """An IP address, which hosts share; or the name server, for hosts without a known address.

    `with_errands`: hosts with errands that came on offer while the address was not. `is_held`: this
    partition may ask it; others share it.
    """

    with_errands: "list[Host]" = field(default_factory=list)
    is_held: bool = True


@dataclass(slots=True, kw_only=True)
class Host(Clock):
    """A host and its politeness.

    `crawl_delay`: the delay that robots.txt asks for. `answers`: it answered its last request of this run, None if
    there was none; set by the frontier alone. `address`: the address whose clock it shares, if any; `located_until`:
    when to look the address up again. `errands`: in the order of their turns; `pages_since_errand`: pages handed out
    since the last one that does not alternate with pages; `had_page`: the last turn was a page's. `opening`: number
    of errands in flight that keep the host closed, its pages off offer. `is_banned`: it is not asked at all until it is
    unbanned.
    """

    crawl_delay: float = 0.0
    health: Health = FRESH
    answers: bool | None = None
    address: Address | None = None
    located_until: float = math.inf
    errands: list[Errand] = field(default_factory=list)  # few; an empty deque takes 760 bytes
    pages_since_errand: int = TURNS_PER_ERRAND
    had_page: bool = False
    opening: int = 0
    is_banned: bool = False

    @property
    def not_before(self) -> float:
        """Unix seconds before which no request may leave."""
        return max(self.ready_at, self.rests_until)


class HostTurn(NamedTuple):
    """A host that is asked now, for the page or the errand that is not None."""

    host: Host
    page: int | None = None
    errand: Errand | None = None


@dataclass(frozen=True)
class Past:
    """Stored times of the last run, read by this run's clock.

    A machine's clock may have been set back since, or have been ahead in the last run. Then stored times are in the
    future by as much, and a crawl that believed them would wait for as long. Whatever the clock does, no wait lasts
    longer than its own rule allows.

    `now`: Unix seconds. `ahead`: seconds by which the last run's clock was ahead of that at its commit.
    """

    now: float
    ahead: float = 0.0

    @classmethod
    def of(cls, last_commit: float, now: float) -> "Past":
        """last_commit: its time by the clock of its run; 0: there was none."""
        return cls(now, max(0.0, last_commit - now))

    def until(self, time: float, longest: float) -> float:
        """The end of a wait stored as `time`, of `longest` seconds at most."""
        return time if time <= self.now else min(time - self.ahead, self.now + longest)

    def since(self, time: float) -> float:
        """The time of a past event stored as `time`."""
        return time if time <= self.now else min(time - self.ahead, self.now)
