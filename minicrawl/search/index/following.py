"""The index brought up to what the store holds.

What is to be done is the difference between two lists: the texts that the store has of pages that can be shown, and
those that the index has taken in. So it does not matter what happened between: pages that were read again, have gone,
were merged or a kill in the midst of it all come out of the same difference.
"""

import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from minicrawl.crawler.urls.keys import hostname, owner_of
from minicrawl.search.index.anchors import NOTHING, AnchorBook, LinkText
from minicrawl.search.index.index_file import DOCUMENT_BITS, IndexFile
from minicrawl.search.index.page_words import PageWords, page_words
from minicrawl.search.index.words import indexed, words_of
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

BATCH = 200
"""Texts that are taken in with one commit of the index."""
STALE_BATCH = 1_000
"""Rows of the short barrel that are written with one commit."""
_FRAME = re.compile(r"^https?://(www\.)?|(index)?\.(html?|php|aspx?)$")
"""What of a URL says nothing of its page."""
_LONGEST_URL, _LONGEST_WORD = 300, 40
_MOST_KNOWN = 500_000
_COLUMNS = "title, anchors, own_anchors, headings, url"
_PAGES_PER_DEAD = 4
"""An index is built anew once more than one text in so many is dead."""


@dataclass(frozen=True)
class Difference:
    """What the index lacks. `new`: pages whose text is to be taken in, in the order in which the texts came; `gone`:
    pages whose text is to be taken out; `aliases`: pages that stand for others, or
    for nothing; `end`: where the last text begins."""

    new: tuple[int, ...]
    gone: tuple[int, ...]
    aliases: dict[int, int]
    end: int

    @property
    def size(self) -> int:
        return len(self.new) + len(self.gone)


class Progress(NamedTuple):
    """How far the index has come: texts taken in or out of those that were to be."""

    done: int
    all: int


class Follower:
    """Brings an index up to its store. Nobody else may write to the index meanwhile.

    `seconds_to_look`: how long the last look at what the store has took.
    """

    def __init__(self, store: Store, index: IndexFile) -> None:
        self._store = store
        self._index = index
        self._db = index.db
        self._book = AnchorBook(index.db)
        self._known: dict[str, int | None] = {}
        self._sites: dict[str, str] = {}
        self.seconds_to_look = 0.0

    def difference(self) -> Difference:
        """What the index lacks as of the store's last commit. Looks at every page."""
        started = time.monotonic()
        with self._store.snapshot():
            wanted = dict(self._store.texts.of_fetched())
            end = self._store.texts.last_start()  # be it of a page that cannot be shown
            aliases = dict(self._store.link_table.aliases())
            aliases.update((page, NOTHING) for page in self._store.page_table.not_there())
        had = dict(self._db.execute("SELECT page, start FROM pages"))
        new = sorted((start, page) for page, start in wanted.items() if had.get(page) != start)
        gone = had.keys() - wanted.keys()
        self.seconds_to_look = time.monotonic() - started
        return Difference(tuple(page for _, page in new), tuple(sorted(gone)), aliases, end)

    def catch_up(
        self, stop: Callable[[], bool] = lambda: False, on_progress: Callable[[Progress], None] | None = None
    ) -> Progress:
        """Take in all that the store has now; how much that was. stop: asked between two commits."""
        lacks = self.difference()
        done = 0
        with self._index.transaction():
            self._book.set_aliases(lacks.aliases)
        self._known.clear()
        work = iter([*((page, True) for page in lacks.gone), *((page, False) for page in lacks.new)])
        while not stop() and (some := list(islice(work, BATCH))):
            self._take(some)
            done += len(some)
            if on_progress is not None:
                on_progress(Progress(done, lacks.size))
        self.write_short(stop)
        if not stop():
            with self._index.transaction():
                least, most = self._store.ranks.extremes(RANKINGS[0])
                self._index.set_meta(end=lacks.end, least=least, most=most)
        return Progress(done, lacks.size)

    def needs_rebuilding(self) -> bool:
        """Whether so much of the index is dead that it had better be built anew."""
        (dead,) = self._db.execute("SELECT count(*) FROM dead").fetchone()
        (documents,) = self._db.execute("SELECT count(*) FROM pages").fetchone()
        return int(dead) * _PAGES_PER_DEAD > int(documents) + BATCH

    def pages(self) -> int:
        """Pages whose text the index has."""
        return int(self._db.execute("SELECT count(*) FROM pages WHERE document IS NOT NULL").fetchone()[0])

    def size(self) -> int:
        """Bytes of the index."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return self._index.path.stat().st_size

    def optimize(self) -> None:
        """Merge the pieces of both barrels: a search has fewer to look into."""
        for barrel in ("short", "full"):
            with self._index.transaction():
                self._db.execute(f"INSERT INTO {barrel} ({barrel}) VALUES ('optimize')")

    # Texts.

    def _take(self, pages: Sequence[tuple[int, bool]]) -> None:
        """Take in the texts of some pages, or out where they are gone."""
        with self._index.transaction():
            rows, links, removed = [], {}, []
            for page, is_gone in pages:
                found = None if is_gone else self._read(page)
                query = "SELECT digest, document, anchors FROM pages WHERE page = ?"
                before = self._db.execute(query, (page,)).fetchone()
                if found is not None and before is not None and before[0] == found.digest:
                    # The same text at another place: the file of texts was made anew.
                    self._db.execute("UPDATE pages SET start = ? WHERE page = ?", (found.start, page))
                    continue
                if before is not None:
                    removed.append(before[2])
                    self._db.execute("DELETE FROM pages WHERE page = ?", (page,))
                    self._db.execute("INSERT OR IGNORE INTO dead (document) SELECT ? WHERE ? NOTNULL", (before[1],) * 2)
                self._note_head(page, found)
                if found is not None:
                    rows.append((page, found.start, found.digest, self._document(page, found), found.words.language))
                    links[page] = self._links(page, found)
            packed = self._book.add(links)
            self._book.remove(removed)
            self._db.executemany(
                "INSERT INTO pages (page, start, digest, document, language, anchors) VALUES (?, ?, ?, ?, ?, ?)",
                ((*row, packed[row[0]]) for row in rows),
            )

    def _read(self, page: int) -> "_Text | None":
        """The text of a page as of now; None if it has gone meanwhile."""
        with self._store.snapshot():
            row, record = self._store.texts.row(page), self._store.texts.record(page)
            if row is None or record is None:
                return None
            url = self._store.page_table.url(page)
        return _Text(url, row.start, zlib.crc32(record), page_words(record, url))

    def _document(self, page: int, found: "_Text") -> int | None:
        """Put a text into the full barrel; its number there."""
        if not found.words.shown:
            return None
        number = page
        while self._db.execute("SELECT 1 FROM dead WHERE document = ?", (number,)).fetchone():
            number += 1 << DOCUMENT_BITS
        text = indexed(f"{found.words.title}\n{found.words.text}")
        self._db.execute("INSERT INTO full (rowid, text) VALUES (?, ?)", (number, text))
        return number

    def _note_head(self, page: int, found: "_Text | None") -> None:
        """Have the row of a page in the short barrel written anew, with what its text begins with."""
        title, headings = ("", "") if found is None else (found.words.title, found.words.headings)
        query = "INSERT OR REPLACE INTO stale (page, title, headings) VALUES (?, ?, ?)"
        self._db.execute(query, (page, title, headings))

    # Links.

    def _links(self, page: int, found: "_Text") -> list[LinkText]:
        """What the links of a page say, those to pages that the store knows."""
        site = self._site(found.url)
        self._look_up({url for url, _ in found.words.anchors})
        link = []
        for url, text in found.words.anchors:
            target = self._known[url]
            if target is not None and target != page:
                is_own = self._site(url) == site
                link.append(LinkText(target, None if is_own else zlib.crc32(site.encode()), text))
        return link

    def _look_up(self, urls: set[str]) -> None:
        """Learn which pages some URLs are."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        if new := [url for url in urls if url not in self._known]:
            found = self._store.page_table.find(new)
            self._known.update((url, found.get(url)) for url in new)

    def _site(self, url: str) -> str:
        """Whose site a URL is on."""
        host = url.split("/", 3)[2]
        if host not in self._sites:
            self._sites[host] = owner_of(hostname(url))
        return self._sites[host]

    # The short barrel.

    def write_short(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Write all rows of the short barrel that are stale."""
        while not stop() and self._write_stale():
            pass

    def _write_stale(self) -> bool:
        """Write some rows of the short barrel anew; whether there were any."""
        rows = self._db.execute(
            "SELECT page, title, headings FROM stale ORDER BY page LIMIT ?", (STALE_BATCH,)
        ).fetchall()
        if not rows:
            return False
        with self._index.transaction():
            words: Counter[str] = Counter()
            for page, title, headings in rows:
                self._write_row(page, title, headings, words)
            self._spell(words)
            self._db.execute("DELETE FROM stale WHERE page <= ?", (rows[-1][0],))
            # What is said of an alias is in the row of the page that it stands for.
            ends = {self._book.stands_for(page) for page, *_ in rows if self._book.is_alias(page)}
            self._book.mark_stale(ends - {NOTHING} - {page for page, *_ in rows if not self._book.is_alias(page)})
        return True

    def _write_row(self, page: int, title: str | None, headings: str | None, words: Counter[str]) -> None:
        """title, headings: None: as they are in the row. words: counts of pages by word, which are to change."""
        before = self._db.execute(f"SELECT {_COLUMNS} FROM short WHERE rowid = ?", (page,)).fetchone()
        if title is None or headings is None:
            title, headings = ("", "") if before is None else (before[0], before[3])
        row = self._row(page, title, headings)
        if row == before:
            return
        if before is not None:
            self._db.execute("DELETE FROM short WHERE rowid = ?", (page,))
            words.subtract(_spelled(before))
        if row is not None:
            self._db.execute(f"INSERT INTO short (rowid, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", (page, *row))
            words.update(_spelled(row))

    def _row(self, page: int, title: str, headings: str) -> tuple[str, ...] | None:
        """What the short barrel has of a page; None if it is not to be found."""
        if self._book.is_alias(page):
            return None
        taken = self._db.execute("SELECT document FROM pages WHERE page = ?", (page,)).fetchone()
        if taken is not None and taken[0] is None:
            return None
        others, own = self._book.texts_of(page)
        if taken is None and not (others or own):
            return None
        url = unquote(_FRAME.sub("", self._store.page_table.url(page)))[:_LONGEST_URL]
        return indexed(title), indexed(others), indexed(own), indexed(headings), indexed(url)

    def _spell(self, words: Counter[str]) -> None:
        changed = [(word, change) for word, change in words.items() if change]
        self._db.executemany(
            "INSERT INTO spellings VALUES (?, ?) ON CONFLICT DO UPDATE SET pages = pages + excluded.pages",
            changed,
        )
        self._db.executemany("DELETE FROM spellings WHERE word = ? AND pages <= 0", ((word,) for word, _ in changed))


class _Text(NamedTuple):
    """A kept text: of which page, where it begins, a digest of it."""

    url: str
    start: int
    digest: int
    words: PageWords


def _spelled(row: Sequence[str]) -> set[str]:
    """The words of a row that a query may be meant to have, its URL left out."""
    return {word for text in row[:4] for word in words_of(text) if 3 <= len(word) <= _LONGEST_WORD and word.isalpha()}
