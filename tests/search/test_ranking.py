"""Ranks beside similarity: importance, HITS near the pages found, topics against PageRank with the same jumps."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.searching import found, indexed, page
from support.sites import Site

import minicrawl
from minicrawl.analysis.link_graph import folded_store
from minicrawl.errors import SettingError
from minicrawl.rank import pagerank
from minicrawl.search.ranking import Scale, authorities_near
from minicrawl.search.searched_store import open_store


@pytest.mark.parametrize(("value", "place"), [(1e-6, 0.0), (1e-4, 0.5), (1e-2, 1.0), (0.0, 0.0), (1.0, 1.0)])
def test_place_is_by_the_logarithm(value: float, place: float) -> None:
    assert Scale(1e-6, 1e-2).place(value) == pytest.approx(place)


A, B = "http://a.test/", "http://b.test/"


def test_page_that_others_of_the_topic_link_to_is_the_authority(tmp_path: Path) -> None:
    hubs = {f"http://h{i}.test/": page(f"Zebra list {i}", f"zebra{i} zebra", (B, "see")) for i in range(4)}
    store = indexed({A: page("Zebra", "zebra alone"), B: page("Zebra", "zebra of all"), **hubs}, tmp_path / "crawl.db")
    with open_store(store) as reader:
        pages = reader.page_table.find([A, B, *hubs])
        near = authorities_near(reader, dict.fromkeys(pages.values(), 1.0), "zebra")
        assert near[pages[B]] == 1.0
        assert near.get(pages[A], 0.0) == 0.0
        assert authorities_near(reader, {}, "zebra") == {}
    best = found(store, "zebra", rank="hits", weight=0.5).pages[0]
    assert (best.url, best.place) == (B, 1.0)


def test_links_weigh_by_the_words_of_the_query_around_them(tmp_path: Path) -> None:
    hubs = {
        f"http://h{i}.test/": page(f"Zebra list {i}", f"zebra{i}", (A, "some animal"), (B, f"{word} of {i}"))
        for i, word in enumerate(["zebra", "lion", "a zebra", "Zebra, zebra"])
    }
    store = indexed({A: page("A", "a"), B: page("B", "b"), **hubs}, tmp_path / "crawl.db")
    with open_store(store) as reader:
        pages = reader.page_table.find([A, B, *hubs])
        similarity = dict.fromkeys(pages.values(), 1.0)
        # Links to B weigh 2, 1, 2 and 3, those to A 1 each, whatever the words beside them are.
        w = np.array([[1, 2], [1, 1], [1, 2], [1, 3]])
        a = np.linalg.eigh(w.T @ w)[1][:, -1]
        near = authorities_near(reader, similarity, "zebra")
        assert near[pages[B]] == 1.0
        assert near[pages[A]] == pytest.approx(a[0] / a[1])
        assert authorities_near(reader, similarity, "nothing")[pages[A]] == pytest.approx(1.0)


BOAT, CAR, BOTH = "http://boats.test/", "http://cars.test/", "http://both.test/"
SITE: Site = {
    BOAT: page("Boats", "sail sail wind", (BOTH, "both")),
    CAR: page("Cars", "wheel sailing", (BOTH, "both")),
    BOTH: page("Both", "wheel sail of others", (BOAT, "see"), (CAR, "see")),
}
TOPICS = ("boats=boats", "cars=cars")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(SITE, tmp_path_factory.mktemp("topics") / "crawl.db")


def share(of_boats: int, of_cars: int) -> float:
    """P(boats | word), where so many of the one text of each topic have the word."""
    boats, cars = (of_boats + 1) / 3, (of_cars + 1) / 3
    return boats / (boats + cars)


@pytest.mark.parametrize(("query", "boats"), [("wind", share(1, 0)), ("wheel", share(0, 1)), ("others", share(0, 0))])
def test_shares_are_those_of_the_words_and_ranks_those_of_the_shares(store: Path, query: str, boats: float) -> None:
    result = found(store, query, rank="topic", topics=TOPICS, weight=0.0)
    assert result.topics == pytest.approx({"boats": boats, "cars": 1 - boats})
    with minicrawl.open_store(store) as reader:
        jumps = {reader.page_table.find([BOAT])[BOAT]: boats, reader.page_table.find([CAR])[CAR]: 1 - boats}
        numbers = reader.page_table.find(list(SITE))
        preference = np.array([jumps.get(number, 0.0) for number in range(reader.size())])
        ranks = pagerank(folded_store(reader).graph, preference=preference)
    scale = Scale(float(ranks[ranks > 0].min()), float(ranks.max()))
    places = {hit.url: hit.place for hit in result.pages}
    assert places == pytest.approx({url: scale.place(float(ranks[numbers[url]])) for url in places})
    assert all(hit.score == hit.place for hit in result.pages)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"rank": "topic", "topics": ("boats",)}, "--topic takes NAME=FILE|URL|REGEX, each name once, not 'boats'"),
        ({"rank": "topic", "topics": ("x=nowhere",)}, "--topic 'nowhere' is no file, and matches no URL"),
    ],
)
def test_topics_that_cannot_be_are_refused_by_name(store: Path, asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingError) as refused:
        found(store, "wind", **asked)
    assert sentence in str(refused.value)
