"""Words of a query in and around links, against a look at the pages by hand."""

from pathlib import Path

import numpy as np
import pytest
from support.sites import Site, crawl

from minicrawl.analysis.folded_aliases import folded_store
from minicrawl.analysis.rankings.words_near_links import word_counts, words_of_query
from minicrawl.errors import SettingError
from minicrawl.store.reader import Store, open_store
from minicrawl.store.texts.marked_text import Anchor

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"
SITE: Site = {
    A: [
        f"<p>Fine sails of <a href='{B}'>Sail makers</a>: every SAIL, sail.</p>",
        f"<p>More than fifty characters that say nothing at all, then <a href='{C}'>others</a> and many more words"
        " which go on until nobody could think that the link means a sail.</p>",
        f"<p>Also <a href='{C}old'>a sail</a></p>",
    ],
    B: [f"<p>The <a href='{A}'>home</a> of one sail</p>"],
    C: [f"<p><a href='{B}'>sail</a></p><p>elsewhere a <a href='{B}'>sail loft</a></p>"],
    C + "old": C,
}


def links(store: Store, query: str, pages: list[str] | None = None) -> dict[tuple[str, str], list[float]]:
    """The counts of the links of some pages, by default all, by their ends."""
    folded = folded_store(store)
    urls = list(store.page_table.urls())
    asked = np.arange(len(urls)) if pages is None else np.array([urls.index(page) for page in pages])
    counts = word_counts(query, asked, store, folded)
    found: dict[tuple[str, str], list[float]] = {}
    for source, target, count in zip(folded.graph.sources(), folded.graph.targets, counts, strict=True):
        found.setdefault((urls[source], urls[target]), []).append(float(count))
    return found


def test_words_in_and_around_links_are_counted(tmp_path: Path) -> None:
    """ "sails" is another word; links to an alias are those of its page, and the first of two has the words of both."""
    crawl(SITE, tmp_path / "crawl.db", [A], text=True)
    with open_store(tmp_path / "crawl.db") as store:
        found = links(store, "Sail")
        assert found == {(A, B): [3.0], (A, C): [1.0, 0.0], (B, A): [1.0], (C, B): [2.0]}
        assert links(store, "sail others")[A, C] == [2.0, 0.0]
        assert links(store, "sail", [B]) == {ends: [float(ends[0] == B) for _ in of] for ends, of in found.items()}


def test_a_crawl_without_texts_says_what_would_keep_them(tmp_path: Path) -> None:
    crawl(SITE, tmp_path / "crawl.db", [A])
    with open_store(tmp_path / "crawl.db") as store, pytest.raises(SettingError, match="go on with --text"):
        links(store, "sail")


@pytest.mark.parametrize(
    ("before", "text", "after", "count"),
    [("", "sail", "", 1), ("sail ", "sail", ", sail", 3), ("sails", "mainsail", "sailor", 0), ("of ", "LOFT", "", 1)],
)
def test_words_are_whole_and_in_any_case(before: str, text: str, after: str, count: int) -> None:
    assert words_of_query(Anchor(A, text, before, after), frozenset({"sail", "loft"})) == count
