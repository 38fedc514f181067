"""Open the SQLite file, and turn each of its errors into one sentence.

Only this folder and the search import sqlite3.
"""

import contextlib
import errno
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import AcquireReturnProxy, FileLock, Timeout

from minicrawl import log
from minicrawl.errors import StoreError
from minicrawl.store.schema import OLDEST, SCHEMA_VERSION, schema, schema_errors
from minicrawl.store.upgrades import upgrade
from minicrawl.system import check_replaceable, is_shared_locked, put_in_place, sync_folder

APPLICATION_ID = 0x6D636C31  # "mcl1": tells our files from other programs'
# A commit changes a few rows on each of many pages of the file, and writes these pages whole, twice. Measured: 2 kB
# pages cost two thirds of the CPU of SQLite's 4 kB, 1 kB pages no less.
_PAGE_BYTES = 2048
# Growth of the write-ahead log between checkpoints: a page changed several times in between is copied once.
_LOG_BYTES = 32 * 2**20
# Timeout of the lock in seconds: `is_held` takes it for a moment, which must not turn a writer away.
_LOOK = 0.2

_DAMAGED = (
    "{path} is damaged: {error}; use a backup, or save what can be read of it: minicrawl salvage NEW --store {path}"
)
_COPY = ".before-upgrade"
_EARLIER = "is of an earlier version (schema {version}), and must be upgraded"
# By a part of SQLite's error message.
_SENTENCES = {
    "disk is full": "the disk that holds {path} is full; free some space and run again",
    "disk I/O error": "the disk that holds {path} fails ({error}); what was committed is kept: run again once it works",
    "locked": "{path} is locked by another program; close it and run again",
    "readonly": "{path} cannot be opened for writing; check its folder's permissions",
    "unable to open": "{path} cannot be opened; check its folder's permissions, and how many files may be open",
}
# By a part of the message of a call that the file has no part in.
_MISUSES = {
    "thread": "{path} was opened in another thread; open it again in this one",
    "closed": "{path} is closed; use it inside its 'with' block, or open it again",
}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class store_errors(contextlib.AbstractContextManager["store_errors"]):  # noqa: N801 - used as a function
    """Turn SQLite's exceptions inside the block into StoreError sentences that name the file. Reusable.

    A class, because it is faster than contextlib: a page's turn enters a dozen of these.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.DatabaseError | OSError):
            raise StoreError(_sentence(self._path, error)) from error
        if isinstance(error, UnicodeDecodeError):  # from text in the file, or SQLite's message about it
            raise damaged(self._path, "it has text that is not UTF-8") from error


def damaged(path: Path, what: str) -> StoreError:
    """The error of a damaged store, with the way out."""
    return StoreError(_DAMAGED.format(path=path, error=what))


def _sentence(path: Path, error: sqlite3.DatabaseError | OSError) -> str:
    """The message of an error, with the way out."""
    if path.is_dir():
        return (
            f"{path} cannot be opened: it is a folder, and this command needs one store; 'minicrawl gather {path} "
            "crawl.db' makes one of a crawl in partitions"
        )
    if isinstance(error, OSError):
        return f"{path} cannot be opened: {error.strerror}; name another file with --store"
    is_loose = "user-defined function" in str(error)  # one that gives rows other numbers
    if is_loose or getattr(error, "sqlite_errorname", "").startswith("SQLITE_CORRUPT"):
        return _DAMAGED.format(path=path, error="a row refers to one that is not in it" if is_loose else error)
    if isinstance(error, sqlite3.ProgrammingError):
        misuses = (sentence for part, sentence in _MISUSES.items() if part in str(error))
        return next(misuses, "{path} cannot be used: {error}").format(path=path, error=error)
    if not isinstance(error, sqlite3.OperationalError):
        return (
            f"{path} is damaged or not an SQLite file ({error}); use a backup or another --store, or save what can be "
            f"read of it: minicrawl salvage NEW --store {path}"
        )
    return fault_of_disk(path, error) or f"{path} cannot be used: {error}"


def fault_of_disk(path: Path, error: sqlite3.DatabaseError | OSError) -> str | None:
    """The message of an error of the disk, a lock or permissions; None if the file may be at fault."""
    if isinstance(error, OSError):
        return _SENTENCES["disk is full"].format(path=path) if error.errno in _NO_ROOM else None
    found = [sentence for part, sentence in _SENTENCES.items() if part in str(error)]
    is_of_file = not found or not isinstance(error, sqlite3.OperationalError)
    return None if is_of_file else found[0].format(path=path, error=error)


@contextlib.contextmanager
def closed_if_it_fails(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Close a connection if the block fails, without waiting for the garbage collector."""
    try:
        yield db
    except BaseException:
        db.close()
        raise


def _make_folder_of(path: Path) -> None:
    """Make the folder of a store; one, as more are a slip of the pen. Raises StoreError."""
    try:
        path.parent.mkdir(exist_ok=True)
    except FileNotFoundError as error:
        folder = path.parent if path.parent.parent.is_dir() else path.parent.parent  # as in /proc
        raise StoreError(f"there is no folder {folder}; make it, or name another file with --store") from error


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode to a store, which is made if there is none. Raises StoreError. `path`: a real one, see
    `real_path`."""
    with store_errors(path):
        _make_folder_of(path)
        if _is_missing(path):
            _make(path)
        names = path.stat().st_nlink
        if names > 1 and not path.is_dir():
            # The write-ahead log is named after the file: a crawl by another name would not see it.
            raise StoreError(
                f"{path} is one of {names} names (hard links) of one file, but a store may have only one; "
                f"remove the others, or make a copy with 'minicrawl backup' and use that"
            )
        # Used by one thread at a time, but not always the same one.
        opened = sqlite3.connect(path, isolation_level=None, cached_statements=512, check_same_thread=False)
        with closed_if_it_fails(opened) as db:
            _upgrade(db, path, _version(db, path))
            db.execute("PRAGMA journal_mode = WAL")
            # FULL: the log is on the disk before a commit returns, so a power cut loses no commit: no visit is made
            # twice and no host asked early. It costs one sync per commit, some milliseconds every half second. (NORMAL
            # syncs at checkpoints only: a power cut would lose the last minutes.)
            db.execute("PRAGMA synchronous = FULL")
            db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_BYTES // _PAGE_BYTES}")
            return db


def _make(path: Path) -> None:
    """Make an empty store under a temporary name and rename it, so a kill leaves no partial one."""
    unfinished = beside(path, ".new")
    parts = [beside(unfinished, ending) for ending in ("", "-journal", "-wal", "-shm")]
    remove_files(*parts, *logs(path))  # left by a killed run, or by a deleted store
    try:
        opened = sqlite3.connect(unfinished, isolation_level=None)
        with put_in_place(unfinished, path), contextlib.closing(opened) as db:
            db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            with transaction(db):
                for statement in schema():
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.execute("PRAGMA journal_mode = WAL")
    finally:
        remove_files(*parts)
    sync_folder(path.parent)


def remove_files(*files: Path) -> None:
    """Remove files, those that are there. Nobody may use them."""
    for file in files:
        file.unlink(missing_ok=True)


def _is_missing(path: Path) -> bool:
    """True if there is no store yet. Raises OSError for what cannot become one, such as a device."""
    check_replaceable(path)
    return size_of(path) == 0


def size_of(*files: Path) -> int:
    """The bytes of files, together; a log may be gone at any time, as the last reader removes it."""
    sizes = 0
    for file in files:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            sizes += file.stat().st_size
    return sizes


def beside(file: Path, ending: str) -> Path:
    """The path of a file with an ending added to its name."""
    return file.parent / (file.name + ending)


def logs(store: Path) -> tuple[Path, Path]:
    """The write-ahead log of a store, and the log's index."""
    return beside(store, "-wal"), beside(store, "-shm")


def real_path(path: Path) -> Path:
    """The path with links resolved, which names the file's lock and log."""
    return Path(os.path.realpath(path))


def keep_private(path: Path) -> None:
    """Make a store and its log, and so their copies, readable by the user only, as cookies are unencrypted. Raises
    StoreError."""
    store = real_path(path)
    for file in filter(Path.exists, (store, *logs(store))):
        mode = file.stat().st_mode & 0o777
        try:
            if mode & ~0o600:
                os.chmod(file, mode & 0o600)
        except OSError as error:
            raise StoreError(
                f"{file} holds cookies, which others must not read, but cannot be made private: "
                f"{error.strerror}; use another --store"
            ) from error


def identity(path: Path) -> tuple[int, int] | None:
    """Tells a file from another one that takes its place; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def check_in_place(path: Path, file: tuple[int, int] | None) -> None:
    """Raise StoreError if the file at `path` is another one by now: SQLite would go on writing to the old one."""
    found = identity(path)
    if found is None:
        raise StoreError(
            f"{path} was deleted or moved while the crawl was writing to it; put it back and run again: only the last "
            "second is lost; a deleted store is lost whole"
        )
    if found != file:
        raise StoreError(
            f"{path} was replaced by another file while the crawl was writing to it; the crawl's results went with the "
            "old file, and the new one is unchanged; run again to continue with that"
        )


def open_to_read(path: Path, *, upgrades: bool = True) -> sqlite3.Connection:
    """A read-only connection, which needs no write access to the store or its folder. A store of an earlier schema is
    upgraded first, unless `upgrades` is False. Raises StoreError, also when there is no store at `path`."""
    with store_errors(path):
        real = real_path(path)
        # With write access, a reader also removes the write-ahead log on close; it never writes to the tables.
        may_write = os.access(real, os.W_OK) and os.access(real.parent, os.W_OK)
        if _is_missing(real):
            raise StoreError(f"there is no crawl at {path} yet; run 'minicrawl crawl SEEDS --store {path}' first")
        unfolded, _ = logs(real)
        has_log = size_of(unfolded) > 0
        # Even to read a file with a log, SQLite needs the log's shared index, in the same folder.
        mode = "rw" if may_write else "ro" if has_log else "ro&immutable=1"
        with closed_if_it_fails(sqlite3.connect(f"{real.as_uri()}?mode={mode}", uri=True, isolation_level=None)) as db:
            db.execute("PRAGMA query_only = ON")
            try:
                version = _version(db, path)
            except sqlite3.OperationalError as error:
                if may_write or not has_log:
                    raise
                raise StoreError(
                    f"{path} cannot be read here: its last commits are in {unfolded}, and "
                    "reading them needs a writable folder; copy both files to one and read them there"
                ) from error
        is_left = may_write and upgrades and beside(real, _COPY).exists() and not is_held(real)  # by a kill
        if version == SCHEMA_VERSION and not is_left:
            return db
        db.close()
        if not upgrades:
            raise StoreError(f"{path} {_EARLIER.format(version=version)}; leave out --no-upgrade to upgrade it")
        if not may_write:
            raise StoreError(
                f"{path} {_EARLIER.format(version=version)}, but you may not write there; copy its files to a folder "
                "where you may write, and name the copy"
            )
        if is_held(real):
            raise StoreError(
                f"{path} {_EARLIER.format(version=version)}, but a crawl of that version or another upgrade is using "
                "it; wait for that, and run again"
            )
        with hold(real):
            open_to_write(real).close()
    return open_to_read(path)


def hold(path: Path) -> "AcquireReturnProxy[FileLock]":
    """The writer's lock of a store, acquired until a `with` block ends. Raises StoreError if another process holds it.

    It belongs to the real path. On a network file system with locks per machine (NFS mounted with nolock, say), it
    excludes writers of the same machine only.
    """
    with store_errors(path):
        _make_folder_of(path)
        check_replaceable(path)
        try:
            return FileLock(beside(real_path(path), ".lock")).acquire(timeout=_LOOK)
        except Timeout as error:
            raise StoreError(f"another crawl is using {path}; wait for it, or use another --store") from error


def is_held(path: Path) -> bool:
    """True if a writer holds the store at `path` right now."""
    with contextlib.suppress(OSError), beside(real_path(path), ".lock").open("rb") as lock:
        return is_shared_locked(lock.fileno())
    return False


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Run the block as a transaction: an exception or a crash leaves the file unchanged."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _version(db: sqlite3.Connection, path: Path) -> int:
    """The schema of a store, one that can be upgraded to this version's. Raises StoreError for any other."""
    (application_id,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if application_id != APPLICATION_ID:
        raise StoreError(f"{path} belongs to another program; use another --store")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer minicrawl (schema {version}, this one reads {SCHEMA_VERSION}); "
            "use that version, or another --store"
        )
    if version < OLDEST:
        raise StoreError(
            f"{path} has schema {version}, and only those from {OLDEST} on can be upgraded: 'minicrawl salvage NEW "
            f"--store {path}' makes a new store of its pages, links and settings"
        )
    return int(version)


def _upgrade(db: sqlite3.Connection, path: Path, version: int) -> None:
    """Bring an open store whose lock is held up to date, in one transaction. Meanwhile a copy of it stands beside it.

    Raises StoreError; the store is then as it was.
    """
    copy = beside(path, _COPY)
    files = (copy, *logs(copy), beside(copy, "-journal"))
    if version < SCHEMA_VERSION:
        started = time.monotonic()
        (size,) = db.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
        if (free := shutil.disk_usage(path.parent).free) < 2 * size:  # the copy, and what the step writes again
            raise StoreError(
                f"{path} {_EARLIER.format(version=version)}; that needs {2 * size / 1e6:,.0f} MB beside it, and "
                f"{free / 1e6:,.0f} MB are free: free some space and run again"
            )
        try:
            copy.touch(path.stat().st_mode & 0o777)  # readable by the same users as the store
            with contextlib.closing(sqlite3.connect(copy)) as kept:
                db.backup(kept)
            with transaction(db):
                upgrade(db, version)
                if errors := schema_errors(db):
                    raise damaged(path, errors[0])
        finally:
            remove_files(*files)
        seconds = time.monotonic() - started
        log.event("store-upgraded", store=str(path), before=version, after=SCHEMA_VERSION, seconds=seconds)
    remove_files(*files)  # of an upgrade that was killed
