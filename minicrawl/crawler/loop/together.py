"""What the runs of one process have in common: mostly there is one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from minicrawl.crawler.loop.in_flight import BooksThread, Slots
from minicrawl.crawler.sources.workers import Source
from minicrawl.web.net.open_files import raised_limit, room


class Together:
    """The resources that the runs of one process have in common: slots of requests, room for connections, the thread
    for long work, and the source, which the first run makes, unless each has an archive to write to."""

    def __init__(self, runs: int = 1) -> None:
        """runs: their greatest number."""
        self.room = partial(room, raised_limit(runs))
        """The room of a run for so many requests."""
        self.slots = Slots()
        self.thread = BooksThread()
        self.source: Source | None = None
        self._entering = asyncio.Lock()
        self._open = AsyncExitStack()
        self._is_open = False

    @asynccontextmanager
    async def entered(self, source: Source) -> AsyncIterator[None]:
        """Fetch from a source during the block; the common one stays open until `aclose`."""
        if source is not self.source:
            async with source:
                yield
            return
        async with self._entering:
            if not self._is_open:
                await self._open.enter_async_context(source)
                self._is_open = True
        yield

    async def aclose(self) -> None:
        self.thread.end()
        await self._open.aclose()
