"""Fetching and parsing in worker processes changes nothing but the speed.

The source that requests are put to, replaced while the crawl runs.
"""

import asyncio
import importlib
import os
import re
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from support.misbehaving import answer
from support.raw_server import Server as RawServer
from support.raw_server import all_names_at, says
from support.sites import faults_in, rows

from minicrawl.api import acrawl
from minicrawl.crawler.http.signing_keys import new_key
from minicrawl.crawler.sources.local import SourceSpec
from minicrawl.crawler.sources.workers import ChangingSource, WorkerSource, chosen
from minicrawl.demo.server import serving
from minicrawl.demo.web import DemoWeb
from minicrawl.errors import SettingError
from minicrawl.model import CrawlReport, Fetched, PageRequest, ParsedPage
from minicrawl.settings import ConnectTo, CrawlSettings
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


def ranks(store: Path) -> dict[str, float]:
    return dict(rows(store, "SELECT url, importance FROM ranks"))


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
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch, fate: signal.Signals
) -> None:
    timing = Timing(beat=0.05, hang=3.0, retry=0.001, robots_retry=0.001)
    page, asked = WorkerSource.page, list[str]()

    async def ask_and_kill(self: WorkerSource, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        asked.append(request.url)
        if len(asked) == 20:
            for worker in self.workers():
                os.kill(worker.pid, fate)
        return await page(self, request)

    monkeypatch.setattr(WorkerSource, "page", ask_and_kill)
    store = tmp_path / "crawl.db"
    report = crawled(store, workers=1, timing=timing)
    assert (report.reason, len(asked) > 20) == ("nothing-left", True)
    assert ranks(store) == pytest.approx(ranks(here), abs=2e-6)
    assert faults_in(store) == []


def test_another_number_of_workers_means_another_one_for_few_hosts() -> None:
    hosts = [f"h{number}.test" for number in range(3_000)]
    before = [chosen(host, range(3)) for host in hosts]
    after = [chosen(host, range(4)) for host in hosts]
    assert min(Counter(before).values()) > 900
    assert {new for old, new in zip(before, after, strict=True) if old != new} == {3}
    assert 600 < after.count(3) < 900


async def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.005)


def test_number_of_workers_may_change_while_they_work() -> None:
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

    async def run() -> None:
        async with server, AsyncExitStack() as stack:
            settings = all_names_at(server.port, workers=1)
            source = await stack.enter_async_context(WorkerSource(SourceSpec(settings, Timing(beat=0.05))))
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
            with pytest.raises(SettingError, match="at least 1, not 0"):
                await source.set_workers(0)

    server = RawServer(talk)
    asyncio.run(run())


def test_others_have_their_turns_while_workers_start() -> None:
    """So that a crawl hears the next command; and none starts any more once the source is closed."""

    async def run() -> None:
        turns, others = 0, asyncio.Event()

        async def count() -> None:
            nonlocal turns
            while not others.is_set():
                turns += 1
                await asyncio.sleep(0)

        async with WorkerSource(SourceSpec(CrawlSettings(workers=1), Timing())) as source:
            counting = asyncio.create_task(count())
            await source.set_workers(3)
            assert (len(source.workers()), turns >= 2) == (3, True)
            others.set()
            await counting
            starting = asyncio.create_task(source.set_workers(6))
            await asyncio.sleep(0)
        await starting
        assert len(source.workers()) == 4
        assert all(is_gone(worker.pid) for worker in source.workers())

    asyncio.run(run())


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


CAPTURE = """
import os
from minicrawl.crawler.http.exchange import Capture

def capture():
    def show(exchange, parsed):
        print(os.getpid(), exchange.url, exchange.status, file=open("SEEN", "a"))

    return Capture(show)
"""


def test_exchanges_are_shown_in_the_process_that_fetches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By what a function makes there, which is all that is sent."""
    seen = tmp_path / "seen"
    (tmp_path / "capture_for_workers.py").write_text(CAPTURE.replace("SEEN", str(seen)))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    capture = importlib.import_module("capture_for_workers").capture

    async def run() -> int:
        async with server, AsyncExitStack() as stack:
            settings = all_names_at(server.port, workers=1)
            source = await stack.enter_async_context(WorkerSource(SourceSpec(settings, capture=capture)))
            await source.page(PageRequest("http://h.test/"))
            await source.robots("http://h.test/robots.txt")
            return source.workers()[0].pid

    server = says(answer(b"<p>hello"))
    pid = asyncio.run(run())
    assert seen.read_text().splitlines() == [f"{pid} http://h.test/ 200", f"{pid} http://h.test/robots.txt 200"]


class Source:
    """Notes when it is opened and closed, and how many workers it has."""

    def __init__(self, workers: int = 0) -> None:
        self.number = workers
        self.log: list[str] = []

    async def set_workers(self, number: int) -> None:
        self.number = number

    def workers(self) -> list[int]:
        return list(range(self.number))

    async def __aenter__(self) -> "Source":
        self.log.append("open")
        return self

    async def __aexit__(self, *_: object) -> None:
        self.log.append("closed")


def test_a_source_that_was_replaced_is_closed_when_its_last_answer_is_in() -> None:
    async def main() -> None:
        made: list[Source] = []

        def source(workers: int = 0) -> Any:
            made.append(Source(workers))
            return made[-1]

        async with ChangingSource(0, source, source) as changing:
            first, second = changing.begin(), changing.begin()
            await changing.set_workers(0)
            assert len(made) == 1
            await changing.set_workers(3)
            assert len(changing.workers()) == 3
            third = changing.begin()
            assert [cast("Any", each) for each in (first, second, third)] == [made[0], made[0], made[1]]
            await changing.set_workers(5)
            assert (made[1].number, len(made)) == (5, 2)
            changing.end(first)
            await asyncio.sleep(0)
            assert made[0].log == ["open"]
            changing.end(second)
            await asyncio.sleep(0)
            assert made[0].log == ["open", "closed"]
            await changing.set_workers(0)
            await changing.set_workers(1)
            await asyncio.sleep(0)
            assert [each.log for each in made[1:]] == [["open"], ["open", "closed"], ["open"]]
        assert all(each.log == ["open", "closed"] for each in made)

    asyncio.run(main())


def test_crawl_ends_where_a_new_worker_lacks_a_file_of_the_settings(tmp_path: Path) -> None:
    new_key(key := tmp_path / "key.pem")

    async def run() -> None:
        async with says(answer(b"hello")) as server:
            settings = all_names_at(server.port, workers=1, sign=key, signature_agent="https://crawler.example")
            async with WorkerSource(SourceSpec(settings)) as source:
                assert (await source.page(PageRequest("http://a.test/")))[0].status == 200
                key.unlink()
                os.kill(source.workers()[0].pid, signal.SIGKILL)
                with pytest.raises(SettingError, match=r"the key .*key.pem cannot be read: No such file or directory"):
                    for number in range(200):
                        await source.page(PageRequest(f"http://h{number}.test/"))

    asyncio.run(run())
