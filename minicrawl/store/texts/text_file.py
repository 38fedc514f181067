"""The file beside a store that has the texts of its pages: records behind one another, none of which ever changes.

It begins with a line that names the store it belongs to, and how often it was made anew. A record is added before the
commit that says where it stands, so the store never knows one that is not on the disk. Whatever stands behind the last
committed record came of a run that was killed, and is cut off by the next. So every text is kept exactly once.
"""

import os
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

from minicrawl.errors import StoreError
from minicrawl.store.database import beside, real_path
from minicrawl.system import BINARY, read_at, sync, sync_folder, write_at

ENDING = ".text"
_FORM = "minicrawl text 1 {store} {made:>8}\n"
HEAD = len(_FORM.format(store="0" * 32, made=0))
"""Bytes before the first record."""


def text_path(store: Path) -> Path:
    """Where the texts of a store are."""
    return beside(real_path(store), ENDING)


def first_line(hash_key: bytes, made: int) -> bytes:
    """How the file of a store begins. hash_key: which no two stores share; made: how often the file was made anew."""
    return _FORM.format(store=blake2b(hash_key, digest_size=16).hexdigest(), made=made).encode()


class TextFile:
    """A file of texts, open. Raises StoreError."""

    def __init__(self, path: Path, line: bytes, *, writes: bool = False) -> None:
        """line: how it has to begin. writes: whether records will be added; a file that is missing is made then."""
        self._path = path
        new = unfinished(path)
        with _errors(path):
            is_new = _begins(new, line)  # what was made anew has not got its name yet
            if writes and is_new:
                new.replace(path)
                sync_folder(path.parent)
            elif writes:
                new.unlink(missing_ok=True)
                if not path.exists():
                    _make(path, line)
            flags = BINARY | (os.O_RDWR if writes else os.O_RDONLY)
            self._file = os.open(new if is_new and not writes else path, flags)
        try:
            self._check(line)
        except BaseException:
            os.close(self._file)
            raise

    def _check(self, line: bytes) -> None:
        found = self._read(0, HEAD)
        if found == line:
            return
        if found[:-9] == line[:-9]:
            raise StoreError(f"{self._path} is older or newer than its store; put the one back that belongs to it")
        raise StoreError(f"{self._path} does not belong to this store; move it away, or use another --store")

    def read(self, start: int, size: int) -> bytes:
        """The record that begins there."""
        found = self._read(start, size)
        if len(found) < size:
            raise StoreError(f"{self._path} ends before a text that is in it; use a backup of it and its store")
        return found

    def cut(self, size: int) -> None:
        """Let nothing stand behind so many bytes."""
        with _errors(self._path):
            there = os.fstat(self._file).st_size
            if there < size:
                raise StoreError(
                    f"{self._path} has {there} bytes of {size}; use a backup of it and its store, or remove it: then "
                    "the texts of the pages read so far are gone, and nothing else"
                )
            os.ftruncate(self._file, size)

    def add(self, records: bytes, start: int) -> None:
        """Write records from there on; when it returns, they are on the disk."""
        with _errors(self._path):
            view, at = memoryview(records), start
            while view:
                written = write_at(self._file, view, at)
                view, at = view[written:], at + written
            sync(self._file)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, start: int, size: int) -> bytes:
        with _errors(self._path):
            return read_at(self._file, size, start)


def unfinished(path: Path) -> Path:
    """Where the file is made anew."""
    return beside(path, ".new")


def _begins(path: Path, line: bytes) -> bool:
    """Whether there is a file that begins with a line."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return file.read(HEAD) == line


def _make(path: Path, line: bytes) -> None:
    new = unfinished(path)
    new.write_bytes(line)
    new.replace(path)
    sync_folder(path.parent)


class _errors:  # noqa: N801 - used as a function
    """Turn OSError inside the block into a StoreError sentence."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FileNotFoundError):
            raise StoreError(
                f"{self._path} is missing, which has the texts of the store's pages; put it back"
            ) from error
        if isinstance(error, OSError):
            what = error.strerror or error
            raise StoreError(f"{self._path} cannot be used: {what}; once it can, run again: nothing is lost") from error
