"""Topics of a query: shares by hand, ranks by PageRank with the same jumps."""

import numpy as np
import pytest
from support.searching import found, indexed, page, urls
from support.sites import Site, crawl

import minicrawl
from minicrawl.analysis.folded_aliases import folded_store
from minicrawl.errors import SettingError
from minicrawl.rank import pagerank
from minicrawl.search.ranking import Scale
from minicrawl.search.searching import Asked, Searcher

A, B, C = "http://boats.test/", "http://cars.test/", "http://both.test/"
SITE: Site = {
    A: page("Boats", "sail sail wind", (C, "both")),
    B: page("Cars", "wheel sailing", (C, "both")),
    C: page("Both", "wheel sail of others", (A, "see"), (B, "see")),
}
TOPICS = ("boats=boats", "cars=cars")
BOATS, CARS = 5, 4
"""Words of the first two pages, with those of their links."""
WORDS = 9
"""boat, sail, wind, both, car, wheel, of, other, see."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return indexed(SITE, tmp_path_factory.mktemp("topics") / "crawl.db")


def share(of_boats: int, of_cars: int) -> float:
    boats, cars = (of_boats + 1) / (BOATS + WORDS + 1), (of_cars + 1) / (CARS + WORDS + 1)
    return boats / (boats + cars)


@pytest.mark.parametrize(("query", "boats"), [("sails", share(2, 1)), ("wheel", share(0, 1)), ("others", share(0, 0))])
def test_shares_are_those_of_the_words_and_ranks_those_of_the_shares(store, query, boats):
    result = found(store, query, rank="topic", topics=TOPICS, weight=0.0)
    assert result.topics == pytest.approx({"boats": boats, "cars": 1 - boats})
    with minicrawl.open_store(store) as reader:
        jumps = {reader.page_table.find([A])[A]: boats, reader.page_table.find([B])[B]: 1 - boats}
        numbers = reader.page_table.find(list(SITE))
        preference = np.array([jumps.get(number, 0.0) for number in range(reader.size())])
        ranks = pagerank(folded_store(reader).graph, preference=preference)
    scale = Scale(float(ranks[ranks > 0].min()), float(ranks.max()))
    places = {hit.url: hit.place for hit in result.pages}
    assert places == pytest.approx({url: scale.place(float(ranks[numbers[url]])) for url in places})
    assert all(hit.score == hit.place for hit in result.pages)


def test_words_choose_between_pages_that_agree_alike(tmp_path):
    site: Site = {
        A: page("Boats", "sail wind", (A + "guide", "read")),
        A + "guide": page("Guide", "zebra of sail and wheel"),
        B: page("Cars", "wheel road", (B + "guide", "read")),
        B + "guide": page("Guide", "horse of sail and wheel"),
    }
    store = indexed(site, tmp_path / "crawl.db", A, B)
    for words, best in (("guide wind sail", A), ("guide wheel road", B)):
        assert urls(store, words, rank="topic", topics=TOPICS, weight=0.2)[0].startswith(best)


def test_topics_are_looked_at_again_where_the_index_has_come_on(tmp_path):
    store = tmp_path / "crawl.db"
    indexed(SITE, store, A, pages=1)
    with minicrawl.open_store(store) as reader, Searcher(reader) as searcher:
        asked = Asked(rank="topic", topics=("boats=boats", "cars=/$"))
        assert searcher.search("sail", asked).topics == pytest.approx({"boats": 0.5, "cars": 0.5})
        crawl(SITE, store, [], text=True)
        assert {hit.url for hit in searcher.search("sail", asked).pages} == {A}
        indexed(SITE, store)
        assert searcher.search("sail", asked).topics["boats"] > 0.5


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"rank": "topic"}, "--rank topic needs the pages of topics"),
        ({"topics": TOPICS}, "--topic goes with --rank topic, not with --rank linear"),
        ({"rank": "topic", "topics": ("boats",)}, "--topic takes NAME=FILE|URL|REGEX, each name once, not 'boats'"),
        ({"rank": "topic", "topics": ("x=nowhere",)}, "--topic 'nowhere' is no file, and matches no URL"),
    ],
)
def test_topics_that_cannot_be_are_refused_by_name(store, asked, sentence):
    with pytest.raises(SettingError) as refused:
        found(store, "sail", **asked)
    assert sentence in str(refused.value)
