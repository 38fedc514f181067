"""Following: the index is brought up to date with the store.

The work is the difference between two lists: the texts in the store of pages that can be shown, and the texts in the
index. So the history does not matter: pages that were read again, are gone or were merged, or a kill in the middle of
it all, come out of the same difference.
"""

import json
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from minicrawl.crawler.urls.keys import site_of
from minicrawl.errors import SettingError
from minicrawl.search.index.anchors import NOTHING, AnchorBook, LinkText
from minicrawl.search.index.heads import Heads, fields_of, parts, title_parts
from minicrawl.search.index.index_folder import (
    Index,
    hold_index,
    index_errors,
    index_path,
    open_index,
    replacing,
    store_mark,
)
from minicrawl.search.index.inverted import BODY
from minicrawl.search.index.words import PageWords, analysed, page_words, words_of
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store, open_store

BATCH = 500
"""Texts indexed in one commit."""
_MOST_KNOWN = 300_000
_LONGEST_SPELLED = 40


@dataclass(frozen=True)
class Difference:
    """The difference between store and index. `new`: pages whose text is to be added, in the order of the texts;
    `gone`: pages whose text is to be removed; `aliases`: pages that stand for others, or for nothing; `end`: where the
    last text begins; `texts`: number of times that the file of texts was made, and its size."""

    new: tuple[int, ...]
    gone: tuple[int, ...]
    aliases: dict[int, int]
    end: int
    texts: str

    @property
    def size(self) -> int:
        return len(self.new) + len(self.gone)


class Progress(NamedTuple):
    """Texts added or removed so far, and in all."""

    done: int
    all: int


class Follower:
    """Brings an index up to date with its store. Nobody else may write to the index meanwhile.

    `seconds_to_look`: duration of the last scan of the store.
    """

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index
        self._db = index.db
        self._book = AnchorBook(index.db)
        self._heads = Heads(store, index.db, index.words, self._book)
        self._known: dict[str, _Target | None] = {}
        self._sites: dict[str, str] = {}
        self._templates: dict[str, Set[int]] = {}
        self.seconds_to_look = 0.0

    def difference(self) -> Difference:
        """The difference as of the store's last commit. Scans all pages."""
        started = time.monotonic()
        with self._store.snapshot():
            wanted = dict(self._store.texts.of_fetched())
            end = self._store.texts.last_start()  # also of a page that cannot be shown
            texts = f"{self._store.texts.made} {self._store.texts.size}"
            aliases = dict(self._store.link_table.aliases())
            aliases.update((page, NOTHING) for page in self._store.page_table.not_there())
        with index_errors(self._index.path):
            had = dict(self._db.execute("SELECT page, start FROM pages"))
        new = sorted((start, page) for page, start in wanted.items() if had.get(page) != start)
        gone = had.keys() - wanted.keys()
        self.seconds_to_look = time.monotonic() - started
        return Difference(tuple(page for _, page in new), tuple(sorted(gone)), aliases, end, texts)

    def catch_up(
        self, stop: Callable[[], bool] = lambda: False, on_progress: Callable[[Progress], None] | None = None
    ) -> Progress:
        """Index everything in the store. stop: asked between two commits."""
        lacks = self.difference()
        done = 0
        with self._index.transaction():
            self._book.set_aliases(lacks.aliases)
        self._templates.clear()
        self._known = {url: target for url, target in self._known.items() if target is not None}
        work = iter([*((page, True) for page in lacks.gone), *((page, False) for page in lacks.new)])
        while not stop() and (some := list(islice(work, BATCH))):
            self._take(some)
            done += len(some)
            if on_progress is not None:
                on_progress(Progress(done, lacks.size))
        self.write_heads(stop)
        if not stop():
            with self._index.transaction():
                least, most = self._store.ranks.extremes(RANKINGS[0])
                self._index.set_meta(end=lacks.end, texts=lacks.texts, least=least, most=most)
        return Progress(done, lacks.size)

    def pages(self) -> int:
        """Number of pages whose text is in the index."""
        return int(self._db.execute("SELECT count(*) FROM pages WHERE shown").fetchone()[0])

    def check(self) -> None:
        """Look for damage in the index. Raises StoreError."""
        self._index.check()

    def size(self) -> int:
        """Bytes of the index."""
        return self._index.size()

    def finish(self) -> None:
        """Note what takes a scan of the store, pages without a text; and give back the room of the book."""
        with self._index.transaction():
            self._index.set_meta(without_text=self._store.texts.missing())
        with index_errors(self._index.path):
            self._db.execute("VACUUM")

    # Texts.

    def _take(self, pages: Sequence[tuple[int, bool]]) -> None:
        """Add the texts of some pages, and remove those of gone pages."""
        texts = {page: None if is_gone else self._read(page) for page, is_gone in pages}
        try:
            with self._index.transaction():
                self._change(texts)
        except BaseException:
            self._book.forget()
            raise

    def _change(self, texts: Mapping[int, "_Text | None"]) -> None:
        """Replace the texts of pages in the index; None: the page is gone."""
        before = self._before(texts)
        same = {page for page, text in texts.items() if page in before and text and text.digest == before[page][0]}
        # The same text at another place: the file of texts was rewritten.
        moved = ((text.start, page) for page, text in texts.items() if text and page in same)
        self._db.executemany("UPDATE pages SET start = ? WHERE page = ?", moved)
        changed = {page: text for page, text in texts.items() if page not in same}
        removed = [before[page] for page in changed if page in before]
        new = {page: text for page, text in changed.items() if text is not None}
        self._db.executemany("DELETE FROM pages WHERE page = ?", ((page,) for page in changed))
        # New links first: a link that stays must not lose its row.
        packed = self._book.add(self._links(new))
        self._book.remove(anchors for _, anchors in removed)
        self._heads.note((page, *(text.heads if text else ("", ""))) for page, text in changed.items())
        for page, text in changed.items():
            if text is None or not text.words.shown:
                self._index.words.remove(page, BODY)
            else:
                self._index.words.put(page, BODY, text.body, text.fields)
        self._db.executemany(
            "INSERT INTO pages (page, start, digest, shown, language, anchors) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (page, text.start, text.digest, text.words.shown, text.words.language, packed[page])
                for page, text in new.items()
            ],
        )

    def _before(self, pages: Iterable[int]) -> dict[int, tuple[int, bytes]]:
        """Digest and anchors of pages in the index."""
        query = "SELECT page, digest, anchors FROM json_each(?) CROSS JOIN pages ON page = value"
        return {
            page: (digest, anchors) for page, digest, anchors in self._db.execute(query, (json.dumps(list(pages)),))
        }

    def _read(self, page: int) -> "_Text | None":
        """The current text of a page; None if it is gone by now."""
        with self._store.snapshot():
            row, record = self._store.texts.row(page), self._store.texts.record(page)
            if row is None or record is None:
                return None
            url = self._store.page_table.url(page)
            host = url.split("/", 3)[2]
            if host not in self._templates:
                self._templates[host] = self._store.texts.template(page)
        return _Text(url, row.start, zlib.crc32(record), page_words(record, url, self._templates[host]))

    # Links.

    def _links(self, texts: Mapping[int, "_Text"]) -> dict[int, list[LinkText]]:
        """The links of each page to known pages, with their texts."""
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
        """Look up the pages of URLs."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        if new := [url for url in urls if url not in self._known]:
            found = self._store.page_table.find(new)
            self._known.update(dict.fromkeys(new))
            self._known.update((url, _Target(page, self._site(url))) for url, page in found.items())

    def _site(self, url: str) -> str:
        """The site of a URL."""
        host = url.split("/", 3)[2]
        if host not in self._sites:
            self._sites[host] = site_of(url)
        return self._sites[host]

    # Heads.

    def write_heads(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Write all stale heads."""
        is_more = True
        while is_more and not stop():
            with self._index.transaction():
                is_more = self._heads.write_stale()


class _Target(NamedTuple):
    """The target of links, and its site."""

    page: int
    site: str


class _Text(NamedTuple):
    """A stored text: the URL of its page, its start, its digest."""

    url: str
    start: int
    digest: int
    words: PageWords

    @property
    def heads(self) -> tuple[str, str]:
        """Title and headings as a head has them."""
        words = self.words
        return title_parts(words.title, words.language), parts(words.headings, words.language)

    @property
    def body(self) -> str:
        """The words of the body; those of the headings are among the text's."""
        return analysed(f"{self.words.title}\n{self.words.text}", self.words.language)

    @property
    def fields(self) -> dict[str, str | Sequence[str]]:
        """The other fields of the body."""
        titles = words_of(" ".join((self.words.title, *self.words.headings)))
        spelled = {word for word in titles if word.isalpha() and 2 < len(word) <= _LONGEST_SPELLED}
        more = {"title": analysed(self.words.title, self.words.language), "spelled": " ".join(sorted(spelled))}
        return fields_of(self.url, self.words.language) | more


@contextmanager
def following(path: Path, *, rebuild: bool = False) -> Iterator[Follower]:
    """The `Follower` of the store at `path`; the index is made if there is none.

    rebuild: a new index replaces it if the block succeeds. Raises StoreError.
    """
    index = index_path(path)
    with open_store(path) as store, hold_index(index), ExitStack() as stack:
        place = stack.enter_context(replacing(index)) if rebuild else index
        yield Follower(store, stack.enter_context(open_index(place, store_mark(store.hash_key), writes=True)))


class Indexed(NamedTuple):
    """Texts that were taken in; pages and bytes of the index."""

    done: int
    pages: int
    size: int


def bring_up_to_date(store: Store, *, rebuild: bool = False) -> Indexed:
    """Index all texts of a store, of a folder those of each partition beside it. Raises SettingError, StoreError.

    rebuild: from nothing; what is there stays until the new one is whole.
    """
    parts = [part for part in store.parts if part.texts.size]
    if not parts:
        raise SettingError(f"{store.path} has no texts to make an index of; let the crawl go on with --search")
    each = [part.ask(_up_to_date, rebuild) for part in parts]
    return Indexed(*(sum(counts) for counts in zip(*each, strict=True)))


def _up_to_date(store: Store, rebuild: bool) -> Indexed:
    with following(store.path, rebuild=rebuild) as follower:
        follower.check()
        done = follower.catch_up().done
        follower.finish()
        return Indexed(done, follower.pages(), follower.size())
