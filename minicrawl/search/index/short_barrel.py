"""The short barrel: a row a page with title, anchor texts, headings and URL, written some thousand at a time.

A row is written anew if `stale` has its page: the page's text came or went, or the texts of links to it changed.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from minicrawl.search.index.anchors import NOTHING, AnchorBook
from minicrawl.search.index.words import indexed
from minicrawl.store.reader import Store

BATCH = 2_000
"""Rows written in one commit."""
_COLUMNS = "title, anchors, own_anchors, headings, url"
_ENDINGS = frozenset(("html", "htm", "php", "asp", "aspx"))
"""Endings of URLs without meaning for a search."""
_LONGEST_URL, _LONGEST_WORD = 300, 40
_WORD = re.compile(r"[^\W_]{3,}")


class _Row(NamedTuple):
    """A row of `short`."""

    title: str
    anchors: str
    own_anchors: str
    headings: str
    url: str


class ShortBarrel:
    """The tables `short` and `spellings` of an index. book: of the same index."""

    def __init__(self, store: Store, db: sqlite3.Connection, book: AnchorBook) -> None:
        self._store = store
        self._db = db
        self._book = book

    def note_heads(self, heads: Iterable[tuple[int, str, str]]) -> None:
        """Let rows be written anew with these titles and headings: (page, title, headings)."""
        self._db.executemany("INSERT OR REPLACE INTO stale (page, title, headings) VALUES (?, ?, ?)", heads)

    def write_stale(self) -> bool:
        """Write some of the stale rows; False if there were none. To be called in a transaction."""
        query = "SELECT page, title, headings FROM stale ORDER BY page LIMIT ?"
        stale = {page: head for page, *head in self._db.execute(query, (BATCH,))}
        if not stale:
            return False
        ends = self._book.ends_of(stale)
        before = self._rows(stale)
        after = self._rows_to_be(stale, before, ends)
        changed = [page for page in stale if before.get(page) != after.get(page)]
        self._db.executemany("DELETE FROM short WHERE rowid = ?", ((page,) for page in changed if page in before))
        self._db.executemany(
            f"INSERT INTO short (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            ((page, *after[page]) for page in changed if page in after),
        )
        self._spell(
            [before[page] for page in changed if page in before], [after[page] for page in changed if page in after]
        )
        self._db.execute("DELETE FROM stale WHERE page <= ?", (max(stale),))
        # The texts of links to an alias are in the row of the page that it stands for.
        self._book.mark_stale(set(ends.values()) - {NOTHING} - (stale.keys() - ends.keys()))
        return True

    def _rows(self, pages: Iterable[int]) -> dict[int, _Row]:
        query = f"SELECT rowid, {_COLUMNS} FROM short WHERE rowid IN ({','.join(map(str, pages))})"
        return {page: _Row._make(row) for page, *row in self._db.execute(query)}

    def _rows_to_be(
        self, stale: Mapping[int, Sequence[str | None]], before: Mapping[int, _Row], aliases: Mapping[int, int]
    ) -> dict[int, _Row]:
        """The new rows of pages, without pages that cannot be found. stale: title and headings of their texts; None:
        as in the old row."""
        query = "SELECT page, document IS NOT NULL FROM json_each(?) CROSS JOIN pages ON page = value"
        taken = dict(self._db.execute(query, (json.dumps(list(stale)),)))
        shown = [page for page in stale if page not in aliases and taken.get(page, True)]
        texts = self._book.texts_of(shown)
        shown = [page for page in shown if page in taken or any(texts[page])]
        urls = self._store.page_table.urls_of(shown)
        rows = {}
        for page in shown:
            title, headings = stale[page]
            if title is None or headings is None:
                title, headings = (before[page].title, before[page].headings) if page in before else ("", "")
            others, own = texts[page]
            rows[page] = _Row(*map(indexed, (title, others, own, headings, telling_part(urls[page]))))
        return rows

    def _spell(self, before: Iterable[_Row], after: Iterable[_Row]) -> None:
        """Update the counts of words for replaced rows."""
        words: Counter[str] = Counter()
        for row in after:
            words.update(_spelled(row))
        for row in before:
            words.subtract(_spelled(row))
        self._db.executemany(
            "INSERT INTO spellings VALUES (?, ?) ON CONFLICT DO UPDATE SET pages = pages + excluded.pages",
            [(word, change) for word, change in words.items() if change],
        )
        gone = [(word,) for word, change in words.items() if change < 0]
        self._db.executemany("DELETE FROM spellings WHERE word = ? AND pages <= 0", gone)


def telling_part(url: str) -> str:
    """The telling part of a URL, as people read it."""
    bare = url.partition("://")[2].removeprefix("www.")
    stem, _, ending = bare.rpartition(".")
    if ending in _ENDINGS:
        bare = stem.removesuffix("index")
    return unquote(bare)[:_LONGEST_URL]


def _spelled(row: _Row) -> set[str]:
    """The words of a row that a misspelt query may mean, without its URL."""
    return {word.lower() for word in _WORD.findall(" ".join(row[:4])) if len(word) <= _LONGEST_WORD and word.isalpha()}
