"""Charts: the shape, the crawl over time, curves of few points."""

import math
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import answer
from support.sites import crawl, rows, wide_site

from minicrawl.dashboard.statistics import Shapes, answers, course, shape, share_curve

HOME = "http://a.test/"


def test_shape_is_that_of_graph_stats(tmp_path: Path) -> None:
    store, pages = tmp_path / "crawl.db", 60
    site, seed = wide_site(3, pages)
    crawl(site, store, seed, traps=False)
    began = time.time()
    reading = shape(store)
    found: dict[str, Any] = reading["shape"]
    assert found == answer("graph", "stats", "--store", store)
    assert found == answer("status", "--graph", "--store", store)["graph"]
    assert found["pages"] == pages
    assert found["distances"]["is_exact"]
    assert began <= reading["at"] <= reading["at"] + reading["took"] <= time.time()


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


def test_looks_remember_how_far_apart_pages_were(tmp_path: Path) -> None:
    """Those of a crawl that goes on, each as `graph stats` has it; a look at the same pages again adds none."""
    store = tmp_path / "crawl.db"
    site, seed = wide_site(3, 60)
    shapes, expected = Shapes(store), []
    for _ in range(3):
        crawl(site, store, seed, traps=False, pages=10)
        reading = shapes.look()
        found = reading["shape"]
        expected.append((found["pages"] - found["never_read"], found["distances"]["average"]))
        assert [(one["read"], one["average"]) for one in reading["looks"]] == expected
        assert reading["looks"][-1]["longest"] == found["core"]["diameter"]["lower"]
        assert reading["looks"][-1]["relative_error"] == 0.0
    assert shapes.look()["looks"] == reading["looks"]
    assert [read for read, _ in expected] == [10, 20, 30]


@pytest.mark.parametrize("n", [0, 1, 200, 5000])
def test_points_are_sums_from_nothing_to_all(n: int) -> None:
    shares = np.random.default_rng(3).random(n)
    points = share_curve(shares)
    assert points[0] == (0, 0.0)
    assert points[-1][0] == n
    assert len(points) == min(n + 1, 200)
    for k, total in points:
        assert total == pytest.approx(shares[:k].sum())


def answered(store: Path) -> list[tuple[float, int, float, int]]:
    """Give the answers of a crawl known times, statuses, seconds and bytes."""
    site = {HOME: ["/a", "/b", "/c", "http://b.test/"], "http://b.test/": [f"/{n}" for n in range(20)]}
    crawl(site, store, [HOME])
    for number, (id_,) in enumerate(rows(store, "SELECT id FROM fetches ORDER BY id")):
        values = 1000 + 7.77 * number**1.5, (200, 404, 503)[number % 3], (number * 7 % 11) / 10, 100 * number
        rows(store, f"UPDATE fetches SET (fetched_at, status, seconds, bytes) = {values} WHERE id = {id_}")
    return rows(store, "SELECT fetched_at, status, seconds, bytes FROM fetches")


def test_answers_over_time_are_those_of_the_store(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    all_of_them = answered(store)
    found = answers(store)
    assert len(found["bins"]) == 100
    assert found["count"] == found["read"] == found["all"] == len(all_of_them)
    assert found["statuses"] == dict(Counter(status for _, status, *_ in all_of_them))
    for bin_ in found["bins"][:-1]:  # the last one has the last answer, too
        edges = bin_["at"] - found["apart"] / 2, bin_["at"] + found["apart"] / 2
        own = [one for one in all_of_them if edges[0] - 1e-6 <= one[0] < edges[1] - 1e-6]
        for name in ("2xx", "3xx", "4xx", "5xx"):
            assert bin_[name] == sum(status // 100 == int(name[0]) for _, status, *_ in own)
        assert bin_["bytes"] == sum(size for *_, size in own)
        seconds = sorted(took for _, _, took, _ in own)
        assert bin_["median"] == (seconds[(len(seconds) - 1) // 2] if seconds else None)
    assert sum(bin_["bytes"] for bin_ in found["bins"]) == sum(size for *_, size in all_of_them)


def test_answers_of_a_host_are_its_own_and_quantiles_those_of_its_seconds(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    answered(store)
    query = "SELECT f.seconds FROM fetches AS f JOIN pages ON pages.id = page JOIN hosts ON hosts.id = host WHERE name="
    rows(store, "UPDATE fetches SET fetched_at = 1000")
    everything = answers(store)
    for host in everything["hosts"]:
        seconds = sorted(took for (took,) in rows(store, f"{query} '{host['name']}'"))
        found = answers(store, host["name"])
        assert len(found["bins"]) == 1
        assert found["count"] == host["answers"] == len(seconds)
        assert found["bins"][0]["median"] == seconds[(len(seconds) - 1) // 2]
        assert found["bins"][0]["p90"] == seconds[math.ceil(0.9 * len(seconds)) - 1]
    assert [host["name"] for host in everything["hosts"]] == ["b.test", "a.test"]
    assert answers(store, "c.test")["bins"] == []
