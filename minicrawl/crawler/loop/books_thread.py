"""The thread in which the books change where that may take long: sockets, timers, signals are attended to meanwhile."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")


class BooksThread:
    """One thread for what changes the books. While it works, nothing else touches them."""

    def __init__(self) -> None:
        # Not the one of the loop, in which a slow name server may occupy all threads.
        self._thread = ThreadPoolExecutor(1, "minicrawl-books")

    async def do(self, work: Callable[[], _T]) -> _T:
        """What comes of some work. What was begun is done also if this is cancelled, which comes into effect then."""
        done = asyncio.get_running_loop().run_in_executor(self._thread, work)
        cancelled: asyncio.CancelledError | None = None
        while not done.done():
            try:
                await asyncio.wait([done])
            except asyncio.CancelledError as error:
                cancelled = error
        result = done.result()
        if cancelled is not None:
            raise cancelled
        return result

    def end(self) -> None:
        self._thread.shutdown()
