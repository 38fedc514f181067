"""What is wrong with an archive: records that are torn, or not what they say they are; what its index lacks."""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minicrawl.archive.cdxj import Captured
from minicrawl.archive.collection import Collection, captured, files
from minicrawl.archive.reading import DamagedError, Record, records
from minicrawl.archive.writer import FILES


@dataclass
class Findings:
    """What a check has seen, and a sentence for each thing that is wrong."""

    files: int = 0
    bytes: int = 0
    records: int = 0
    answers: int = 0
    wrong: list[str] = field(default_factory=list)


def check(collection: Collection, committed: Mapping[str, int] | None = None, *, deep: bool = False) -> Findings:
    """Look at the files of an archive. committed: their sizes as the store has them. deep: at every record."""
    found, folder = Findings(), collection.folder
    names = {path.name for path in files(folder)}
    found.wrong += [f"{folder / FILES / name} is missing" for name in sorted((committed or {}).keys() - names)]
    seen: set[Captured] = set()
    for path in files(folder):
        found.files += 1
        size = path.stat().st_size
        found.bytes += size
        expected = (committed or {}).get(path.name, size)
        if expected != size:
            found.wrong.append(f"{path} has {size} bytes, and {expected} are committed")
        if deep:
            seen |= set(_looked_at(path, found))
    if deep:
        known = set(collection)
        found.wrong += [f"{one.url} of {one.stamp} is not in the index" for one in sorted(seen - known)]
        found.wrong += [f"the index has {one.url} of {one.stamp}, and no file has it" for one in sorted(known - seen)]
    return found


def _looked_at(path: Path, found: Findings) -> Iterator[Captured]:
    """The answers of a file; what is wrong with its records is noted."""
    try:
        for record in records(path):
            found.records += 1
            found.wrong += [f"{path}, record at {record.start}: {what}" for what in faults(record)]
            if record.is_answer:
                found.answers += 1
                yield captured(record, path.name)
    except DamagedError as error:
        found.wrong.append(f"{path}: {error}")


def faults(record: Record) -> Iterator[str]:
    """What a record says of itself that is not so."""
    for name in ("warc-type", "warc-record-id", "warc-date"):
        if not record.fields.get(name):
            yield f"it has no {name}"
    block = record.fields.get("warc-block-digest", "")
    if not _is_of(block, record.block):
        yield "its block is not that of its digest"
    payload = record.fields.get("warc-payload-digest", "")
    if record.kind == "response" and record.is_answer and not _is_of(payload, record.payload):
        yield "its body is not that of its digest"


def _is_of(digest: str, data: bytes) -> bool:
    """Whether a digest is that of some bytes; true of one that is not there, or of another kind."""
    algorithm, _, value = digest.partition(":")
    if algorithm.lower() != "sha1" or not value:
        return True
    sum_ = hashlib.sha1(data, usedforsecurity=False)
    return value in (base64.b32encode(sum_.digest()).decode(), sum_.hexdigest()) or len(value) not in (32, 40)
