"""The index's folder beside the store, which can be removed and built anew at any time.

words     the inverted index, see inverted.py
book.db   what it was built from: a SQLite file

Both are committed one after the other, the inverted index first. A kill in between leaves documents of which the book
does not know yet: they are put again, each in place of the one before.
"""

import contextlib
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from minicrawl import installed
from minicrawl.errors import SettingError, StoreError
from minicrawl.store.database import beside, fault_of_disk, logs, real_path

if TYPE_CHECKING:
    from minicrawl.search.index.inverted import InvertedIndex

ENDING = ".search"
APPLICATION_ID = 0x6D635372  # "mcSr"
VERSION = 4
SCHEMA = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
    CREATE TABLE pages (                     -- pages whose text was taken in
        page     INTEGER PRIMARY KEY,        -- pages.id of the store
        start    INTEGER NOT NULL,           -- where the text stood: texts.start of the store
        digest   INTEGER NOT NULL,           -- of the text as it is kept
        shown    INTEGER NOT NULL            -- 0: the page is not to be shown
    ) STRICT;
"""


def index_path(store: Path) -> Path:
    """The path of a store's index."""
    return beside(real_path(store), ENDING)


def store_mark(hash_key: bytes) -> str:
    """The mark of a store. hash_key: no two stores share one."""
    return blake2b(hash_key, digest_size=16).hexdigest()


class Index:
    """An index, open: its book and its words. Raises StoreError."""

    def __init__(self, path: Path, db: sqlite3.Connection, words: "InvertedIndex") -> None:
        self.path = path
        self.db = db
        self.words = words
        self._inode = (path / _BOOK).stat().st_ino

    @property
    def is_replaced(self) -> bool:
        """True if another index, or none, has taken its place since it was opened."""
        try:
            return (self.path / _BOOK).stat().st_ino != self._inode
        except FileNotFoundError:
            return True

    def meta(self, key: str) -> int | float | str | None:
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, **values: float | str | None) -> None:
        self.db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: a crash inside the block leaves the book as it was before it, and puts no document twice."""
        with index_errors(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.words.commit()
            except BaseException:
                self.words.rollback()
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")

    def size(self) -> int:
        """Bytes of the index."""
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())

    def close(self) -> None:
        try:
            with index_errors(self.path):
                self.words.close()
        finally:
            self.db.close()

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def index_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the inverted index into a StoreError with a way out."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        raise StoreError(fault_of_disk(path, error) or _REBUILD.format(path=path, error=error)) from error
    except ValueError as error:  # of tantivy, or of what is not as it was written
        if "No space left" in str(error):
            raise StoreError(f"the disk of {path} is full; free some space and run again") from error
        raise _damaged(path, error) from error
    except BaseException as error:
        if type(error).__module__ == "pyo3_runtime":  # a panic of tantivy, which is no Exception
            raise _damaged(path, error) from None
        raise


_REBUILD = "the index {path} cannot be used ({error}); 'minicrawl index --rebuild' builds it anew"
_CAUSE = re.compile(r'message: "([^"]*)"')


def _damaged(path: Path, error: BaseException) -> StoreError:
    """The error of an index that cannot be read; with a cause if the system gave one, not in the words of tantivy."""
    if cause := _CAUSE.search(str(error)):
        return StoreError(_REBUILD.format(path=path, error=cause[1]))
    return StoreError(f"the index {path} is damaged; 'minicrawl index --rebuild' builds it anew")


@contextlib.contextmanager
def hold_index(path: Path) -> Iterator[None]:
    """Hold the index's lock for writing, and clear away what a killed `replacing` has left.

    Raises StoreError if another process has the lock.
    """
    lock = FileLock(beside(path, ".lock"))
    with index_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreError(f"another process is writing the index {path}; wait for it") from error
    try:
        with index_errors(path):
            new, old = beside(path, ".new"), beside(path, ".old")
            if old.exists() and not path.exists():
                old.replace(path)
            remove_index(new)
            remove_index(old)
        yield
    finally:
        lock.release()


def open_index(path: Path, mark: str, *, writes: bool = False) -> Index:
    """Open the index at `path`. mark: of its store. writes: a missing index is made.

    Raises SettingError if it is missing, StoreError if it cannot be used.
    """
    _check_installed()
    if writes:
        with index_errors(path):
            if not path.exists():
                _make(path, mark)
    elif not path.exists():
        raise SettingError(f"there is no index at {path} yet; 'minicrawl index' builds it from the texts of the store")
    if not path.is_dir():
        raise StoreError(f"{path} was made by another version; 'minicrawl index --rebuild' builds it anew")
    if not all((path / part).is_file() for part in (_BOOK, f"{_WORDS}/meta.json")):
        raise StoreError(f"the index {path} is incomplete; 'minicrawl index --rebuild' makes it anew")
    with contextlib.ExitStack() as stack:
        db = stack.enter_context(contextlib.closing(_connected(path / _BOOK, writes=writes)))
        _check(path, db, mark)
        index = Index(path, db, _words(path / _WORDS, writes=writes))
        stack.pop_all()
    return index


_BOOK, _WORDS = "book.db", "words"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The path of a new index, which replaces the one at `path` if the block succeeds. Hold the index meanwhile.

    Whoever has the old one open goes on reading it.
    """
    new, old = beside(path, ".new"), beside(path, ".old")
    yield new
    with index_errors(path):
        if path.exists():
            path.replace(old)
        new.replace(path)
        remove_index(old)


def remove_index(path: Path) -> None:
    """Remove an index, whatever its state."""
    with index_errors(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        for part in (path, *logs(path)):  # of versions whose index was a file
            part.unlink(missing_ok=True)


def _check_installed() -> None:
    """Raise SettingError without tantivy."""
    try:
        import tantivy  # noqa: F401, PLC0415 - a search alone needs it
    except ImportError as error:
        raise SettingError(f"a search needs tantivy; run: {installed.adding('search')}") from error


def _words(folder: Path, *, writes: bool) -> "InvertedIndex":
    from minicrawl.search.index.inverted import InvertedIndex  # noqa: PLC0415 - see _check_installed

    with index_errors(folder.parent):
        if writes or os.access(folder, os.W_OK):
            return InvertedIndex(folder, writes=writes)
        # tantivy writes a lock where it reads; in a folder that cannot be written it gets links to the files.
        with tempfile.TemporaryDirectory() as linked:
            for file in folder.iterdir():
                if not file.name.endswith(".lock"):
                    (Path(linked) / file.name).symlink_to(file)
            return InvertedIndex(Path(linked))


def _connected(book: Path, *, writes: bool) -> sqlite3.Connection:
    with index_errors(book.parent):
        may_write = writes or (os.access(book, os.W_OK) and os.access(book.parent, os.W_OK))
        has_log = logs(book)[0].exists()
        mode = "rw" if may_write else "ro" if has_log else "ro&immutable=1"
        db = sqlite3.connect(f"{book.as_uri()}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA synchronous = NORMAL" if writes else "PRAGMA query_only = ON")
            db.execute("PRAGMA cache_size = -32000")
            db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except BaseException:
            db.close()
            raise
        return db


def _check(path: Path, db: sqlite3.Connection, mark: str) -> None:
    with index_errors(path):
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise StoreError(f"{path} belongs to another program; move it away")
        if version != VERSION:
            raise StoreError(f"{path} was made by another version; 'minicrawl index --rebuild' builds it anew")
        if db.execute("SELECT value FROM meta WHERE key = 'store'").fetchone() != (mark,):
            raise StoreError(
                f"{path} is the index of another store; 'minicrawl index --rebuild' builds the one of this store"
            )


def _make(path: Path, mark: str) -> None:
    """Make an empty index, which gets its name when complete."""
    new = beside(path, ".new")
    remove_index(new)
    (new / _WORDS).mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(new / _BOOK, isolation_level=None)) as db:
        db.execute("PRAGMA page_size = 8192")
        db.executescript(SCHEMA)
        db.execute("INSERT INTO meta (key, value) VALUES ('store', ?)", (mark,))
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("PRAGMA journal_mode = WAL")
    _words(new / _WORDS, writes=True).close()
    new.replace(path)
