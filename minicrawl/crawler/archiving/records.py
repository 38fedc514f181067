"""What the next commit writes of the archive: the answers that are in it, once they are on the disk."""

import secrets
from pathlib import Path

from minicrawl.archive.cdxj import Captured, captured, line, merge
from minicrawl.archive.collection import index_of
from minicrawl.archive.writer import Committed, cut, sync
from minicrawl.model import ArchiveRecord
from minicrawl.store.archived import ArchiveFileRow, RecordRow
from minicrawl.store.reader import Store
from minicrawl.store.writer import Writer


def as_captured(url: str, row: RecordRow) -> Captured:
    """A row of `records` as the index has it."""
    kept = row.file, row.start, row.length, row.kind, row.status, row.media_type
    return captured(url, row.at, row.digest, kept)


def committed(store: Store) -> Committed:
    """What a store knows of the files of its archive."""
    at = float(store.meta("asked_until") or 0.0)
    return Committed(_prefix(str(store.meta("archive_id"))), store.archived.files(), at)


def _prefix(archive_id: str) -> str:
    return f"minicrawl-{archive_id}"


class ArchivedRecords:
    """Rows of `archive_files` and `records`. `prefix`: what the names of this store's files begin with."""

    def __init__(self, writer: Writer, folder: Path) -> None:
        """Takes back what no commit knows of. Raises StoreError."""
        self._writer = writer
        self._folder = folder
        self._sizes = writer.archived.files()
        self._new: dict[str, int] = {}
        self._rows: list[RecordRow] = []
        self.prefix = _prefix(self._id())
        self.cut()

    def cut(self) -> None:
        """Cut off what is in no commit. Nobody may be writing."""
        cut(self._folder, committed(self._writer))

    def end(self) -> None:
        """The run is over: nobody writes any more. Bring what is new into the index. Raises StoreError."""
        self.cut()
        before = int(self._writer.meta("archive_indexed") or 0)
        new = (line(as_captured(url, row)) for _, url, row in self._writer.archived.after(before))
        last = self._writer.archived.last()
        if last > before:
            merge(index_of(self._folder), new)
            with self._writer.transaction():
                self._writer.save_meta({"archive_indexed": last})

    def has(self, page: int) -> bool:
        """Whether an answer of a page is in the archive."""
        return self._writer.archived.last_of(page) is not None

    def note(self, record: ArchiveRecord, page: int | None) -> None:
        """Take in that an answer is in the archive. page: whose it is; None where it is no page's."""
        at, file, start, length = record.at, record.file, record.start, record.length
        url = record.url if page is None else None
        digest, kind, status, media_type = record.digest, record.kind, record.status, record.media_type
        self._rows.append(RecordRow(page, url, at, file, start, length, digest, kind, status, media_type))
        self._new[file] = max(record.end, self._new.get(file, 0))

    def save(self, writer: Writer) -> None:
        """Let the files reach the disk, then write what is in them."""
        if not self._new:
            return
        sync(self._folder, self._new, self._new.keys() - self._sizes.keys())
        writer.save_archive_files(ArchiveFileRow(name, size) for name, size in self._new.items())
        writer.add_records(self._rows)
        self._sizes |= self._new
        self._new.clear()
        self._rows.clear()

    def _id(self) -> str:
        """By what the files of this store are told from those of others."""
        kept = self._writer.meta("archive_id")
        if kept is None:
            kept = secrets.token_hex(4)
            with self._writer.transaction():
                self._writer.save_meta({"archive_id": kept})
        return str(kept)
