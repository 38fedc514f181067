"""Heads: which pages have one, and what it says."""

from pathlib import Path

import pytest
from support.searching import indexed, page
from support.sites import Site

from minicrawl.search.index.heads import fields_of, language_terms, title_parts, url_parts
from minicrawl.search.index.index_folder import index_path, open_index, store_mark
from minicrawl.store.reader import open_store

A, B = "http://a.test/", "http://b.test/"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://www.a.test/guide/index.html", "| a test | guid |"),
        ("https://a.test/guide.php", "| a test | guid |"),
        ("https://a.test/", "| a test |"),
        ("http://a.test/x/y%20z.html?page=2", "| a test | x | y z | page 2 |"),
        ("http://a.test/" + "x" * 5_000, f"| a test | {'x' * 60} |"),
    ],
)
def test_url_says_what_is_of_its_page(url: str, said: str) -> None:
    assert url_parts(url) == said


def test_title_has_parts_between_signs() -> None:
    assert title_parts("find_package — CMake 3.27 | Docs: x-y", "en") == "| find packag | cmake 3 27 | doc | x y |"
    assert title_parts(" — ", None) == ""


def test_page_is_found_by_its_host_and_domains_above_and_by_its_language() -> None:
    fields = fields_of("http://docs.a.example.co.uk:8080/x", "de")
    assert fields["hosts"] == "docs.a.example.co.uk a.example.co.uk example.co.uk"
    assert (fields["site"], fields["language"]) == ("example.co.uk", ["de"])
    assert language_terms("en_GB") == ["en-gb", "en"]
    assert language_terms(None) == []


SITE: Site = {
    A: page("Zebra", "x", (B, "over there"), (A + "old", "the old one"), (A + "secret", "hidden"), (A + "no", "no")),
    A + "old": A + "new",
    A + "new": page("New", "y"),
    A + "secret": page("Secret", "z", head="<meta name=robots content=noindex>"),
    A + "no": 404,
    B: 404,
}


def test_heads_are_of_pages_with_texts_or_links_of_other_sites(tmp_path: Path) -> None:
    assert heads(indexed(SITE, tmp_path / "crawl.db", A, pages=1)) == {
        (A, "| zebra |", "", "", "| a test |"),
        (B, "", "| over there |", "", "| b test |"),
    }


def test_aliases_pages_that_say_noindex_and_those_that_have_gone_have_no_head(tmp_path: Path) -> None:
    assert heads(indexed(SITE, tmp_path / "crawl.db", A)) == {
        (A, "| zebra |", "", "", "| a test |"),
        (A + "new", "| new |", "", "| the old one |", "| a test | new |"),
    }


def heads(store: Path) -> set[tuple[str, ...]]:
    with open_store(store) as reader, open_index(index_path(store), store_mark(reader.hash_key)) as index:
        rows = index.db.execute("SELECT page, title, anchors, own_anchors, url FROM heads").fetchall()
        urls = reader.page_table.urls_of([page for page, *_ in rows])
    return {(urls[page], *said) for page, *said in rows}
