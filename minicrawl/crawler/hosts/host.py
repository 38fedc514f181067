"""A host, its IP address, and the clocks that say when they may be asked. Time is passed in.

turn     a host is handed out for a page or an errand, and is in flight until that ends, with or without a request
errand   a request to a host that is for no page: robots.txt, a sitemap, the host's address
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from minicrawl.crawler.hosts.politeness import FRESH, Health, reached_by

TURNS_PER_ERRAND = 10
"""Of so many turns of a host that has pages, one at most is for an errand."""


class Errand(Protocol):
    """`opens`: it asks for what keeps hosts closed, and may be run while its own host is."""

    opens: bool


@dataclass(slots=True, kw_only=True)
class Clock:
    """When something may be asked.

    `delay`: seconds between two requests; `most`: of them in flight; `ready_at`: Unix seconds at which the delay is
    over. `waits_until`: when it will be looked at again, if it waits.
    """

    id: int
    name: str
    delay: float
    most: int
    ready_at: float = 0.0
    in_flight: int = 0
    is_offered: bool = False
    waits_until: float | None = None

    def begin(self, now: float) -> None:
        """A turn begins."""
        self.in_flight += 1
        self.ready_at = max(self.ready_at, now + self.delay)

    def end(self, now: float, asked: bool, left: float, on_its_way: float) -> None:
        """A turn is over; `asked`: with a request, which left at `left` and took so long to its host at most."""
        self.in_flight -= 1
        if asked:
            self.ready_at = max(self.ready_at, reached_by(left, now, self.delay, on_its_way) + self.delay)
        elif not self.in_flight:
            self.ready_at = min(self.ready_at, now)


@dataclass(slots=True, kw_only=True)
class Address(Clock):
    """An IP address, which hosts share. Or the name server, for hosts whose address has yet to be asked for.

    `with_errands`: hosts that came on offer with errands to run, while the address itself was not. `is_held`: whether
    it may be asked by this crawl, which others may share it with.
    """

    with_errands: "list[Host]" = field(default_factory=list)
    is_held: bool = True


@dataclass(slots=True, kw_only=True)
class Host(Clock):
    """A host and its politeness.

    `crawl_delay`: the part of the delay that robots.txt asked for; `rests_until`: Unix seconds at which a rest is
    over, for another reason. `answers`: whether it did when it was asked last in this run, None if it has not been; to
    be set by the frontier alone. `address`: whose clock it shares, if any; `located_until`: when to ask for it again.
    `errands`: in the order they are to be run; `pages_since_errand`: pages handed out since the last one.
    `opening`: how many errands are under way that it must wait for; until they are over the host is closed, and its
    pages are not on offer. `is_banned`: it is not asked at all, until that is taken back.
    """

    crawl_delay: float = 0.0
    rests_until: float = 0.0
    health: Health = FRESH
    answers: bool | None = None
    address: Address | None = None
    located_until: float = math.inf
    errands: list[Errand] = field(default_factory=list)  # few; an empty deque takes 760 bytes
    pages_since_errand: int = TURNS_PER_ERRAND
    opening: int = 0
    is_banned: bool = False

    @property
    def not_before(self) -> float:
        """Unix seconds before which no request may leave, for whatever reason."""
        return max(self.ready_at, self.rests_until)


class HostTurn(NamedTuple):
    """A host that is asked now, and what for: the page or the errand that is not None."""

    host: Host
    page: int | None = None
    errand: Errand | None = None


@dataclass(frozen=True)
class Past:
    """`now`: Unix seconds. `ahead`: seconds by which the last run's clock, when it committed, was ahead of that."""

    now: float
    ahead: float = 0.0

    @classmethod
    def of(cls, last_commit: float, now: float) -> "Past":
        """last_commit: when that was, by the clock of its run; 0: there was none."""
        return cls(now, max(0.0, last_commit - now))

    def until(self, time: float, longest: float) -> float:
        """When a wait ends that the store lets end at `time`, and that lasts so many seconds at the most."""
        return time if time <= self.now else min(time - self.ahead, self.now + longest)

    def since(self, time: float) -> float:
        """When something was that the store says was at `time`."""
        return time if time <= self.now else min(time - self.ahead, self.now)
