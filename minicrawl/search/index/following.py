"""Following: the index is brought up to date with the store.

The work is the difference between two lists: the texts in the store of pages that can be shown, and the texts in the
index. So the history does not matter: pages that were read again, are gone or were merged, or a kill in the middle of
it all, come out of the same difference.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from minicrawl.errors import SettingError
from minicrawl.search.index.index_folder import (
    Index,
    hold_index,
    index_errors,
    index_path,
    open_index,
    replacing,
    store_mark,
)
from minicrawl.store.reader import Store, open_store
from minicrawl.store.texts.marked_text import KeptText, Kind, unpack

BATCH = 500
"""Texts indexed in one commit."""


class Difference(NamedTuple):
    """The difference between store and index. `new`: pages whose text is to be added, in the order of the texts;
    `gone`: pages whose text is to be removed; `end`: where the last text begins; `texts`: number of times that the file
    of texts was made, and its size."""

    new: list[int]
    gone: list[int]
    end: int
    texts: str


class Follower:
    """Brings an index up to date with its store. Nobody else may write to the index meanwhile.

    `seconds_to_look`: duration of the last scan of the store.
    """

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index
        self._templates: dict[str, Set[int]] = {}
        self.seconds_to_look = 0.0

    def difference(self) -> Difference:
        """The difference as of the store's last commit. Scans all pages."""
        started = time.monotonic()
        with self._store.snapshot():
            wanted = dict(self._store.texts.of_fetched())
            end = self._store.texts.last_start()  # also of a page that cannot be shown
            texts = f"{self._store.texts.made} {self._store.texts.size}"
        with index_errors(self._index.path):
            had = self._index.words.starts()
        new = sorted((start, page) for page, start in wanted.items() if had.get(page) != start)
        self.seconds_to_look = time.monotonic() - started
        return Difference([page for _, page in new], sorted(had.keys() - wanted.keys()), end, texts)

    def catch_up(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Index everything in the store; the number of texts added or removed. stop: asked between two commits."""
        lacks = self.difference()
        done = 0
        self._templates.clear()
        work = iter([*((page, True) for page in lacks.gone), *((page, False) for page in lacks.new)])
        while not stop() and (some := list(islice(work, BATCH))):
            texts = {page: None if is_gone else self._read(page) for page, is_gone in some}
            with self._index.transaction():
                self._change(texts)
            done += len(some)
        if not stop():
            least, most = self._store.ranks.extremes()
            self._index.set_state(end=lacks.end, texts=lacks.texts, least=least, most=most)
        return done

    def pages(self) -> int:
        """Number of pages whose text was taken in."""
        return len(self._index.words.starts())

    def size(self) -> int:
        """Bytes of the index."""
        return self._index.size()

    def _change(self, texts: Mapping[int, "_Text | None"]) -> None:
        """Replace the texts of pages in the index; None: the page is gone."""
        words = self._index.words
        for page, text in texts.items():
            if text is None:
                words.remove(page)
            elif not text.kept.index:
                words.hide(page, text.start)
            else:
                kept = text.kept
                words.put(
                    page,
                    text.start,
                    url=kept.url,
                    title=kept.title or "",
                    headings=[block.text for block in kept.content if block.kind is Kind.HEADING],
                    text=" ".join(kept.content_text.split()),
                    language=kept.language,
                )

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
        return _Text(row.start, unpack(record, url, self._templates[host]))


class _Text(NamedTuple):
    """A stored text, and its start."""

    start: int
    kept: KeptText


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
        done = follower.catch_up()
        return Indexed(done, follower.pages(), follower.size())
