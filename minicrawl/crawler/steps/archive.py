"""The archive of answers (--archive): rows of those that are on the disk."""

import json
import secrets
from collections.abc import Callable
from typing import Self

from minicrawl import log
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.model import ArchiveRecord, PageRequest
from minicrawl.settings import CrawlSettings
from minicrawl.store.archived import FILES
from minicrawl.store.writer import Writer


class Archive(Step):
    """Writes the rows of archived answers, and the sizes of their files. prefix: the first part of the names of this
    store's files."""

    def __init__(self, writer: Writer, settings: CrawlSettings, url_of: Callable[[int], str]) -> None:
        """Cuts off uncommitted records. url_of: the URL of a page. Raises StoreError."""
        from minicrawl.archive.writer import cut  # noqa: PLC0415 - few crawls keep an archive
        from minicrawl.crawler.archiving import committed, prefix_of  # noqa: PLC0415

        self._writer, self._url_of = writer, url_of
        assert settings.archive is not None
        self._folder = settings.archive
        self._sizes: dict[str, int] = writer.meta_json(FILES)
        self._new: dict[str, int] = {}
        self._open: dict[str, str] = {}
        """The file that each process writes to, by the last part of its name."""
        self._rows: list[ArchiveRecord] = []
        kept = writer.meta("archive_id")
        if kept is None:
            kept = secrets.token_hex(4)
            with writer.transaction():
                writer.save_meta({"archive_id": kept})
        self.prefix = prefix_of(str(kept))
        cut(self._folder, committed(self._writer))

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        state = opening.state
        return None if opening.settings.archive is None else cls(state.writer, opening.settings, state.urls.url)

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        """Ask without condition for a page that the archive lacks."""
        if asked.is_conditional and self._writer.archived.last_of(page) is None:
            return asked._replace(etag=None, last_modified=None)  # a 304 would leave the archive without the page
        return asked

    def finish(self) -> None:
        """Add new records to the index, after the last write. Raises StoreError."""
        from minicrawl.archive.cdxj import line, merge  # noqa: PLC0415
        from minicrawl.archive.collection import index_of  # noqa: PLC0415
        from minicrawl.archive.writer import cut  # noqa: PLC0415
        from minicrawl.crawler.archiving import as_captured, committed  # noqa: PLC0415

        cut(self._folder, committed(self._writer))
        for file in self._open.values():
            self._ended(file)
        before = int(self._writer.meta("archive_indexed") or 0)
        new = (line(as_captured(url, row)) for _, url, row in self._writer.archived.after(before))
        last = self._writer.value("SELECT coalesce(max(id), 0) FROM records")
        if last > before:
            merge(index_of(self._folder), new)
            with self._writer.transaction():
                self._writer.save_meta({"archive_indexed": last})

    def on_record(self, record: ArchiveRecord, page: int | None) -> None:
        if page is not None:
            is_own = record.url == self._url_of(page)  # else it shows a route of the document of that URL
            record = record._replace(page=page, url=None if is_own else record.url)
        self._rows.append(record)
        self._new[record.file] = max(record.until, self._new.get(record.file, 0))

    def save(self, writer: Writer) -> None:
        """Let the files reach the disk, then write their rows."""
        if not self._new:
            return
        from minicrawl.archive.writer import sync  # noqa: PLC0415

        begun = self._new.keys() - self._sizes.keys()
        sync(self._folder, self._new, begun)
        writer.add(ArchiveRecord, self._rows)
        self._sizes |= self._new
        writer.save_meta({FILES: json.dumps(self._sizes)})
        for name in sorted(begun):
            log.event("archive-file-begun", file=name)
            _, _, process = name.rpartition("-")
            if (before := self._open.get(process)) is not None:
                self._ended(before)
            self._open[process] = name
        self._new.clear()
        self._rows.clear()

    def _ended(self, file: str) -> None:
        log.event("archive-file-ended", file=file, bytes=self._sizes[file])

    @property
    def size(self) -> int:
        """Bytes of this store's files, as far as committed."""
        return sum(self._sizes.values())
