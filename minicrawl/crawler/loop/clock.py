"""The clock of a crawl."""

import asyncio
import time


class SteadyClock:
    """Unix seconds by the running event loop's clock: they never step back, whatever happens to the machine's."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._offset = time.time() - time.monotonic()  # which is the clock of every usual loop

    def __call__(self) -> float:
        return self._loop.time() + self._offset
