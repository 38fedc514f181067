"""Heads: what a page is called, in its title, links to it, headings and URL; written some thousand at a time.

A head is kept as text in the table `heads`, by which found pages are ranked, and as a document of the inverted index,
by which they are found. A column of `heads` is analysed words in parts: "| find packag | cmake 3 27 document |" is a
title, each part between signs such as dashes. So whether a query names a page is a search in a string.

A head is written anew if `stale` has its page: the page's text came or went, or the texts of links to it changed.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from minicrawl.crawler.urls.keys import site_of
from minicrawl.search.index.anchors import NOTHING, AnchorBook
from minicrawl.search.index.inverted import HEAD, InvertedIndex
from minicrawl.search.index.words import analysed, primary_language
from minicrawl.store.reader import Store

BATCH = 2_000
"""Heads written in one commit."""
_COLUMNS = "title, anchors, own_anchors, headings, url"
_ENDINGS = re.compile(r"(?:/index|/default)?\.(?:html?|php|aspx?)\Z")
"""Endings of URLs without meaning for a search."""
_LONGEST_URL = 300
_BETWEEN = re.compile(r"\s+[|·•–—-]+\s+|[|»«:]\s|—")
"""Signs between the parts of a title."""


class Head(NamedTuple):
    """A row of `heads`, without its page."""

    title: str
    anchors: str
    own_anchors: str
    headings: str
    url: str


NO_HEAD = Head("", "", "", "", "")


def parts(texts: Iterable[str], language: str | None) -> str:
    """Texts as a column of `heads`; empty without words."""
    found = [words for text in texts if (words := analysed(text, language))]
    return f"| {' | '.join(found)} |" if found else ""


def title_parts(title: str, language: str | None) -> str:
    return parts(_BETWEEN.split(title), language)


def url_parts(url: str) -> str:
    """A URL as a column of `heads`: host, folders, last segment, query."""
    _, _, host, *path = url[:_LONGEST_URL].split("/", 3)
    place, _, query = unquote("".join(path)).partition("?")
    folders, _, last = _ENDINGS.sub("", f"/{place}").strip("/").rpartition("/")
    return parts((host.removeprefix("www."), folders, last, query), None)


def language_terms(language: str | None) -> list[str]:
    """The tags that a page is found by: "en-GB" by "en-gb" and "en"."""
    tag = (language or "").lower().replace("_", "-").strip()
    return list(dict.fromkeys((tag, primary_language(tag)))) if tag else []


class Heads:
    """The table `heads` of an index, and its documents. book: of the same index."""

    def __init__(self, store: Store, db: sqlite3.Connection, words: InvertedIndex, book: AnchorBook) -> None:
        self._store = store
        self._db = db
        self._words = words
        self._book = book

    def note(self, heads: Iterable[tuple[int, str, str]]) -> None:
        """Let heads be written anew with these titles and headings: (page, title, headings)."""
        self._db.executemany("INSERT OR REPLACE INTO stale (page, title, headings) VALUES (?, ?, ?)", heads)

    def write_stale(self) -> bool:
        """Write some of the stale heads; False if there were none. To be called in a transaction."""
        query = "SELECT page, title, headings FROM stale ORDER BY page LIMIT ?"
        stale = {page: head for page, *head in self._db.execute(query, (BATCH,))}
        if not stale:
            return False
        ends = self._book.ends_of(stale)
        before = heads_of(self._db, stale)
        after = self._to_be(stale, before, ends)
        for page in stale.keys() - after.keys():
            self._db.execute("DELETE FROM heads WHERE page = ?", (page,))
            self._words.remove(page, HEAD)
        self._db.executemany(
            f"INSERT OR REPLACE INTO heads (page, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            ((page, *head) for page, (head, _, _) in after.items() if before.get(page) != head),
        )
        for page, (head, url, language) in after.items():
            self._words.put(
                page, HEAD, " ".join(head), {**fields_of(url, language), "names": _names(head), "title": head.title}
            )
        self._db.execute("DELETE FROM stale WHERE page <= ?", (max(stale),))
        # The texts of links to an alias are in the head of the page that it stands for.
        self._book.mark_stale(set(ends.values()) - {NOTHING} - (stale.keys() - ends.keys()))
        return True

    def _to_be(
        self, stale: Mapping[int, Sequence[str | None]], before: Mapping[int, Head], aliases: Mapping[int, int]
    ) -> dict[int, tuple[Head, str, str | None]]:
        """The new heads of pages, with URL and language, without pages that cannot be found. stale: title and headings
        of their texts; None: as in the old head.

        A page without text has a head by links of other sites alone: those of its own are too many."""
        query = "SELECT page, shown, language FROM json_each(?) CROSS JOIN pages ON page = value"
        taken = {page: found for page, *found in self._db.execute(query, (json.dumps(list(stale)),))}
        shown = [page for page in stale if page not in aliases and taken.get(page, (True,))[0]]
        texts = self._book.texts_of(shown)
        shown = [page for page in shown if page in taken or texts[page][0]]
        urls = self._store.page_table.urls_of(shown)
        heads = {}
        for page in shown:
            title, headings = stale[page]
            if title is None or headings is None:
                title, headings = before.get(page, NO_HEAD).title, before.get(page, NO_HEAD).headings
            others, own = texts[page]
            language = taken[page][1] if page in taken else None
            head = Head(title, parts(others, language), parts(own, language), headings, url_parts(urls[page]))
            heads[page] = head, urls[page], language
        return heads


def heads_of(db: sqlite3.Connection, pages: Iterable[int]) -> dict[int, Head]:
    """The heads of some pages; pages without one are left out."""
    query = f"SELECT page, {_COLUMNS} FROM heads WHERE page IN ({','.join(map(str, pages))})"
    return {page: Head._make(row) for page, *row in db.execute(query)}


def fields_of(url: str, language: str | None) -> dict[str, str | Sequence[str]]:
    """The fields by which documents of a page are filtered."""
    hosts, site = _of_host(url.split("/", 3)[2])
    return {"hosts": hosts, "site": site, "language": language_terms(language)}


@lru_cache(20_000)
def _of_host(authority: str) -> tuple[str, str]:
    """The host with the domains above it, down to its site, and the site."""
    site, host = site_of(authority), authority.rpartition("@")[2].lower()
    labels = (host if host.startswith("[") else host.partition(":")[0]).split(".")
    above = (".".join(labels[i:]) for i in range(len(labels)))
    return " ".join(domain for domain in above if len(domain) >= len(site)) or host, site


def _names(head: Head) -> str:
    """The parts of a head that name its page, each as one word, as often as sites say so: see `joined`."""
    named = [part for column in (head.title, head.anchors) for part in column.strip("| ").split(" | ") if part]
    host, *path = head.url.strip("| ").split(" | ")
    return " ".join(map(joined, named if path else [*named, host, *host.split()]))


def joined(words: str) -> str:
    """Some words as one."""
    return words.replace(" ", "")
