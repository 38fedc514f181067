"""Opening the one SQLite file, and turning what can be wrong with it into one sentence.

With the rest of this folder the only place that imports sqlite3.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from minicrawl.errors import StoreError

APPLICATION_ID = 0x6D636C31  # "mcl1": tells our files from other programs'
SCHEMA_VERSION = 4
# What each version of the schema has that the one before it had not.
_NEW_TABLES = {2: ("rankings",), 3: ("patterns", "digests"), 4: ("fingerprints", "probes")}


@contextlib.contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's exceptions into StoreError sentences that name the file."""
    if path.is_dir():
        raise StoreError(f"{path} cannot be opened: it is a folder; name a file with --store")
    try:
        yield
    except sqlite3.OperationalError as error:
        message = str(error)
        if "disk is full" in message:
            raise StoreError(f"the disk that holds {path} is full; free some space and run again") from error
        if "locked" in message:
            raise StoreError(f"{path} is locked by another program; close it and run again") from error
        if "readonly" in message or "unable to open" in message:
            raise StoreError(f"{path} cannot be opened for writing; check its folder's permissions") from error
        raise StoreError(f"{path} cannot be used: {message}") from error
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path} is damaged or no SQLite file ({error}); use another --store") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}; name another file with --store") from error


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode, the schema in place. Raises StoreError."""
    with store_errors(path):
        is_new = not path.exists() or path.stat().st_size == 0
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, isolation_level=None, cached_statements=512)
        if not is_new:
            _check_identity(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        # NORMAL: a killed process loses nothing; a power cut may lose the last commits, never consistency.
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA cache_size = -65536")
        db.execute("PRAGMA wal_autocheckpoint = 4000")
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
    new = [table for version in range(schema_version(db) + 1, SCHEMA_VERSION + 1) for table in _NEW_TABLES[version]]
    for statement in _schema():
        if any(f"CREATE TABLE {table} (" in statement for table in new):
            db.execute(statement)
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
