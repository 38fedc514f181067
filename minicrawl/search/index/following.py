"""Following: the index is brought up to date with the store.

The work is the difference between two lists: the texts in the store of pages that can be shown, and the texts in the
index. So the history does not matter: pages that were read again, are gone or were merged, or a kill in the middle of
it all, come out of the same difference.
"""

import json
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from minicrawl.crawler.urls.keys import site_of
from minicrawl.errors import SettingError
from minicrawl.search.index.anchors import NOTHING, AnchorBook, LinkText
from minicrawl.search.index.index_file import (
    DOCUMENT_BITS,
    IndexFile,
    hold_index,
    index_errors,
    index_path,
    open_index,
    remove_index,
    store_mark,
)
from minicrawl.search.index.short_barrel import ShortBarrel
from minicrawl.search.index.words import PageWords, indexed, page_words
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store, open_store

BATCH = 200
"""Texts that are taken in with one commit of the index."""
_MOST_KNOWN = 300_000
_PAGES_PER_DEAD = 4
"""An index is built anew once more than one text in so many is dead."""


@dataclass(frozen=True)
class Difference:
    """What the index lacks. `new`: pages whose text is to be taken in, in the order in which the texts came; `gone`:
    pages whose text is to be taken out; `aliases`: pages that stand for others, or
    for nothing; `end`: where the last text begins; `texts`: how often the file of texts was made, and its size."""

    new: tuple[int, ...]
    gone: tuple[int, ...]
    aliases: dict[int, int]
    end: int
    texts: str

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
        self._short = ShortBarrel(store, index.db, self._book)
        self._known: dict[str, _Target | None] = {}
        self._sites: dict[str, str] = {}
        self.seconds_to_look = 0.0

    def difference(self) -> Difference:
        """What the index lacks as of the store's last commit. Looks at every page."""
        started = time.monotonic()
        with self._store.snapshot():
            wanted = dict(self._store.texts.of_fetched())
            end = self._store.texts.last_start()  # be it of a page that cannot be shown
            texts = f"{self._store.texts.made} {self._store.texts.size}"
            aliases = dict(self._store.link_table.aliases())
            aliases.update((page, NOTHING) for page in self._store.page_table.not_there())
        had = dict(self._db.execute("SELECT page, start FROM pages"))
        new = sorted((start, page) for page, start in wanted.items() if had.get(page) != start)
        gone = had.keys() - wanted.keys()
        self.seconds_to_look = time.monotonic() - started
        return Difference(tuple(page for _, page in new), tuple(sorted(gone)), aliases, end, texts)

    def catch_up(
        self, stop: Callable[[], bool] = lambda: False, on_progress: Callable[[Progress], None] | None = None
    ) -> Progress:
        """Take in all that the store has now; how much that was. stop: asked between two commits."""
        lacks = self.difference()
        done = 0
        with self._index.transaction():
            self._book.set_aliases(lacks.aliases)
        self._known = {url: target for url, target in self._known.items() if target is not None}
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
                self._index.set_meta(end=lacks.end, texts=lacks.texts, least=least, most=most)
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
        """Merge the pieces of both barrels, so that a search has fewer to look into, and give back the room of them."""
        for barrel in ("short", "full"):
            with self._index.transaction():
                self._db.execute(f"INSERT INTO {barrel} ({barrel}) VALUES ('optimize')")
        with index_errors(self._index.path):
            self._db.executescript("PRAGMA incremental_vacuum")  # execute() would give back one page alone
        with self._index.transaction():
            self._index.set_meta(without_text=self._store.texts.missing())

    # Texts.

    def _take(self, pages: Sequence[tuple[int, bool]]) -> None:
        """Take in the texts of some pages, or out where they are gone."""
        texts = {page: None if is_gone else self._read(page) for page, is_gone in pages}
        try:
            with self._index.transaction():
                self._change(texts)
        except BaseException:
            self._book.forget()
            raise

    def _change(self, texts: Mapping[int, "_Text | None"]) -> None:
        """Have the index say what pages say; None: of one that is gone."""
        before = self._before(texts)
        same = {page for page, text in texts.items() if page in before and text and text.digest == before[page][0]}
        # The same text at another place: the file of texts was made anew.
        moved = ((text.start, page) for page, text in texts.items() if text and page in same)
        self._db.executemany("UPDATE pages SET start = ? WHERE page = ?", moved)
        changed = {page: text for page, text in texts.items() if page not in same}
        removed = [before[page] for page in changed if page in before]
        self._db.executemany("DELETE FROM pages WHERE page = ?", ((page,) for page in changed))
        dead = ((document,) for _, document, _ in removed if document is not None)
        self._db.executemany("INSERT OR IGNORE INTO dead (document) VALUES (?)", dead)
        new = {page: text for page, text in changed.items() if text is not None}
        packed = self._book.add(self._links(new))
        self._book.remove(anchors for *_, anchors in removed)
        self._short.note_heads(
            (page, *(("", "") if text is None else (text.words.title, text.words.headings)))
            for page, text in changed.items()
        )
        self._db.executemany(
            "INSERT INTO pages (page, start, digest, document, language, anchors) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (page, text.start, text.digest, self._document(page, text), text.words.language, packed[page])
                for page, text in new.items()
            ],
        )

    def _before(self, pages: Iterable[int]) -> dict[int, tuple[int, int | None, bytes]]:
        """What the index has of some pages: digest, document and anchors."""
        query = "SELECT page, digest, document, anchors FROM json_each(?) CROSS JOIN pages ON page = value"
        return {page: tuple(row) for page, *row in self._db.execute(query, (json.dumps(list(pages)),))}

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

    # Links.

    def _links(self, texts: Mapping[int, "_Text"]) -> dict[int, list[LinkText]]:
        """By page, what its links say, those to pages that the store knows."""
        self._look_up({url for text in texts.values() for url, _ in text.words.anchors})
        links: dict[int, list[LinkText]] = {}
        for page, text in texts.items():
            site = self._site(text.url)
            mark = zlib.crc32(site.encode())
            links[page] = found = []
            for url, words in text.words.anchors:
                target = self._known[url]
                if target is not None and target.page != page:
                    found.append((target.page, None if target.site == site else mark, words))
        return links

    def _look_up(self, urls: set[str]) -> None:
        """Learn which pages some URLs are."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        if new := [url for url in urls if url not in self._known]:
            found = self._store.page_table.find(new)
            self._known.update(dict.fromkeys(new))
            self._known.update((url, _Target(page, self._site(url))) for url, page in found.items())

    def _site(self, url: str) -> str:
        """Whose site a URL is on."""
        host = url.split("/", 3)[2]
        if host not in self._sites:
            self._sites[host] = site_of(url)
        return self._sites[host]

    # The short barrel.

    def write_short(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Write all rows of the short barrel that are stale."""
        is_more = True
        while is_more and not stop():
            with self._index.transaction():
                is_more = self._short.write_stale()


class _Target(NamedTuple):
    """A page that links lead to, and whose site it is on."""

    page: int
    site: str


class _Text(NamedTuple):
    """A kept text: of which page, where it begins, a digest of it."""

    url: str
    start: int
    digest: int
    words: PageWords


@contextmanager
def following(path: Path, *, rebuild: bool = False) -> Iterator[Follower]:
    """What brings the index of the store at `path` up to date; it is made where there is none.

    rebuild: throw away the one there is. Raises StoreError.
    """
    index = index_path(path)
    with open_store(path) as store, hold_index(index):
        if rebuild:
            remove_index(index)
        with open_index(index, store_mark(store.hash_key), writes=True) as file:
            follower = Follower(store, file)
            if not rebuild and follower.needs_rebuilding():
                file.close()
                remove_index(index)
                with open_index(index, store_mark(store.hash_key), writes=True) as new:
                    yield Follower(store, new)
                return
            yield follower


def need_texts(path: Path) -> None:
    """Raise SettingError where a store has no texts to make an index of."""
    with open_store(path) as store:
        if not store.texts.size:
            raise SettingError(f"{path} has no texts to make an index of; let the crawl go on with --search")
