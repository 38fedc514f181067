"""The shape of a web, by 'graph stats'."""

from pathlib import Path

import pytest
from support.command_line import answer, run
from support.sites import crawl, random_site


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that stopped early: many pages are known and not read."""
    path = tmp_path_factory.mktemp("shape") / "crawl.db"
    site, seeds = random_site(7)
    crawl(site, path, seeds, pages=12)
    return path


def test_distances_are_told_as_they_grew(store: Path) -> None:
    shape = answer("graph", "stats", "--store", store)
    last = shape["growth"][-1]
    assert (last["average"], last["longest"]) == (shape["distances"]["average"], shape["distances"]["longest"])
    assert [point["read"] for point in shape["growth"]] == list(range(1, len(shape["growth"]) + 1))
    lines = run("graph", "stats", "--store", store).output.splitlines()
    first = lines.index("distances while it was crawled (exact)") + 2
    table = [line.split() for line in lines[first : first + 5]]
    assert table[-1] == [str(last["read"]), str(last["known"]), f"{last['average']:.2f}", str(last["longest"])]
