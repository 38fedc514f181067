"""Partitions that are reached by calls, of which some are lost: what they find is what one process finds."""

import asyncio
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, crawled_alone, folder_at, ranked_pages, run_in_parts
from support.machine_calls import Line, kept_by, where_of

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.machines.hosted import CallPost, Hosted
from minicrawl.cluster.running.brief import Brief
from minicrawl.cluster.running.post import Post
from minicrawl.cluster.running.processes import DeadError
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.write.transfer_rows import OutboxRow

NOWHERE = CrawlSettings.of({"connect_to": "::127.0.0.1:9", "delay": "60s"})


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return folder_at(tmp_path / "web", 1)


def brief(folder: Folder) -> Brief:
    return Brief(folder, 0, NOWHERE, Seeds(["http://a.test/"]))


async def report(hosted: Hosted) -> Message:
    while (answer := await hosted.ask({"do": "report"})) is None:
        pass
    return answer


def test_calls_that_are_lost_change_nothing(tmp_path: Path) -> None:
    lines = [Line(0.3, seed) for seed in (1, 2)]
    ended = asyncio.run(run_in_parts(tmp_path / "web", 2, SETTINGS, lambda keeper: kept_by(keeper, lines)))
    assert (ended.reason, ended.deaths) == ("nothing-left", 0)
    alone = crawled_alone(tmp_path / "alone.db")
    with found(tmp_path / "web").opened() as stores:
        assert list(all_violations(stores)) == []
        pages = {page.url: page for page in ranked_pages(stores)}
    assert [(page.url, page.state, page.inlinks, page.depth) for page in map(pages.get, sorted(pages)) if page] == [
        (page.url, page.state, page.inlinks, page.depth) for page in map(alone.get, sorted(alone)) if page
    ]
    assert sum(abs(page.importance - alone[url].importance) for url, page in pages.items()) <= 1e-6
    assert min(line.calls.count("take") for line in lines) > 5


def test_one_that_has_died_begins_anew(folder: Folder) -> None:
    async def run() -> list[str]:
        line = Line()
        first = Hosted(brief(folder), where_of([line]), "beta")
        await report(first)
        await line.die()
        with pytest.raises(DeadError, match="on node beta"):
            await first.ask({"do": "report"})
        second = Hosted(brief(folder), where_of([line]), "beta")
        await report(second)
        await second.end()
        return line.calls

    assert asyncio.run(run()) == ["begin", "ask", "ask", "begin", "ask", "leave"]
    assert not folder.is_in_use


def test_one_whose_machine_is_away_is_waited_for(folder: Folder) -> None:
    async def run() -> None:
        line = Line()
        line.is_there = False
        hosted = Hosted(brief(folder), where_of([line]), "beta")
        assert await hosted.ask({"do": "report"}) is None
        assert hosted.pid == 0
        line.is_there = True
        assert (await report(hosted))["crawled"] is False
        assert hosted.pid > 0
        line.is_there = False
        with pytest.raises(DeadError):
            await hosted.ask({"do": "report"})
        await hosted.end()
        line.is_there = True
        await line.die()

    asyncio.run(run())


def test_one_that_begins_once_more_ends_what_it_had_begun(folder: Folder) -> None:
    """An answer was lost, so its keeper takes it for dead."""

    async def run() -> None:
        line = Line()
        hosted = Hosted(brief(folder), where_of([line]), "beta")
        await report(hosted)
        again = Hosted(brief(folder), where_of([line]), "beta")
        await report(again)
        await again.end()

    asyncio.run(run())
    with folder.opened() as stores:
        assert list(all_violations(stores)) == []


def test_one_that_cannot_begin_says_why(folder: Folder) -> None:
    async def run() -> None:
        line = Line()
        folder.stores[0].unlink()
        hosted = Hosted(brief(folder), where_of([line]), "beta")
        with pytest.raises(StoreError, match=r"000\.db is missing, which has a part of the crawl"):
            await report(hosted)
        await hosted.end()

    asyncio.run(run())


@pytest.mark.parametrize("is_there", [True, False])
def test_rows_for_a_partition_that_does_not_run_are_not_confirmed(is_there: bool) -> None:
    line = Line()
    if not is_there:
        line.kill()

    async def send() -> int:
        return await Post({}, CallPost(where_of([line]))).send(1, 0, [OutboxRow(0, 1, 1, 1, b"")])

    with pytest.raises(MinicrawlError, match="is not in this process" if is_there else "was not brought"):
        asyncio.run(send())
