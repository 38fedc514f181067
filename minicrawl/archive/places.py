"""The places of archives: folders, files and standard input."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from minicrawl import log
from minicrawl.archive import cdxj
from minicrawl.archive.collection import files, files_in, index_of, lines_of
from minicrawl.archive.reading import is_archive
from minicrawl.archive.unpacking import PIECE
from minicrawl.archive.writer import FILES
from minicrawl.errors import SettingError, StoreError

_ROOM = 2**30
"""Bytes of the disk that a copy of an archive leaves free."""


def check_there(places: Sequence[str]) -> None:
    """Raise SettingError for a place without an archive."""
    for place in places:
        if place != "-":
            _files_of(Path(place))


@contextmanager
def indexed(places: Sequence[str]) -> Iterator[tuple[Path, ...]]:
    """Collections with an up-to-date index. What has none gets a temporary one while the block runs.

    Raises SettingError for a place without an archive, StoreError for one that cannot be read.
    """
    loose = [place for place in places if not _is_indexed(Path(place))]
    ready = [Path(place) for place in places if place not in loose]
    if not loose:
        yield tuple(ready)
        return
    with TemporaryDirectory(prefix="minicrawl-") as temporary:
        gathered = _Gathered(Path(temporary))
        try:
            unread = [file for place in loose for file in gathered.add(place)]
        except (OSError, ValueError) as error:  # standard input may be closed
            raise StoreError(f"{', '.join(loose)} cannot be read: {error}") from error
        log.event("archive-indexed", files=len(unread))
        found = lines_of(unread, lambda why: log.event("archive-damaged", why=why))
        cdxj.merge(index_of(Path(temporary)), found, is_anew=True)
        yield (*ready, Path(temporary))


def _files_of(place: Path) -> list[Path]:
    """The files at a place: itself, or those in a folder or a collection. Raises SettingError."""
    if place.is_file() and (is_archive(place.name) or not place.suffix):
        return [place]
    is_collection = (place / FILES).is_dir()
    found = files(place) if is_collection else files_in(place, place)
    if not found and not is_collection:
        raise SettingError(f"there is no archive at {place}: name WARC or WACZ files, or a folder of them")
    return found


def _is_indexed(place: Path) -> bool:
    """True if the index is newer than the files."""
    index = index_of(place)
    if not (place / FILES).is_dir() or not index.is_file():
        return False
    written = index.stat().st_mtime
    return all(file.stat().st_mtime <= written for file in files(place))


class _Gathered:
    """The files of some places, as links or copies in the layout of a collection."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FILES
        self._folder.mkdir()
        self._links: dict[Path, Path] = {}

    def add(self, place: str) -> list[Path]:
        """Add the files of a place. Raises SettingError, StoreError."""
        if place == "-":
            return [self._copied(sys.stdin.buffer, self._free("stdin"))]
        return [self._linked(file) for file in _files_of(Path(place))]

    def _free(self, name: str) -> Path:
        """A free place for a file of that name."""
        path = self._folder / (name if is_archive(name) else f"{name}.warc")
        is_taken = path.is_symlink() or path.exists()
        return path.with_name(f"{len(list(self._folder.iterdir())):05}-{path.name}") if is_taken else path

    def _linked(self, file: Path) -> Path:
        """The link to a file."""
        file = file.absolute()
        if file not in self._links:
            self._links[file] = self._free(file.name)
            self._links[file].symlink_to(file)
        return self._links[file]

    def _copied(self, source: BinaryIO, path: Path) -> Path:
        with path.open("wb") as copy:
            while piece := source.read(PIECE):
                if shutil.disk_usage(self._folder).free < _ROOM:
                    raise StoreError(
                        f"the archive needs more than the disk of {self._folder} has; set TMPDIR to a folder with room"
                    )
                copy.write(piece)
        return path
