"""Two machines of Ray on loopback, killed in every way: what they find is what one process finds.

MINICRAWL_KILLS says how often hosts are killed, and a quarter as often everything is: 4 and 1 if it does not.
"""

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.cluster_runs import crawled_alone
from support.ray_machines import AT_ONCE, COMMAND, SLOWLY, Crawl, Ray, kill, served
from support.sites import rows

from minicrawl.cluster.audit import audit_all
from minicrawl.cluster.folder import found
from minicrawl.cluster.merged import ranked_pages
from minicrawl.store.rows import RankedPage

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'minicrawl[cluster]'"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="its processes are found in /proc"),
]
KILLS = int(os.environ.get("MINICRAWL_KILLS", "4"))


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RankedPage]:
    return crawled_alone(tmp_path_factory.mktemp("alone") / "crawl.db")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with served() as port:
        yield port


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ray]:
    ray = Ray(tmp_path_factory.mktemp("ray"))
    try:
        try:
            ray.start("alpha", "beta", seconds=90)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"Ray does not start here within 90 s: {error}")
        yield ray
    finally:
        ray.stop()
        over = time.monotonic() + 30
        while (left := ray.left()) and time.monotonic() < over:
            time.sleep(0.1)
        kill(left)
    assert left == [], "Ray has left processes behind"


@pytest.fixture
def crawl(ray: Ray, port: int, tmp_path: Path) -> Crawl:
    crawl = Crawl(ray, tmp_path / "web", port)
    crawl.make()
    return crawl


def compare(crawl: Crawl, alone: dict[str, RankedPage]) -> None:
    """What was found is what one process has found."""
    crawl.audit()
    with crawl.here().opened() as stores:
        assert not any(store.transfers.outbox() for store in stores), "it has settled"
        together = {page.url: page for page in ranked_pages(stores)}
    assert together.keys() == alone.keys()
    for url, page in together.items():
        one = alone[url]
        assert (page.state, page.inlinks, page.depth, page.status) == (one.state, one.inlinks, one.depth, one.status)
    assert sum(abs(page.importance - alone[url].importance) for url, page in together.items()) <= 1e-6


def test_a_crawl_with_a_delay_per_address_ends_when_nothing_is_left(crawl: Crawl, alone: dict[str, RankedPage]) -> None:
    with crawl.start("0.01") as driver:
        try:
            assert driver.wait(timeout=240) == 0
        finally:
            driver.kill()
    compare(crawl, alone)


def test_hosts_and_then_everything_are_killed(ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]) -> None:
    chance = random.Random(24)
    for _ in range(max(KILLS // 4, 1)):
        with crawl.start(SLOWLY) as driver:
            try:
                crawl.wait_for([1, 1], driver)
                assert ray.listens_at() <= {"0100007F", "0000000000000000FFFF00000100007F"}, "127.0.0.1 alone"
                for _ in range(4):
                    crawl.kill_a_host(chance, driver)
                    crawl.wait_for([1, 1], driver)
                assert crawl.kill_everything(driver) > 8
            finally:
                driver.kill()
        ray.start("alpha", "beta")
    with crawl.start(AT_ONCE) as driver:
        assert driver.wait(timeout=240) == 0
    compare(crawl, alone)


def test_a_machine_goes_away_and_comes_back(ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]) -> None:
    with crawl.start(SLOWLY) as driver:
        try:
            crawl.wait_for([1, 1], driver)
            ray.kill_machine("beta")
            crawl.audit_frozen(driver)
            crawl.wait_for([3, 0], driver)
            ray.start("beta")
            crawl.wait_for([1, 1], driver)
            driver.send_signal(signal.SIGINT)
            assert driver.wait(timeout=240) == 130
        finally:
            driver.kill()
    crawl.audit()
    with crawl.start(AT_ONCE) as driver:
        assert driver.wait(timeout=240) == 0
    compare(crawl, alone)
    top = [*COMMAND, "top", "--store", str(crawl.path), "-n", "1"]
    out = subprocess.run(top, env=ray.environment, check=True, timeout=240, capture_output=True, text=True).stdout
    assert next(iter(alone)) in out


def test_commands_read_copy_and_move_stores_of_two_machines(
    ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]
) -> None:
    with crawl.start(AT_ONCE, "--text") as driver:
        assert driver.wait(timeout=240) == 0
    best = next(iter(alone))
    assert crawl.answer("check") == {"store": str(crawl.path), "pages": len(alone), "problems": []}
    why = crawl.answer("why", best)
    assert (why["rank"], why["inlinks"], why["known_pages"]) == (1, alone[best].inlinks, len(alone))
    assert why["importance"] == pytest.approx(alone[best].importance, abs=1e-6)
    verification = crawl.answer("verify")
    assert (verification["known"], verification["settled"]["l1"] < 1e-6) == (len(alone), True)
    assert crawl.answer("index")["pages"] > 0
    assert len(crawl.answer("search", "golden island")) > 1
    copy = crawl.path.with_name("copy")
    crawl.answer("backup", str(copy))
    assert [place.machine for place in found(copy).places] == [None, None]
    with found(copy).opened() as stores:
        assert list(audit_all(stores)) == []
        assert len(list(ranked_pages(stores))) == len(alone)
    for number, machine, folder in ((0, "beta", str(ray.state / "beta" / found(copy).cluster)), (1, "alpha", ".")):
        crawl.answer("move", str(number), "--machine", machine)
        moved = found(crawl.path).places[number]
        assert (moved.folder, moved.machine) == (folder, machine if machine == "beta" else None)
    assert {path.name for path in crawl.path.glob("001.db*")} >= {"001.db", "001.db.text"}
    assert not (crawl.path / "000.db").exists()
    with crawl.start(AT_ONCE) as driver:
        assert driver.wait(timeout=240) == 0
    compare(crawl, alone)
    rows(found(crawl.path).stores[0], "UPDATE neighbours SET taken = taken + 1000")
    with crawl.start(AT_ONCE) as driver:
        assert driver.wait(timeout=240) == 3, "stores of two moments are refused"


def test_a_crawl_that_runs_on_two_machines_is_copied(ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]) -> None:
    with crawl.start(SLOWLY) as driver:
        try:
            crawl.wait_for([2, 2], driver)
            copy = crawl.path.with_name("copy")
            assert crawl.answer("backup", str(copy))["partitions"] == 2
            crawl.wait_for([1, 1], driver)
        finally:
            driver.send_signal(signal.SIGINT)
            assert driver.wait(timeout=240) == 130
    crawl.audit()
    with found(copy).opened() as stores:
        assert list(audit_all(stores)) == []
    crawl.path = copy  # which goes on here, on one machine
    with crawl.start(AT_ONCE, machines=False) as driver:
        assert driver.wait(timeout=240) == 0
    compare(crawl, alone)


def test_a_move_that_is_killed_leaves_one_store_that_is_the_partition(
    ray: Ray, crawl: Crawl, alone: dict[str, RankedPage]
) -> None:
    """It is killed as soon as one of what it does is seen, or those are that do it on the machines."""
    with crawl.start(AT_ONCE) as driver:
        assert driver.wait(timeout=240) == 0
    here, there = crawl.path, Path(found(crawl.path).stores[1]).parent
    steps = [here / ".000.db.leaving", there / ".000.db.arriving", there / "000.db"]
    for seen in steps:
        for victim in ("the command", "what copies for it"):
            seen.unlink(missing_ok=True)  # of the move before
            with crawl.command("move", "0", "--machine", "beta") as mover:
                while not seen.exists() and mover.poll() is None:
                    time.sleep(0.001)
                kill([mover.pid], signal.SIGSTOP)
                kill([mover.pid] if victim == "the command" else ray.carriers())
                kill([mover.pid], signal.SIGCONT)
                mover.wait(timeout=240)
            crawl.audit()
            if found(crawl.path).places[0].machine == "beta":
                crawl.answer("move", "0", "--machine", "alpha")
    crawl.answer("move", "0", "--machine", "beta")
    assert found(crawl.path).places[0].machine == "beta"
    compare(crawl, alone)
