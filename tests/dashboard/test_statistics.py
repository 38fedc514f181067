"""Charts: the shape, the crawl over time, curves of few points."""

import math
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import answer
from support.sites import crawl, rows, wide_site

from minicrawl.dashboard.statistics import Shapes, answers, course, shape, share_curve
from minicrawl.errors import StoreError
from minicrawl.rank import Graph
from minicrawl.rank.graph_stats import graph_stats
from minicrawl.store.links import to_bytes

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


def made_up(path: Path, pages: int) -> Graph:
    """A store with so many pages and random links, few of them to most pages, as if crawled; and their graph."""
    crawl({HOME: []}, path, [HOME])
    rng = np.random.default_rng(1)
    ends = np.minimum(rng.pareto(0.7, (pages, 4)) * 20, pages - 1).astype(np.int32)
    linked = [np.unique(targets[targets != page]) for page, targets in enumerate(ends)]
    linked = [targets if page % 5 else targets[:0] for page, targets in enumerate(linked)]
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany(
            "INSERT INTO pages (id, url, host, state, reason, visited, depth, standing, received) "
            "VALUES (?, ?, 0, 'fetched', 'ok', 1, 1, 0, 16777216)",
            ((page, f"{HOME}{page}") for page in range(1, pages)),
        )
        db.executemany(
            "INSERT OR REPLACE INTO links (source, targets) VALUES (?, ?)",
            ((page, to_bytes(targets)) for page, targets in enumerate(linked)),
        )
        db.execute("UPDATE tallies SET pages = ?", (pages,))
    return Graph.from_links([targets.tolist() for targets in linked])


@pytest.mark.slow
def test_shape_of_a_large_web_is_as_near_as_it_says(tmp_path: Path) -> None:
    """Components, bow tie, degrees and the diameter are those of the graph; numbers of pairs are within three times
    the relative standard deviation that is stated."""
    graph = made_up(tmp_path / "crawl.db", 100_000)
    found = shape(tmp_path / "crawl.db")["shape"]
    exact = graph_stats(graph, np.random.default_rng(0), exact_work=math.inf)
    assert (found["pages"], found["links"], found["dangling"]) == (exact.pages, exact.links, exact.dangling)
    assert found["strong_components"] == {"count": exact.strong.count, "largest": exact.strong.sizes.max()}
    assert sum(found["bow_tie"].values()) == 100_000
    assert found["bow_tie"]["core"] == exact.strong.sizes.max()
    for name, degrees in (("inlinks", exact.indegrees), ("outlinks", exact.outdegrees)):
        assert found[name]["pages_by_degree"] == {
            str(links): pages for links, pages in zip(degrees.values.tolist(), degrees.counts.tolist(), strict=True)
        }
    known = exact.core_diameter
    assert [found["core"]["diameter"][end] for end in ("lower", "upper")] == [known.lower, known.upper]
    for estimate, truth in ((found["distances"], exact.distances), (found["core"]["distances"], exact.core_distances)):
        if estimate["is_exact"]:
            assert estimate["pairs_within"] == truth.pairs.tolist()
        else:
            assert 0 < estimate["relative_error"] < 0.1
            most = min(len(estimate["pairs_within"]), len(truth.pairs))
            near = pytest.approx(truth.pairs[:most].tolist(), rel=3 * estimate["relative_error"])
            assert estimate["pairs_within"][:most] == near
            assert estimate["average"] == pytest.approx(truth.average(), rel=3 * estimate["relative_error"])
    assert not found["distances"]["is_exact"]


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


def test_looks_remember_how_far_apart_pages_were(tmp_path: Path) -> None:
    """Those of a crawl that goes on, each as `graph stats` has it; a look at the same pages again adds none."""
    store = tmp_path / "crawl.db"
    site, seed = wide_site(3, 100)
    shapes, expected = Shapes(store), []
    for _ in range(3):
        crawl(site, store, seed, traps=False, pages=20)
        reading = shapes.look()
        found = reading["shape"]
        expected.append((found["pages"] - found["never_read"], found["distances"]["average"]))
        assert [(one["read"], one["average"]) for one in reading["looks"]] == expected
        assert reading["looks"][-1]["longest"] == found["core"]["diameter"]["lower"]
        assert reading["looks"][-1]["relative_error"] == 0.0
        assert found["growth"][-1]["average"] == pytest.approx(found["distances"]["average"])
    assert shapes.look()["looks"] == reading["looks"]
    assert [read for read, _ in expected] == [20, 40, 60]


@pytest.mark.parametrize("n", [0, 1, 7, 199, 200, 5000])
def test_points_are_sums_from_nothing_to_all(n: int) -> None:
    shares = np.random.default_rng(3).random(n)
    points = share_curve(shares)
    assert points[0] == (0, 0.0)
    assert points[-1][0] == n
    assert len(points) == min(n + 1, 200)
    for k, total in points:
        assert total == pytest.approx(shares[:k].sum())


def test_a_part_of_the_shares_is_enough() -> None:
    assert share_curve(np.array([3.0, 2.0, 1.0]), 2) == [(0, 0.0), (1, 3.0), (2, 5.0)]


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
