"""Seeds of an old crawl on a newer one."""

from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest
from support.sites import Site, crawl

from minicrawl.analysis.seed_repair import (
    KEPT,
    LOST,
    RANDOM,
    REPAIRED,
    REPLACED,
    SURVIVED,
    UNREAD,
    Judgement,
    SeedFate,
    depths_of,
    judge_seeds,
)
from minicrawl.analysis.seeding import crawled_web
from minicrawl.store.reader import Store, open_store

A = "http://a.test/"
LIST, TWIN, COUSIN, HOME, ALONE = A + "list", A + "twin", A + "cousin", A, A + "alone"
OLD: Site = {
    HOME: ["/list", "/twin", "/cousin", "/alone", "/moved"],
    LIST: ["/x", "/y", "/z"],
    TWIN: ["/x", "/y", "/z"],
    COUSIN: ["/x"],
    A + "moved": ["/x", "/y"],
    ALONE: [],
    **{A + name: [] for name in "xyz"},
}
NEW: Site = {
    HOME: ["/twin", "/cousin", "/moved", "/x"],
    LIST: 410,
    TWIN: ["/x", "/y"],
    COUSIN: ["/x"],
    A + "moved": A + "moved-on",
    A + "moved-on": ["/x"],
    A + "x": [],
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Store]]:
    folder = tmp_path_factory.mktemp("repair")
    crawl(OLD, folder / "old.db", [HOME])
    crawl(NEW, folder / "new.db", [HOME, LIST])
    with open_store(folder / "old.db") as old, open_store(folder / "new.db") as new:
        yield old, new


def test_what_is_there_or_has_moved_survives_and_the_most_similar_page_replaces_the_rest(
    stores: tuple[Store, Store],
) -> None:
    """Of the list all links are those of its twin, and so is where it is linked from."""
    fates = judge_seeds([HOME, A + "moved", LIST, "http://unknown.test/"], *stores)
    assert fates == (
        SeedFate(HOME, SURVIVED, "fetched", HOME),
        SeedFate(A + "moved", SURVIVED, "alias", A + "moved-on"),
        SeedFate(LIST, REPLACED, "error", TWIN, 1.0),
        SeedFate("http://unknown.test/", LOST, None, None),
    )


def test_no_page_becomes_a_seed_for_two(stores: tuple[Store, Store]) -> None:
    """The twin is a seed already: the next like the list are "cousin" and "moved", which is an alias by now."""
    found = judge_seeds([TWIN, LIST], *stores)[1]
    assert (found.fate, found.now) == (REPLACED, COUSIN)
    assert found.similarity == pytest.approx((1 + 1) / (3 + 1))


def test_page_that_waits_is_unread_and_stays(tmp_path: Path, stores: tuple[Store, Store]) -> None:
    crawl(NEW, tmp_path / "short.db", [HOME], pages=1)
    with open_store(tmp_path / "short.db") as short:
        assert judge_seeds([TWIN], stores[0], short) == (SeedFate(TWIN, UNREAD, "waiting", TWIN),)


def test_what_is_reached_is_counted_from_the_nearest_seed(stores: tuple[Store, Store]) -> None:
    old, new = stores
    fates = judge_seeds([A + "x", LIST], old, new)
    depths = depths_of(fates, new, crawled_web(new), 3)
    graph = networkx.DiGraph([(TWIN, A + "x"), (TWIN, A + "y")])
    for kind, seeds in ((KEPT, [A + "x"]), (REPAIRED, [A + "x", TWIN])):
        nearest = networkx.multi_source_dijkstra_path_length(graph, seeds)
        expected = [list(nearest.values()).count(depth) for depth in range(5)]
        assert [at.pages for at in depths[kind]] == expected
    assert depths[RANDOM][0].pages == 2


def test_repaired_seeds_are_listed_once(stores: tuple[Store, Store]) -> None:
    fates = judge_seeds([A + "moved", LIST, "http://unknown.test/"], *stores)
    found = Judgement(fates, {})
    assert found.seeds == [A + "moved-on", TWIN]
    assert [found.count(fate) for fate in (SURVIVED, REPLACED, LOST, UNREAD)] == [1, 1, 1, 0]
