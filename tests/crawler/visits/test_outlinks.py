"""Where the links of a page stand, from its bytes to the store, whatever becomes of the page."""

import random
from pathlib import Path

import pytest
from sites import Site, canonical, crawl, rows

from minicrawl.crawler.books.audit import audit
from minicrawl.crawler.salvage import salvage
from minicrawl.model import Place
from minicrawl.store.links import placed
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
OWN = "own, own_places"
WORDS = "As it has been said often, and in"
LINES = {
    Place.TEXT: f"<p>{WORDS} <a href={{}}>words</a>.",
    Place.LIST: "<ul><li><a href={}>words</a></ul>",
    Place.NAVIGATION: "<nav><a href={}>words</a></nav>",
}
ALL = {HOME + "text": Place.TEXT, HOME + "list": Place.LIST, HOME + "nav": Place.NAVIGATION}


def linking(links: dict[str, Place]) -> str:
    return "".join(LINES[place].format(url) for url, place in links.items())


def places(store: Path, url: str, columns: str = "targets, places") -> dict[str, int | None]:
    """By URL of a target, where the link to it stands; None where all links of the page are alike."""
    (row,) = rows(store, f"SELECT {columns} FROM links JOIN pages ON id = source WHERE url = ?", url)
    links = placed(*row)
    stored = [None] * len(links.targets) if links.places is None else links.places.tolist()
    urls = dict(rows(store, "SELECT id, url FROM pages"))
    return {urls[target]: place for target, place in zip(links.targets.tolist(), stored, strict=True)}


def crawled(store: Path, site: Site, **settings: object) -> Path:
    crawl(site, store, [HOME], **settings)
    with open_store(store) as reader:
        assert list(audit(reader)) == []
    return store


def test_links_are_stored_with_their_places(tmp_path: Path) -> None:
    elsewhere = {"http://b.test/": Place.TEXT, HOME: Place.TEXT}
    store = crawled(tmp_path / "crawl.db", {HOME: [linking(elsewhere | ALL)]}, scope="host")
    assert places(store, HOME) == ALL
    saved = tmp_path / "saved.db"
    salvage(store, saved)
    assert places(saved, HOME) == ALL


@pytest.mark.parametrize("place", Place)
def test_links_that_are_all_alike_are_stored_without(tmp_path: Path, place: Place) -> None:
    store = crawled(tmp_path / "crawl.db", {HOME: [linking(dict.fromkeys(ALL, place))]})
    assert places(store, HOME) == dict.fromkeys(ALL)


def test_of_several_links_to_a_page_the_best_place_counts(tmp_path: Path) -> None:
    """Also where their URLs differ, and are one page without what says who asks."""
    page = linking({HOME + "a?utm_source=x": Place.NAVIGATION, HOME + "a": Place.LIST, HOME + "b": Place.NAVIGATION})
    store = crawled(tmp_path / "crawl.db", {HOME: [page + linking({HOME + "a?utm_source=y": Place.TEXT})]})
    assert places(store, HOME) == {HOME + "a": Place.TEXT, HOME + "b": Place.NAVIGATION}


def test_new_places_take_the_place_of_old_ones(tmp_path: Path) -> None:
    store, rng = tmp_path / "crawl.db", random.Random(5)
    for _ in range(4):
        links = {url: rng.choice(list(Place)) for url in rng.sample(sorted(ALL), 2)} | {HOME + "always": Place.TEXT}
        crawled(
            store,
            {HOME: [linking(links)]},
            strategy="cycle",
            discovery=0.1,
            pages=len(rows(store, "SELECT 1 FROM pages")) if store.exists() else 1,
        )
        expected = links if len(set(links.values())) > 1 else dict.fromkeys(links)
        assert places(store, HOME) == expected


def test_a_page_that_stands_for_another_keeps_the_places_of_its_own_links(tmp_path: Path) -> None:
    """And has them again when there is nothing behind the page it named."""
    site: Site = {HOME: [canonical(HOME + "c") + linking(ALL)], HOME + "c": []}
    store = crawled(tmp_path / "crawl.db", site)
    own = {HOME + "c": Place.LIST} | ALL
    assert (places(store, HOME), places(store, HOME, OWN)) == ({HOME + "c": None}, own)
    saved = tmp_path / "saved.db"
    salvage(store, saved)
    assert places(saved, HOME, OWN) == own
    crawled(store, site | {HOME + "c": 404}, strategy="cycle", discovery=0.1, pages=6)
    assert places(store, HOME) == own


def test_places_that_make_no_sense_are_left_out_by_salvage(tmp_path: Path) -> None:
    store = crawled(tmp_path / "crawl.db", {HOME: [linking(ALL)]})
    for damage in ("x'ff'", "x'0102'", "x''"):
        rows(store, f"UPDATE links SET places = {damage} WHERE places IS NOT NULL")
        with open_store(store) as reader:
            assert list(audit(reader)) != []
        saved = tmp_path / f"{damage}.db"
        salvage(store, saved)
        assert places(saved, HOME) == dict.fromkeys(ALL)
        with open_store(saved) as reader:
            assert list(audit(reader)) == []
