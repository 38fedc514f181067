"""Whether nobody answers any more. Hosts die one by one; if hosts that have answered before seem to die together, it is
us: the network, the name server, the proxy or an option is not what it was.

silent    a request that failed as it would without a network, see SILENT; any other failure shows that somebody is
sign      a silent request to a host that has answered before, in this run or an earlier one, and not failed since
doubt     while only silent requests have come back since the last answer: what they were for is held, not yet failed
check     a request that asks only for an answer: to a host that has answered before, or one that nobody has asked yet

The rule: signs of HOSTS different hosts without an answer between, and nothing but checks is asked any more. If one of
the first CHECKS is answered, it is the hosts: what was held has failed, and the crawl goes on. If not, it is an outage:
what was held waits for its turn again, as if it had not had it, and so does all that fails until somebody answers.
Between two checks there is then a second at first, twice as much each time, and a minute at most.

Hosts that never answered are no signs, so that a crawl may end in as many dead hosts as there are, and one at whose
start nobody answers ends at once. What is held fails after all once MOST_HELD are, after a minute, or when
there is nothing else left to ask for.
"""

import math
from collections import deque
from collections.abc import Set
from typing import Generic, TypeVar

from minicrawl.crawler.net.tls import REASONS
from minicrawl.timing import STANDARD, Timing

HOSTS = 5
CHECKS = 2
MOST_HELD = 256

SILENT = frozenset(
    {
        *("dns", "dns-unanswered", "timeout", "timeout-connect", "timeout-read", "reset", "refused"),
        *("connect", "connection"),
        # What a captive network, or a forgotten --ca-file or --allow-private, makes of hosts.
        *("private-address", *REASONS),
    }
)


Failure = TypeVar("Failure")


class Outage(Generic[Failure]):
    """What silent requests were for, until it is known what their silence means.

    `since`: when the first silent request came back, once it is certain that nobody answers. `ask_at`: when to check,
    infinity while somebody is being asked; None as long as all is well. `pause`: seconds between two checks.
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
        """Hold what a silent request was for. `sign`: its host's number, if that has answered before."""
        if self._silent_at is None:
            self._silent_at = now
        self._held.append((now, failure))
        if sign is not None:
            self._signs.add(sign)
        if len(self._signs) >= HOSTS and self.ask_at is None:
            self.ask_at = now

    def checking(self) -> None:
        """Somebody is being asked."""
        self.ask_at = math.inf

    def located(self, now: float) -> None:
        """Where to check is known now."""
        if self.ask_at is not None:
            self.ask_at = now

    def postponed(self, answered: Set[int], now: float) -> None:
        """Nobody may be asked just now. `answered`: all hosts that ever have; if all are silent, that is an outage."""
        self.ask_at = now + self._timing.first_pause
        is_late = self._silent_at is not None and now - self._silent_at >= self._timing.patience
        if self.since is None and (is_late or self._signs.issuperset(answered)):
            self._find_out(now)

    def unanswered(self, now: float) -> None:
        """A check was not answered; by then somebody else may have."""
        if self.ask_at is None:
            return
        self._unanswered += 1
        if self._unanswered < CHECKS:
            self.ask_at = now
            return
        self._find_out(now)

    def _find_out(self, now: float) -> None:
        """Nobody answers: it is an outage."""
        if self.since is None:
            self.since = now if self._silent_at is None else self._silent_at
        self.pause = min(max(2 * self.pause, self._timing.first_pause), self._timing.longest_pause)
        self.ask_at = now + self.pause

    def stood_still(self, seconds: float) -> None:
        """Nothing was asked for so long: what is held was in doubt for no longer by that."""
        self._held = deque((at + seconds, failure) for at, failure in self._held)
        if self._silent_at is not None:
            self._silent_at += seconds

    def answered(self) -> list[Failure]:
        """Somebody has answered: all is well. Returns what has failed then, in the order of its failures."""
        failed = [failure for _, failure in self._held]
        self._held.clear()
        self._calm_down()
        return failed

    def spared(self, *, is_over: bool) -> list[Failure]:
        """What is to wait for its turn again: in an outage, or as the crawl is over, all."""
        if self.since is None and not is_over:
            return []
        spared = [failure for _, failure in self._held]
        self._held.clear()
        return spared

    def overdue(self, now: float, *, is_idle: bool) -> list[Failure]:
        """What has failed without more being known. is_idle: nothing that would tell is under way."""
        failed: list[Failure] = []
        while self.ask_at is None and self._held:
            since, failure = self._held[0]
            if not (is_idle or len(self._held) > MOST_HELD or now - since >= self._timing.patience):
                break
            self._held.popleft()
            failed.append(failure)
        return failed
