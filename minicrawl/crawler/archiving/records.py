"""The files of a store's archive, and the rows that name the answers in them."""

from minicrawl.archive.cdxj import Captured, captured
from minicrawl.archive.writer import Committed
from minicrawl.store.archived import FILES, RecordRow
from minicrawl.store.reader import Store


def as_captured(url: str, row: RecordRow) -> Captured:
    """A row of `records` in the form of the index."""
    kept = row.file, row.start, row.length, row.kind, row.status, row.media_type
    return captured(url, row.at, row.digest, kept)


def committed(store: Store) -> Committed:
    """The archive files recorded in a store."""
    prefixes = tuple(f"{prefix_of(str(part.meta('archive_id')))}-" for part in store.parts)
    sizes = {name: size for part in store.parts for name, size in part.meta_json(FILES).items()}
    return Committed(prefixes, sizes, min(float(part.meta("asked_until") or 0.0) for part in store.parts))


def prefix_of(archive_id: str) -> str:
    """The first part of the names of the archive's files."""
    return f"minicrawl-{archive_id}"
