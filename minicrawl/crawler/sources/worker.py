"""A worker process: fetches and parses what it is asked for over a line, until the line is closed.

    python -m minicrawl.crawler.sources.worker FILE_DESCRIPTOR

It reads its Brief first, then lists of requests (number, "page", "robots", "sitemap" or "locate", URL; of a page its
PageRequest), and sends lists of (number, answer): what has come together in a turn of the event loop. Before the answer
for a sitemap comes [URLs, whether they are of further sitemaps] under its number, as often as need be. The answer None
says that the worker itself has failed over it; number 0 is a record for the log, number -1 the seconds of CPU it
has used and the pages that wait in it, by what for and for how long, every few seconds.
"""

import asyncio
import contextlib
import gc
import logging
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any  # Any: messages

from minicrawl import log
from minicrawl.crawler.sources.brief import Brief
from minicrawl.crawler.sources.local import LocalSource
from minicrawl.crawler.sources.workers import BEAT, LOGGED, taken_apart
from minicrawl.errors import StoreError


class _ToLine(logging.Handler):
    """Sends what is logged in a worker to the crawl, which knows where to log it."""

    def __init__(self, send: Callable[[int, object], None]) -> None:
        super().__init__(logging.WARNING)
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        self.format(record)  # which leaves the traceback in the record as text
        self._send(LOGGED, {**vars(record), "args": None, "msg": record.message, "exc_info": None})


def failed(error: Exception, asked: object) -> StoreError | None:
    """What a worker answers that has failed: what is to end the crawl, or None."""
    if isinstance(error, StoreError):
        return error
    log.worker_failed(asked=str(asked), error=error)
    return None


def _send(line: Connection, answers: list[tuple[int, object]]) -> None:
    """Send answers; None for each where memory does not suffice to, as somebody waits for it."""
    with contextlib.suppress(OSError):  # nobody waits for them any more
        try:
            line.send(answers)
        except MemoryError:
            line.send([(number, None) for number, _ in answers if number > LOGGED])


async def serve(line: Connection) -> None:
    """Answer requests until the other end closes the line."""
    brief: Brief = line.recv()
    closed = asyncio.Event()
    tasks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    answers: list[tuple[int, object]] = []

    async def answer(source: LocalSource, number: int, what: str, asked: Any) -> None:
        try:
            send(number, await result(source, number, what, asked))
        except Exception as error:  # whatever it is: somebody waits for the answer
            send(number, failed(error, asked))

    async def result(source: LocalSource, number: int, what: str, asked: Any) -> object:
        match what:
            case "page":
                return taken_apart(await source.page(asked))
            case "robots":
                return await source.robots(asked)
            case "locate":
                return await source.locate(asked)
            case _:
                return await source.sitemap(asked, lambda *some: send(number, list(some)))

    def send(number: int, answer: object) -> None:
        if not answers:
            loop.call_soon(send_all)
        answers.append((number, answer))

    def send_all() -> None:
        _send(line, answers)
        answers.clear()

    def beat(source: LocalSource) -> None:
        loop.call_later(brief.timing.beat, beat, source)
        ages = {url: (wait.waits_for, loop.time() - wait.since) for url, wait in source.waits().items()}
        send(BEAT, (time.process_time(), ages))

    def read(source: LocalSource) -> None:
        try:
            requests = line.recv()
        except (EOFError, OSError, MemoryError):  # what did not fit into memory is lost: another worker is to be asked
            closed.set()
            return
        for request in requests:
            task = loop.create_task(answer(source, *request))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    logging.getLogger("minicrawl").addHandler(_ToLine(send))
    async with brief.source() as source:
        loop.add_reader(line.fileno(), read, source)
        beat(source)
        await closed.wait()
        loop.remove_reader(line.fileno())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def main() -> None:
    # Only the crawl itself decides what Ctrl-C means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(100_000, 20, 50)
    asyncio.run(serve(Connection(int(sys.argv[1]))))


if __name__ == "__main__":
    main()
