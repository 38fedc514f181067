"""Processes that crawl together: what they find is what one finds, also where some are killed on the way."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from support.cluster_runs import (
    SETTINGS,
    check_same,
    crawled_alone,
    crawled_in_parts,
    folder_at,
    run_in_parts,
)
from support.counted_web import CountedWeb, counted_web
from support.gathered import all_violations, ranked_pages
from support.sites import rows

from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.running.brief import Brief
from minicrawl.cluster.running.keeper import Ended, Keeper, Listener
from minicrawl.cluster.running.processes import Process, Processes, Start
from minicrawl.control.messages import Message
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import StoreError
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.store.partitions.folder import store_of
from minicrawl.store.ranks import RankedPage

pytestmark = pytest.mark.slow

SLOWLY = SETTINGS | {"delay": 0.02, "ip_delay": 0.0}
"""No look of the keeper comes too late: it serves the web, too, and one host has more pages than a second brings."""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RankedPage]:
    return crawled_alone(tmp_path_factory.mktemp("alone") / "crawl.db")


def compare(folder: Folder, alone: dict[str, RankedPage]) -> None:
    """What several processes have found is what one has found."""
    with folder.opened() as stores:
        assert list(all_violations(stores)) == []
        together = {page.url: page for page in ranked_pages(stores)}
    check_same(together, alone)
    assert set(list(together)[:100]) == set(list(alone)[:100])


def run(folder: Path, at: Callable[[Keeper, int], None], **settings: object) -> tuple[Ended, list[int]]:
    """A run in three partitions, and which of them have died. at: is told at every look how many pages were fetched."""
    died: list[int] = []

    def beside(keeper: Keeper) -> None:
        keeper.listener = Listener(lambda number, _: died.append(number), lambda fetched, *_: at(keeper, fetched))

    return asyncio.run(run_in_parts(folder, 3, {**SLOWLY, **settings}, beside)), died


def test_partitions_without_a_url_sleep(alone: dict[str, RankedPage], tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 100, make=lambda drawn: drawn)
    assert crawled_in_parts(folder.path, 100, SETTINGS | {"workers": 2}) == found(folder.path)
    homes = {folder.homes.home_of(url) for url in alone}
    with folder.opened() as stores:
        assert {int(store.path.stem) for store in stores} == homes
        assert list(all_violations(stores)) == []
        ranked = {page.url: page for page in ranked_pages(stores)}
    assert ranked.keys() == alone.keys()
    assert sum(abs(ranked[url].importance - page.importance) for url, page in alone.items()) < 1e-6


def test_an_interrupted_crawl_settles_and_goes_on_although_one_dies_as_it_stops(
    alone: dict[str, RankedPage], tmp_path: Path
) -> None:
    def interrupt(keeper: Keeper, fetched: int) -> None:
        if fetched and not died_once:
            died_once.append(True)
            keeper.interrupt()
            os.kill(keeper.pids[2], signal.SIGKILL)

    died_once: list[bool] = []
    ended, died = run(tmp_path / "web", interrupt)
    assert (ended.reason, died, ended.rounds is None) == ("interrupted", [2], False)
    assert ended.fetched < len(alone)
    with found(tmp_path / "web").opened() as stores:
        assert list(all_violations(stores)) == []
        assert not any(store.transfers.outbox() for store in stores), "it has settled"
    ended, died = run(tmp_path / "web", lambda keeper, fetched: None, delay=0.0)
    assert (ended.reason, died) == ("nothing-left", [])
    compare(found(tmp_path / "web"), alone)


def test_who_interrupts_again_does_not_wait_for_one_that_does_not_answer(tmp_path: Path) -> None:
    def stop(keeper: Keeper, fetched: int) -> None:
        if not stopped:
            stopped.append(keeper.pids[1])
            keeper.patience = 0.1
            os.kill(stopped[0], signal.SIGSTOP)
            keeper.interrupt()
            keeper.interrupt()

    stopped: list[int] = []
    ended, died = run(tmp_path / "web", stop)
    assert (ended.reason, ended.rounds, died) == ("interrupted", None, [])
    assert not found(tmp_path / "web").is_in_use
    with found(tmp_path / "web").opened() as stores:
        assert list(all_violations(stores)) == []


@pytest.fixture
def processes() -> Iterator[Processes]:
    """More than any crawl here has partitions: each has its own."""
    processes = Processes(8)
    yield processes
    asyncio.run(processes.aclose())


@dataclass(frozen=True)
class KilledWhenAsked(Process):
    """Partition 0 is killed before each of its reports."""

    number: int = 0

    async def ask(self, message: Message) -> Message | None:
        if self.number == 0 and message["do"] == "report":
            os.kill(self.pid, signal.SIGKILL)
        return await super().ask(message)


def test_a_process_that_dies_again_and_again_ends_the_crawl(processes: Processes, tmp_path: Path) -> None:
    async def start(brief: Brief) -> Process:
        return KilledWhenAsked(**vars(await processes.start(brief)), number=brief.number)

    with (
        counted_web(pages=2) as web,
        pytest.raises(StoreError, match="partition 0 has died 4 times without fetching a page, by signal 9"),
    ):
        counted(web, folder_at(tmp_path / "web", 2), start=start, allow_private=False)  # so none is ever fetched


@dataclass(frozen=True)
class KilledWhenIdle(Process):
    """Partition 0 is killed as soon as it has said that nothing is left, so often; partition 1 goes on until then."""

    number: int = 0
    left: list[int] = field(default_factory=list)

    async def ask(self, message: Message) -> Message | None:
        answer = await super().ask(message)
        if answer is None or message["do"] != "report" or not self.left:
            return answer
        if self.number == 0 and answer["idle"]:
            self.left.pop()
            os.kill(self.pid, signal.SIGKILL)
        return {**answer, "idle": answer["idle"] and self.number == 0}


def test_one_that_dies_again_and_again_with_nothing_to_fetch_is_started_each_time(
    processes: Processes, tmp_path: Path
) -> None:
    left = [1] * 5

    async def start(brief: Brief) -> Process:
        return KilledWhenIdle(**vars(await processes.start(brief)), number=brief.number, left=left)

    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=2) as web:
        ended = counted(web, folder, start=start)
    assert (ended.reason, ended.fetched, ended.deaths, left) == ("nothing-left", 9 * 3, 5, [])


def test_one_that_fails_ends_the_crawl_with_its_sentence(tmp_path: Path) -> None:
    def spoil(keeper: Keeper) -> None:
        store_of(tmp_path / "web", 1).write_bytes(b"no store " * 1000)

    with pytest.raises(StoreError, match=r"001\.db is damaged or no SQLite file"):
        asyncio.run(run_in_parts(tmp_path / "web", 2, SETTINGS, spoil))


def test_the_time_of_all_is_the_time_of_the_run(tmp_path: Path) -> None:
    ended, _ = run(tmp_path / "web", lambda keeper, fetched: None, time=0.1, delay=60.0)
    assert ended.reason == "time"
    assert ended.rounds is not None


HOSTS = [f"http://h{number}.test/" for number in range(9)]


def counted(
    web: CountedWeb,
    folder: Folder,
    at: Callable[[Keeper, int], None] | None = None,
    start: Start | None = None,
    seeds: Sequence[str] = HOSTS,
    **limits: object,
) -> Ended:
    """A run on a counted web."""
    settings = (
        SETTINGS
        | {"workers": 8, "connect_to": (ConnectTo(None, None, "127.0.0.1", web.port),), "scope": "host"}
        | limits
    )
    keeper = Keeper(folder, CrawlSettings.of(settings), Seeds(list(seeds)), start=start)
    if at is not None:
        keeper.listener = Listener(progress=lambda fetched, *_: at(keeper, fetched))
    return asyncio.run(keeper.crawl())


def answered(folder: Folder) -> int:
    """Pages that have an answer in any store."""
    return sum(len(rows(store, "SELECT id FROM pages WHERE fetch IS NOT NULL")) for store in folder.stores)


@dataclass(frozen=True)
class BusyWithLooks(Process):
    """Is found busy at every other look, as on a machine where what a look wakes takes longer than until the next."""

    looks: Iterator[int] = field(default_factory=count)

    async def ask(self, message: Message) -> Message | None:
        answer = await super().ask(message)
        if answer is not None and message["do"] == "report":
            return {**answer, "idle": bool(next(self.looks) % 2) and answer["idle"]}
        return answer


def test_a_crawl_with_a_delay_per_address_ends_when_nothing_is_left(processes: Processes, tmp_path: Path) -> None:
    async def start(brief: Brief) -> Process:
        return BusyWithLooks(**vars(await processes.start(brief)))

    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=2) as web:
        ended = counted(web, folder, start=start, delay=0.02, time=600.0)
    assert (ended.reason, ended.fetched) == ("nothing-left", 9 * 3)


def test_pages_are_exact_although_processes_are_killed(tmp_path: Path) -> None:
    """What one had not committed is fetched again, and counts no more than once."""
    folder, left = folder_at(tmp_path / "web", 3), [0, 1, 2, 0]

    def kill(keeper: Keeper, fetched: int) -> None:
        if fetched > 40 * (4 - len(left)) and left:
            os.kill(keeper.pids[left.pop(0)], signal.SIGKILL)

    with counted_web(pages=60, seconds=0.01) as web:
        ended = counted(web, folder, kill, pages=300)
        assert (ended.reason, ended.fetched, ended.deaths, left) == ("pages", 300, 4, [])
        assert answered(folder) == 300 <= len(web.asked)
        assert counted(web, folder, pages=1).fetched == 1
        ended = counted(web, folder, pages=1_000)
        assert (ended.reason, ended.fetched) == ("nothing-left", 9 * 61 - 301)
    assert answered(folder) == 9 * 61


def test_bytes_of_all_end_the_run(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=200, seconds=0.02) as web:
        ended = counted(web, folder, bytes=5_000)
    assert ended.reason == "bytes"
    assert ended.bytes >= 5_000
    assert answered(folder) < 9 * 201


def test_a_run_that_has_its_coverage_to_begin_with_asks_for_nothing(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=60) as web:
        assert counted(web, folder, until_coverage=0.3, delay=0.05, ip_delay=0.0).reason == "coverage"
        before = len(web.asked)
        ended = counted(web, folder, until_coverage=0.2)
        assert (ended.reason, ended.fetched, len(web.asked)) == ("coverage", 0, before)
