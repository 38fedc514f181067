"""Two nodes of Ray on loopback, killed in every way: the crawl finds what one process finds.

MINICRAWL_KILLS: how often actors are killed, and a quarter as often everything; 4 and 1 by default.
"""

import os
import random
import signal
import stat
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.cluster_runs import crawled_alone
from support.command_line import run
from support.ray_machines import AT_ONCE, HEAD, OTHER, SLOWLY, Crawl, Ray, kill, served
from support.sites import rows

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.folder import found
from minicrawl.cluster.machines.ray import make_at
from minicrawl.errors import SettingError
from minicrawl.store.rows import RankedPage

KILLS = int(os.environ.get("MINICRAWL_KILLS", "4"))
with_ray = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'minicrawl[cluster]'"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="its processes are found in /proc"),
]


def marked(test: object) -> object:
    for mark in with_ray:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RankedPage]:
    return crawled_alone(tmp_path_factory.mktemp("alone") / "crawl.db")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with served() as port:
        yield port


@pytest.fixture(scope="module")
def ray() -> Iterator[Ray]:
    ray = Ray()
    try:
        ray.start(HEAD, OTHER)
        yield ray
    finally:
        left = ray.stop()
    assert left == [], "Ray has left processes behind"


@pytest.fixture
def crawl(ray: Ray, port: int, tmp_path: Path) -> Crawl:
    crawl = Crawl(ray, tmp_path / "web", port)
    crawl.make()
    return crawl


@marked
def test_a_new_crawl_is_shared_out_over_the_nodes(
    ray: Ray, port: int, alone: dict[str, RankedPage], tmp_path: Path
) -> None:
    crawl = Crawl(ray, tmp_path / "web", port)
    assert stat.S_IMODE(ray.folder.stat().st_mode) == 0o700
    assert list(Path("/tmp/ray").glob(f"*/*{ray.port}*")) == [], "all is in the folder"
    report = crawl.ended("0.01", "--partitions", "3", "--ray", ray.address)
    assert (report["reason"], report["known"], report["deaths"]) == ("nothing-left", len(alone), 0)
    assert [place.machine for place in found(crawl.path).places] == [None, OTHER, None]
    crawl.compare(alone)


@marked
def test_actors_and_then_everything_are_killed(ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]) -> None:
    chance = random.Random(24)
    for _ in range(max(KILLS // 4, 1)):
        with crawl.start(SLOWLY) as driver:
            try:
                crawl.wait_for([1, 1], driver)
                for _ in range(4):
                    crawl.kill_a_host(chance, driver)
                    crawl.wait_for([1, 1], driver)
                assert crawl.kill_everything(driver) > 8
            finally:
                driver.kill()
        ray.start(HEAD, OTHER)
    assert crawl.ended(AT_ONCE)["reason"] == "nothing-left"
    crawl.compare(alone)


@marked
def test_a_node_goes_away_and_comes_back(ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]) -> None:
    with crawl.start(SLOWLY) as driver:
        try:
            crawl.wait_for([1, 1], driver)
            ray.kill_node(OTHER)
            crawl.audit_frozen(driver)
            crawl.wait_for([3, 0], driver)
            ray.start(OTHER)
            crawl.wait_for([1, 1], driver)
            driver.send_signal(signal.SIGINT)
            assert driver.wait(timeout=240) == 130
        finally:
            driver.kill()
    crawl.audit()
    assert crawl.ended(AT_ONCE)["reason"] == "nothing-left"
    crawl.compare(alone)


@marked
def test_stores_of_two_nodes_are_copied_also_while_they_crawl_and_moved(
    ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]
) -> None:
    with crawl.start(SLOWLY) as driver:
        try:
            crawl.wait_for([2, 2], driver)
            copy = crawl.path.with_name("copy")
            assert crawl.answer("backup", str(copy))["file"] == str(copy)
            crawl.wait_for([1, 1], driver)
        finally:
            driver.send_signal(signal.SIGINT)
            assert driver.wait(timeout=240) == 130
    assert [place.machine for place in found(copy).places] == [None, None]
    with found(copy).opened() as stores:
        assert list(all_violations(stores)) == []
    assert run("top", "--store", crawl.path).exit_code == 0
    crawl.answer("cluster", "move", "0", str(crawl.there), "--node", OTHER)
    crawl.answer("cluster", "move", "1", str(crawl.path))
    assert [place.machine for place in found(crawl.path).places] == [OTHER, None]
    assert (crawl.there / "000.db").exists()
    assert not (crawl.path / "000.db").exists()
    assert crawl.ended(AT_ONCE)["reason"] == "nothing-left"
    crawl.compare(alone)
    rows(found(crawl.path).stores[0], "UPDATE neighbours SET taken = taken + 1000")
    with crawl.start(AT_ONCE) as driver:
        assert driver.wait(timeout=240) == 3, "stores of two moments are refused"


@marked
def test_a_move_that_is_killed_leaves_one_store_that_is_the_partition(
    ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]
) -> None:
    """Killed at a step of it: the command, or the actor that copies for it."""
    assert crawl.ended(AT_ONCE)["reason"] == "nothing-left"
    steps = [(crawl.path / ".000.db.leaving", ray.remotes), (crawl.there / ".000.db.arriving", list)]
    for seen, victims in steps:
        with crawl.command("cluster", "move", "0", str(crawl.there), "--node", OTHER) as mover:
            while not seen.exists() and mover.poll() is None:
                continue
            kill([mover.pid], signal.SIGSTOP)
            kill(victims() or [mover.pid])
            kill([mover.pid], signal.SIGCONT)
            mover.wait(timeout=240)
        crawl.audit()
        if found(crawl.path).places[0].machine == OTHER:
            crawl.answer("cluster", "move", "0", str(crawl.path))
    crawl.answer("cluster", "move", "0", str(crawl.there), "--node", OTHER)
    crawl.compare(alone)


def test_a_store_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    make_at(tmp_path / "web", "a crawl", 1, 2)
    with pytest.raises(SettingError, match=r"001\.db is there already"):
        make_at(tmp_path / "web", "a crawl", 1, 2)


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'minicrawl[cluster]'")
@pytest.mark.parametrize(
    ("address", "code", "sentence"),
    [("127.0.0.1:1", 3, "nobody listens at 127.0.0.1:1"), ("ray://127.0.0.1:1", 2, "on a node of the cluster")],
)
def test_a_cluster_that_cannot_be_used_is_told(address: str, code: int, sentence: str, tmp_path: Path) -> None:
    result = run("crawl", "http://a.test/", "--partitions", "2", "--ray", address, "--store", tmp_path / "web")
    assert (result.exit_code, sentence in result.stderr) == (code, True)
    assert not (tmp_path / "web").exists()
