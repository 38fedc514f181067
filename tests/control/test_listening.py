"""A running crawl answers whoever connects, and no client ends it, slows it down or keeps others out for long."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from support.lines import Line, asked
from support.sites import faults_in
from support.skipping import apart
from support.steering import HOME, Steered, kept, steered, wide

from minicrawl.control.commands import listening
from minicrawl.control.messages import LONGEST


@contextlib.asynccontextmanager
async def crawled(store: Path, **limits: Any) -> AsyncIterator[Steered]:
    """A crawl of a small site, to be steered inside; it must come to its end."""
    server = Steered(wide(20))
    async with steered(server, store, delay=1) as crawl, listening(crawl, store, **limits):
        await server.until(2)
        yield server
        await asyncio.wait_for(crawl.finished(), 1000)
    assert faults_in(store) == []


@apart
async def test_commands_in_one_go_are_done_in_turn(store: Path) -> None:
    async with crawled(store), Line(store) as line:
        lines = [{"do": "set", "settings": {"concurrency": number}} for number in range(1, 30)]
        line.writer.write(b"".join(json.dumps(one).encode() + b"\n" for one in lines))
        answers = [json.loads(await line.reader.readline()) for _ in lines]
        assert [answer["done"]["changed"][0]["after"] for answer in answers] == [str(n) for n in range(1, 30)]
    assert kept(store, "concurrency") == 29


RUBBISH = {
    "nothing": b"\n",
    "no JSON": b"GET / HTTP/1.1\r\n",
    "no UTF-8": b"\xff\xfe\n",
    "no object": b"[1]\n",
    "no command": b'{"do": "rm"}\n',
    "deep": b"[" * 100_000 + b"\n",
    "a number of many digits": b'{"do": "set", "settings": {"pages": ' + b"9" * 5000 + b"}}\n",
    "a huge setting": b'{"do": "set", "settings": {"pages": ' + b"9" * 4000 + b"}}\n",
}


@apart
async def test_rubbish_is_told_in_one_sentence_and_the_line_goes_on(store: Path) -> None:
    async with crawled(store) as server, Line(store) as line:
        for name, sent in RUBBISH.items():
            answer = await line.says(sent)
            assert answer.keys() == {"failed", "exit"} or name == "a huge setting", name
            assert (await line.asks("status"))["done"]["state"] == "running"
        line.writer.write(b'{"do": "stop"}')  # half a command is none
        line.writer.write_eof()
        assert await line.reader.read() == b""
    assert len(server.asked) == 21
    assert not store.with_name("crawl.db.sock").exists(), "the socket goes with the crawl"


@apart
async def test_a_line_without_end_is_told_and_ended(store: Path) -> None:
    async with crawled(store):
        loop = asyncio.get_running_loop()
        endless = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        endless.setblocking(False)
        await loop.sock_connect(endless, str(store) + ".sock")
        with contextlib.suppress(OSError):  # it hangs up, with what was sent unread
            while True:
                await loop.sock_sendall(endless, b"x" * LONGEST)
        answer = json.loads(await loop.sock_recv(endless, 10_000))
        assert answer["failed"] == f"a message has {LONGEST:,} bytes at most"
        endless.close()
        assert (await asked(store, "status"))["done"]["state"] == "running"


@apart
async def test_who_is_silent_for_long_is_let_go(store: Path) -> None:
    async with crawled(store, silent=5), Line(store) as line:
        line.writer.write(b'{"do": ')
        assert await line.reader.read() == b""


@apart
async def test_who_takes_no_answers_is_let_go_and_holds_up_nobody(store: Path) -> None:
    async with crawled(store, silent=3):
        deaf = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        deaf.connect(str(store) + ".sock")
        deaf.setblocking(False)
        message = b'{"do": "status"}\n'
        sent = 0
        while sent < 4 * LONGEST:  # until nothing more is taken, as nobody reads the answers
            try:
                sent += deaf.send(message * 100)
            except BlockingIOError:
                break
            await asyncio.sleep(0.001)
        async with Line(store) as line:
            for _ in range(5):
                assert (await line.asks("status"))["done"]["state"] == "running"
        deaf.close()


@apart
async def test_more_clients_than_there_is_room_for_are_told(store: Path) -> None:
    async with crawled(store, silent=5, clients=3), Line(store) as first, Line(store) as second:
        async with Line(store) as third:
            for line in (first, second, third):
                assert "done" in await line.asks("status")
            assert "too many commands at once" in (await asked(store, "status"))["failed"]
        await asyncio.sleep(0.1)
        assert "done" in await asked(store, "status")
        for line in (first, second):
            assert await line.reader.read() == b""  # they were silent for long
        assert "done" in await asked(store, "status")


@apart
async def test_the_end_waits_for_no_client(store: Path) -> None:
    server, lines = Steered(wide(5)), contextlib.AsyncExitStack()
    async with steered(server, store) as crawl, listening(crawl, store):
        idle, asks = Line(store), Line(store)
        await lines.enter_async_context(idle)
        await lines.enter_async_context(asks)
        await asks.asks("status")
        await asyncio.wait_for(crawl.finished(), 100)
    for line in (idle, asks):
        assert await line.reader.read() == b""
    await lines.aclose()


@apart
async def test_a_crawl_that_nobody_can_reach_goes_on_and_says_so(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(socket.socket, "bind", lambda *_: (_ for _ in ()).throw(PermissionError(1, "not permitted")))
    server = Steered(wide(3))
    async with steered(server, store) as crawl, listening(crawl, store, told.append):
        assert (await crawl.finished()).fetched == 4
    assert [why.partition(" (")[0] for why in told] == ["this crawl cannot be controlled from another shell"]


@apart
async def test_a_part_that_fails_over_a_command_costs_that_answer(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from minicrawl.crawler.running_crawl import RunningCrawl

    async def ban(self: RunningCrawl, host: str) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(RunningCrawl, "ban", ban)
    async with crawled(store) as server:
        assert "see the log of the crawl" in (await asked(store, "ban", host="a.test"))["failed"]
    assert HOME in server.asked
