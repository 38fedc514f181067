"""The files of a store's archive, and the rows that name the answers in them."""

from minicrawl.archive.cdxj import Captured, captured
from minicrawl.archive.writer import Committed
from minicrawl.store.archived import RecordRow
from minicrawl.store.reader import Store


def as_captured(url: str, row: RecordRow) -> Captured:
    """A row of `records` as the index has it."""
    kept = row.file, row.start, row.length, row.kind, row.status, row.media_type
    return captured(url, row.at, row.digest, kept)


def committed(store: Store) -> Committed:
    """What a store knows of the files of its archive."""
    at = float(store.meta("asked_until") or 0.0)
    return Committed(prefix_of(str(store.meta("archive_id"))), store.archived.files(), at)


def prefix_of(archive_id: str) -> str:
    """The first part of the names of the archive's files."""
    return f"minicrawl-{archive_id}"
