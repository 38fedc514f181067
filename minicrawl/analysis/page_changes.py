"""Changes of one page, and the differences of its text.

A version of a text is the kept one as of a change (`--text`), else an archived answer (`--archive`). The difference of
a change is that from the change before, as the comparison of `refresh` tells it.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple  # Any: rows

from minicrawl.analysis.explain import explain
from minicrawl.analysis.page_text import archived_page
from minicrawl.crawler.recognise.changes import came_and_went, text_view
from minicrawl.errors import SettingError
from minicrawl.model import ArchiveRecord, Wanted
from minicrawl.store.reader import Store
from minicrawl.store.refreshes import kinds_of
from minicrawl.store.texts.difference import CAME, MOVED, WENT, Line, difference
from minicrawl.store.texts.repeated_blocks import RepeatedBlocks
from minicrawl.web.compare.view import texts_of
from minicrawl.web.kept_text import blocks_of, unpack

_KEPT = Wanted(kept=True, short_text=False)


class PageChange(NamedTuple):
    """A change of a page. added, removed: blocks and values, noise left out; kinds: what they are. diff: None unless
    both versions are kept."""

    url: str
    what: str
    at: float
    added: int
    removed: int
    kinds: tuple[str, ...]
    diff: tuple[Line, ...] | None


def page_changes(store: Store, text: str, since: float, *, reads_texts: bool = True) -> list[PageChange]:
    """The changes since a time (Unix seconds) of the page that a user means, the oldest first. Raises SettingError for
    an unknown page, and StoreError."""
    with store.snapshot():
        found = explain(store, text)
        page = store.page_table.find([found.url]).get(found.url)
        if page is None:
            raise SettingError(f"{found.url} is not known to this crawl ({found.reason}); 'minicrawl why' says more")
        versions = Versions(store, found.url) if reads_texts else None
        changes, before = list[PageChange](), 0.0
        for row in store.refreshes.changes_of(page):
            if row.at >= since:
                diff = versions.difference(before, row.at) if versions and row.what == "changed" else None
                blocks = row.added, row.removed, kinds_of(row.kinds)
                changes.append(PageChange(found.url, row.what, row.at, *blocks, diff))
            before = row.at
        return changes


def is_text_kept(store: Store) -> bool:
    """True if a store has texts or an archive."""
    return bool(store.texts.size or store.settings.get("archive"))


class Versions:
    """The versions of a page's text."""

    def __init__(self, store: Store, url: str) -> None:
        self._url, self._sources = url, list[tuple[Sequence[Any], Callable[[Any], bytes]]]()
        page = store.page_table.find([url]).get(url)
        if page is not None:
            self._sources.append((store.texts.versions(page), lru_cache(2)(store.texts.packed)))
            if folder := store.settings.get("archive"):
                read = lru_cache(2)(partial(_archived_text, store, Path(folder), url))
                self._sources.append((store.archived.versions(page), read))
            row = store.refreshes.row(page)
            self._memory = b"" if row is None else row.memory
            self._picture = RepeatedBlocks(store.texts.picture(page))

    def difference(self, start: float, end: float) -> tuple[Line, ...] | None:
        """What has come, gone and moved between two times, in Unix seconds; the oldest version stands for those before
        it. None if two versions are not kept. Raises StoreError."""
        for rows, read in self._sources:
            old, new = (max(bisect_right(rows, time, key=attrgetter("at")) - 1, 0) for time in (start, end))
            if old < new and (before := read(rows[old])) and (after := read(rows[new])):
                views = text_view(before, self._url, rows[old].at), text_view(after, self._url, rows[new].at)
                if views[0] is not None and views[1] is not None:
                    came, went = came_and_went(views[0], views[1], self._memory, self._picture)
                    moved = (line for line in difference(*map(self._blocks, (before, after))) if line.sign == MOVED)
                    told = (WENT, texts_of(went)), (CAME, texts_of(came))
                    return (*(Line(sign, text) for sign, texts in told for text in texts), *moved)
        return None

    def _blocks(self, record: bytes) -> list[str]:
        text = unpack(record, self._url)
        return [block.markdown for part in (text.content, text.rest) for block in blocks_of(part)]


def _archived_text(store: Store, folder: Path, url: str, row: ArchiveRecord) -> bytes:
    """The record of the text of an archived answer; empty if it is not HTML, forbids copies or is too slow to parse."""
    parsed = archived_page(store, folder, url, row, _KEPT)
    return parsed.kept if parsed is not None else b""
