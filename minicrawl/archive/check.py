"""Check an archive: damaged records, wrong digests, and gaps in the index."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from minicrawl.archive.cdxj import Captured
from minicrawl.archive.collection import Collection, captured, files_in
from minicrawl.archive.reading import MOST_KEPT, Damage, Record, records, told
from minicrawl.archive.writer import FILES, Committed


@dataclass
class Findings:
    """Counts, and a sentence for each fault and each remark. lost: bytes without a record, by file."""

    files: int = 0
    bytes: int = 0
    records: int = 0
    answers: int = 0
    lost: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(collection: Collection, committed: Committed | None = None, *, deep: bool = False) -> Findings:
    """Check the files of an archive. committed: sizes according to its store. deep: every record and the index
    as well; files of which no store knows are read through in any case.

    Bytes behind the committed end of a file are no fault: a running crawl will commit them, or the first run after a
    kill will cut them off.
    """
    found, folder = Findings(), collection.folder
    names = {path.name for path in collection.files()}
    expected = committed.sizes.keys() if committed is not None else set[str]()
    found.wrong += [f"{folder / FILES / name} is missing" for name in sorted(expected - names)]
    everything = {path.name for path in files_in(folder / FILES, None)}
    found.wrong += [f"{folder / FILES / name} is a link out of the archive" for name in sorted(everything - names)]
    seen: set[Captured] = set()
    for path in collection.files():
        status = path.stat()
        found.files += 1
        found.bytes += status.st_size
        end = _end(path, status, committed, found)
        if deep or committed is None:
            seen |= set(_looked_at(path, end, found, deep=deep))
    if deep:
        known = set(collection)
        found.wrong += [f"{one.url} of {one.stamp} is not in the index" for one in sorted(seen - known)]
        found.wrong += [f"the index has {one.url} of {one.stamp}, but no file does" for one in sorted(known - seen)]
    return found


def _end(path: Path, status: os.stat_result, committed: Committed | None, found: Findings) -> int:
    """The committed size of a file, up to which it is checked."""
    size = status.st_size
    expected = committed.size(path.name) if committed is not None else None
    if committed is None or expected is None:
        return size
    if (fault := committed.fault(path, status)) is not None:
        found.wrong.append(fault)
        return size
    if size > expected or not expected:
        found.notes.append(
            f"{path} has {size - expected:,} bytes after the last commit: a crawl is running, or was killed and its "
            "next run cuts them off"
        )
    return expected


def _looked_at(path: Path, end: int, found: Findings, *, deep: bool) -> Iterator[Captured]:
    """The answers in a file up to `end`; damage, and if `deep` the faults of records, are added to `found`."""

    def damaged(damage: Damage) -> None:
        found.lost[path.name] = found.lost.get(path.name, 0) + damage[1] - damage[0]
        found.wrong.append(f"{path.resolve()}, {told(damage)}")

    for record in records(path, end, damaged):
        found.records += 1
        if deep and record.is_cut:
            found.notes.append(
                f"{path}, record at {record.start}: it is larger than {MOST_KEPT >> 20} MB, so its digests were not "
                "checked"
            )
        if deep:
            found.wrong += [f"{path}, record at {record.start}: {what}" for what in faults(record)]
        if record.is_answer:
            found.answers += 1
            yield captured(record, path.name)


def faults(record: Record) -> Iterator[str]:
    """The faults of a record: missing fields, wrong digests."""
    for name in ("warc-type", "warc-record-id", "warc-date"):
        if not record.fields.get(name):
            yield f"it has no {name}"
    for part in record.wrong_digests():
        yield f"its {part} does not match its digest"
