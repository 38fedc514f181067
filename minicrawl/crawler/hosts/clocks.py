"""Clocks of hosts and IP addresses. Time is passed in.

turn     a host is handed out for a page or an errand, and is in flight until that ends, with or without a request
errand   a request to a host that is for no page: robots.txt, a sitemap, the host's address
base     the longer of --delay and the Crawl-delay of its robots.txt

The delay between two requests is the longest of the base, the delay that the host has shown to need (health.py) and
twice the time of its last answer, the latter capped at 30 s (Mercator and Heritrix do the same, by factors of 10 and
5). It counts from when a request reached its host: when the answer is there, or a 25th of the delay after the request
left, and 40 ms at least, whichever comes first. So no two requests reach a host within its delay, and a slow host is
still asked once per delay. --delay 0 switches delays off, not rests.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from msgspec import Struct, field

from minicrawl.crawler.hosts.health import Health
from minicrawl.timing import STANDARD
from minicrawl.web.urls.normalise import by_host

SLOWNESS = 2.0
LONGEST_FOR_SLOWNESS = 30.0


def reached_by(left: float, now: float, delay: float, on_its_way: float = STANDARD.on_its_way) -> float:
    """The time at which a request that left at `left` and was answered by `now` is assumed to have reached its host."""
    return min(now, left + on_its_way * max(1.0, delay))


def delay_of(base: float, seconds: float, health: Health | None) -> float:
    """Seconds between two requests to a host. seconds: duration of its last good answer."""
    if not base:
        return 0.0
    slow = min(SLOWNESS * seconds, LONGEST_FOR_SLOWNESS)
    return max(base, slow) if health is None else max(base * health.slowed, health.own_delay, slow)


class HostDelays(Struct, frozen=True):
    """Delays set by the user. `least`: seconds between two requests to a host; 0: politeness is switched off. `own`:
    the same for single hosts, by politeness key.
    """

    least: float
    own: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def by_rules(cls, least: float, rules: Iterable[tuple[str, float]]) -> "HostDelays":
        """rules: hosts with their seconds; the first rule for a host counts."""
        return cls(least, by_host(rules))

    def of(self, host: str, crawl_delay: float = 0.0) -> float:
        """Seconds for a host whose robots.txt asks for `crawl_delay`; 0 if its politeness is switched off."""
        least = self.own.get(host, self.least)
        return max(least, crawl_delay) if least else 0.0

    def is_shorter(self, host: str) -> bool:
        """True if a host has a shorter delay than others: then it need not wait for others at its IP address."""
        return self.own.get(host, self.least) < self.least


TURNS_PER_ERRAND = 10
"""At most one in so many turns of a host with pages is for an errand, but for those that alternate with pages."""


class Errand(Protocol):
    """`opens`: it asks for robots.txt or an address, without which hosts are closed, so it may run on a closed host.
    `alternates`: every second turn of a host with pages may be for such an errand."""

    opens: bool
    alternates: bool


class Clock(Struct, kw_only=True):
    """The clock of a host or an IP address: when it may get a request.

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
        self.in_flight += 1
        self.ready_at = max(self.ready_at, now + self.delay)

    def end(self, now: float, asked: bool, left: float, on_its_way: float) -> None:
        """End a turn. asked: a request was made, which left at `left` and took `on_its_way` to its host at most."""
        self.in_flight -= 1
        if asked:
            self.ready_at = max(self.ready_at, reached_by(left, now, self.delay, on_its_way) + self.delay)
        elif not self.in_flight:
            self.ready_at = min(self.ready_at, now)


class Address(Clock, kw_only=True):
    """An IP address, which hosts share; or the name server, for hosts without a known address. `with_errands`: hosts
    with errands that came on offer while it was not. `is_held`: this partition may ask it; others share it."""

    with_errands: "list[Host]" = field(default_factory=list)
    is_held: bool = True


class Host(Clock, kw_only=True):
    """A host and its politeness.

    `crawl_delay`: the delay that robots.txt asks for. `seconds`: duration of its last good answer. `health`: None if it
    was never in doubt. `well_at`: when its last well answer came, 0 if none did in this run. `witnesses`: up to three
    of its pages that were well read in this run. `answers`: it answered its last request of this run, None if there was
    none; set by the frontier alone. `address`: the address whose clock it shares, if any; `located_until`: when to look
    the address up again. `errands`: in the order of their turns; `pages_since_errand`: pages handed out since the last
    one that does not alternate with pages; `had_page`: the last turn was a page's. `opening`: number of errands in
    flight, or doubts, that keep the host closed, its pages off offer. `is_banned`: it is not asked at all until it is
    unbanned.
    """

    crawl_delay: float = 0.0
    seconds: float = 0.0
    health: Health | None = None
    well_at: float = 0.0
    witnesses: tuple[int, ...] = ()
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

    @property
    def is_ill(self) -> bool:
        return self.health is not None and self.health.is_ill


class HostTurn(NamedTuple):
    """A host that is asked now, for the page or the errand that is not None."""

    host: Host
    page: int | None = None
    errand: Errand | None = None
