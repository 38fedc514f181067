"""Opening the one SQLite file, and turning what can be wrong with it into one sentence.

With the rest of this folder the only place that imports sqlite3.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from types import TracebackType

from minicrawl.errors import StoreError

APPLICATION_ID = 0x6D636C31  # "mcl1": tells our files from other programs'
SCHEMA_VERSION = 4
# What each version of the schema has that the one before it had not: tables and indexes, and columns of tables that
# were there.
_NEW_TABLES: dict[int, tuple[str, ...]] = {
    2: ("rankings",),
    3: ("patterns", "digests"),
    4: ("refused", "sitemaps", "sitemap_urls", "sitemap_pages", "fingerprints", "probes"),
}
_NEW_INDEXES: dict[int, tuple[str, ...]] = {4: ("pages_seeds",)}
_NEW_COLUMNS: dict[int, dict[str, tuple[str, ...]]] = {
    4: {
        "hosts": (
            "seconds REAL NOT NULL DEFAULT 0",
            "backoff REAL NOT NULL DEFAULT 0",
            "strains INTEGER NOT NULL DEFAULT 0",
            "dead_until REAL NOT NULL DEFAULT 0",
        )
    }
}
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
        db.execute("PRAGMA cache_size = -65536")
        db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}")
        if is_new:
            with transaction(db):
                for statement in _schema():
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        elif schema_version(db) < SCHEMA_VERSION:
            with transaction(db):
                _bring_up_to_date(db)
        return db


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Raises StoreError, also when there is no store at `path`."""
    if not path.exists():
        raise StoreError(f"there is no crawl at {path} yet; run 'minicrawl crawl SEEDS --store {path}' first")
    with store_errors(path):
        # Where it may, a reader also clears away the write-ahead log behind it; it never writes to the tables.
        mode = "rw" if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) else "ro"
        db = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None)
        db.execute("PRAGMA query_only = ON")
        _check_identity(db, path)
        return db


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


def _bring_up_to_date(db: sqlite3.Connection) -> None:
    """Add what newer versions of the schema have; what is there stays as it is."""
    versions = range(schema_version(db) + 1, SCHEMA_VERSION + 1)
    tables = [table for version in versions for table in _NEW_TABLES.get(version, ())]
    indexes = [index for version in versions for index in _NEW_INDEXES.get(version, ())]
    new = [f"CREATE TABLE {table} (" for table in tables] + [f"CREATE INDEX {index} ON" for index in indexes]
    for statement in _schema():
        if any(each in statement for each in new):
            db.execute(statement)
    for version in versions:
        for table, columns in _NEW_COLUMNS.get(version, {}).items():
            if table not in tables:  # one that was just made has them
                for column in columns:
                    db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _schema() -> Iterator[str]:
    """The statements of schema.sql."""
    statement = ""
    for line in files("minicrawl.store").joinpath("schema.sql").read_text("utf-8").splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


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
