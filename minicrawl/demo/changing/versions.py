"""When a page changes: at random times that are known for ever.

The changes of a page are a Poisson process drawn from a name. So they are a function of the name, the rate and the
time: two servers agree, and one that is started anew goes on where it was.

    slice k = the times from k / rate to (k + 1) / rate, in which one change is expected

Every slice has its own draw. Changes happen at whole seconds, because that is all an HTTP date can say: what happens
within a second is seen at its end, and two changes within one are one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

BEGINNING = 946_684_800
"""1 January 2000 in seconds since 1970: what has never changed since is as old."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of what is called `name`. rate: changes per second, 0 or more; times are seconds since 1970."""

    name: str
    rate: float

    def last(self, now: float) -> int:
        """When it last changed before or at `now`; BEGINNING where it has not."""
        if self.rate > 0:
            for number in range(self._slice(now), self._slice(BEGINNING) - 1, -1):
                times = [time for time in self._times(number) if time <= now]
                if times:
                    return max(times[-1], BEGINNING)
        return BEGINNING

    def between(self, since: float, now: float) -> list[int]:
        """When it changed after `since` and before or at `now`, rising."""
        if self.rate == 0:
            return []
        numbers = range(self._slice(max(since, BEGINNING)), self._slice(now) + 1)
        times = {time for number in numbers for time in self._times(number)}
        return sorted(time for time in times if since < time <= now)

    def _slice(self, time: float) -> int:
        return math.floor(math.floor(time) * self.rate)

    def _times(self, number: int) -> Iterator[int]:
        """The changes of a slice, rising."""
        random = Random(f"{self.name} {number}")
        at = random.expovariate(1.0)
        while at < 1.0:
            yield math.ceil((number + at) / self.rate)
            at += random.expovariate(1.0)


@dataclass(frozen=True, slots=True)
class Absences:
    """When what is called `name` is away: once in every `period`, for `lasting` whole seconds; never if that is 0."""

    name: str
    period: float
    lasting: int

    def is_away(self, now: float) -> bool:
        return bool(self.lasting) and any(left <= now < back for left, back in self._around(now, now))

    def turns(self, since: float, now: float) -> list[int]:
        """When it left, and when it came back, after `since` and before or at `now`, rising."""
        if not self.lasting:
            return []
        return [turn for times in self._around(since, now) for turn in times if since < turn <= now]

    def last_turn(self, now: float) -> int:
        """When it left or came back last; BEGINNING where it never does."""
        return max(self.turns(now - 2.0 * self.period, now), default=BEGINNING)

    def _around(self, since: float, now: float) -> Iterator[tuple[int, int]]:
        # Rounded up, the end of an absence may stand in the period after it.
        for number in range(math.floor(since / self.period) - 1, math.floor(now / self.period) + 1):
            spare = self.period - self.lasting
            left = math.ceil(number * self.period + Random(f"{self.name} {number}").random() * spare)
            yield left, left + self.lasting
