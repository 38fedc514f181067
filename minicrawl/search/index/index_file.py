"""The index: a SQLite file of its own beside the store, which can be thrown away at any time and be built anew.

It has two barrels, each a table of FTS5. The short one has what is said of a page in few words: title, what links say
that lead to it, headings, URL. The full one has its whole text. Both are apart because a score is divided by the length
of a row: in one table a long text would drown its title.

Only what SQLite 3.40 can do is used. The full barrel keeps no text, so nothing can be taken out of it: a text that is
no longer so is noted in `dead`, and goes when the index is built anew.
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
"""The lower bits of a document are its page; those above count the texts that the page has had."""
_PIECES_IN_MEMORY = 16 << 20
"""Bytes of a barrel that are gathered before they are written: fewer pieces have to be merged then."""


def index_path(store: Path) -> Path:
    """Where the index of a store is."""
    return beside(real_path(store), ENDING)


def store_mark(hash_key: bytes) -> str:
    """What tells a store from all others. hash_key: which no two stores share."""
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
    """Turn what SQLite says of the index into a sentence with the way out."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        if isinstance(error, sqlite3.OperationalError) and "no such module: fts5" in str(error):
            raise StoreError("this Python's SQLite has no FTS5, which a search needs; use a Python that has") from error
        rebuild = f"the index {path} cannot be used ({error}); 'minicrawl index --rebuild' builds it anew"
        raise StoreError(fault_of_disk(path, error) or rebuild) from error


@contextlib.contextmanager
def hold_index(path: Path) -> Iterator[None]:
    """Be the only one who writes to the index. Raises StoreError if another does."""
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


def is_index_held(path: Path) -> bool:
    """Whether somebody writes to the index right now."""
    try:
        with FileLock(beside(path, ".lock")).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def open_index(path: Path, mark: str, *, writes: bool = False) -> IndexFile:
    """The index at `path`. mark: of its store. writes: an index that is missing is made then.

    Raises SettingError where it is missing, StoreError where it cannot be used.
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
    """Throw an index away, whatever is wrong with it."""
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
                # Of the words in the full barrel: in how many texts, and where in which.
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
    """Make an empty index. It is whole when it gets its name."""
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
