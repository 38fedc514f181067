"""One time limit for many concurrent tasks with a single timer, where asyncio.timeout() needs one a task."""

import asyncio
from types import TracebackType


class Deadlines:
    """`with deadlines:` raises TimeoutError if the block takes longer than `seconds`.

    Like asyncio.timeout(), it cancels the task, which is not visible outside the block. For one event loop; blocks of a
    task do not nest.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Task[object], float] = {}  # by the loop's clock, the earliest first
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        end = self._ends[task] = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_at(end, self._break_off)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        is_over = self._ends.pop(task, None) is None
        if is_over and not task.uncancel() and kind is asyncio.CancelledError:
            raise TimeoutError from error

    @property
    def is_over(self) -> bool:
        """True if the current task, inside a block, has run out of time."""
        return asyncio.current_task() not in self._ends

    def _break_off(self) -> None:
        """Cancel late tasks. Mostly there are none, as the task of the timer has left its block."""
        self._timer = None
        loop = asyncio.get_running_loop()
        while self._ends:
            task, end = next(iter(self._ends.items()))
            if end > loop.time():
                self._timer = loop.call_at(end, self._break_off)
                return
            del self._ends[task]
            task.cancel()
