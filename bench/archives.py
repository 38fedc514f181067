"""Compare the reader of archives with warcio, and mutate files.

python bench/archives.py FOLDER             every file below it: records and bodies of both
python bench/archives.py FOLDER --mutate N  N mutated files of those: errors, slowest, most memory, records lost
"""

import argparse
import hashlib
import io
import random
import re
import resource
import tempfile
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from warcio.archiveiterator import ArchiveIterator

from minicrawl.analysis.archives import decoded
from minicrawl.archive.reading import Damage, Record, is_archive, record_at, records

_MOST_SECONDS = 2.0


class Seen(NamedTuple):
    """A record as both can tell it: digests of its block, and of its body without chunks and content coding."""

    kind: str
    url: str
    block: str
    body: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mutate", type=int, default=0, metavar="N")
    given = parser.parse_args()
    paths = sorted(path for path in given.folder.rglob("*") if path.is_file())
    if given.mutate:
        mutate([path for path in paths if is_archive(path.name)], given.mutate)
    else:
        compare(paths, given.folder)


def compare(paths: list[Path], folder: Path) -> None:
    print("| file | warcio | minicrawl | same records | same bodies | |\n|---|---|---|---|---|---|")
    for path in paths:
        theirs, error = seen_by_warcio(path)
        damages: list[Damage] = []
        ours = list(records(path, on_damage=damages.append))
        for one in ours:
            assert record_at(path, one.start, one.length, one.within).block == one.block, (path, one.start)
        seen = list(map(as_seen, ours))
        blocks = sum((Counter(one[:3] for one in seen) & Counter(one[:3] for one in theirs)).values())
        bodies = sum((Counter(seen) & Counter(theirs)).values())
        facts = [error, *(f"{damage.start}-{damage.end}: {damage.why}" for damage in damages)]
        name = path.relative_to(folder)
        why = "; ".join(filter(None, facts))
        print(f"| {name} | {len(theirs)} | {len(ours)} | {blocks} | {bodies} | {why} |", flush=True)


def as_seen(record: Record) -> Seen:
    is_arc = "warc-record-id" not in record.fields and "warc-ip-address" in record.fields
    kind = "response" if is_arc and record.kind == "resource" else record.kind
    is_http = record.fields.get("content-type", "").startswith("application/http") and record.block
    body = decoded(record, record.payload) if is_http else record.block
    if is_arc and kind == "warcinfo":  # warcio reads the head of an ARC file away
        return Seen(kind, "", _digest(b""), _digest(b""))
    return Seen(kind, record.url, _digest(record.block), _digest(body))


def seen_by_warcio(path: Path) -> tuple[list[Seen], str]:
    """What warcio reads, in the files of a WACZ one after another, and its error."""
    files = [path.read_bytes()]
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as wacz:
            files = [wacz.read(name) for name in wacz.namelist() if is_archive(name)]
    found: list[Seen] = []
    for data in files:
        try:
            whole = ArchiveIterator(io.BytesIO(data), no_record_parse=True, arc2warc=True)
            parsed = ArchiveIterator(io.BytesIO(data), arc2warc=True)
            for one, again in zip(whole, parsed, strict=True):
                block, body = _digest(one.raw_stream.read()), _digest(again.content_stream().read())
                url = one.rec_headers.get_header("WARC-Target-URI") or ""
                found.append(Seen(one.rec_type or "", url.strip("<>"), block, body))
        except Exception as error:
            return found, f"warcio: {type(error).__name__} {' '.join(str(error).split())[:60]}"
    return found, ""


def _digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()


def mutate(paths: list[Path], count: int) -> None:
    """Read files with a mutation each: records that it did not touch should be read as before."""
    rng = random.Random(0)
    whole = {path: (path.read_bytes(), list(records(path))) for path in paths}
    base, slowest, errors, kept, expected, lost = _memory(), 0.0, 0, 0, 0, 0
    missing = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            path = paths[number % len(paths)]
            data, known = whole[path]
            mutated, start, end = _mutated(data, rng)
            place = Path(folder) / path.name
            place.write_bytes(mutated)
            damages: list[Damage] = []
            begun = time.process_time()
            try:
                found = list(records(place, on_damage=damages.append))
                for one in found[:3]:
                    record_at(place, one.start, one.length, one.within)
            except Exception as error:
                errors += 1
                print(f"{path} ({number}): {type(error).__name__} {error}")
                continue
            slowest = max(slowest, time.process_time() - begun)
            lost += sum(damage.end - damage.start for damage in damages)
            untouched = {(one.url, one.block) for one in known if one.start + one.length <= start or end <= one.start}
            expected += len(untouched)
            kept += len(untouched & {(one.url, one.block) for one in found})
            if not untouched <= {(one.url, one.block) for one in found}:
                missing[path.name] += 1
    print(f"{count:,} files: {errors} errors, slowest {slowest:.2f} s, {_memory() - base} MB over the base")
    print(f"{kept:,} of {expected:,} untouched records read, {lost:,} bytes told as damage; less in {dict(missing)}")


def _mutated(data: bytes, rng: random.Random) -> tuple[bytes, int, int]:
    """Data with bits flipped, bytes cut, put in or doubled, the end torn off, or another length of a record; and the
    part of the data that is not as it was."""
    at, other = rng.randrange(len(data) or 1), rng.randrange(len(data) or 1)
    size = rng.choice((1, 2, 30, 500, 5000))
    lengths = list(re.finditer(rb"(?<=ength: )\d+", data))
    start, end = rng.choice(lengths).span() if lengths else (at, at + 1)
    given = b"%d" % rng.choice((0, 7, 999, 10**9))
    flipped = bytes(byte ^ 1 << rng.randrange(8) for byte in data[at : at + 2])
    filling = rng.choice((bytes(size), rng.randbytes(size), b"\r\n" * size, data[other : other + size]))
    return rng.choice(
        (
            (data[:at] + flipped + data[at + 2 :], at, at + 2),
            (data[:at] + data[at + size :], at, at + size),
            (data[:at] + filling + data[at:], at, at),
            (data[:at], at, len(data)),
            (data[:start] + given + data[end:], start, end),
        )
    )


def _memory() -> int:
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
