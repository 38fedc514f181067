"""Bodies that other archives have, by the digests in their CDXJ indexes.

Beside our own index is a file for each of theirs: runs of `RUN` entries, each as many keys in order and then the
positions of their lines. A key is the begin of a digest in base 32; the line has the rest.
"""

import hashlib
import os
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from minicrawl.archive import cdxj
from minicrawl.archive.collection import index_of
from minicrawl.archive.record import Original, sha1
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.system import read_at

RUN = 500_000
_KEY = 8
_PAGE = 512
_Numbers = npt.NDArray[np.uint64]
_DIGEST = re.compile(rb'"digest": ?"(?:sha1:)?([A-Z2-7]{32})"')
_ANSWERED = re.compile(rb'"status": ?"?200\b')


def check_asked(settings: CrawlSettings) -> None:
    """Raise SettingError for archives without an index, and where no body would be saved."""
    if not settings.dedup or (settings.archive is None and not settings.from_archive):
        raise SettingError("--dedup-with saves bodies in an archive: name it by --archive DIR, without --no-dedup")
    for place in settings.dedup_with if settings.archive is not None else ():
        index_at(place)


def index_at(place: str) -> Path:
    """The index of a folder, or a CDXJ file itself. Raises SettingError."""
    path = Path(place)
    index = index_of(path) if path.is_dir() else path
    if not index.is_file():
        remedy = f"make it by 'minicrawl archive index --archive {place}'" if path.is_dir() else "name another one"
        raise SettingError(f"--dedup-with {place}: there is no index at {index}; {remedy}")
    return index


def prepare(places: Sequence[str], folder: Path) -> None:
    """Write the file of each index that has changed. folder: of our archive. Raises SettingError, StoreError."""
    for index in map(index_at, places):
        made = _made_of(index, folder)
        try:
            if made.exists() and made.stat().st_mtime_ns >= index.stat().st_mtime_ns:
                continue
            made.parent.mkdir(parents=True, exist_ok=True)
            unfinished = made.with_suffix(".new")
            with index.open("rb") as lines, unfinished.open("wb") as out:
                for keys, positions in _runs(lines):
                    order = np.argsort(keys, kind="stable")
                    out.write(keys[order].tobytes() + positions[order].tobytes())
            unfinished.replace(made)
        except OSError as error:
            raise StoreError(f"{made} cannot be made of {index}: {error.strerror}; see to both") from error


class OtherBodies:
    """Finds bodies by digest, with a read of the disk for each run. places, folder: as prepared."""

    def __init__(self, places: Sequence[str], folder: Path) -> None:
        self._indexes = [(index.open("rb"), _Made(_made_of(index, folder))) for index in map(index_at, places)]

    def find(self, digest: bytes) -> Original | None:
        """URL and date of an answer with a body."""
        text = sha1(digest).removeprefix("sha1:")
        for lines, made in self._indexes:
            for position in made.positions(_key(text.encode())):
                lines.seek(position)
                found = cdxj.read(lines.readline(cdxj.LONGEST).decode("utf-8", "replace"))
                if found is None or found.digest.removeprefix("sha1:") != text or not found.url.isprintable():
                    continue
                if at := cdxj.seconds(found.stamp):
                    return Original(found.url, at)
        return None

    def close(self) -> None:
        for lines, made in self._indexes:
            lines.close()
            made.file.close()


class _Made:
    """A file that was made of an index. In memory is each key of a run at which a page of the disk begins."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("rb", buffering=0)
        entries = path.stat().st_size // 16
        sizes = ((2 * first, min(RUN, entries - first)) for first in range(0, entries, RUN))
        self._runs = [(start, size, self._numbers(start, size)[::_PAGE].copy()) for start, size in sizes]

    def positions(self, key: int) -> Iterator[int]:
        """Positions of lines with a key."""
        wanted = np.uint64(key)
        for start, size, firsts in self._runs:
            first = _PAGE * max(int(np.searchsorted(firsts, wanted)) - 1, 0)
            last = min(_PAGE * int(np.searchsorted(firsts, wanted, "right")), size)
            keys = self._numbers(start + first, last - first)
            low, high = int(np.searchsorted(keys, wanted)), int(np.searchsorted(keys, wanted, "right"))
            yield from self._numbers(start + size + first + low, high - low).tolist()

    def _numbers(self, start: int, size: int) -> _Numbers:
        return np.frombuffer(read_at(self.file.fileno(), 8 * size, 8 * start), np.uint64)


def _made_of(index: Path, folder: Path) -> Path:
    """The file that is made of an index."""
    name = hashlib.sha1(os.fsencode(index.absolute()), usedforsecurity=False).hexdigest()[:16]
    return index_of(folder).with_name(f"dedup-{name}.digests")


def _key(digest: bytes) -> int:
    return int.from_bytes(digest[:_KEY])


def _runs(lines: BinaryIO) -> Iterator[tuple[_Numbers, _Numbers]]:
    """Keys of the bodies of an index, and the positions of their lines."""
    keys, positions, position = array("Q"), array("Q"), 0
    for line in lines:
        found = _DIGEST.search(line)
        if found is not None and _ANSWERED.search(line) and cdxj.REVISIT.encode() not in line:
            keys.append(_key(found[1]))
            positions.append(position)
        position += len(line)
        if len(keys) == RUN:
            yield np.array(keys, np.uint64), np.array(positions, np.uint64)
            del keys[:], positions[:]
    if keys:
        yield np.array(keys, np.uint64), np.array(positions, np.uint64)
