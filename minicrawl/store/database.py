"""Opening the one SQLite file, and turning what can be wrong with it into one sentence.

With the rest of this folder the only place that imports sqlite3.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from minicrawl.errors import StoreError
from minicrawl.store.upgrade import bring_up_to_date, schema

APPLICATION_ID = 0x6D636C31  # "mcl1": tells our files from other programs'
SCHEMA_VERSION = 6
# A commit changes a few rows each on many pages of the file, and writes these whole, twice: measured, 2 kB pages cost
# two thirds of the CPU of SQLite's 4 kB, 1 kB pages no less.
_PAGE_BYTES = 2048
# The log is folded into the file when it has grown by so much: what is changed again before is written there once.
_LOG_BYTES = 32 * 2**20


# By a part of what SQLite says when it cannot do its work.
_SENTENCES = {
    "disk is full": "the disk that holds {path} is full; free some space and run again",
    "disk I/O error": "the disk that holds {path} fails ({error}); what was committed is kept: run again once it works",
    "locked": "{path} is locked by another program; close it and run again",
    "readonly": "{path} cannot be opened for writing; check its folder's permissions",
    "unable to open": "{path} cannot be opened for writing; check its folder's permissions",
}


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


def _sentence(path: Path, error: sqlite3.DatabaseError | OSError) -> str:
    """What is wrong, and the way out."""
    if path.is_dir():
        return f"{path} cannot be opened: it is a folder; name a file with --store"
    if isinstance(error, OSError):
        return f"{path} cannot be opened: {error.strerror}; name another file with --store"
    if not isinstance(error, sqlite3.OperationalError):
        return f"{path} is damaged or no SQLite file ({error}); use another --store"
    sentences = (sentence for part, sentence in _SENTENCES.items() if part in str(error))
    return next(sentences, "{path} cannot be used: {error}").format(path=path, error=error)


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode, the schema in place. Raises StoreError."""
    with store_errors(path):
        is_new = not path.exists() or path.stat().st_size == 0
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, isolation_level=None, cached_statements=512)
        if not is_new:
            _check_identity(db, path)
        db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")  # of a new file
        db.execute("PRAGMA journal_mode = WAL")
        # FULL: the log reaches the disk before a commit returns, so that a power cut too loses nothing that was
        # committed: no visit is made twice and no host asked early. It costs one sync per commit, some milliseconds
        # every half second. (NORMAL syncs at checkpoints only: a power cut would take the last minutes back.)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA cache_size = -40960")
        db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}")
        if is_new:
            with transaction(db):
                for statement in schema():
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        elif schema_version(db) < SCHEMA_VERSION:
            with transaction(db):
                bring_up_to_date(db, schema_version(db))
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return db


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Raises StoreError, also when there is no store at `path`.

    A store of an older version is brought up to date first, by whoever opens it.
    """
    if not path.exists():
        raise StoreError(f"there is no crawl at {path} yet; run 'minicrawl crawl SEEDS --store {path}' first")
    with store_errors(path):
        # Where it may, a reader also clears away the write-ahead log behind it; it never writes to the tables.
        may_write = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
        mode = "rw" if may_write else "ro"
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
        db.execute("PRAGMA query_only = ON")
        _check_identity(db, path)
        if schema_version(db) == SCHEMA_VERSION:
            return db
        db.close()
    if not may_write:
        raise StoreError(f"{path} is an older minicrawl's and cannot be written to; read a copy of it that can")
    with hold(path):
        open_to_write(path).close()
    return open_to_read(path)


def hold(path: Path) -> FileLock:
    """The lock of the one who writes to a store, held until it is released. Raises StoreError if another has it."""
    lock = FileLock(f"{path}.lock")
    with store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreError(f"another crawl is using {path}; wait for it, or use another --store") from error
    return lock


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
