"""The archive of answers (--archive): rows of those that are on the disk."""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Self

import numpy as np

from minicrawl import log
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.model import ArchiveRecord, PageRequest
from minicrawl.opic import Ledger
from minicrawl.opic.arrays import IntArray
from minicrawl.settings import CrawlSettings
from minicrawl.store.archived import ArchiveFileRow, RecordRow
from minicrawl.store.writer import Writer

_GROWN = 1.1
"""The bound is drawn anew when known and requested pages have grown by this factor."""
_PER_OCTAVE = 16


class TopShare:
    """The most important share of the known pages, from 0 to 1, by cash received so far."""

    def __init__(self, ledger: Ledger, share: float) -> None:
        self._ledger = ledger
        self._share = share
        self._asked = self._drawn_at = 0
        self._least = 0.0

    def has(self, page: int) -> bool:
        """True if a page is in it, ties with the last one included."""
        if self._is_due():
            size = self._ledger.size
            # From below, so that the bound is a page's own: of n pages, n * share are at or above it.
            place = min(int(size * (1.0 - self._share) + 1e-9), size - 1)
            self._least = float(np.partition(self._ledger.received[:size], place)[place])
        return float(self._ledger.received[page]) >= self._least

    def _is_due(self) -> bool:
        """True if the bound is to be drawn anew, for one more page asked for."""
        self._asked += 1
        is_due = self._ledger.size + self._asked >= self._drawn_at * _GROWN
        if is_due:
            self._drawn_at = self._ledger.size + self._asked
        return is_due


class TopShareOfAll(TopShare):
    """The same share of the pages of all partitions, to a class of cash: a sixteenth of an octave.

    `counts`: numbers of pages at home by class, when they were last counted. `least`: the class from which pages are in
    it, as the keeper has said; None: by the pages here alone.
    """

    def __init__(self, ledger: Ledger, share: float) -> None:
        super().__init__(ledger, share)
        self.least: int | None = None
        self.counts = self._counted()

    def has(self, page: int) -> bool:
        if self._is_due():
            self.counts = self._counted()
        least = least_class([self.counts], self._share) if self.least is None else self.least
        return int(_classes(self._ledger.received[page : page + 1])[0]) >= least

    def _counted(self) -> dict[int, int]:
        known = slice(0, self._ledger.size)
        received = self._ledger.received[known][~self._ledger.is_mirror(known)]
        classes, pages = np.unique(_classes(received), return_counts=True)
        return dict(zip(classes.tolist(), pages.tolist(), strict=True))


def least_class(counts: Iterable[Mapping[int, int]], share: float) -> int:
    """The class from which the most important share of pages are. counts: of each partition."""
    total = Counter[int]()
    for of_one in counts:
        total.update(of_one)
    below = int(total.total() * (1.0 - share) + 1e-9)
    for found in sorted(total):
        below -= total[found]
        if below < 0:
            return found
    return max(total, default=0)


def _classes(received: IntArray) -> IntArray:
    """The classes of cash, rising with it."""
    classes: IntArray = (_PER_OCTAVE * np.log2(np.maximum(received, 0) + 1.0)).astype(np.int64)
    return classes


class Archive(Part):
    """Writes rows of archived answers, `archive_files` and `records`.

    prefix: the first part of the names of this store's files.
    """

    def __init__(
        self, writer: Writer, settings: CrawlSettings, top: TopShare | None = None, of_all: TopShareOfAll | None = None
    ) -> None:
        """Cuts off uncommitted records. top: the pages that are kept, `of_all` in partitions; None: all. Raises
        StoreError."""
        from minicrawl.archive.writer import cut  # noqa: PLC0415 - few crawls keep an archive
        from minicrawl.crawler.archiving.records import committed, prefix_of  # noqa: PLC0415

        self._top = of_all or top
        self.top_of_all = of_all
        self._writer = writer
        assert settings.archive is not None
        self._folder = settings.archive
        self._settings = settings
        self._sizes = writer.archived.files()
        self._new: dict[str, int] = {}
        self._open: dict[str, str] = {}
        """The file that each process writes to, by the last part of its name."""
        self._rows: list[RecordRow] = []
        self.prefix = prefix_of(self._id())
        cut(self._folder, committed(self._writer))

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        settings, state = opening.settings, opening.state
        if settings.archive is None:
            return None
        if settings.archive_top is None:
            return cls(state.writer, settings)
        if opening.share is None:
            return cls(state.writer, settings, TopShare(state.accounts.ledger, settings.archive_top))
        return cls(state.writer, settings, of_all=TopShareOfAll(state.accounts.ledger, settings.archive_top))

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        """Leave out pages that are not among the top; ask without condition for a page that the archive lacks."""
        if self._top is not None and not self._top.has(page):
            return asked._replace(archives=False)
        if asked.is_conditional and self._writer.archived.last_of(page) is None:
            return asked._replace(etag=None, last_modified=None)  # a 304 would leave the archive without the page
        return asked

    def finish(self) -> None:
        """Add new records to the index, after the last write. Raises StoreError."""
        from minicrawl.archive.cdxj import line, merge  # noqa: PLC0415
        from minicrawl.archive.collection import index_of  # noqa: PLC0415
        from minicrawl.archive.writer import cut  # noqa: PLC0415
        from minicrawl.crawler.archiving.records import as_captured, committed  # noqa: PLC0415

        cut(self._folder, committed(self._writer))
        for file in self._open.values():
            self._ended(file)
        before = int(self._writer.meta("archive_indexed") or 0)
        new = (line(as_captured(url, row)) for _, url, row in self._writer.archived.after(before))
        last = self._writer.archived.last()
        if last > before:
            merge(index_of(self._folder), new)
            with self._writer.transaction():
                self._writer.save_meta({"archive_indexed": last})

    def on_record(self, record: ArchiveRecord, page: int | None) -> None:
        at, file, start, length = record.at, record.file, record.start, record.length
        url = record.url if page is None else None
        digest, kind, status, media_type = record.digest, record.kind, record.status, record.media_type
        self._rows.append(RecordRow(page, url, at, file, start, length, digest, kind, status, media_type))
        self._new[file] = max(record.end, self._new.get(file, 0))

    def save(self, writer: Writer) -> None:
        """Let the files reach the disk, then write their rows."""
        if not self._new:
            return
        from minicrawl.archive.writer import sync  # noqa: PLC0415
        from minicrawl.crawler.archiving.records import keep_crawl  # noqa: PLC0415

        begun = self._new.keys() - self._sizes.keys()
        if begun:
            keep_crawl(self._folder, self._id(), self._settings, writer.page_table.seeds())
        sync(self._folder, self._new, begun)
        writer.save_archive_files(ArchiveFileRow(name, size) for name, size in self._new.items())
        writer.add_records(self._rows)
        self._sizes |= self._new
        for name in sorted(begun):
            log.archive_file_begun(file=name)
            _, _, process = name.rpartition("-")
            if (before := self._open.get(process)) is not None:
                self._ended(before)
            self._open[process] = name
        self._new.clear()
        self._rows.clear()

    def _ended(self, file: str) -> None:
        log.archive_file_ended(file=file, bytes=self._sizes[file])

    @property
    def size(self) -> int:
        """Bytes of this store's files, as far as committed."""
        return sum(self._sizes.values())

    def _id(self) -> str:
        """The id in the names of this store's files."""
        kept = self._writer.meta("archive_id")
        if kept is None:
            kept = secrets.token_hex(4)
            with self._writer.transaction():
                self._writer.save_meta({"archive_id": kept})
        return str(kept)
