"""The shape is that of `minicrawl graph stats`; the course of a crawl is that of its answers."""

import time
from pathlib import Path
from typing import Any

import pytest
from command_line import answer
from sites import crawl, rows, wide_site

from minicrawl.dashboard.statistics import course, shape
from minicrawl.errors import StoreError

HOME = "http://a.test/"


def crawled(path: Path, pages: int) -> Path:
    site, seed = wide_site(3, pages)
    crawl(site, path, seed, traps=False)
    return path


@pytest.mark.parametrize("pages", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_shape_is_that_of_graph_stats(tmp_path: Path, pages: int) -> None:
    store = crawled(tmp_path / "crawl.db", pages)
    began = time.time()
    reading = shape(store)
    found: dict[str, Any] = reading["shape"]
    assert found == answer("graph", "stats", "--store", store)
    assert found == {**answer("status", "--graph", "--store", store)["graph"], "files": []}
    assert found["pages"] == pages
    assert found["distances"]["is_exact"]
    assert began <= reading["at"] <= reading["at"] + reading["took"] <= time.time()


def test_what_cannot_be_worked_out_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"^there is no crawl at"):
        shape(tmp_path / "none.db")


def test_course_is_what_the_crawl_has_noted(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/a", "/b", "/c"], f"{HOME}a": []}, store, [HOME])
    found = course(store)
    last = found["points"][-1]
    assert (last["fetched"], last["known"], last["read"], last["given_up"]) == (4, 4, 2, 2)
    assert last["bytes"] == rows(store, "SELECT sum(bytes) FROM fetches")[0][0]
    assert sum(state["pages"] for state in found["states"]) == 4


def test_where_nothing_was_noted_the_course_is_that_of_the_answers(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/a", "/b", "/c"], f"{HOME}a": []}, store, [HOME])
    rows(store, "DELETE FROM course")
    # Answers at 1000, 1010, ..., so that it is known when each came.
    rows(
        store, "UPDATE fetches SET fetched_at = 1000 + 10 * (SELECT count(*) FROM fetches AS f WHERE f.id < fetches.id)"
    )
    points = course(store)["points"]
    assert (points[0]["at"], points[0]["seconds"], points[-1]["seconds"]) == (1000.0, 0.0, pytest.approx(30.0))
    for point in points[1:-1]:
        came = [10 * number for number in range(4) if 10 * number < point["seconds"] - 1e-6]
        assert (point["fetched"], point["at"]) == (len(came), pytest.approx(1000 + point["seconds"]))
    assert points[-1]["bytes"] == rows(store, "SELECT sum(bytes) FROM fetches")[0][0]


def test_without_an_answer_there_is_no_course(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: []}, store, [HOME])
    rows(store, "DELETE FROM fetches")
    rows(store, "DELETE FROM course")
    assert course(store)["points"] == []
