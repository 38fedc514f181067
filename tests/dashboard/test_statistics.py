"""The shape is that of `minicrawl graph stats`; the course of a crawl is that of its answers."""

from pathlib import Path
from typing import Any

import pytest
from command_line import answer
from sites import crawl, rows, wide_site

from minicrawl.dashboard.statistics import course, shape
from minicrawl.errors import StoreError


def crawled(path: Path, pages: int) -> Path:
    site, seed = wide_site(3, pages)
    crawl(site, path, seed, traps=False)
    return path


@pytest.mark.parametrize("pages", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_shape_is_that_of_graph_stats(tmp_path: Path, pages: int) -> None:
    store = crawled(tmp_path / "crawl.db", pages)
    found: dict[str, Any] = dict(shape(store))
    expected = answer("graph", "stats", "--store", store)
    assert found == expected
    assert found["pages"] == pages
    assert found["distances"]["is_exact"]


def test_what_cannot_be_worked_out_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"^there is no crawl at"):
        shape(tmp_path / "none.db")


def test_course_has_every_answer_once(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({"http://a.test/": ["/a", "/b", "/c"], "http://a.test/a": []}, store, ["http://a.test/"])
    # Answers at 1000, 1010, ..., so that it is known which bin each is in.
    rows(
        store, "UPDATE fetches SET fetched_at = 1000 + 10 * (SELECT count(*) FROM fetches AS f WHERE f.id < fetches.id)"
    )
    found = course(store)
    assert found["since"] == 1000
    assert found["seconds"] == pytest.approx(30 / len(found["pages"]))
    assert [bin_ for bin_, number in enumerate(found["pages"]) if number] == [
        min(int(seconds / found["seconds"]), len(found["pages"]) - 1) for seconds in (0, 10, 20, 30)
    ]
    assert (sum(found["pages"]), sum(found["failures"])) == (4, 2)
    assert sum(found["bytes"]) == rows(store, "SELECT sum(bytes) FROM fetches")[0][0]
    assert sum(state["pages"] for state in found["states"]) == 4


def test_without_an_answer_there_is_no_course(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({"http://a.test/": []}, store, ["http://a.test/"])
    rows(store, "DELETE FROM fetches")
    assert course(store)["pages"] == []
