"""How long a host is left alone between two requests, and when it is taken for dead.

base      the longer of --delay and its robots.txt's Crawl-delay
strain    an answer that says the host is in trouble: 429, 502, 503, 504, time-out, no connection, a broken one, none
          from the name server
backoff   what strain makes of the delay: doubled by each, from a second at least and up to 5 minutes; halved by
          every other answer, until the base is reached

The delay is the longest of base, backoff and twice the time that the last answer took, but for that at most 30 s
(Mercator and Heritrix do the same, by factors of 10 and 5). A host whose answers take half a second stays at a --delay
of one. It is counted from when a request is with its host: that is when the answer is there, or a 25th of the delay
after it left, and 40 ms at least, whatever comes first. So no two requests reach a host within its delay, and a host
that takes its time to answer is still asked once per delay.

Eight strains in a row, which take more than four minutes, and a host is dead: for a day its pages have their turns
without a request. One more strain after that, and it is for another. Any other answer, a 404 even, and it is well.

With --delay 0 there is nothing of this, and what was known of a host's health is not looked at: politeness is off.
"""

from dataclasses import dataclass, replace

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
    """How a host has answered.

    `seconds`: what its last good answer took. `backoff`: seconds, 0 = none. `strains`: in a row.
    `dead_until`: Unix seconds.
    """

    seconds: float = 0.0
    backoff: float = 0.0
    strains: int = 0
    dead_until: float = 0.0


FRESH = Health()


def reached_by(left: float, now: float, delay: float, on_its_way: float = STANDARD.on_its_way) -> float:
    """When a request that left at `left` and has been answered by `now` is taken to have reached its host."""
    return min(now, left + on_its_way * max(1.0, delay))


def delay_of(base: float, health: Health) -> float:
    """Seconds between two requests to a host."""
    if not base:
        return 0.0
    return max(base, health.backoff, min(SLOWNESS * health.seconds, LONGEST_FOR_SLOWNESS))


def is_strained(fetched: Fetched) -> bool:
    """Whether an answer, or the lack of one, says that its host is in trouble."""
    return fetched.status in _STRAINED_STATUSES if fetched.reason is None else fetched.reason in _STRAINED_REASONS


def after(health: Health, fetched: Fetched, base: float, now: float, timing: Timing = STANDARD) -> Health:
    """The health of a host in the light of one more answer."""
    if is_strained(fetched):
        strains = health.strains + 1
        backoff = min(2 * max(base, health.backoff, timing.least_backoff), timing.longest_backoff)
        dead_until = now + REST_OF_THE_DEAD if strains >= STRAINS_OF_THE_DEAD else 0.0
        return replace(health, backoff=backoff, strains=strains, dead_until=dead_until)
    if fetched.status is None:
        return health  # no connection was made, or nothing can be learned from it
    backoff = health.backoff / 2
    return Health(fetched.seconds, backoff if backoff > base else 0.0)
