"""Outages on our side. Hosts die one by one; if hosts that have answered before seem to die together, the fault is
ours: the network, the name server, the proxy or an option.

silent    a request that failed as it would without a network, see SILENT; any other failure shows a live network
sign      a silent request to a host that has answered before, in this run or an earlier one, and not failed since
doubt     the time in which only silent requests have come back since the last answer: they are held, not yet failed
check     a request for any answer at all: to a host that has answered before, or one that was never asked

The rule: after signs from HOSTS different hosts without an answer in between, only checks are sent. If one of the first
CHECKS is answered, the hosts are at fault: held requests have failed, and the crawl goes on. If not, it is an outage:
held requests wait for another turn as if they had not had one, and so do all that fail until somebody answers. Checks
are then a second apart, twice as long each time, up to a minute.

Hosts that never answered give no signs, so a crawl may end with any number of dead hosts, and a crawl that gets no
answer from the start ends at once. Held requests fail after all when there are more than MOST_HELD, after a minute, or
when nothing else is left to ask for.
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
        """Declare an outage."""
        if self.since is None:
            self.since = now if self._silent_at is None else self._silent_at
        self.pause = min(max(2 * self.pause, self._timing.first_pause), self._timing.longest_pause)
        self.ask_at = now + self.pause

    def answered(self) -> list[Failure]:
        """A host has answered: all is well. Returns the held requests, which have failed, in order."""
        failed = [failure for _, failure in self._held]
        self._held.clear()
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
