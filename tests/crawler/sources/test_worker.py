"""A worker, at the other end of its line: each request has one answer, whatever becomes of it."""

import asyncio
import logging
import socket
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import cast

import pytest
from support.misbehaving import answer
from support.raw_server import Server, all_names_at, says

from minicrawl.crawler.sources.line import Line
from minicrawl.crawler.sources.local import SourceSpec
from minicrawl.crawler.sources.worker import serve
from minicrawl.crawler.sources.workers import BEAT, LOGGED
from minicrawl.model import Fetched, Located, PageRequest, SitemapAnswer
from minicrawl.settings import CrawlSettings

HOME = "http://h.test/"
Message = tuple[int, object]
Row = tuple[object, ...]


class Crammed(Line):
    """A line that has no memory for any answer but None."""

    def send(self, message: object) -> None:
        if any(answer is not None for _, answer in cast(list[Message], message)):
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
    line.send(SourceSpec(settings))
    serving = asyncio.create_task(serve(kind(theirs)))
    line.send(requests)
    found: list[Message] = []
    wanted = {number for number, *_ in requests}
    while wanted:
        some: list[Message] = list(chain.from_iterable(await asyncio.to_thread(line.receive)))
        found += [message for message in some if message[0] != BEAT]
        wanted -= {number for number, answer in some if not isinstance(answer, list)}
    line.close()
    await serving
    theirs.close()
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what was read")
def test_a_crawl_that_has_no_time_to_read_gets_few_messages() -> None:
    async def run() -> list[list[Message]]:
        ours, theirs = socket.socketpair()
        line = Line(ours)
        line.send(SourceSpec(CrawlSettings()))
        serving = asyncio.create_task(serve(Line(theirs)))
        for number in range(1, 51):
            line.send([(number, "locate", "http://127.0.0.1/")])
            for _ in range(5):
                await asyncio.sleep(0)
        messages: list[list[Message]] = []
        while sum(number != BEAT for message in messages for number, _ in message) < 50:
            messages += await asyncio.to_thread(line.receive)
        line.close()
        await serving
        theirs.close()
        return messages

    messages = asyncio.run(run())
    assert sorted(number for message in messages for number, _ in message if number != BEAT) == list(range(1, 51))
    assert len(messages) < 10


def of_server(server: Server, requests: Sequence[tuple[int, str, object]]) -> list[Message]:
    async def run() -> list[Message]:
        async with server:
            return await answers(list(requests), all_names_at(server.port))

    return asyncio.run(run())


def test_each_kind_of_request_is_answered_under_its_number() -> None:
    server = says(answer(b"<a href=x>x</a>", "Content-Type: text/html"))
    requests = [(5, "page", tuple(PageRequest(HOME))), (3, "robots", HOME + "robots.txt"), (9, "locate", HOME)]
    found = dict(of_server(server, requests))
    assert found.keys() == {3, 5, 9}
    fetched, parsed = cast("tuple[Row, Row]", found[5])
    assert (fetched[0], fetched[1], parsed[0]) == (HOME, 200, (HOME + "x",))
    assert isinstance(found[3], Fetched)
    assert found[9] == Located("127.0.0.1")


def test_the_urls_of_a_sitemap_come_before_its_answer() -> None:
    server = says(answer(f"{HOME}1\n{HOME}2".encode(), "Content-Type: text/plain"))
    found = of_server(server, [(4, "sitemap", HOME + "s.txt")])
    assert found[0] == (4, [[HOME + "1", HOME + "2"], False, {}])
    number, last = found[-1]
    assert isinstance(last, SitemapAnswer)
    assert (number, last.found) == (4, 2)


def test_a_request_over_which_the_worker_fails_is_logged_and_answered_by_none() -> None:
    found = asyncio.run(answers([(2, "page", "no request at all")], CrawlSettings()))
    assert found[-1] == (2, None)
    (logged,) = [message for number, message in found if number == LOGGED]
    record = logging.makeLogRecord(cast("dict[str, object]", logged))
    assert (record.levelno, record.getMessage()) == (logging.ERROR, "a worker failed over no request at all")
    assert "Traceback" in logging.Formatter().format(record)


def test_answer_that_does_not_fit_into_memory_is_an_answer_all_the_same() -> None:
    """Else somebody would wait for it for ever, as the worker goes on beating."""
    assert asyncio.run(answers([(7, "locate", "http://192.0.2.1/")], CrawlSettings(), Crammed)) == [(7, None)]
