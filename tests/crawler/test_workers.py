"""Fetching and parsing in worker processes changes nothing but the speed."""

import asyncio
import logging
import os
import re
import signal
import socket
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
import pytest
from sites import Server, rows

from minicrawl.api import acrawl
from minicrawl.crawler.books.audit import audit
from minicrawl.crawler.sources.source import WorkerSource
from minicrawl.crawler.sources.worker import serve
from minicrawl.demo.server import serving
from minicrawl.demo.web import DemoWeb
from minicrawl.errors import SettingError
from minicrawl.model import CrawlReport, Fetched, PageRequest, ParsedPage, Wanted
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.timing import STANDARD, Timing

WEB = DemoWeb.generate(seed=1, hosts=6, pages=120)
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
            for worker in self._workers:
                os.kill(worker.process.pid, fate)
        return await page(self, request)

    monkeypatch.setattr(WorkerSource, "page", ask_and_kill)
    store = tmp_path / "crawl.db"
    report = crawled(store, workers=1, timing=timing)
    assert (report.reason, len(asked) > 20) == ("nothing-left", True)
    assert ranks(store) == pytest.approx(ranks(here), abs=2e-6)
    assert list(audit(open_store(store))) == []


class _Crammed(Connection):
    """A line that has no memory for any answer but None."""

    def send(self, answers: list[tuple[int, object]]) -> None:
        if any(answer is not None for _, answer in answers):
            raise MemoryError
        super().send(answers)


def test_answer_that_does_not_fit_into_memory_is_an_answer_all_the_same() -> None:
    """Else somebody would wait for it for ever, as the worker goes on beating."""

    async def run() -> list[tuple[int, object]]:
        ours, theirs = socket.socketpair()
        line = Connection(ours.detach())
        line.send((CrawlSettings(), STANDARD, frozenset(), Wanted(), None))
        serving = asyncio.create_task(serve(_Crammed(theirs.detach())))
        line.send([(7, "locate", "http://192.0.2.1/")])
        answers: list[tuple[int, object]] = []
        while not answers:
            answers = await asyncio.to_thread(line.recv)
        line.close()
        await serving
        return answers

    log = logging.getLogger("minicrawl")
    handlers = log.handlers.copy()
    try:
        assert asyncio.run(run()) == [(7, None)]
    finally:
        log.handlers = handlers


def test_workers_end_with_the_crawl() -> None:
    async def pids() -> list[int]:
        async with WorkerSource(CrawlSettings(workers=2)) as source:
            return [worker.process.pid for worker in source._workers]

    for pid in asyncio.run(pids()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_transport_of_ones_own_and_workers_do_not_go_together(tmp_path: Path) -> None:
    transport: httpx.AsyncBaseTransport = Server({})
    with pytest.raises(SettingError, match="workers must be 0"):
        asyncio.run(acrawl(["http://a.test/"], tmp_path / "crawl.db", transport=transport, workers=1))
