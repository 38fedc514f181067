"""The rows of the short barrel: which pages have one, and what it says."""

from collections import Counter
from pathlib import Path

import pytest
from support.searching import indexed, page
from support.sites import Site

from minicrawl.search.index.index_file import index_path, open_index, store_mark
from minicrawl.search.index.short_barrel import telling_part
from minicrawl.search.index.words import words_of
from minicrawl.store.reader import open_store

A, B = "http://a.test/", "http://b.test/"


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("http://www.a.test/guide/index.html", "a.test/guide/"),
        ("https://a.test/guide.php", "a.test/guide"),
        ("https://a.test/v1.2", "a.test/v1.2"),
        ("http://a.test:8080/a%20b.aspx", "a.test:8080/a b"),
        ("http://a.test/x.html?page=2", "a.test/x.html?page=2"),
        ("http://a.test/" + "x" * 5_000, "a.test/" + "x" * 293),
    ],
)
def test_url_says_what_is_of_its_page(url: str, part: str) -> None:
    assert telling_part(url) == part


SITE: Site = {
    A: page("Zebra", "x", (B, "over there"), (A + "old", "the old one"), (A + "secret", "hidden"), (A + "no", "no")),
    A + "old": A + "new",
    A + "new": page("New", "y"),
    A + "secret": page("Secret", "z", head="<meta name=robots content=noindex>"),
    A + "no": 404,
    B: 404,
}


def test_rows_are_of_pages_with_texts_or_links_to_them(tmp_path: Path) -> None:
    rows, spelled = barrel(indexed(SITE, tmp_path / "crawl.db", A, pages=1))
    assert rows == {
        (A, "Zebra", "", "", "a.test/"),
        (A + "old", "", "", "the old one", "a.test/old"),
        (A + "secret", "", "", "hidden", "a.test/secret"),
        (A + "no", "", "", "no", "a.test/no"),
        (B, "", "over there", "", "b.test/"),
    }
    assert spelled == {"zebra": 1, "the": 1, "old": 1, "one": 1, "hidden": 1, "over": 1, "there": 1}


def test_aliases_pages_that_say_noindex_and_those_that_have_gone_have_no_row(tmp_path: Path) -> None:
    rows, spelled = barrel(indexed(SITE, tmp_path / "crawl.db", A))
    assert rows == {(A, "Zebra", "", "", "a.test/"), (A + "new", "New", "", "the old one", "a.test/new")}
    assert spelled == {"zebra": 1, "new": 1, "the": 1, "old": 1, "one": 1}


def barrel(store: Path) -> tuple[set[tuple[str, ...]], dict[str, int]]:
    """The rows of the short barrel, and the words of `spellings`, after a look that these are those of all rows."""
    with open_store(store) as reader, open_index(index_path(store), store_mark(reader.hash_key)) as index:
        rows = index.db.execute("SELECT rowid, title, anchors, own_anchors, headings, url FROM short").fetchall()
        urls = reader.page_table.urls_of([page for page, *_ in rows])
        spelled = dict(index.db.execute("SELECT word, pages FROM spellings"))
    words = Counter(
        word
        for _, *row in rows
        for word in {word for text in row[:4] for word in words_of(text) if len(word) > 2 and word.isalpha()}
    )
    assert spelled == words
    return {(urls[page], row[0], row[1], row[2], row[4]) for page, *row in rows}, spelled
