"""Write the archive: one open file per process that fetches, a record as soon as its response is complete.

A record is written at once. A file that exceeds its size is closed, and the next one begun. The order is record, sync,
commit: bytes behind the committed size of a file belong to no commit, and are cut off before the next run writes.
"""

import contextlib
import hashlib
import os
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from minicrawl.archive import record
from minicrawl.archive.reading import declared_type
from minicrawl.archive.record import Original
from minicrawl.errors import StoreError
from minicrawl.model import ArchiveRecord, Exchange, RecordKind
from minicrawl.system import sync as sync_file
from minicrawl.system import sync_folder

FILES, INDEXES = "archive", "indexes"
"""Folders of a collection, as in pywb."""
LEAST_REVISIT = 1000
"""Bytes. Smaller bodies are stored again: most duplicates are redirects and errors, and a revisit is no smaller."""
_REMEMBERED = 10_000
_PACKED_TYPE = re.compile(r"image/(?!svg)|audio/|video/|font/woff|[^/]*/(?:zip|gzip|pdf)$")
_CODED = re.compile(rb"\ncontent-encoding[\t ]*:", re.IGNORECASE)


Originals = tuple[Callable[[bytes], tuple[Original, str] | None], Callable[[str], tuple[Original, bytes, str] | None]]
"""Look-up of archived responses: by the SHA-1 of their body, and the last one of a URL, with the SHA-1 of its body.
Both give the file as well, which may be in another folder by now."""


@dataclass(frozen=True)
class Rules:
    """size: bytes after which a file is full. dedups: duplicate bodies are not stored again. facts: of each file, in
    its warcinfo. left_out: lower-case names of request fields that are not stored."""

    size: int
    dedups: bool
    facts: dict[str, str] = field(default_factory=dict)
    left_out: frozenset[bytes] = frozenset()


class ArchiveWriter:
    """Writes to files of its own in a folder. prefix: of their names. Raises StoreError."""

    def __init__(
        self, folder: Path, prefix: str, rules: Rules, originals: Originals, clock: Callable[[], float] = time.time
    ) -> None:
        self._folder = folder / FILES
        self._prefix = prefix
        self._rules = rules
        self._of_digest, self._of_url = originals
        self._clock = clock
        self._file: int | None = None
        self._name = self._warcinfo = ""
        self._size = self._serial = 0
        self._last = 0.0
        self._recent: OrderedDict[bytes, Original] = OrderedDict()  # not in the store yet

    def write(self, answer: Exchange) -> ArchiveRecord:
        """Write an answer and its request. Returns the place of the record."""
        at, media_type = self._at(answer.asked_at), declared_type(answer.head)
        ip = None if answer.peer is None else answer.peer.rpartition(":")[0].strip("[]")  # of "[::1]:80"
        both = record.sides(answer.url, at, ip, self._warcinfo, answer.protocol)
        kind, digest, known = self._judged(answer)
        ids = record.new_id(), record.new_id()
        if known is None:
            head = record.honest(answer.head, answer.status, len(answer.body))
            is_packed = may_be_packed(media_type, answer.head)
            reply = record.response(
                ids[0], both, head, answer.body, digest, truncated=answer.truncated, is_packed=is_packed
            )
        else:
            profile = record.NOT_MODIFIED if kind is RecordKind.NOT_MODIFIED else record.SAME_PAYLOAD
            reply = record.revisit(ids[0], both, answer.head, digest, profile, known)
        sent = record.without(answer.request, self._rules.left_out)
        asked = record.request(ids[1], both, sent, ids[0])
        start = self._append(reply + asked)
        if kind is RecordKind.RESPONSE and self._may_be_referred_to(answer):
            self._recent[digest] = answer.url, at
            if len(self._recent) > _REMEMBERED:
                self._recent.popitem(last=False)
        place = self._name, start, len(reply), self._size
        return ArchiveRecord(answer.url, at, *place, digest, str(kind), answer.status, media_type)

    def write_resource(self, url: str, at: float, media_type: str, body: bytes) -> ArchiveRecord:
        """Write a body that is not an answer, such as a screenshot. at: its date, in Unix seconds."""
        at = self._at(at)
        digest = hashlib.sha1(body, usedforsecurity=False).digest()
        both = record.sides(url, at, None, self._warcinfo)
        data = record.resource(record.new_id(), both, body, digest, media_type)
        start = self._append(data)
        kind, status = str(RecordKind.RESOURCE), 200
        return ArchiveRecord(url, at, self._name, start, len(data), self._size, digest, kind, status, media_type)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _at(self, at: float) -> float:
        """Begin a file if needed. Returns the date of a record; within a file none falls, even if the clock does."""
        if self._file is None or self._size >= self._rules.size:
            self._begin_file()
        self._last = max(at, self._last)
        return self._last

    def _judged(self, answer: Exchange) -> tuple[RecordKind, bytes, Original | None]:
        """The kind of record for an answer, the digest of its body, and the existing record with this body."""
        if answer.status == 304 and (before := self._of_url(answer.url)) and self._is_here(before[2]):
            return RecordKind.NOT_MODIFIED, before[1], before[0]
        digest = hashlib.sha1(answer.body, usedforsecurity=False).digest()
        original = None
        if self._may_be_referred_to(answer) and (original := self._recent.get(digest)) is None:
            found = self._of_digest(digest)
            original = found[0] if found is not None and self._is_here(found[1]) else None
        return (RecordKind.RESPONSE if original is None else RecordKind.REVISIT), digest, original

    def _may_be_referred_to(self, answer: Exchange) -> bool:
        """True if revisits may refer to the body: complete, with status 200, and not small."""
        is_whole = answer.status == 200 and answer.truncated is None
        return self._rules.dedups and is_whole and len(answer.body) >= LEAST_REVISIT

    def _is_here(self, file: str) -> bool:
        return (self._folder / file).exists()

    def _begin_file(self) -> None:
        self.close()
        now = self._clock()
        stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(now))
        with _errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            while self._file is None:
                self._name = f"{self._prefix}-{stamp}-{self._serial:05}-{os.getpid()}.warc.gz"
                self._serial += 1
                with contextlib.suppress(FileExistsError):
                    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                    self._file = os.open(self._folder / self._name, flags, 0o644)
        self._size, self._last = 0, 0.0
        self._warcinfo = record.new_id()
        self._append(record.warcinfo(self._warcinfo, now, self._name, self._rules.facts))

    def _append(self, data: bytes) -> int:
        """Append to the file. Returns the position; a partial write is undone."""
        assert self._file is not None
        start, view = self._size, memoryview(data)
        with _errors(self._folder / self._name):
            try:
                while view:
                    view = view[os.write(self._file, view) :]
            except OSError:
                os.ftruncate(self._file, start)
                os.lseek(self._file, start, os.SEEK_SET)
                raise
        self._size = start + len(data)
        return start


def may_be_packed(media_type: str, head: bytes) -> bool:
    """True if the body behind a head has a content coding or a compressed type."""
    return _PACKED_TYPE.match(media_type) is not None or _CODED.search(head) is not None


@contextlib.contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Convert errors of a file into a StoreError with a remedy."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"the archive at {path} cannot be written: {error.strerror}; check its disk and folder and run again, or "
            "name another folder with --archive; nothing committed is lost"
        ) from error


_SLACK = 600.0


def sync(folder: Path, names: Iterable[str], new: Iterable[str]) -> None:
    """Sync files, and the folder if there are new ones. Raises StoreError."""
    with _errors(folder):
        for name in names:
            with (folder / FILES / name).open("rb+", buffering=0) as file:
                sync_file(file.fileno())
        if any(True for _ in new):
            sync_folder(folder / FILES)


class Committed(NamedTuple):
    """The committed sizes of a store's files, whose names begin with `prefix`, and the time of its last commit (Unix
    seconds)."""

    prefix: str
    sizes: Mapping[str, int]
    at: float

    def size(self, name: str) -> int | None:
        """The committed bytes of a file; None for a file of another store."""
        return self.sizes.get(name, 0 if name.startswith(self.prefix) else None)

    def fault(self, path: Path, status: os.stat_result) -> str | None:
        """The reason why a file cannot be cut to its committed size; None if it can."""
        size = self.size(path.name) or 0
        if status.st_size < size:
            return (
                f"{path} has {status.st_size} bytes, but the store expects {size}; restore it from a backup, or "
                "move it away to continue without it"
            )
        if status.st_size > size and status.st_mtime > self.at + _SLACK:
            return (
                f"{path} is newer than this store, which must be an older copy; name another folder with --archive, or "
                "restore the store that belongs to it"
            )
        return None


def cut(folder: Path, committed: Committed) -> int:
    """Cut the files of a store to their committed sizes. Returns the number of bytes removed.

    Raises StoreError, and changes nothing, if a file is shorter than committed, or was written to long after the last
    commit: then the store is an old copy.
    """
    with _errors(folder):
        found = {path: path.stat() for path in (folder / FILES).glob(f"{committed.prefix}*.warc.gz")}
        for path, status in found.items():
            if (fault := committed.fault(path, status)) is not None:
                raise StoreError(fault)
        sizes = {path: committed.size(path.name) or 0 for path in found}
        for path, size in sizes.items():
            if not size:  # also a file begun by a killed run, still empty
                path.unlink()
            elif found[path].st_size > size:
                os.truncate(path, size)
    return sum(found[path].st_size - size for path, size in sizes.items())
