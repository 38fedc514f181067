"""Backups and moves between machines: all is brought, and one store is the partition whatever is lost on the way."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

import pytest
from support.cluster_folders import as_here, killed_at_every_step, some_folder, spread_over_machines
from support.cluster_runs import SETTINGS, ranked_pages, run_in_parts
from support.machine_calls import Line, called, kept_by
from support.sites import rows

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.backup import backup_all
from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.machines.carrying import Carriers, Remote, backup_between, move_between
from minicrawl.cluster.running.keeper import Keeper, Listener
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.store.partitions.folder import Place
from minicrawl.store.rows import RankedPage
from minicrawl.store.writer import Writer

PART = 10_000
"""Bytes: a store is brought in many parts."""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return spread_over_machines(some_folder(tmp_path / "web"), tmp_path / "beta")


def carriers(before: Callable[[str], None] = lambda what: None) -> Carriers:
    return {name: called(Remote(), before) for name in (None, "beta", "gamma")}


def ranked(folder: Folder) -> list[RankedPage]:
    with as_here(folder).opened() as stores:
        assert list(all_violations(stores)) == []
        return list(ranked_pages(stores))


def moved(
    folder: Folder, number: int, target: Place, by: Carriers | None = None, part: int = PART
) -> tuple[Folder, int]:
    return move_between(folder, number, target, by or carriers(), lambda: check_agreement(as_here(folder)), part)


def hidden(*folders: Path) -> list[str]:
    return [file.name for folder in folders for file in folder.glob(".*")]


def test_a_copy_has_what_all_machines_have(folder: Folder, tmp_path: Path) -> None:
    copy = backup_between(folder, tmp_path / "copy", carriers(), PART)
    assert copy == found(tmp_path / "copy")
    assert copy.machines == []
    assert ranked(copy) == ranked(folder)
    assert sorted(path.name for path in copy.path.iterdir()) == ["000.db", "001.db", "cluster.json"]
    assert hidden(folder.path, tmp_path / "beta", tmp_path) == []
    with pytest.raises(StoreError, match="partition 1 is on node beta"):
        backup_all(folder, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_a_partition_goes_to_another_machine_on_to_a_third_and_back(folder: Folder, tmp_path: Path) -> None:
    before, size = ranked(folder), folder.stores[1].stat().st_size
    third, brought = moved(folder, 1, Place(str(tmp_path / "gamma" / "web"), machine="gamma"))
    assert brought >= size > 2 * PART
    assert third == found(folder.path)
    assert third.places == (Place(), Place(str(tmp_path / "gamma" / "web"), 1, "gamma"))
    assert list((tmp_path / "beta").iterdir()) == []
    assert ranked(third) == before
    back, _ = moved(third, 1, Place(str(folder.path)))
    assert back.places == (Place(), Place(".", 2))
    assert ranked(back) == before
    away, _ = moved(back, 0, Place(str(tmp_path / "beta"), machine="beta"))
    assert away.places[0] == Place(str(tmp_path / "beta"), 1, "beta")
    assert ranked(away) == before
    assert hidden(folder.path, tmp_path / "beta", tmp_path / "gamma" / "web") == []


@pytest.mark.parametrize(
    ("number", "target", "message"),
    [
        (2, Place("/disk", machine="gamma"), "there is no partition 2; they are 0 to 1"),
        (1, Place("disk", machine="gamma"), "disk is on another machine: give its path from the root on"),
        (0, Place("{}/web"), "partition 0 is in .*web already"),
        (1, Place("{}/beta/../beta", machine="beta"), "partition 1 is in .*beta already"),
        (1, Place("{}/beta", machine="gamma"), "partition 1 is in .*beta already, which its machine has, too"),
        (1, Place("{}/link", machine="gamma"), "partition 1 is in .*link already, which its machine has, too"),
    ],
)
def test_mistakes_are_one_sentence(folder: Folder, tmp_path: Path, number: int, target: Place, message: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "beta")
    target = Place(target.folder.format(tmp_path), machine=target.machine)
    before = ranked(folder)
    with pytest.raises(MinicrawlError, match=message):
        moved(folder, number, target)
    assert found(folder.path) == folder
    assert ranked(folder) == before
    assert hidden(folder.path, tmp_path / "beta") == []


def test_what_is_there_and_is_not_this_partition_stays(folder: Folder, tmp_path: Path) -> None:
    other = some_folder(tmp_path / "gamma")
    rows(other.stores[1], "UPDATE meta SET value = 'another' WHERE key = 'cluster'")
    before = other.stores[1].read_bytes()
    with pytest.raises(MinicrawlError, match="is there already, and is not this partition"):
        moved(folder, 1, Place(str(other.path), machine="gamma"))
    assert other.stores[1].read_bytes() == before
    ranked(folder)


def test_nothing_is_moved_while_anybody_writes_or_what_is_there_does_not_agree(folder: Folder, tmp_path: Path) -> None:
    target = Place(str(tmp_path / "gamma"), machine="gamma")
    for store in folder.stores:
        writer = Writer(store)
        with pytest.raises(StoreError, match="another crawl is using"):
            moved(folder, 1, target)
        writer.close()
    rows(folder.stores[0], "UPDATE neighbours SET taken = taken + 1000")
    with pytest.raises(StoreError, match="one of the stores is older than the other; restore all from one backup"):
        moved(folder, 1, target)
    assert found(folder.path) == folder
    assert not (tmp_path / "gamma").exists()


@pytest.mark.parametrize("is_done", [False, True])
def test_whichever_call_is_lost_one_store_is_the_partition(tmp_path: Path, *, is_done: bool) -> None:
    """The machine it was for dies: what it held is free. is_done: the answer is lost."""
    ends = set()
    for lost in count():
        path = tmp_path / str(lost)
        folder = spread_over_machines(some_folder(path / "web"), path / "beta")
        before, calls = ranked(folder), count()

        def lossy(carrier: Remote, lost: int = lost, calls: "count[int]" = calls) -> Callable[..., object]:
            call = called(carrier)

            def made(what: str, *given: object) -> object:
                is_lost = next(calls) == lost
                answer = call(what, *given) if is_done or not is_lost else None
                if is_lost:
                    call("leave")
                    raise StoreError("machine beta is away")
                return answer

            return made

        by = {name: lossy(Remote()) for name in (None, "beta", "gamma")}
        target = Place(str(path / "gamma"), machine="gamma")
        try:
            moved(folder, 1, target, by, folder.stores[1].stat().st_size)
            ends.add("moved")
        except StoreError as error:
            ends.add("moved, but" if "could not be removed" in str(error) else "not moved")
        now = found(folder.path)
        assert now.places[1] in (folder.places[1], Place(target.folder, 1, "gamma"))
        assert ranked(now) == before
        if now.places[1].machine == "beta":
            now, _ = moved(now, 1, target)
        assert ranked(now) == before
        if next(calls) <= lost:
            break
    assert ends == {"moved", "moved, but", "not moved"}


@pytest.mark.slow
@pytest.mark.parametrize(("what", "ends"), [("move-between", {".", "beta"}), ("backup-between", {"none", "copy"})])
def test_a_kill_at_any_step_leaves_one_store_that_is_the_partition(tmp_path: Path, what: str, ends: set[str]) -> None:
    """A process that has both machines is killed before every call that it makes of the system, see killed_at.py."""
    some_folder(tmp_path / "web")
    told = killed_at_every_step(what, tmp_path)
    assert told["kills"] > 40
    assert set(told["places"]) == ends


def copied_while_it_runs(path: Path, beside: Callable[[Line], Awaitable[None]]) -> list[Exception]:
    """What a backup has failed with of a crawl that runs by calls. beside: is done when all partitions are held."""
    lines, failed, threads = [Line(), Line()], list[Exception](), list[threading.Thread]()

    def copy(keeper: Keeper, loop: asyncio.AbstractEventLoop) -> None:
        def before(what: str) -> None:
            if what == "copied":
                asyncio.run_coroutine_threadsafe(done(beside(lines[0])), loop).result()

        folder = found(keeper.folder.path)
        spread = Folder(folder.path, folder.cluster, folder.secret, (Place(), Place(".", 0, "beta")), folder.settings)
        try:
            backup_between(spread, path / "copy", carriers(before), PART)
        except Exception as error:
            failed.append(error)
        loop.call_soon_threadsafe(keeper.interrupt)

    async def done(what: Awaitable[None]) -> None:
        await what

    def run(keeper: Keeper) -> None:
        kept_by(keeper, lines)

        def look(fetched: int, *_: object) -> None:
            if fetched and not threads:
                threads.append(threading.Thread(target=copy, args=(keeper, asyncio.get_running_loop())))
                threads[0].start()

        keeper.listener = Listener(progress=look)

    slowly = SETTINGS | {"delay": 0.5, "ip_delay": 0.0}  # it goes on until it is interrupted
    ended = asyncio.run(run_in_parts(path / "web", 2, slowly, run))
    threads[0].join()
    assert ended.reason == "interrupted"
    return failed


async def nothing(line: Line) -> None:
    """Let it run."""


def test_a_crawl_that_runs_by_calls_is_copied_as_of_one_moment(tmp_path: Path) -> None:
    assert copied_while_it_runs(tmp_path, nothing) == []
    ranked(found(tmp_path / "copy"))
    ranked(found(tmp_path / "web"))
    assert hidden(tmp_path, tmp_path / "web") == []


def test_if_a_partition_dies_while_it_is_held_nothing_is_kept(tmp_path: Path) -> None:
    (error,) = copied_while_it_runs(tmp_path, Line.die)
    assert "has ended or died while it was copied; nothing is kept: run this again" in str(error)
    assert [path.name for path in tmp_path.iterdir()] == ["web"]
    assert hidden(tmp_path, tmp_path / "web") == []
    ranked(found(tmp_path / "web"))
