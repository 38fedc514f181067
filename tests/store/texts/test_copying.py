"""Texts in copies of a store, and in stores made smaller."""

import random
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from support.intakes import PATIENT
from support.sites import Server, Site, crawl, rows, texts_in

from minicrawl.analysis.page_changes import PageChange, page_changes
from minicrawl.crawler.books.invariants import violations
from minicrawl.store.reader import open_store
from minicrawl.store.upkeep import backup, compact

HOME = "http://a.test/"
PAGES = 12


def site(seed: int) -> Site:
    rng = random.Random(seed)
    words = {page: f"<p>{rng.randrange(10**6)} words of {page}</p>" for page in range(PAGES)}
    return {
        HOME: [words[0], *(f"/{page}" for page in range(PAGES))],
        **{f"{HOME}{page}": [words[page], HOME] for page in range(PAGES)},
    }


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store whose pages were read twice, with other words the second time."""
    path = tmp_path / "crawl.db"
    crawl(site(1), path, [HOME], text=True)
    crawl(site(2), path, [], discovery=0.5, pages=2 * PAGES)
    return path


def test_copy_has_the_texts_and_goes_on(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copies" / "copy.db"
    backup(store, copy)
    before = texts_in(store)
    assert texts_in(copy) == before
    crawl(site(3), store, [], pages=2 * PAGES)
    assert texts_in(copy) == before
    crawl(site(4), copy, [], pages=2 * PAGES)
    assert texts_in(copy) != before
    assert {path.name for path in copy.parent.iterdir()} == {"copy.db", "copy.db.lock"}


def test_store_made_smaller_has_the_same_texts_and_goes_on(store: Path) -> None:
    before = texts_in(store)
    compact(store)
    assert texts_in(store) == before
    crawl(site(5), store, [], pages=2 * PAGES)
    assert texts_in(store) != before
    compact(store)
    assert texts_in(store).keys() == before.keys()
    named = "SELECT text FROM texts UNION SELECT text FROM text_versions ORDER BY 1"
    assert rows(store, "SELECT id FROM text_records ORDER BY 1") == rows(store, named)


def test_store_made_smaller_has_the_last_eight_versions_of_a_page(tmp_path: Path) -> None:
    class Edited(Server):
        def _answer(self, request: httpx.Request) -> httpx.Response:
            answered = super()._answer(request)
            at = [time for time, url in self.times if url == str(request.url)]
            edition = (1 + sum(b - a > 300.0 for a, b in pairwise(at))) // 2  # one that differs is asked again soon
            return answered if request.url.path == "/robots.txt" else httpx.Response(200, html=f"<p>edition {edition}")

    path = tmp_path / "crawl.db"
    crawl(Edited({HOME: []}), path, [HOME], text=True, refresh=True, pages=40, traps=False, timing=PATIENT)

    def differences() -> list[PageChange]:
        with open_store(path) as reader:
            assert list(violations(reader)) == []
            return page_changes(reader, HOME, 0.0)

    before, texts = differences(), rows(path, "SELECT count(*) FROM text_records")
    kept = [change.diff is not None for change in before]
    assert (sum(kept), kept[-7:]) == (7, [True] * 7)
    compact(path)
    assert differences() == before
    assert rows(path, "SELECT count(*) FROM text_records") < texts


def test_page_that_forbids_it_loses_its_earlier_versions(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    for seed in range(3):
        crawl(site(seed), path, [HOME], text=True, refresh=True, pages=2 * PAGES, timing=PATIENT)
    assert rows(path, "SELECT count(*) FROM text_versions WHERE page = 1")[0][0] > 1
    forbidding = {**site(1), f"{HOME}0": ["<meta name=robots content=noarchive>", HOME]}
    crawl(forbidding, path, [], pages=2 * PAGES, timing=PATIENT)
    assert rows(path, "SELECT count(*) FROM text_versions WHERE page = 1") == [(0,)]
