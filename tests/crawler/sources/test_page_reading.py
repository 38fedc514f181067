"""Pages, items and large pages are read alike in this process and in a child."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.misbehaving import MisbehavingServer, answer
from support.raw_server import all_names_at
from support.rendered import descendants

from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.crawler.sources.workers import Source
from minicrawl.model import Fetched, PageRequest, ParsedPage, Wanted
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.fingerprint import text_of
from minicrawl.web.http.httpx_transport import HttpxTransport
from minicrawl.web.lines import lines_of, pack
from minicrawl.web.marks import Marks

URL = "http://h.test/dir/page"


def test_page_that_would_choke_a_parser_is_left_alone(caplog: pytest.LogCaptureFixture) -> None:
    body = b"<h1>x</h1>" + b"<b>" * 30_001
    parsed, _ = read_page(body, URL, None, Wanted(extract=("title=h1",)))
    assert parsed.items == ()
    assert caplog.messages == [f"minicrawl extracts nothing from {URL}: its tags could make a huge tree"]


MB = 10**6


def name_of(number: int) -> bytes:
    """The shortest names of attributes that are different from one another."""
    digits = b"abcdefghijklmnopqrstuvwxyz0123456789-_.:"
    return digits[number % 40 :][:1] + (name_of(number // 40 - 1) if number >= 40 else b"")


PAGES = {
    "links": b"".join(b"<a href=/%d>x</a>" % number for number in range(10**6))[: 4 * MB],
    "nesting": b"<div>" * (4 * MB // 5),
    "text": b"<a href=/x>" + b"word " * (16 * MB // 5),
    "not-utf-8": b"<meta charset=latin1><p>" + b"w\xf6rd " * (4 * MB // 5),
    "nesting-in-65-kB": b"<div>" * 13_000,
    "attributes-in-45-kB": b"<a " + b"".join(b"%b " % name_of(number) for number in range(12_000)) + b">",
    "attributes-in-20-kB": b"<a " + b"".join(b"%b/" % name_of(number) for number in range(5_900)) + b">",
}


PLAIN = Wanted()


def source_of(body: bytes, timing: Timing = STANDARD, wanted: Wanted = PLAIN, **settings: Any) -> LocalSource:
    """Where every page has this body."""
    reply = httpx.Response(200, headers={"content-type": "text/html"}, content=body)
    transport = HttpxTransport(httpx.MockTransport(lambda request: reply))
    return LocalSource(SourceSpec(CrawlSettings(**settings), timing, wanted=wanted), transport)


@pytest.mark.parametrize("attributes", [10, 9_000])
async def test_texts_and_lines_are_kept_only_where_they_are_wanted(attributes: int) -> None:
    body = b"<p>Hello<b" + b" a" * attributes + b">"

    async def kept(*, text: bool, lines: bool) -> tuple[bytes | None, bytes | None]:
        async with source_of(body, wanted=Wanted(short_text=text)) as source:
            fetched, _ = await source.page(PageRequest(URL, lines=lines))
        return fetched.short_text, fetched.lines

    assert await kept(text=True, lines=True) == (text_of(body), pack(lines_of(Marks(body), URL)))
    assert await kept(text=False, lines=False) == (None, None)


async def longest_step(work: Awaitable[Any]) -> tuple[Any, float]:
    """Run the work. Returns its result, and the most CPU time that this thread spent in one turn of the loop."""
    task = asyncio.ensure_future(work)
    longest, before = 0.0, time.thread_time()
    while not task.done():
        await asyncio.sleep(0.001)
        now = time.thread_time()
        longest, before = max(longest, now - before), now
    return task.result(), longest


def readers() -> list[int]:
    """The processes for large pages that this one, or a worker of it, has started."""
    found = []
    for pid in descendants(os.getpid()):
        with contextlib.suppress(OSError):  # it has ended
            if b"minicrawl.sandbox.child" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


@pytest.mark.parametrize("workers", [0, 1])
async def test_a_crawl_s_loop_does_not_stand_still_either(workers: int) -> None:
    """With real connections, and with a worker, whose own loop goes on as well: it answers for others meanwhile. The
    process that is to read the large page is held up until they are answered."""
    body = PAGES["nesting"]
    server = MisbehavingServer({"large": answer(body), "small": answer(b"<p>hello")})

    async with server, AsyncExitStack() as stack:
        settings = all_names_at(server.port, workers=workers)
        source = (Source if workers else LocalSource)(SourceSpec(settings))
        await stack.enter_async_context(source)
        await source.page(PageRequest("http://small.first.test/"))
        large = asyncio.create_task(longest_step(source.page(PageRequest("http://large.first.test/"))))
        while not (found := readers()) and not large.done():
            await asyncio.sleep(0.001)
        (reader,) = found
        os.kill(reader, signal.SIGSTOP)
        await source.page(PageRequest("http://small.first.test/"))
        assert not large.done()
        os.kill(reader, signal.SIGCONT)
        (fetched, parsed), longest = await large
    began = time.thread_time()
    expected, identity = read_page(body, "http://large.first.test/", "text/html", Wanted())
    took = time.thread_time() - began
    assert (parsed, fetched) == (expected, fetched._replace(body=b"", **identity._asdict()))
    assert longest < took / 2, "seconds of CPU"


LARGE = PAGES["nesting-in-65-kB"]


async def stopped_over(
    source: LocalSource, pages: int = 1
) -> tuple[list[asyncio.Task[tuple[Fetched, ParsedPage]]], int]:
    """Pages that are being read in a child, which is stopped; and the child."""
    await source.page(PageRequest(URL))
    (pid,) = source.children()
    os.kill(pid, signal.SIGSTOP)
    tasks = [asyncio.create_task(source.page(PageRequest(f"{URL}{number}"))) for number in range(pages)]
    while len(source.waits()) < pages:
        await asyncio.sleep(0.001)
    return tasks, pid


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGTERM])
async def test_a_page_whose_child_dies_is_to_be_asked_for_again_and_the_others_are_read(fate: signal.Signals) -> None:
    async with source_of(LARGE) as source:
        (first, cancelled, second), pid = await stopped_over(source, pages=3)
        cancelled.cancel()
        os.kill(pid, fate)
        with contextlib.suppress(ProcessLookupError):  # one that was killed has gone already
            os.kill(pid, signal.SIGCONT)
        assert await first == (Fetched(f"{URL}0", reason="worker-died"), ParsedPage())
        assert (await second)[0].reason is None
        assert cancelled.cancelled()


async def test_a_page_that_takes_too_much_cpu_time_is_not_asked_for_again() -> None:
    """It would take as much again: a parser that finds no memory may go round in circles."""

    async with source_of(PAGES["links"], Timing(parse=0.0, hang=1.0)) as source:
        fetched, parsed = await source.page(PageRequest(URL))
    assert (fetched.status, fetched.reason, fetched.body, parsed) == (200, "parser-failed", b"", ParsedPage())


@pytest.mark.parametrize("filler", [b"", b" " * 600_000], ids=["here", "in-a-process-of-its-own"])
async def test_all_that_is_wanted_comes_from_wherever_a_page_is_read(filler: bytes) -> None:
    wanted = Wanted(
        anchors=True, places=True, blocks=True, kept=True, extract=("title=h1",), requisites=True, facts=True
    )
    body = b"<html lang=en><h1>Head</h1><p>Some words and <a href=/x>a link</a>" + filler

    async with source_of(body, wanted=wanted) as source:
        page = (await source.page(PageRequest(URL)))[1]
    assert page == read_page(body, URL, "text/html", wanted)[0]
    assert (page.anchors, page.places, len(page.blocks)) == (("a link",), b"\0", 4 * 2)
    assert [json.loads(item) for item in page.items] == [{"title": "Head"}]


READS = r"""
import re, sys
from pathlib import Path
from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.model import Wanted
unit = sys.argv[1].encode()
read_page(b"<html><body>" + unit * (16_000_000 // len(unit)), "http://a.test/", "text/html", Wanted())
print(int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak is in other units")
@pytest.mark.parametrize("unit", ["<b>x</b>", "<a href=/x>y</a>"])
def test_the_largest_page_that_is_read_takes_little_memory(unit: str) -> None:
    read = subprocess.run([sys.executable, "-c", READS, unit], check=True, capture_output=True)
    assert int(read.stdout) < 320, "megabytes"
