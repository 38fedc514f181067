"""Hosts of the web: their clocks, their health, and outages on our own side. Time is passed in.

turn     a host is handed out for a page or an errand, and is in flight until that ends, with or without a request
errand   a request to a host that is for no page: robots.txt, a sitemap, the host's address
base     the longer of --delay and the Crawl-delay of its robots.txt
strain   an answer of a host in trouble: 429, 502, 503, 504, a time-out, no connection, a broken one, no answer from
         the name server
backoff  doubled by each strain, from one second at least to 5 minutes at most; halved by every other answer, until
         the base is reached

The delay between two requests is the longest of base, backoff and twice the time of the last answer, the latter capped
at 30 s (Mercator and Heritrix do the same, by factors of 10 and 5). It counts from when a request reached its host:
when the answer is there, or a 25th of the delay after the request left, and 40 ms at least, whichever comes first. So
no two requests reach a host within its delay, and a slow host is still asked once per delay.

Eight strains in a row, which take more than four minutes, and a host is dead: for a day its pages have their turns
without a request. One strain after that and it is dead for another day; any other answer, even a 404, revives it.
--delay 0 switches all of this off.

Outages on our side: if hosts that have answered before seem to die together, the fault is ours.

silent   a request that failed as it would without a network, see SILENT; any other failure shows a live network
sign     a silent request to a host that has answered before, and not failed since
check    a request for any answer at all: to a host that has answered before, or one that was never asked

After signs from HOSTS different hosts without an answer in between, silent requests are held, and only checks are sent.
If one of the first CHECKS is answered, the hosts are at fault: held requests have failed, and the crawl goes on. If
not, it is an outage: held requests wait for another turn as if they had not had one, and so do all that fail until
somebody answers. Checks are then a second apart, twice as long each time, up to a minute. Held requests fail after all
when there are more than MOST_HELD, after a minute, or when nothing else is left to ask for.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, Protocol, TypeVar

from minicrawl.crawler.net.tls import REASONS
from minicrawl.crawler.urls.normalise import by_host
from minicrawl.model import Fetched
from minicrawl.timing import STANDARD, Timing

SLOWNESS = 2.0
LONGEST_FOR_SLOWNESS = 30.0
STRAINS_OF_THE_DEAD = 8
REST_OF_THE_DEAD = 24 * 3600.0

_STRAINED_STATUSES = frozenset({429, 502, 503, 504})
_STRAINED_REASONS = frozenset(
    {"dns-unanswered", "timeout", "timeout-connect", "timeout-read", "reset", "refused", "connect", "connection"}
)


@dataclass(frozen=True, slots=True)
class Health:
    """`seconds`: duration of a host's last good answer. `backoff`: seconds, 0 = none. `strains`: in a row.
    `dead_until`: Unix seconds."""

    seconds: float = 0.0
    backoff: float = 0.0
    strains: int = 0
    dead_until: float = 0.0


FRESH = Health()


def reached_by(left: float, now: float, delay: float, on_its_way: float = STANDARD.on_its_way) -> float:
    """The time at which a request that left at `left` and was answered by `now` is assumed to have reached its host."""
    return min(now, left + on_its_way * max(1.0, delay))


def delay_of(base: float, health: Health) -> float:
    """Seconds between two requests to a host."""
    if not base:
        return 0.0
    return max(base, health.backoff, min(SLOWNESS * health.seconds, LONGEST_FOR_SLOWNESS))


def is_strained(fetched: Fetched) -> bool:
    """True if an answer, or the lack of one, shows a host in trouble."""
    return fetched.status in _STRAINED_STATUSES if fetched.reason is None else fetched.reason in _STRAINED_REASONS


def after(health: Health, fetched: Fetched, base: float, now: float, timing: Timing = STANDARD) -> Health:
    """The health of a host after one more answer."""
    if is_strained(fetched):
        strains = health.strains + 1
        backoff = min(2 * max(base, health.backoff, timing.least_backoff), timing.longest_backoff)
        dead_until = now + REST_OF_THE_DEAD if strains >= STRAINS_OF_THE_DEAD else 0.0
        return replace(health, backoff=backoff, strains=strains, dead_until=dead_until)
    if fetched.status is None:
        return health  # no connection was made, or nothing can be learned from it
    backoff = health.backoff / 2
    return Health(fetched.seconds, backoff if backoff > base else 0.0)


@dataclass(frozen=True)
class HostDelays:
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
    """An IP address, which hosts share; or the name server, for hosts without a known address. `with_errands`: hosts
    with errands that came on offer while it was not. `is_held`: this partition may ask it; others share it."""

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


class Past:
    """Stored times of the last run, read by this run's clock.

    A machine's clock may have been set back since, or have been ahead in the last run. Then stored times are in the
    future by as much, and a crawl that believed them would wait for as long. Whatever the clock does, no wait lasts
    longer than its own rule allows.

    `now`: Unix seconds. `ahead`: seconds by which the last run's clock was ahead of that at its commit.
    """

    def __init__(self, last_commit: float, now: float) -> None:
        """last_commit: its time by the clock of its run; 0: there was none."""
        self.now, self.ahead = now, max(0.0, last_commit - now)

    def until(self, time: float, longest: float) -> float:
        """The end of a wait stored as `time`, of `longest` seconds at most."""
        return time if time <= self.now else min(time - self.ahead, self.now + longest)

    def since(self, time: float) -> float:
        """The time of a past event stored as `time`."""
        return time if time <= self.now else min(time - self.ahead, self.now)


HOSTS = 5
CHECKS = 2
MOST_HELD = 256

SILENT = frozenset(
    {
        *("dns", "dns-unanswered", "timeout", "timeout-connect", "timeout-read", "reset", "refused"),
        *("connect", "connection"),
        # As seen in a captive network, or without the --ca-file or --allow-private of the last run.
        *("private-address", *REASONS),
    }
)


Failure = TypeVar("Failure")


class Outage(Generic[Failure]):
    """Holds silent requests until it is known whether they failed by an outage.

    `since`: when the first silent request came back, once the outage is certain. `ask_at`: the time of the next check,
    infinity during a check; None if all is well. `pause`: seconds between two checks.
    """

    def __init__(self, timing: Timing = STANDARD) -> None:
        self._timing = timing
        self._held: deque[tuple[float, Failure]] = deque()
        self._calm_down()

    def _calm_down(self) -> None:
        self._signs: set[int] = set()
        self._silent_at: float | None = None
        self.since: float | None = None
        self.ask_at: float | None = None
        self.pause = 0.0
        self._unanswered = 0

    def failed(self, failure: Failure, sign: int | None, now: float) -> None:
        """Hold a silent request. `sign`: its host's number, if that has answered before."""
        if self._silent_at is None:
            self._silent_at = now
        self._held.append((now, failure))
        if sign is not None:
            self._signs.add(sign)
        if len(self._signs) >= HOSTS and self.ask_at is None:
            self.ask_at = now

    def checking(self) -> None:
        """A check is under way."""
        self.ask_at = math.inf

    def postponed(self, answered: Set[int], now: float) -> None:
        """No host may be checked now. answered: all hosts that ever answered; if all of them are silent, it is an
        outage."""
        self.ask_at = now + self._timing.first_pause
        is_late = self._silent_at is not None and now - self._silent_at >= self._timing.patience
        if self.since is None and (is_late or self._signs.issuperset(answered)):
            self._find_out(now)

    def unanswered(self, now: float) -> None:
        """A check was not answered; another host may have answered meanwhile."""
        if self.ask_at is None:
            return
        self._unanswered += 1
        if self._unanswered < CHECKS:
            self.ask_at = now
            return
        self._find_out(now)

    def _find_out(self, now: float) -> None:
        if self.since is None:
            self.since = now if self._silent_at is None else self._silent_at
        self.pause = min(max(2 * self.pause, self._timing.first_pause), self._timing.longest_pause)
        self.ask_at = now + self.pause

    def answered(self) -> list[Failure]:
        """A host has answered: all is well. Returns the held requests, which have failed, in order."""
        failed = self.spared(is_over=True)
        self._calm_down()
        return failed

    def spared(self, *, is_over: bool) -> list[Failure]:
        """Release all held requests for another turn, in an outage or when the crawl is over; else none."""
        if self.since is None and not is_over:
            return []
        spared = [failure for _, failure in self._held]
        self._held.clear()
        return spared

    def overdue(self, now: float, *, is_idle: bool) -> list[Failure]:
        """Release held requests that count as failed by now. is_idle: no request in flight would tell more."""
        failed: list[Failure] = []
        while self.ask_at is None and self._held:
            since, failure = self._held[0]
            if not (is_idle or len(self._held) > MOST_HELD or now - since >= self._timing.patience):
                break
            self._held.popleft()
            failed.append(failure)
        return failed
