"""A worker process: fetches and parses on request, until the crawl closes the connection.

    python -m minicrawl.crawler.sources.worker FILE_DESCRIPTOR

It receives a SourceSpec, then lists of requests (number, "page", "robots", "sitemap" or "locate", URL; for a page the
fields of its PageRequest), and sends lists of (number of the request, `News`, value), one list a turn of the event
loop, or fewer and larger ones while the crawl has not read the last one.
"""

import asyncio
import contextlib
import json
import logging
import pickle
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any  # Any: messages

from msgspec.msgpack import encode

from minicrawl import log
from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.crawler.sources.workers import Line, News, Said
from minicrawl.errors import ConfigError, StoreError
from minicrawl.model import PageRequest
from minicrawl.sandbox.child import sayable
from minicrawl.system import manage_memory

_MOMENT = 0.001
"""Seconds between two looks at whether the crawl has read the last answers."""


class _ToLine(logging.Handler):
    """Sends log records to the crawl, which knows where to log them."""

    def __init__(self, send: Callable[[int, News, object], None]) -> None:
        super().__init__(logging.WARNING)
        self._send = send

    def emit(self, record: logging.LogRecord) -> None:
        self.format(record)  # leaves the traceback in the record as text
        # As JSON, which has a word for whatever text was logged.
        fields = {**vars(record), "args": None, "msg": record.message, "exc_info": None}
        self._send(0, News.LOGGED, json.dumps(fields, default=str))


def failed(error: Exception, asked: object) -> tuple[News, str]:
    """What a worker that failed says: an error that ends the crawl, or none that does."""
    if isinstance(error, StoreError):
        return News.STORE_FAILED, sayable(str(error))
    log.event("worker-failed", asked=str(asked), error=error)
    return News.FAILED, ""


def _send(line: Line, answers: list[Said]) -> None:
    """Send answers, or for each that the worker failed if they do not fit into memory."""
    with contextlib.suppress(OSError):  # the crawl has gone
        try:
            line.send(encode(answers))
        except MemoryError:
            line.send(encode([(number, News.FAILED, b"") for number, _, _ in answers if number]))


def _opening(line: Line) -> tuple[SourceSpec, list[Any]]:
    """The first message, and those that came with it."""
    while not (messages := line.receive()):
        pass
    return pickle.loads(messages[0]), list(map(pickle.loads, messages[1:]))


def _source(spec: SourceSpec, line: Line) -> LocalSource:
    """The source. If a file that its settings name is not as it was when the crawl began, the error is sent, and the
    process ends."""
    try:
        return LocalSource(spec)
    except ConfigError as error:
        _send(line, [(0, News.USELESS, encode(sayable(str(error))))])
        sys.exit(error.exit_code)


async def serve(line: Line) -> None:
    """Answer requests until the other end closes the line."""
    spec, early = _opening(line)
    closed = asyncio.Event()
    tasks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    answers: list[Said] = []

    async def answer(source: LocalSource, number: int, what: str, asked: Any) -> None:
        try:
            send(number, News.ANSWER, await result(source, number, what, asked))
        except Exception as error:  # the crawl waits for an answer in any case
            send(number, *failed(error, asked))

    async def result(source: LocalSource, number: int, what: str, asked: Any) -> object:
        if what == "page":
            return await source.page(PageRequest(*asked))
        if what == "sitemap":
            return await source.sitemap(asked, lambda *some: send(number, News.SOME, some))
        return await (source.robots if what == "robots" else source.locate)(asked)

    def send(number: int, news: News, value: object) -> None:
        said = number, news, encode(value)
        if not answers:
            loop.call_soon(send_all)
        answers.append(said)

    def send_all() -> None:
        if line.is_unread:  # fewer and larger messages to a crawl that has no time to read
            loop.call_later(_MOMENT, send_all)
            return
        _send(line, answers)
        answers.clear()

    def beat(source: LocalSource) -> None:
        loop.call_later(spec.timing.beat, beat, source)
        ages = {url: (what, loop.time() - since) for url, (what, since) in source.waits().items()}
        send(0, News.BEAT, (time.process_time(), ages))

    def read(source: LocalSource) -> None:
        try:
            messages = list(map(pickle.loads, line.receive()))
        except (EOFError, OSError, MemoryError):  # without memory the requests are lost: the worker must be replaced
            closed.set()
            return
        begin(source, messages)

    def begin(source: LocalSource, messages: Sequence[Any]) -> None:
        for request in chain.from_iterable(messages):
            task = loop.create_task(answer(source, *request))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    logging.getLogger("minicrawl").addHandler(_ToLine(send))
    async with _source(spec, line) as source:
        loop.add_reader(line.fileno(), read, source)
        begin(source, early)
        beat(source)
        await closed.wait()
        loop.remove_reader(line.fileno())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def main() -> None:
    # Ctrl-C is handled by the crawl.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    manage_memory()
    asyncio.run(serve(Line(socket.socket(fileno=int(sys.argv[1])))))


if __name__ == "__main__":
    main()
