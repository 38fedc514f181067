"""The time of a run in partitions, which stands still while the crawl is paused."""

import time
from collections.abc import Callable


class RunClock:
    """clock: seconds that go on rising."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._paused_at: float | None = None

    def begin(self) -> None:
        """The run begins now."""
        self._began = self._clock()

    @property
    def seconds(self) -> float:
        """Of the run so far, pauses left out."""
        return (self._clock() if self._paused_at is None else self._paused_at) - self._began

    @property
    def is_paused(self) -> bool:
        return self._paused_at is not None

    def pause(self) -> None:
        if self._paused_at is None:
            self._paused_at = self._clock()

    def resume(self) -> None:
        if self._paused_at is not None:
            self._began += self._clock() - self._paused_at
            self._paused_at = None
