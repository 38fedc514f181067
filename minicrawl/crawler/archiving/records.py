"""The files of a store's archive, the rows that name the answers in them, and the crawl that a lost store was of."""

import json
from pathlib import Path
from typing import Any, NamedTuple  # Any: JSON

from minicrawl.archive.cdxj import Captured, captured
from minicrawl.archive.collection import check_is_archive
from minicrawl.archive.writer import Committed
from minicrawl.errors import StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.archived import RecordRow
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
    check_is_archive(folder)
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
