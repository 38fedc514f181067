"""Processes that crawl together: what they find is what one finds, also where some are killed on the way."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, check_same, crawled_alone, folder_at, keeper_at, run_in_parts
from support.counted_web import CountedWeb, counted_web
from support.gathered import all_violations, sound_pages
from support.patience import PATIENCE
from support.sites import rows
from support.small_web import Pages, small_web

from minicrawl import log
from minicrawl.cluster.keeper import Ended, Keeper, Listener
from minicrawl.errors import StoreError
from minicrawl.store.folder import Folder, found
from minicrawl.timing import Timing

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ray")]

At = Callable[[Keeper, int], None]
"""What is done at every look of the keeper, with how many pages were fetched."""
SLOWLY = SETTINGS | {"delay": 0.02, "ip_delay": 0.0}
"""No look of the keeper comes too late: it serves the web, too, and one host has more pages than a second brings."""


def run(folder: Path, at: At, **settings: object) -> tuple[Ended, list[int]]:
    """A run in three partitions, and which of them have died."""
    died: list[int] = []

    def beside(keeper: Keeper) -> None:
        keeper.listener = Listener(
            shows=lambda progress: at(keeper, progress.fetched),
            warn=lambda sentence: died.append(int(sentence.split()[1])),
        )

    return asyncio.run(run_in_parts(folder, 3, {**SLOWLY, **settings}, beside)), died


def kill(keeper: Keeper, number: int, kind: signal.Signals = signal.SIGKILL) -> None:
    """Kill the actor of a partition."""
    os.kill(keeper.pids[number], kind)


def test_an_interrupted_crawl_settles_and_goes_on_although_one_dies_as_it_stops(tmp_path: Path) -> None:
    def interrupt(keeper: Keeper, fetched: int) -> None:
        if fetched and not died_once:
            died_once.append(True)
            keeper.interrupt()
            kill(keeper, 2)

    alone, died_once = crawled_alone(tmp_path / "alone.db"), list[bool]()
    ended, died = run(tmp_path / "web", interrupt)
    assert (ended.reason, died, ended.error <= 1e-6) == ("interrupted", [2], True)
    assert ended.fetched < len(alone)
    assert all_violations(tmp_path / "web") == []
    with found(tmp_path / "web").opened() as stores:
        assert not any(store.transfers.outbox() for store in stores), "it has settled"
    ended, died = run(tmp_path / "web", lambda keeper, fetched: None, delay=0.0)
    assert (ended.reason, died) == ("nothing-left", [])
    together = sound_pages(tmp_path / "web")
    check_same(together, alone)
    assert set(list(together)[:100]) == set(list(alone)[:100])


def test_who_interrupts_again_does_not_wait_for_one_that_does_not_answer(tmp_path: Path) -> None:
    def stop(keeper: Keeper, fetched: int) -> None:
        if not stopped:
            stopped.append(keeper.pids[1])
            kill(keeper, 1, signal.SIGSTOP)
            keeper.interrupt()
            keeper.interrupt()

    stopped: list[int] = []
    ended, died = run(tmp_path / "web", stop)
    assert (ended.reason, died) == ("interrupted", [])
    os.kill(stopped[0], signal.SIGKILL)
    assert all_violations(tmp_path / "web") == []


def test_an_actor_that_dies_again_and_again_ends_the_crawl(tmp_path: Path) -> None:
    def at(keeper: Keeper, fetched: int) -> None:
        if keeper.pids.get(0, 0) not in (0, *killed):
            killed.add(keeper.pids[0])
            kill(keeper, 0)

    killed: set[int] = set()
    with (
        counted_web(pages=2, seconds=PATIENCE) as web,  # no answer comes
        pytest.raises(StoreError, match=r"partition 0 has died 4 times on node \S+ without fetching a page"),
    ):
        counted(web, folder_at(tmp_path / "web", 2), at)


HOSTS = [f"http://h{number}.test/" for number in range(9)]


def counted(web: CountedWeb, folder: Folder, at: At = lambda keeper, fetched: None, **limits: object) -> Ended:
    """A run on a counted web."""

    async def crawl() -> Ended:
        keeper = keeper_at(folder, web.port, HOSTS, SETTINGS | {"workers": 3, "scope": "host"} | limits)
        keeper.listener = Listener(shows=lambda progress: at(keeper, progress.fetched))
        return await keeper.crawl()

    return asyncio.run(crawl())


def answered(folder: Folder) -> int:
    """Pages that have an answer in any store."""
    return sum(len(rows(store, "SELECT id FROM pages WHERE fetch IS NOT NULL")) for store in folder.here)


def test_pages_are_exact_although_processes_are_killed(tmp_path: Path) -> None:
    """What one had not committed is fetched again, and counts no more than once."""
    folder, killed = folder_at(tmp_path / "web", 3), list[int]()

    def at(keeper: Keeper, fetched: int) -> None:
        """Kill four, each time one that runs and has died least."""
        if len(killed) < 4 and fetched > 40 * len(killed) and keeper.pids:
            killed.append(min(keeper.pids, key=lambda number: keeper.deaths[number]))
            kill(keeper, killed[-1])

    with counted_web(pages=60, seconds=0.01) as web:
        ended = counted(web, folder, at, pages=300)
        assert (ended.reason, ended.fetched, ended.deaths) == ("pages", 300, 4)
        assert answered(folder) == 300 <= len(web.asked)
        assert counted(web, folder, pages=1).fetched == 1
        ended = counted(web, folder, pages=1_000)
        assert (ended.reason, ended.fetched) == ("nothing-left", 9 * 61 - 301)
    assert answered(folder) == 9 * 61


def test_a_run_that_has_its_coverage_to_begin_with_asks_for_nothing(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=60) as web:
        assert counted(web, folder, until_coverage=0.3, delay=0.05, ip_delay=0.0).reason == "coverage"
        before = len(web.asked)
        ended = counted(web, folder, until_coverage=0.2)
        assert (ended.reason, ended.fetched, len(web.asked)) == ("coverage", 0, before)


def test_a_stall_is_told_once_when_nothing_is_left_in_any_partition_but_an_ill_host(tmp_path: Path) -> None:
    class Web(Pages):
        def do_GET(self) -> None:  # noqa: N802 - the name that the server calls
            asked.append(self.headers["Host"])
            if self.headers["Host"] != "h0.test" or asked.count("h0.test") < 3:
                super().do_GET()

    def tell(*_: object) -> None:
        told.append(keeper.figures["fetched"])
        keeper.interrupt()

    asked, told = list[str](), list[object]()
    with small_web(Web) as port, log.following(["crawl-stalled"], tell):
        keeper = keeper_at(folder_at(tmp_path / "web", 3), port, HOSTS, SETTINGS | {"workers": 3, "scope": "host"})
        keeper.timing = Timing(retry=0.01, stalled=0.0)
        assert asyncio.run(keeper.crawl()).reason == "interrupted"
    assert told == [8 * 5 + 1], "the other partitions had read all before"
