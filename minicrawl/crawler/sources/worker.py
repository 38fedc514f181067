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
from functools import partial
from itertools import chain
from typing import Any  # Any: messages

from msgspec.msgpack import encode

from minicrawl import log
from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.crawler.sources.source import GiveUrls
from minicrawl.crawler.sources.workers import Line, News, Said
from minicrawl.errors import ConfigError, StoreError
from minicrawl.model import PageRequest
from minicrawl.sandbox.child import sayable
from minicrawl.system import manage_memory, run_loop

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


def _source(spec: SourceSpec) -> tuple[LocalSource | None, str]:
    """The source; or why there is none, as a file that its settings name is not as it was when the crawl began."""
    try:
        return LocalSource(spec), ""
    except ConfigError as error:
        return None, str(error)


async def _result(source: LocalSource | None, why: str, what: str, asked: Any, give: GiveUrls) -> object:
    """The answer of a source. why: there is none."""
    if source is None:
        raise ConfigError(why)
    if what == "page":
        return await source.page(PageRequest(*asked))
    if what == "sitemap":
        return await source.sitemap(asked, give)
    return await (source.robots if what == "robots" else source.locate)(asked)


async def serve(line: Line) -> None:
    """Answer requests until the other end closes the line."""
    spec, early = _opening(line)
    source, why = _source(spec)
    result = partial(_result, source, why)
    closed = asyncio.Event()
    tasks: set[asyncio.Task[None]] = set()
    loop = asyncio.get_running_loop()
    answers: list[Said] = []

    async def answer(number: int, what: str, asked: Any) -> None:
        try:
            send(number, News.ANSWER, await result(what, asked, lambda *some: send(number, News.SOME, some)))
        except (ConfigError, StoreError) as error:
            send(number, News.REFUSED, (type(error).__name__, sayable(str(error))))
        except Exception as error:  # the crawl waits for an answer in any case
            log.event("worker-failed", asked=str(asked), error=error)
            send(number, News.FAILED, None)

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

    def beat() -> None:
        loop.call_later(spec.timing.beat, beat)
        waits = source.waits().items() if source is not None else ()
        send(0, News.BEAT, (time.process_time(), {url: (what, loop.time() - since) for url, (what, since) in waits}))

    def read() -> None:
        try:
            messages = list(map(pickle.loads, line.receive()))
        except (EOFError, OSError, MemoryError):  # without memory the requests are lost: the worker must be replaced
            closed.set()
            return
        begin(messages)

    def begin(messages: Sequence[Any]) -> None:
        for request in chain.from_iterable(messages):
            task = loop.create_task(answer(*request))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    logging.getLogger("minicrawl").addHandler(_ToLine(send))
    async with source or contextlib.nullcontext():
        loop.add_reader(line.fileno(), read)
        begin(early)
        beat()
        await closed.wait()
        loop.remove_reader(line.fileno())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def main() -> None:
    # Ctrl-C is handled by the crawl.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    manage_memory()
    run_loop(serve(Line(socket.socket(fileno=int(sys.argv[1])))))


if __name__ == "__main__":
    main()
