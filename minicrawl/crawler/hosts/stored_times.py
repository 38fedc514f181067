"""Times that the last run has left in the store, in the light of the clock of this one. Pure: time is passed in.

A machine's clock may have been set back since, or have been ahead in the last run: then what the store says of times
is in the future by as much, and a crawl that believed it would wait for as long. Whatever the clock does, nothing waits
for longer than the rule allows that its wait is by.
"""

from dataclasses import dataclass


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
