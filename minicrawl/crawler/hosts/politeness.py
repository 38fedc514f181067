"""Politeness: the delay between two requests to a host, and when the host counts as dead.

base      the longer of --delay and the Crawl-delay of its robots.txt
strain    an answer of a host in trouble: 429, 502, 503, 504, a time-out, no connection, a broken one, no answer from
          the name server
backoff   doubled by each strain, from one second at least to 5 minutes at most; halved by every other answer, until
          the base is reached

The delay is the longest of base, backoff and twice the time of the last answer, the latter capped at 30 s (Mercator and
Heritrix do the same, by factors of 10 and 5). A host whose answers take half a second stays at a --delay of one. The
delay counts from when a request reached its host: when the answer is there, or a 25th of the delay after the request
left, and 40 ms at least, whichever comes first. So no two requests reach a host within its delay, and a slow host is
still asked once per delay.

Eight strains in a row, which take more than four minutes, and a host is dead: for a day its pages have their turns
without a request. One strain after that and it is dead for another day; any other answer, even a 404, revives it.

--delay 0 switches politeness off: none of this applies, and the stored health of hosts is ignored.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from minicrawl.crawler.urls.normalise import by_host
from minicrawl.model import Fetched
from minicrawl.settings.values import parse_host_delay
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
    """The health of a host.

    `seconds`: duration of its last good answer. `backoff`: seconds, 0 = none. `strains`: in a row. `dead_until`: Unix
    seconds.
    """

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
    def by_rules(cls, least: float, rules: Iterable[str]) -> "HostDelays":
        """rules: HOST=TIME; the first rule for a host counts."""
        return cls(least, by_host(map(parse_host_delay, rules)))

    def of(self, host: str, crawl_delay: float = 0.0) -> float:
        """Seconds for a host whose robots.txt asks for `crawl_delay`; 0 if its politeness is switched off."""
        least = self.own.get(host, self.least)
        return max(least, crawl_delay) if least else 0.0

    def is_shorter(self, host: str) -> bool:
        """True if a host has a shorter delay than others: then it need not wait for others at its IP address."""
        return self.own.get(host, self.least) < self.least
