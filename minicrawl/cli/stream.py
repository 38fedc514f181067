"""crawl --stream: the URL of each page on standard output as it is read, for pipes.

Written by a separate thread, so that a slow reader of the pipe delays neither requests nor Ctrl-C.
"""

import asyncio
import sys
import threading
from queue import SimpleQueue

from minicrawl.crawler.running_crawl import RunningCrawl
from minicrawl.events import PageFetched
from minicrawl.log import printable

_ROOM = sys.maxsize
_OK = range(200, 400)


async def stream_urls(crawl: RunningCrawl) -> OSError | None:
    """Print the URLs of pages that answer without an error, until the crawl has ended.

    The crawl is stopped gracefully when standard output is closed, as by a pipe into head; returns that error.
    """
    lines = SimpleQueue[str | None]()
    loop = asyncio.get_running_loop()
    written: asyncio.Future[OSError | None] = loop.create_future()

    def write() -> None:
        problem = None
        try:
            while (line := lines.get()) is not None:
                print(line, flush=lines.empty())  # noqa: T201
            sys.stdout.flush()
        except OSError as error:
            problem = error
        loop.call_soon_threadsafe(written.set_result, problem)

    async def read() -> None:
        async for event in crawl.events(_ROOM):
            match event:
                case PageFetched(url=url, status=status) if status in _OK:
                    lines.put(printable(url))
        lines.put(None)

    threading.Thread(target=write, daemon=True, name="minicrawl-stream").start()
    reading = asyncio.create_task(read())
    written.add_done_callback(lambda _: reading.cancel())
    await asyncio.wait([reading])
    if reading.cancelled():
        await crawl.stop()
    return await written
