"""Two nodes of Ray on loopback, killed in every way: the crawl finds what one process finds.

MINICRAWL_KILLS: how often actors are killed, and a quarter as often everything; 4 and 1 by default.
"""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cluster_runs import crawled_alone
from support.command_line import run
from support.needs import needs
from support.ray_machines import AT_ONCE, SLOWLY, Crawl, Ray, served

from minicrawl.store.ranks import RankedPage

KILLS = int(os.environ.get("MINICRAWL_KILLS", "4"))
with_ray = [
    pytest.mark.slow,
    needs("ray"),
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
        ray.start()
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
        ray.start()
    assert crawl.ended(AT_ONCE)["reason"] == "nothing-left"
    crawl.compare(alone)


@needs("ray")
@pytest.mark.parametrize(
    ("address", "code", "sentence"),
    [("127.0.0.1:1", 3, "nobody listens at 127.0.0.1:1"), ("ray://127.0.0.1:1", 2, "on a node of the cluster")],
)
def test_a_cluster_that_cannot_be_used_is_told(address: str, code: int, sentence: str, tmp_path: Path) -> None:
    result = run("crawl", "http://a.test/", "--partitions", "2", "--ray", address, "--store", tmp_path / "web")
    assert (result.exit_code, sentence in result.stderr) == (code, True)
    assert not (tmp_path / "web").exists()
