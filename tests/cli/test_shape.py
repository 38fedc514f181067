"""The shape of a web, by 'status --graph' and 'graph stats'."""

from pathlib import Path

import pytest
from support.command_line import answer, run
from support.sites import crawl, random_site

from minicrawl.store.writer import Writer


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that stopped early: many pages are known and not read."""
    path = tmp_path_factory.mktemp("shape") / "crawl.db"
    site, seeds = random_site(7)
    crawl(site, path, seeds, pages=12)
    return path


def test_status_and_graph_stats_say_the_same_while_a_crawl_runs(store: Path) -> None:
    with Writer(store):
        shape = run("status", "--graph", "--store", store).output.split("\n\n", 1)[1]
    stats = run("graph", "stats", "--store", store).output
    assert shape.partition(":")[2] == stats.partition(":")[2]
    assert shape.startswith("as of the last commit: ")
    assert answer("status", "--graph", "--store", store)["graph"] == {
        key: value for key, value in answer("graph", "stats", "--store", store).items() if key != "files"
    }
