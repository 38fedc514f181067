"""A worker process: fetches and parses what it is asked for over a line, until the line is closed.

    python -m minicrawl.crawl.worker FILE_DESCRIPTOR

It reads its settings first, then (number, "page", "robots" or "sitemap", URL), and sends (number, answer); before the
answer for a sitemap, (number, [URLs, whether they are of further sitemaps]) as often as need be.
"""

import asyncio
import gc
import signal
import sys
from functools import partial
from multiprocessing.connection import Connection

from minicrawl.crawl.source import LocalSource
from minicrawl.settings import CrawlSettings


async def serve(line: Connection) -> None:
    """Answer requests until the other end closes the line."""
    settings: CrawlSettings = line.recv()
    closed = asyncio.Event()
    tasks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()

    async def answer(source: LocalSource, number: int, what: str, url: str) -> None:
        match what:
            case "page":
                line.send((number, await source.page(url)))
            case "robots":
                line.send((number, await source.robots(url)))
            case "sitemap":
                give = partial(give_on, number)
                line.send((number, await source.sitemap(url, give)))

    def give_on(number: int, urls: list[str], is_index: bool) -> None:
        line.send((number, [urls, is_index]))

    def read(source: LocalSource) -> None:
        try:
            request = line.recv()
        except (EOFError, OSError):
            closed.set()
            return
        task = loop.create_task(answer(source, *request))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async with LocalSource(settings) as source:
        loop.add_reader(line.fileno(), read, source)
        await closed.wait()
        loop.remove_reader(line.fileno())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def main() -> None:
    # Ctrl-C reaches the whole group; only the crawl itself decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(100_000, 20, 50)
    asyncio.run(serve(Connection(int(sys.argv[1]))))


if __name__ == "__main__":
    main()
