"""The files of a store's archive, the rows that name the answers in them, and the crawl that a lost store was of."""

import base64
import binascii
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple  # Any: JSON

from minicrawl import log
from minicrawl.archive.cdxj import Captured, captured
from minicrawl.archive.collection import files
from minicrawl.archive.reading import Record, records
from minicrawl.archive.record import NOT_MODIFIED
from minicrawl.archive.writer import FILES, Committed
from minicrawl.errors import StoreError
from minicrawl.model import RecordKind
from minicrawl.settings import CrawlSettings
from minicrawl.store.archived import ArchiveFileRow, RecordRow
from minicrawl.store.reader import Store
from minicrawl.system import sync, sync_folder


def as_captured(url: str, row: RecordRow) -> Captured:
    """A row of `records` in the form of the index."""
    kept = row.file, row.start, row.length, row.kind, row.status, row.media_type
    return captured(url, row.at, row.digest, kept)


def committed(store: Store) -> Committed:
    """The archive files recorded in a store."""
    prefixes = tuple(f"{prefix_of(str(part.meta('archive_id')))}-" for part in store.parts)
    sizes = {name: size for part in store.parts for name, size in part.archived.files().items()}
    return Committed(prefixes, sizes, min(float(part.meta("asked_until") or 0.0) for part in store.parts))


def prefix_of(archive_id: str) -> str:
    """The first part of the names of the archive's files."""
    return f"minicrawl-{archive_id}"


class KeptCrawl(NamedTuple):
    """The crawl of an archive, as `FOLDER/minicrawl-ID.json` has it: with the records, enough for a new store."""

    archive_id: str
    settings: dict[str, Any]
    seeds: list[str]


def keep_crawl(folder: Path, archive_id: str, settings: CrawlSettings, seeds: list[str]) -> None:
    """Write settings, without secrets, and seeds beside the archive. Raises StoreError."""
    file = folder / f"{prefix_of(archive_id)}.json"
    unfinished = file.with_suffix(".new")
    kept = {"settings": json.loads(settings.to_json(folder)), "seeds": seeds}
    try:
        with unfinished.open("w", encoding="utf-8") as out:
            json.dump(kept, out, indent=1)
            out.flush()
            sync(out.fileno())
        unfinished.replace(file)
        sync_folder(folder)
    except OSError as error:
        raise StoreError(f"{file} cannot be written: {error.strerror}; see to its disk and folder") from error


def kept_crawl(folder: Path) -> KeptCrawl:
    """The crawl of the archive in a folder. Raises StoreError."""
    if not (folder / FILES).is_dir():
        raise StoreError(f"there is no archive at {folder}: it has no folder {FILES}; name another one")
    begin = prefix_of("")
    found = sorted(folder.glob(f"{begin}*.json"))
    if len(found) != 1:
        names = f"those of several crawls, {', '.join(file.name for file in found)}" if found else f"no {begin}ID.json"
        raise StoreError(
            f"the settings of one crawl are to be in the archive at {folder}, and there are {names}; 'minicrawl crawl "
            f"SEEDS --from-archive {folder}' reads any archive"
        )
    try:
        kept = json.loads(found[0].read_bytes())
        seeds = [url for url in kept["seeds"] if isinstance(url, str)]
        return KeptCrawl(found[0].stem.removeprefix(begin), kept["settings"], seeds)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{found[0]} cannot be read ({error}); bring it back from a backup") from error


def rows_of(folder: Path, archive_id: str) -> tuple[list[ArchiveFileRow], list[RecordRow]]:
    """The rows of a store's files, and of the answers in them, all with their URLs."""
    own = [path for path in files(folder) if path.name.startswith(f"{prefix_of(archive_id)}-")]
    sizes = [ArchiveFileRow(path.name, path.stat().st_size) for path in own]
    return sizes, [_row(record, path.name) for path in own for record in _answers(path)]


def _answers(path: Path) -> Iterator[Record]:
    found = records(path, on_damage=lambda damage: log.archive_damaged(why=f"{path}: {damage}"))
    return (record for record in found if record.is_answer)


def _row(record: Record, file: str) -> RecordRow:
    try:
        digest = base64.b32decode(record.fields.get("warc-payload-digest", "").rpartition(":")[2])
    except binascii.Error:
        digest = b""
    is_same = record.fields.get("warc-profile") == NOT_MODIFIED
    revisit = RecordKind.NOT_MODIFIED if is_same else RecordKind.REVISIT
    kind = str(RecordKind.RESPONSE if record.kind == "response" else revisit)
    place = record.at, file, record.start, record.length
    return RecordRow(None, record.url, *place, digest, kind, record.status, record.media_type)
