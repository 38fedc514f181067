"""One time limit for many tasks side by side, by one timer; asyncio.timeout() takes one for each."""

import asyncio
from types import TracebackType


class Deadlines:
    """`with deadlines:` breaks off what the current task does in the block after so many seconds, by a TimeoutError.

    As asyncio.timeout() does: by a cancellation, which nobody outside gets to see. For one event loop; a task is in one
    block at a time.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Task[object], float] = {}  # by the loop's clock, the next first
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
        """Whether the time of the current task, which is in a block, is over."""
        return asyncio.current_task() not in self._ends

    def _break_off(self) -> None:
        """Most of the time that is nobody: who was next has long left the block."""
        self._timer = None
        loop = asyncio.get_running_loop()
        while self._ends:
            task, end = next(iter(self._ends.items()))
            if end > loop.time():
                self._timer = loop.call_at(end, self._break_off)
                return
            del self._ends[task]
            task.cancel()
