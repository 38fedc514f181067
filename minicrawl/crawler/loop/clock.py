"""The clock of a crawl, and that of a run, which stands still while the crawl is paused."""

import asyncio
import time
from collections.abc import Callable


class SteadyClock:
    """Unix seconds by the running event loop's clock, which never steps back when the machine's clock does.

    `offset`: Unix seconds less those of the loop.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.offset = time.time() - time.monotonic()  # which is the clock of every usual loop

    def __call__(self) -> float:
        return self._loop.time() + self.offset


class RunClock:
    """clock: gives Unix seconds. started: Unix seconds from which on the run's time counts."""

    def __init__(self, clock: Callable[[], float], started: float) -> None:
        self._clock = clock
        self._started = started
        self._paused_at: float | None = None

    @property
    def is_paused(self) -> bool:
        return self._paused_at is not None

    @property
    def seconds(self) -> float:
        """Duration of the run so far, pauses left out."""
        return (self._clock() if self._paused_at is None else self._paused_at) - self._started

    def when(self, seconds: float) -> float:
        """Unix seconds at which the run will have lasted `seconds`, without further pauses."""
        return self._started + seconds

    def pause(self) -> None:
        if self._paused_at is None:
            self._paused_at = self._clock()

    def resume(self) -> float:
        """Let the clock go on; returns the seconds for which it stood still."""
        if self._paused_at is None:
            return 0.0
        pause = self._clock() - self._paused_at
        self._started += pause
        self._paused_at = None
        return pause
