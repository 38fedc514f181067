"""What the store knows of pages now."""

import pytest
from support.sites import crawl, rows

from minicrawl.search.page_facts import PageFacts, facts_of, scale_of
from minicrawl.search.searched_store import open_store

A = "http://a.test/"


def facts(**given) -> PageFacts:
    known = {"page": 1, "url": A, "host": "a.test", "title": None, "state": "fetched"}
    return PageFacts(**(known | {"leader": None, "changed_at": None, "content_type": "text/html"} | given))


@pytest.mark.parametrize(
    ("given", "has_text", "is_shown"),
    [
        ({}, True, True),
        ({}, False, False),  # it may have said noindex
        ({"content_type": "application/pdf"}, False, True),
        ({"content_type": None}, False, True),
        ({"state": "waiting"}, False, True),
        ({"state": "disallowed"}, False, True),
        ({"state": "error"}, True, False),
        ({"state": "gone"}, True, False),
        ({"state": "alias"}, True, False),
    ],
)
def test_pages_that_may_be_shown(given, has_text, is_shown):
    assert facts(**given).can_be_shown(has_text=has_text) is is_shown


def test_facts_and_the_scale_of_the_ranking_that_is_asked_for(tmp_path):
    crawl({A: ["/x"], f"{A}x": ["/"]}, tmp_path / "crawl.db", [A])
    rows(tmp_path / "crawl.db", "INSERT INTO rankings VALUES ('mine', 0, 8.0), ('mine', 1, 2.0)")
    with open_store(tmp_path / "crawl.db") as store:
        known = facts_of(store, [1, 0])
        assert (known[1].url, known[1].host, known[1].state) == (f"{A}x", "a.test", "fetched")
        assert known[0].page == 0
        assert store.ranks.values_of([0, 1], "mine") == {0: 8.0, 1: 2.0}
        assert scale_of(store, "mine", 0, 0).place(4.0) == pytest.approx(0.5)
        assert scale_of(store, "inlinks", 0, 0).most == 1
        assert scale_of(store, "importance", 1.0, 4.0).place(2.0) == pytest.approx(0.5)
