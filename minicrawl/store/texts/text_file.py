"""The append-only file of page texts beside a store.

Its first line names the store it belongs to, and the number of rewrites. A record is synced before the commit of its
offset, so every record that the store knows is on the disk. Bytes behind the last committed record come from a killed
run, and the next run cuts them off. So every text is kept exactly once.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from minicrawl.errors import StoreError
from minicrawl.store.database import beside, real_path
from minicrawl.system import sync, sync_folder

ENDING = ".text"
_FORM = "minicrawl text 1 {store} {made:>8}\n"
HEAD = len(_FORM.format(store="0" * 32, made=0))
"""Bytes before the first record."""
_PIECE = 2**20
"""Bytes that are copied at a time."""


def text_path(store: Path) -> Path:
    return beside(real_path(store), ENDING)


def first_line(hash_key: bytes, made: int) -> bytes:
    """The first line of a store's file. hash_key: unique to the store; made: number of rewrites of the file."""
    return _FORM.format(store=blake2b(hash_key, digest_size=16).hexdigest(), made=made).encode()


class TextFile(AbstractContextManager["TextFile"]):
    """A file of texts, open. Raises StoreError."""

    def __init__(self, path: Path, line: bytes, *, writes: bool = False) -> None:
        """line: the expected first line. writes: open for adding records, and make a missing file."""
        self._path = path
        new = unfinished(path)
        with _errors(path):
            is_new = False  # True: there is a rewritten file that is not renamed yet
            with suppress(FileNotFoundError), new.open("rb") as file:
                is_new = file.read(HEAD) == line
            if writes and not is_new and not path.exists():
                new.write_bytes(line)
                is_new = True
            if writes and is_new:
                new.replace(path)
                sync_folder(path.parent)
            elif writes:
                new.unlink(missing_ok=True)
            flags = os.O_RDWR if writes else os.O_RDONLY
            self._file = os.open(new if is_new and not writes else path, flags)
        try:
            found = self._read(0, HEAD)
            if found[:-9] != line[:-9]:
                raise StoreError(f"{path} does not belong to this store; move it away, or use another --store")
            if found != line:
                raise StoreError(f"{path} is older or newer than its store; put back the one that belongs to it")
        except BaseException:
            os.close(self._file)
            raise

    def read(self, start: int, size: int) -> bytes:
        found = self._read(start, size)
        if len(found) < size:
            raise StoreError(f"{self._path} ends before a text that is in it; use a backup of it and its store")
        return found

    def copy_to(self, target: BinaryIO, start: int, end: int) -> None:
        """Write a part of the file to another one, which is synced."""
        for at in range(start, end, _PIECE):
            target.write(self.read(at, min(_PIECE, end - at)))
        target.flush()
        sync(target.fileno())

    def cut(self, size: int) -> None:
        with _errors(self._path):
            there = os.fstat(self._file).st_size
            if there < size:
                raise StoreError(
                    f"{self._path} has {there} bytes of {size}; use a backup of it and its store, or remove it: then "
                    "the texts of the pages read so far are gone, and nothing else"
                )
            os.ftruncate(self._file, size)

    def add(self, records: bytes, start: int) -> None:
        """Write records at `start`, and sync them to the disk."""
        with _errors(self._path):
            view, at = memoryview(records), start
            while view:
                written = os.pwrite(self._file, view, at)
                view, at = view[written:], at + written
            sync(self._file)

    def close(self) -> None:
        os.close(self._file)

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, start: int, size: int) -> bytes:
        with _errors(self._path):
            return os.pread(self._file, size, start)


def unfinished(path: Path) -> Path:
    """The path of the file while it is rewritten."""
    return beside(path, ".new")


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turn OSError inside the block into a StoreError sentence."""
    try:
        yield
    except FileNotFoundError as error:
        raise StoreError(f"{path} is missing; it has the texts of the store's pages: put it back") from error
    except OSError as error:
        what = error.strerror or error
        raise StoreError(f"{path} cannot be used: {what}; once it can, run again: nothing is lost") from error
