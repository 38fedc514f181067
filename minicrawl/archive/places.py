"""The places of archives: folders, files, standard input, URLs, and indexes of files beside them or on the web.

An index on the web, or FILE.cdxj@URL, names files below a URL; only the ranges it names are fetched.
"""

import gzip
import re
import shutil
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse
from itertools import chain
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, BinaryIO, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from minicrawl import log
from minicrawl.archive import cdxj
from minicrawl.archive.cdxj import Captured
from minicrawl.archive.collection import files, files_in, index_of, is_inside, lines_of
from minicrawl.archive.reading import is_archive
from minicrawl.archive.unpacking import MOST_KEPT, PIECE
from minicrawl.archive.writer import FILES, INDEXES
from minicrawl.errors import SettingError, StoreError

_PATIENCE = 60.0
_WEB = ("http://", "https://")
_INDEX = re.compile(r"(.*\.cdxj?(?:\.gz)?)(?:@(https?://.*))?", re.DOTALL)
_RANGES = "ranges.warc"
_ROOM = 2**30
"""Bytes of the disk that a copy of an archive leaves free."""


def check_there(places: Sequence[str]) -> None:
    """Raise SettingError for a place without an archive."""
    for place in places:
        path, _, _ = _parsed(place)
        if path != "-" and not path.startswith(_WEB):
            _files_of(Path(path))


def _parsed(place: str) -> tuple[str, str | None, bool]:
    """A place without the URL behind it, that URL, and True if it is an index."""
    found = _INDEX.fullmatch(place)
    return (place, None, False) if found is None else (found[1], found[2], True)


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
            known = [gathered.add(place) for place in loose]
        except (OSError, ValueError) as error:  # standard input may be closed
            raise StoreError(f"{', '.join(loose)} cannot be read: {error}") from error
        log.event("archive-indexed", files=len(gathered.unread))
        found = lines_of(gathered.unread, lambda why: log.event("archive-damaged", why=why))
        cdxj.merge(index_of(Path(temporary)), chain(*known, found), is_anew=True)
        yield (*ready, Path(temporary))


def _files_of(place: Path) -> list[Path]:
    """The files at a place: itself, or those in a folder or a collection. Raises SettingError."""
    if place.is_file():
        return [place]
    is_collection = (place / FILES).is_dir()
    found = files(place) if is_collection else files_in(place, place)
    if not found and not is_collection:
        raise SettingError(f"there is no archive at {place}: name WARC or WACZ files, a folder of them, or an index")
    return found


def _is_indexed(place: Path) -> bool:
    """True if the index is newer than the files."""
    index = index_of(place)
    if not (place / FILES).is_dir() or not index.is_file():
        return False
    written = index.stat().st_mtime
    return all(file.stat().st_mtime <= written for file in files(place))


@contextmanager
def _asked(url: str, headers: dict[str, str] | None = None) -> Iterator[HTTPResponse]:
    """What a server answers. Raises StoreError."""
    try:
        with urlopen(Request(url, headers=headers or {}), timeout=_PATIENCE) as answer:
            yield answer
    except (OSError, ValueError, HTTPException) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise StoreError(f"{url} cannot be read: {error}") from error


class _Gathered:
    """The files of some places, as links or copies in the layout of a collection. unread: those without an index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FILES
        self._folder.mkdir()
        self._links: dict[Path, Path] = {}
        self.unread: list[Path] = []

    def add(self, place: str) -> Iterator[str]:
        """Add the files of a place. Returns the lines of its index, if it is one. Raises SettingError, StoreError."""
        path, base, is_index = _parsed(place)
        if path == "-":
            found = [self._copied(sys.stdin.buffer, self._free("stdin"))]
        elif path.startswith(_WEB):
            name = PurePosixPath(urlsplit(path).path).name
            with _asked(path) as web:
                found = [self._copied(web, self._folder.parent / "index" if is_index else self._free(name))]
            base = base or path.rpartition("/")[0]
        else:
            found = _files_of(Path(path))
        if is_index:
            return self._lines(found[0], base)
        self.unread += [file if file.parent == self._folder else self._linked(file) for file in found]
        return iter(())

    def _free(self, name: str) -> Path:
        """A free place for a file of that name."""
        path = self._folder / (name if is_archive(name) else f"{name}.warc")
        is_taken = path.name == _RANGES or path.is_symlink() or path.exists()
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

    def _lines(self, index: Path, base: str | None) -> Iterator[str]:
        """The lines of an index, for the answers in files beside it or below a URL. Raises StoreError."""
        missing = set[str]()
        try:
            with index.open("rb") as file:
                is_packed = file.read(2) == b"\x1f\x8b"
            with gzip.open(index, "rb") if is_packed else index.open("rb") as lines:
                for line in cdxj.bounded_lines(cast("IO[bytes]", lines)):
                    one = cdxj.read(line.decode("utf-8", "replace").rstrip("\r\n"))
                    found = one and (self._fetched(one, base) if base else self._found(one, index.parent))
                    if found:
                        yield cdxj.line(found)
                    elif one and one.file not in missing:
                        missing.add(one.file)
                        log.event("archive-damaged", why=f"{index} names {one.file!r}, of which nothing is there")
        except (OSError, EOFError, zlib.error) as error:
            raise StoreError(f"{index} cannot be read: {error}") from error

    def _found(self, one: Captured, folder: Path) -> Captured | None:
        """An answer in a file beside the index."""
        beside = [folder, *([folder.parent / FILES] if folder.name == INDEXES else [])]
        for path, root in ((root / one.file, root) for root in beside if "\0" not in one.file):
            if path.is_file() and is_inside(path, root):
                return one._replace(file=self._linked(path).name)
        return None

    def _fetched(self, one: Captured, base: str) -> Captured | None:
        """An answer whose record is fetched from a file below a URL."""
        name = PurePosixPath(one.file)
        if name.is_absolute() or ".." in name.parts or "\\" in one.file or one.length <= 0:
            return None
        range_ = f"bytes={one.start}-{one.start + one.length - 1}"
        try:
            with _asked(f"{base.rstrip('/')}/{quote(one.file)}", {"Range": range_}) as web:
                data = web.read(min(one.length, MOST_KEPT)) if web.status == 206 else b""
        except StoreError:
            return None
        with (self._folder / _RANGES).open("ab") as copy:
            start = copy.tell()
            copy.write(data)
        return one._replace(file=_RANGES, start=start, length=len(data)) if data else None
