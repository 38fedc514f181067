"""A worker, at the other end of its line: each request has one answer, whatever becomes of it."""

import asyncio
import json
import logging
import pickle
import socket
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.msgpack import decode

from minicrawl.crawler.sources.local import SourceSpec
from minicrawl.crawler.sources.worker import serve
from minicrawl.crawler.sources.workers import Line, News, Said
from minicrawl.settings import CrawlSettings

Message = tuple[int, News, Any]


def said(message: bytes) -> list[Message]:
    return [(number, news, decode(value or b"\xc0")) for number, news, value in decode(message, type=list[Said])]


class Crammed(Line):
    """A line that has no memory for any answer."""

    def send(self, message: bytes) -> None:
        if any(news != News.FAILED for _, news, _ in said(message)):
            raise MemoryError
        super().send(message)


@pytest.fixture(autouse=True)
def _log() -> Iterator[None]:
    """A worker sends what is logged over its line: here it is to stop with the test."""
    log = logging.getLogger("minicrawl")
    handlers = log.handlers.copy()
    yield
    log.handlers = handlers


async def answers(
    requests: list[tuple[int, str, object]], settings: CrawlSettings, kind: type[Line] = Line
) -> list[Message]:
    """The messages of a worker, without beats, until every request has its last answer."""
    ours, theirs = socket.socketpair()
    line = Line(ours)
    line.send(pickle.dumps(SourceSpec(settings)))
    serving = asyncio.create_task(serve(kind(theirs)))
    line.send(pickle.dumps(requests))
    found: list[Message] = []
    wanted = {number for number, *_ in requests}
    while wanted:
        some = [one for message in await asyncio.to_thread(line.receive) for one in said(message)]
        found += [one for one in some if one[1] != News.BEAT]
        wanted -= {number for number, news, _ in some if news != News.SOME}
    line.close()
    await serving
    theirs.close()
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what was read")
async def test_a_crawl_that_has_no_time_to_read_gets_few_messages() -> None:
    ours, theirs = socket.socketpair()
    line = Line(ours)
    line.send(pickle.dumps(SourceSpec(CrawlSettings())))
    serving = asyncio.create_task(serve(Line(theirs)))
    for number in range(1, 51):
        line.send(pickle.dumps([(number, "locate", "http://127.0.0.1/")]))
        for _ in range(5):
            await asyncio.sleep(0)
    messages: list[list[Message]] = []
    while sum(news != News.BEAT for message in messages for _, news, _ in message) < 50:
        messages += map(said, await asyncio.to_thread(line.receive))
    line.close()
    await serving
    theirs.close()
    assert sorted(number for message in messages for number, news, _ in message if news != News.BEAT) == list(
        range(1, 51)
    )
    assert len(messages) < 10


def test_a_request_over_which_the_worker_fails_is_logged_and_answered() -> None:
    found = asyncio.run(answers([(2, "page", "no request at all")], CrawlSettings()))
    assert found[-1] == (2, News.FAILED, None)
    (logged,) = [value for _, news, value in found if news == News.LOGGED]
    record = logging.makeLogRecord(json.loads(logged))
    assert (record.levelno, record.getMessage()) == (logging.ERROR, "a worker failed on no request at all")
    assert "Traceback" in logging.Formatter().format(record)


def test_answer_that_does_not_fit_into_memory_is_an_answer_all_the_same() -> None:
    """Else somebody would wait for it for ever, as the worker goes on beating."""
    assert asyncio.run(answers([(7, "locate", "http://192.0.2.1/")], CrawlSettings(), Crammed)) == [
        (7, News.FAILED, None)
    ]
