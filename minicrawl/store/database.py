"""Opening the one SQLite file, and turning what can be wrong with it into one sentence.

With the rest of this folder the only place that imports sqlite3.
"""

import contextlib
import errno
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from minicrawl.errors import StoreError
from minicrawl.store.upgrade import bring_up_to_date, schema
from minicrawl.system import OUT_OF_FILES, is_out_of_files, is_shared_locked, sync_folder

APPLICATION_ID = 0x6D636C31  # "mcl1": tells our files from other programs'
SCHEMA_VERSION = 13
# A commit changes a few rows each on many pages of the file, and writes these whole, twice: measured, 2 kB pages cost
# two thirds of the CPU of SQLite's 4 kB, 1 kB pages no less.
_PAGE_BYTES = 2048
# The log is folded into the file when it has grown by so much: what is changed again before is written there once.
_LOG_BYTES = 32 * 2**20
# Seconds for which a look whether somebody writes may keep from it who wants to.
_LOOK = 0.2


_FILES = 4
"""That a connection may have open: the store, its log, what tells where in that is what, and a lock."""


_DAMAGED = (
    "{path} is damaged: {error}; use a backup, or save what can be read of it: minicrawl salvage NEW --store {path}"
)
# By a part of what SQLite says when it cannot do its work.
_SENTENCES = {
    "disk is full": "the disk that holds {path} is full; free some space and run again",
    "disk I/O error": "the disk that holds {path} fails ({error}); what was committed is kept: run again once it works",
    "locked": "{path} is locked by another program; close it and run again",
    "readonly": "{path} cannot be opened for writing; check its folder's permissions",
    "unable to open": "{path} cannot be opened for writing; check its folder's permissions",
}


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class store_errors:  # noqa: N801 - used as a function
    """Turn SQLite's exceptions inside the block into StoreError sentences that name the file. May be used again.

    Not made by contextlib: a page's turn comes through a dozen of these.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.DatabaseError | OSError):
            raise StoreError(_sentence(self._path, error)) from error
        if isinstance(error, UnicodeDecodeError):  # of text in the file, or of SQLite's own words on it
            raise damaged(self._path, "it has text that is not UTF-8") from error


def damaged(path: Path, what: str) -> StoreError:
    """What is wrong with a damaged store, and the way out."""
    return StoreError(_DAMAGED.format(path=path, error=what))


def _sentence(path: Path, error: sqlite3.DatabaseError | OSError) -> str:
    """What is wrong, and the way out."""
    if path.is_dir():
        return f"{path} cannot be opened: it is a folder; name the file of a store with --store, such as {path}/000.db"
    if _lacks_files(error):
        return f"{path} cannot be opened: too many files are open; 'ulimit -n 4096' before the command lets more be"
    if isinstance(error, OSError):
        return f"{path} cannot be opened: {error.strerror}; name another file with --store"
    if getattr(error, "sqlite_errorname", "").startswith("SQLITE_CORRUPT"):
        return _DAMAGED.format(path=path, error=error)
    if not isinstance(error, sqlite3.OperationalError):
        return (
            f"{path} is damaged or no SQLite file ({error}); use a backup or another --store, or save what can be read "
            f"of it: minicrawl salvage NEW --store {path}"
        )
    return fault_of_disk(path, error) or f"{path} cannot be used: {error}"


def fault_of_disk(path: Path, error: sqlite3.DatabaseError | OSError) -> str | None:
    """The sentence for an error that lies with the disk, a lock or rights; None where it may lie with the file."""
    if isinstance(error, OSError):
        return _SENTENCES["disk is full"].format(path=path) if error.errno in _NO_ROOM else None
    found = [sentence for part, sentence in _SENTENCES.items() if part in str(error)]
    is_of_file = not found or not isinstance(error, sqlite3.OperationalError)
    return None if is_of_file else found[0].format(path=path, error=error)


def _lacks_files(error: sqlite3.DatabaseError | OSError) -> bool:
    """Whether nothing is wrong but that too many files are open. SQLite says of that only that it cannot open one."""
    if isinstance(error, OSError):
        return error.errno in OUT_OF_FILES
    return "unable to open" in str(error) and is_out_of_files(_FILES)


@contextlib.contextmanager
def closed_if_it_fails(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Close a connection if the block fails: else it stays open until the garbage collector finds it."""
    try:
        yield db
    except BaseException:
        db.close()
        raise


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode, the schema in place. Raises StoreError. `path`: a real one, see `real_path`."""
    with store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        db = None if _is_missing(path) else _opened_to_write(path)
        if db is None:
            _make(path)
            db = _opened_to_write(path)
        assert db is not None, "a store that was just made is not blank"
    with store_errors(path), closed_if_it_fails(db):
        db.execute("PRAGMA journal_mode = WAL")
        # FULL: the log reaches the disk before a commit returns, so that a power cut too loses nothing that was
        # committed: no visit is made twice and no host asked early. It costs one sync per commit, some milliseconds
        # every half second. (NORMAL syncs at checkpoints only: a power cut would take the last minutes back.)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA cache_size = -40960")
        db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}")
        if schema_version(db) < SCHEMA_VERSION:
            with transaction(db):
                bring_up_to_date(db, schema_version(db))
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return db


def _opened_to_write(path: Path) -> sqlite3.Connection | None:
    """A connection to the store at `path`; None if that is no store yet, but a file with nothing in it."""
    names = path.stat().st_nlink
    if names > 1 and not path.is_dir():
        # The log of commits goes by the name of the file: a crawl by another name would not see it.
        raise StoreError(
            f"{path} is one of {names} names (hard links) of a file, and a store may have but one; "
            f"remove the others, or make a copy with 'minicrawl backup' and use that"
        )
    # One thread at a time uses it, but not always the same one.
    opened = sqlite3.connect(path, isolation_level=None, cached_statements=512, check_same_thread=False)
    with closed_if_it_fails(opened) as db:
        if not _is_blank(db):
            _check_identity(db, path)
            return db
    db.close()
    return None


def _make(path: Path) -> None:
    """Make an empty store. It is whole when it gets its name, so that a kill on the way leaves none."""
    unfinished = beside(path, ".new")
    parts = [beside(unfinished, ending) for ending in ("", "-journal", "-wal", "-shm")]
    _remove(*parts, *logs(path))  # of one that was killed, or of a store that was deleted: not this one's
    try:
        with contextlib.closing(sqlite3.connect(unfinished, isolation_level=None)) as db:
            db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            with transaction(db):
                for statement in schema():
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.execute("PRAGMA journal_mode = WAL")
        unfinished.replace(path)
    finally:
        _remove(*parts)
    sync_folder(path.parent)


def _remove(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _is_missing(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0


def _is_blank(db: sqlite3.Connection) -> bool:
    """Whether nothing was ever put into a file: older versions left such if they were killed as they made a store."""
    (application_id,) = db.execute("PRAGMA application_id").fetchone()
    return not application_id and db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None


def beside(file: Path, ending: str) -> Path:
    """The file beside another that has its name and this ending."""
    return file.parent / (file.name + ending)


def logs(store: Path) -> tuple[Path, Path]:
    """The log of commits that are not yet in the file of a store, and its index."""
    return beside(store, "-wal"), beside(store, "-shm")


def real_path(path: Path) -> Path:
    """The one name of a file that is reached through links and relative paths: its lock and log go by that."""
    return Path(os.path.realpath(path))


class Watch:
    """Notices when the file at `path` is no longer the one that was opened: SQLite would go on writing to that."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = self._found()

    def check(self) -> None:
        """Raises StoreError if the file was deleted, moved or replaced."""
        found = self._found()
        if found == self._file:
            return
        if found is None:
            raise StoreError(
                f"{self._path} was deleted or moved while the crawl was writing to it; if it was moved, put it back "
                "and run again: only what was fetched in the last second is lost; else all that it held is"
            )
        raise StoreError(
            f"{self._path} was replaced by another file while the crawl was writing to it; what the crawl had found "
            "went with the old file, and nothing was written to the new one; run again to go on with that"
        )

    def _found(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._path)
        except OSError:
            return None
        return status.st_dev, status.st_ino


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Raises StoreError, also when there is no store at `path`.

    A store of an older version is brought up to date first, by whoever opens it. One that cannot be written to, or
    whose folder cannot, can be read.
    """
    with store_errors(path):
        real = real_path(path)
        # Where it may, a reader also clears away the write-ahead log behind it; it never writes to the tables.
        may_write = os.access(real, os.W_OK) and os.access(real.parent, os.W_OK)
        db = None if _is_missing(real) else _opened_to_read(path, real, may_write=may_write)
        if db is None:
            raise StoreError(f"there is no crawl at {path} yet; run 'minicrawl crawl SEEDS --store {path}' first")
        with closed_if_it_fails(db):
            _check_identity(db, path)
            if schema_version(db) == SCHEMA_VERSION:
                return db
        db.close()
    if not may_write:
        raise StoreError(f"{path} is an older minicrawl's and cannot be written to; read a copy of it that can")
    with hold(path):
        open_to_write(real).close()
    return open_to_read(path)


def _opened_to_read(path: Path, real: Path, *, may_write: bool) -> sqlite3.Connection | None:
    """A connection to the store at `path`, whose real path is `real`; None if nothing was ever put into it."""
    log, _ = logs(real)
    has_log = log.exists() and log.stat().st_size > 0
    # Even to read a file that has a log, SQLite has to share an index of the log with others, in the same folder.
    mode = "rw" if may_write else "ro" if has_log else "ro&immutable=1"
    with closed_if_it_fails(sqlite3.connect(f"{real.as_uri()}?mode={mode}", uri=True, isolation_level=None)) as db:
        db.execute("PRAGMA query_only = ON")
        try:
            is_blank = _is_blank(db)
        except sqlite3.OperationalError as error:
            if may_write or not has_log:
                raise
            raise StoreError(
                f"{path} cannot be read here: its last commits are in {log}, and to read them takes a folder that can "
                "be written to; copy both files to such a one and read them there"
            ) from error
    if is_blank:
        db.close()
        return None
    return db


def hold(path: Path) -> FileLock:
    """The lock of the one who writes to a store, held until it is released. Raises StoreError if another has it.

    It is the file's, by whatever links and paths that is reached. Where a network file system keeps locks to one
    machine (NFS mounted with nolock, say), so does this.
    """
    lock = FileLock(_lock_of(path))
    with store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=_LOOK)
        except Timeout as error:
            raise StoreError(f"another crawl is using {path}; wait for it, or use another --store") from error
    return lock


def is_held(path: Path) -> bool:
    """Whether somebody writes to the store at `path` right now."""
    lock = _lock_of(path)
    if not lock.exists():
        return False
    try:
        with FileLock(lock).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # not ours to write to; to look whether it is locked, we need not
        return _is_locked(lock)


def _lock_of(path: Path) -> Path:
    return beside(real_path(path), ".lock")


def _is_locked(lock: Path) -> bool:
    try:
        handle = os.open(lock, os.O_RDONLY)
    except OSError:
        return False
    try:
        return is_shared_locked(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All or nothing: a crash inside the block leaves the file as it was before it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def schema_errors(db: sqlite3.Connection) -> list[str]:
    """One sentence per table, index and view that is not what schema.sql makes, but for comments and blanks."""
    with contextlib.closing(sqlite3.connect(":memory:")) as sound:
        for statement in schema():
            sound.execute(statement)
        meant = _definitions(sound)
    found = _definitions(db)
    broken = [what for what, words in meant.items() if found.get(what) != words]
    return [f"the {kind} {name} is not what this version makes" for kind, name in broken]


def _definitions(db: sqlite3.Connection) -> dict[tuple[str, str], list[str]]:
    """The words that define what is in a database, by kind and name."""
    rows = db.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {(kind, name): re.sub("--.*", "", sql).split() for kind, name, sql in rows}


def schema_version(db: sqlite3.Connection) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def _check_identity(db: sqlite3.Connection, path: Path) -> None:
    (application_id,) = db.execute("PRAGMA application_id").fetchone()
    version = schema_version(db)
    if application_id != APPLICATION_ID:
        db.close()
        raise StoreError(f"{path} belongs to another program; use another --store")
    if version > SCHEMA_VERSION:
        db.close()
        raise StoreError(
            f"{path} was written by a newer minicrawl (schema {version}, this one reads {SCHEMA_VERSION}); upgrade"
        )
