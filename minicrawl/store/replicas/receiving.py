"""A replica of a store, on another disk: the copy of its file, of its log and of its texts.

    001.db.replica.new    the copy of the file while it is not whole
    001.db.replica        whole; the log beside it has the commits since
    001.db.replica.text   the texts of pages

Parts are taken in order, and each is on the disk before it is acknowledged. A part that comes again is ignored; one
behind a gap is refused, and so is a sender after another has begun: it begins again.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.database import beside, logs, store_errors
from minicrawl.store.reader import open_store
from minicrawl.store.replicas.log_file import Mark
from minicrawl.store.texts.text_file import ENDING
from minicrawl.store.upkeep import put_in_place
from minicrawl.system import BINARY, sync, sync_folder, write_at

PIECE = 2**20
"""Bytes of the pieces of a file that are compared."""
FILE, LOG = "", "-wal"


class Position(NamedTuple):
    """What a replica has: the log up to a mark, and `size` bytes of the texts with this first line."""

    mark: Mark | None
    line: bytes
    size: int


class Part(NamedTuple):
    """Bytes of a file of a store. number: in order from 1 on, by session; session: of the sender; ending: of the file's
    name.

    A part of the store's file without bytes ends the copy, at `start` bytes. after: what the replica has with this
    part; None while it is not whole.
    """

    session: str
    number: int
    ending: str
    start: int
    some: bytes
    after: Position | None


class GapError(StoreError):
    """A part is not the next one, or of a sender that may not go on: it has to begin again."""


class Replica:
    """The replica of a store that would be at `store` here. Raises StoreError, and OSError for a disk that fails."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._path = beside(store, ".replica")
        self._unfinished = beside(self._path, ".new")
        self._session, self._number = "", 0
        self._at: Position | None = None

    def begin(self, session: str, generation: int) -> Position | None:
        """Begin a session, which ends others. Returns what the replica has; None if it may be anything.

        generation: of the source. Raises GapError if the store that is here is no older: this replica took over.
        """
        if self._store.exists():
            with open_store(self._store) as taken_over:
                if int(taken_over.meta("generation") or 0) >= generation:
                    raise GapError(f"{self._store} has taken the place of this store, which is of an earlier time")
        self._session, self._number = session, 0
        return self._at

    def digests(self) -> Mapping[str, Sequence[bytes]]:
        """The digests of the pieces of each file, as far as there are any; the log is empty afterwards."""
        self._at = None
        self._store.parent.mkdir(parents=True, exist_ok=True)
        self._fold()
        file = self._path if self._path.exists() else self._unfinished
        return {FILE: list(digests(file)), ENDING: list(digests(beside(self._path, ENDING)))}

    def take(self, part: Part) -> int:
        """Take a part. Returns the number of the last one taken."""
        if part.session != self._session:
            raise GapError("another sender has begun since")
        if part.number > self._number + 1:
            raise GapError(f"part {self._number + 1} is missing, and part {part.number} has come")
        if part.number == self._number + 1:
            self._at = None
            self._write(part)
            self._number, self._at = part.number, part.after
        return self._number

    def take_over(self, generation: int) -> None:
        """Put the replica in the place of the store, as of the last commit taken. Ends all sessions.

        Raises StoreError if there is no whole replica. A call that was killed may be repeated.
        """
        self._session, self._at = "", None
        if not self._path.exists():
            raise StoreError(f"{self._path} is missing: there is no replica of this store, or it is not whole")
        put_in_place(self._path, self._store, generation)

    def _write(self, part: Part) -> None:
        if part.ending == LOG and part.start == 0:
            self._fold()
        if part.ending != FILE:
            _put(beside(self._path, part.ending), part)
            return
        if part.some and self._path.exists():
            self._path.replace(self._unfinished)
        file = self._path if self._path.exists() else self._unfinished
        _put(file, part, ends=not part.some)
        if not part.some and file == self._unfinished:
            file.replace(self._path)
            sync_folder(file.parent)

    def _fold(self) -> None:
        """Write the commits of the log into the file."""
        log, index = logs(self._path)
        if self._path.exists() and log.exists():
            with store_errors(self._path), closing(sqlite3.connect(self._path)) as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for left in (log, index):
            left.unlink(missing_ok=True)


def digests(file: Path) -> Iterator[bytes]:
    """The digests of a file's pieces; none for a missing file."""
    if file.exists():
        with file.open("rb") as pieces:
            while piece := pieces.read(PIECE):
                yield digest(piece)


def digest(piece: bytes) -> bytes:
    return blake2b(piece, digest_size=16).digest()


def _put(file: Path, part: Part, *, ends: bool = False) -> None:
    """Write a part to a file, made if missing, and sync it. ends: cut the file behind the part."""
    is_new = not file.exists()
    handle = os.open(file, os.O_RDWR | os.O_CREAT | BINARY, 0o600)
    try:
        view, at = memoryview(part.some), part.start
        while view:
            written = write_at(handle, view, at)
            view, at = view[written:], at + written
        if ends:
            os.ftruncate(handle, at)
        sync(handle)
    finally:
        os.close(handle)
    if is_new:
        sync_folder(file.parent)
