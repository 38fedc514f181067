"""Pages that say what other pages say: what a turn makes of it."""

from pathlib import Path

import pytest
from support.prose import prose
from support.sites import Site, crawl, rows

HOME = "http://a.test/"
A, B, C = (f"http://a.test/{name}" for name in "abc")
MARKS = """SELECT url, (SELECT url FROM pages WHERE id = leader), distance
    FROM fetches JOIN pages ON pages.id = page WHERE payload IS NOT NULL"""


def marks(store: Path) -> dict[str, tuple[str | None, int | None]]:
    return {url: (leader, bits) for url, leader, bits in rows(store, MARKS)}


def test_only_pages_that_say_something_are_noted(tmp_path: Path) -> None:
    """A redirect says nothing, an error neither, and what a page that dies said is forgotten with it."""
    store = tmp_path / "crawl.db"
    web: Site = {HOME: [A, B, C], A: [prose(1, 400)], B: A, C: 404}
    crawl(web, store, [HOME])
    assert marks(store) == {A: (None, None)}
    crawl(web | {A: 404}, store, [HOME], strategy="cycle", discovery=0.0, pages=3)
    assert marks(store) == {}


@pytest.mark.parametrize(("target", "pages"), [(404, 2), (404, 3), (404, 100), ("there", 2)])
def test_page_that_stands_for_itself_again_is_told_like_others(tmp_path: Path, target: int | str, pages: int) -> None:
    """While it stands for another page its copies are not marked with it."""
    store = tmp_path / "crawl.db"
    said = f'<link rel="canonical" href="{C}">' + prose(1, 3_000)
    web: Site = {HOME: [A, C, B], A: [said], B: [said.replace(C, "mailto:nobody")], C: [] if target == "there" else 404}
    crawl(web, store, [HOME], strategy="breadth-first", pages=pages)
    crawl(web, store, [HOME], strategy="breadth-first")
    states = dict(rows(store, "SELECT url, reason FROM pages"))
    if target == 404:
        assert (states[A], states[B]) == ("canonical-dead", "ok")
        assert marks(store)[B] == (A, 0)
    else:
        assert (states[A], states[B]) == ("canonical", "ok")
        assert marks(store)[B] == (None, None)
