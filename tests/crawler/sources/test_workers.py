"""Fetching and parsing in worker processes changes nothing but the speed.

The source that requests are put to, replaced while the crawl runs.
"""

import asyncio
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from support.misbehaving import answer
from support.raw_server import Server as RawServer
from support.raw_server import all_names_at
from support.sites import faults_in, ranks, rows

from minicrawl.api import acrawl
from minicrawl.crawler.sources.local import SourceSpec
from minicrawl.crawler.sources.workers import Line, Source, chosen
from minicrawl.demo.web import DemoWeb, serving
from minicrawl.model import CrawlReport, Fetched, PageRequest, ParsedPage
from minicrawl.sandbox.child import LENGTH, framed
from minicrawl.settings import ConnectTo
from minicrawl.timing import Timing

WEB = DemoWeb.generate(seed=1, hosts=6, pages=60)
NO_CALENDAR = (re.escape(WEB.calendar),)
"""It has four times as many pages as all the rest."""


def crawled(store: Path, **settings: Any) -> CrawlReport:
    async def run() -> CrawlReport:
        async with serving(WEB) as port:
            mapping = (ConnectTo(None, None, "127.0.0.1", port),)
            return await acrawl(
                WEB.seeds,
                store,
                connect_to=mapping,
                allow_private=True,
                delay=0.0,
                traps=False,
                deny=NO_CALENDAR,
                **settings,
            )

    return asyncio.run(run())


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crawl without workers."""
    store = tmp_path_factory.mktemp("here") / "crawl.db"
    crawled(store)
    return store


def test_workers_find_the_same_web(tmp_path: Path, here: Path) -> None:
    there = tmp_path / "there.db"
    crawled(there, workers=2)
    assert ranks(there) == pytest.approx(ranks(here), abs=2e-6)
    outcomes = """SELECT url, state, reason, status, bytes, title
        FROM pages LEFT JOIN fetches ON fetches.id = fetch ORDER BY url"""
    assert rows(there, outcomes) == rows(here, outcomes)


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "hangs"])
def test_worker_that_fails_is_replaced_and_its_pages_are_asked_for_again(
    store: Path, here: Path, monkeypatch: pytest.MonkeyPatch, fate: signal.Signals
) -> None:
    timing = Timing(beat=0.05, hang=3.0, retry=0.001, robots_retry=0.001)
    page, asked = Source.page, list[str]()

    async def ask_and_kill(self: Source, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        asked.append(request.url)
        if len(asked) == 20:
            for worker in self.workers():
                os.kill(worker.pid, fate)
        return await page(self, request)

    monkeypatch.setattr(Source, "page", ask_and_kill)
    report = crawled(store, workers=1, timing=timing)
    assert (report.reason, len(asked) > 20) == ("nothing-left", True)
    assert ranks(store) == pytest.approx(ranks(here), abs=2e-6)
    assert faults_in(store) == []


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.005)


async def test_number_of_workers_may_change_while_they_work() -> None:
    """One that is to go answers what it was asked, and ends; others take its hosts over at once."""
    hosts = [next(name for name in map("h{}.test".format, range(99)) if chosen(name, range(2)) == n) for n in range(2)]
    waits, goes_on = list[asyncio.StreamWriter](), asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await server.head(reader)
            if b"GET /slow" in head:
                waits.append(writer)
                await goes_on.wait()
            writer.write(answer(b"<p>hello"))

    server = RawServer(talk)
    async with server, AsyncExitStack() as stack:
        settings = all_names_at(server.port, workers=1)
        source = await stack.enter_async_context(Source(SourceSpec(settings, Timing(beat=0.05))))
        await source.set_workers(2)
        first, second = source.workers()
        slow = asyncio.create_task(source.page(PageRequest(f"http://{hosts[1]}/slow")))
        await until(lambda: bool(waits))
        assert source.worker_of(f"http://{hosts[1]}/slow") == second.number
        await source.set_workers(1)
        fetched, _ = await source.page(PageRequest(f"http://{hosts[1]}/"))
        assert fetched.status == 200
        kept, leaving = source.workers()
        assert (kept.pid, kept.pages, kept.bytes, kept.in_flight) == (first.pid, 1, 8, 0)
        assert (leaving.pid, leaving.doing, leaving.in_flight) == (second.pid, "leaving", 1)
        assert not slow.done()
        goes_on.set()
        assert (await slow)[0].status == 200
        assert [worker.doing for worker in source.workers()] == ["idle"]
        await until(lambda: is_gone(second.pid) and source.workers()[0].cpu > 0)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture
def ends() -> Iterator[tuple[Line, Line]]:
    one, other = socket.socketpair()
    with one, other:
        yield Line(one), Line(other)


def test_a_message_that_comes_in_pieces_is_received_once_it_is_whole() -> None:
    one, other = socket.socketpair()
    with one, other:
        line = Line(other)
        *most, last = framed(b"first") + framed(b"second")
        for octet in most:
            one.send(bytes([octet]))
            assert line.receive() in ([], [b"first"])
        one.send(bytes([last]))
        assert line.receive() == [b"second"]


@pytest.mark.parametrize("blocks", [True, False])
def test_a_large_message_arrives_between_others(ends: tuple[Line, Line], blocks: bool) -> None:
    """Also where the sending end does not block, as one that uvloop watches."""
    one, other = ends
    os.set_blocking(one.fileno(), blocks)
    sent = [b"before", b"x" * 10_000_000, b"after"]
    sending = threading.Thread(target=lambda: list(map(one.send, sent)))
    sending.start()
    came: list[bytes] = []
    while len(came) < 3:
        came += other.receive()
    sending.join()
    assert came == sent


def test_what_came_before_the_end_is_received(ends: tuple[Line, Line]) -> None:
    one, other = ends
    one.send(b"last")
    one.close()
    assert other.receive() == [b"last"]
    with pytest.raises(EOFError):
        other.receive()


def test_a_message_of_a_length_that_none_has_ends_the_line() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.sendall(LENGTH.pack(2**63))
        with pytest.raises(EOFError):
            Line(other).receive()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say what was read")
def test_a_message_is_unread_until_the_other_end_has_taken_it(ends: tuple[Line, Line]) -> None:
    one, other = ends
    assert not one.is_unread
    one.send(b"page")
    assert one.is_unread
    other.receive()
    assert not one.is_unread
