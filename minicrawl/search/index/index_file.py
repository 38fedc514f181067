"""The index file: a SQLite file beside the store, which can be removed and rebuilt at any time.

It has two barrels, each a table of FTS5. The short barrel has a page's title, anchor texts, headings and URL, the full
barrel its whole text. They are separate because a score is divided by the length of a row: in one table a long text
would drown its title.

Only features of SQLite 3.40 are used. The full barrel stores no text, so nothing can be removed from it: outdated texts
are listed in `dead` until the index is rebuilt.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from filelock import FileLock, Timeout

from minicrawl.errors import SettingError, StoreError
from minicrawl.search.index.anchors import ANCHOR_BITS
from minicrawl.search.index.words import TOKENIZER
from minicrawl.store.database import beside, fault_of_disk, logs, real_path

ENDING = ".search"
APPLICATION_ID = 0x6D635372  # "mcSr"
VERSION = 2
SCHEMA = f"""
    CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
    CREATE TABLE pages (                     -- pages whose text was taken in
        page     INTEGER PRIMARY KEY,        -- pages.id of the store
        start    INTEGER NOT NULL,           -- where the text stood: texts.start of the store
        digest   INTEGER NOT NULL,           -- of the text as it is kept
        document INTEGER,                    -- rowid in full; NULL: the page is not to be shown
        language TEXT,
        anchors  BLOB    NOT NULL            -- anchors.id of its links, packed
    ) STRICT;
    CREATE TABLE anchors (                   -- what links say that lead to a page
        id       INTEGER PRIMARY KEY,        -- of the target, and one among what is said of it
        target   INTEGER AS (id >> {ANCHOR_BITS}),  -- pages.id of the store
        site     INTEGER,                    -- hash of the site of the linking pages; NULL: the target's own
        text     TEXT    NOT NULL,
        links    INTEGER NOT NULL            -- pages of that site that say so
    ) STRICT;
    CREATE TABLE aliases (                   -- pages that stand for another one
        page     INTEGER PRIMARY KEY,
        target   INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX aliases_by_target ON aliases (target);
    CREATE TABLE stale (                     -- pages whose row in short is to be written anew
        page     INTEGER PRIMARY KEY,
        title    TEXT,                       -- what it has to have; NULL: what it has
        headings TEXT
    ) STRICT;
    CREATE TABLE dead (document INTEGER PRIMARY KEY) STRICT;  -- rows of full that count no longer
    CREATE TABLE spellings (word TEXT PRIMARY KEY, pages INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE VIRTUAL TABLE short USING fts5 (title, anchors, own_anchors, headings, url, tokenize = '{TOKENIZER}');
    CREATE VIRTUAL TABLE full USING fts5 (text, content = '', tokenize = '{TOKENIZER}');
"""
DOCUMENT_BITS = 32
"""The lower bits of a document are its page; the bits above count the page's texts so far."""
_PIECES_IN_MEMORY = 16 << 20
"""Bytes of a barrel gathered before they are written, so that fewer segments must be merged."""


def index_path(store: Path) -> Path:
    """The path of a store's index."""
    return beside(real_path(store), ENDING)


def store_mark(hash_key: bytes) -> str:
    """The mark of a store. hash_key: no two stores share one."""
    return blake2b(hash_key, digest_size=16).hexdigest()


class IndexFile:
    """An index, open. Raises StoreError."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self.db = db

    def meta(self, key: str) -> int | float | str | None:
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, **values: float | str | None) -> None:
        self.db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing: a crash inside the block leaves the file as it was before it."""
        with index_errors(self.path):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
            self.db.execute("COMMIT")

    def close(self) -> None:
        self.db.close()

    def __enter__(self) -> "IndexFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def index_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into a StoreError with a way out."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        if isinstance(error, sqlite3.OperationalError) and "no such module: fts5" in str(error):
            raise StoreError("this Python's SQLite has no FTS5, which a search needs; use a Python that has") from error
        rebuild = f"the index {path} cannot be used ({error}); 'minicrawl index --rebuild' builds it anew"
        raise StoreError(fault_of_disk(path, error) or rebuild) from error


@contextlib.contextmanager
def hold_index(path: Path) -> Iterator[None]:
    """Hold the index's lock for writing. Raises StoreError if another process has it."""
    lock = FileLock(beside(path, ".lock"))
    with index_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreError(f"another process is writing the index {path}; wait for it") from error
    try:
        yield
    finally:
        lock.release()


def open_index(path: Path, mark: str, *, writes: bool = False) -> IndexFile:
    """Open the index at `path`. mark: of its store. writes: a missing index is made.

    Raises SettingError if it is missing, StoreError if it cannot be used.
    """
    if writes:
        with index_errors(path):
            if not path.exists():
                _make(path, mark)
    elif not path.exists():
        raise SettingError(f"there is no index at {path} yet; 'minicrawl index' builds it from the texts of the store")
    index = IndexFile(path, _connected(path, writes=writes))
    try:
        _check(index, mark)
    except BaseException:
        index.close()
        raise
    return index


def remove_index(path: Path) -> None:
    """Remove an index, whatever its state."""
    with index_errors(path):
        for part in (*logs(path), path):
            part.unlink(missing_ok=True)


def _connected(path: Path, *, writes: bool) -> sqlite3.Connection:
    with index_errors(path):
        may_write = writes or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
        has_log = logs(path)[0].exists()
        mode = "rw" if may_write else "ro" if has_log else "ro&immutable=1"
        db = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False)
        try:
            if writes:
                db.execute("PRAGMA synchronous = NORMAL")
            else:
                # Words of the full barrel: numbers of texts, and places.
                db.execute("CREATE VIRTUAL TABLE temp.full_words USING fts5vocab (main, full, row)")
                db.execute("CREATE VIRTUAL TABLE temp.full_places USING fts5vocab (main, full, instance)")
                db.execute("PRAGMA query_only = ON")
                db.execute("PRAGMA cache_size = -32000")
            db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except BaseException:
            db.close()
            raise
        return db


def _check(index: IndexFile, mark: str) -> None:
    with index_errors(index.path):
        (application,) = index.db.execute("PRAGMA application_id").fetchone()
        (version,) = index.db.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION_ID:
            raise StoreError(f"{index.path} belongs to another program; move it away")
        if version != VERSION:
            raise StoreError(f"{index.path} was made by another version; 'minicrawl index --rebuild' builds it anew")
        if index.meta("store") != mark:
            raise StoreError(
                f"{index.path} is the index of another store; 'minicrawl index --rebuild' builds the one of this store"
            )


def _make(path: Path, mark: str) -> None:
    """Make an empty index, which gets its name when complete."""
    new = beside(path, ".new")
    for part in (new, beside(new, "-journal"), *logs(new), *logs(path)):
        part.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(new, isolation_level=None)) as db:
        db.execute("PRAGMA page_size = 8192")
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.executescript(SCHEMA)
        db.execute("INSERT INTO meta (key, value) VALUES ('store', ?)", (mark,))
        for barrel in ("short", "full"):
            db.execute(f"INSERT INTO {barrel} ({barrel}, rank) VALUES ('hashsize', ?)", (_PIECES_IN_MEMORY,))
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("PRAGMA journal_mode = WAL")
    new.replace(path)
