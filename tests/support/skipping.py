"""An event loop whose clock stands still while anything happens, and skips to the next timer when nothing does.

What waits by it waits for nothing, and is by its own clock as quick on a busy machine as on an idle one. Everybody must
be in this process, and go by the clock of the loop: who is elsewhere is given no time to answer. What the loop has
given to a thread is waited for.
"""

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar

Result = TypeVar("Result")
_TICK = 1e-6  # seconds from one look at the clock to the next: nothing takes no time at all
_BETWEEN = 0.01  # seconds from one loop to the next: what is due at the end of one run is due when the next begins


def run(main: Coroutine[Any, Any, Result], *, grace: float = 0.005) -> Result:
    """asyncio.run() without waiting. grace: real seconds for what was sent on a socket to arrive, before each skip."""
    with asyncio.Runner(loop_factory=lambda: _SkippingLoop(grace)) as runner:
        return runner.run(main)


def run_apart(main: Coroutine[Any, Any, Result]) -> Result:
    """`run` of what nobody comes back to: hours that pass in it have not passed for those that follow."""
    before = _SkippingLoop.ended
    try:
        return run(main, grace=0.0)
    finally:
        _SkippingLoop.ended = before


def apart(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a coroutine, run by `run_apart`."""

    @wraps(test)
    def run_so(*given: Any, **named: Any) -> None:
        run_apart(test(*given, **named))

    return run_so


def looks() -> int:
    """Number of times that the running loop has looked for events."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _SkippingLoop)
    return loop.looks


def set_clock() -> None:
    """Let the next loop begin by the machine's clock: a test is not ahead by what those before it have skipped."""
    _SkippingLoop.ended = 0.0


class _SkippingLoop(asyncio.SelectorEventLoop):
    ended = 0.0
    """When the last one of this test had come to its end: the next begins later."""

    def __init__(self, grace: float) -> None:
        self._now = max(time.monotonic(), _SkippingLoop.ended + _BETWEEN)
        self.in_threads = self.looks = 0
        super().__init__(_SkippingSelector(self, grace))

    def time(self) -> float:
        self._now += _TICK
        return self._now

    def skip(self, seconds: float) -> None:
        self._now += seconds

    def run_in_executor(  # type: ignore[override]  # as the types of the arguments do not matter here
        self, executor: Any, function: Any, *args: Any
    ) -> asyncio.Future[Any]:
        future = super().run_in_executor(executor, function, *args)
        self.in_threads += 1
        future.add_done_callback(self._thread_is_done)
        return future

    async def shutdown_default_executor(self, *timeout: Any) -> None:
        self.in_threads += 1  # the thread that waits for all others
        await super().shutdown_default_executor(*timeout)

    def _thread_is_done(self, future: asyncio.Future[Any]) -> None:
        self.in_threads -= 1

    def close(self) -> None:
        super().close()
        _SkippingLoop.ended = self._now


class _SkippingSelector(selectors.DefaultSelector):
    def __init__(self, loop: _SkippingLoop, grace: float) -> None:
        super().__init__()
        self._loop, self._grace = loop, grace

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready; if nothing is when the grace is over, it is `timeout` later."""
        self._loop.looks += 1
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        if self._loop.in_threads:
            return super().select(None)
        # A process that is held up for as long as it would have waited does not look again by itself.
        ready = super().select(min(timeout, self._grace)) or super().select(0.0)
        if not ready:
            self._loop.skip(timeout)
        return ready
