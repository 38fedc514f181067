"""The one writer of a store: what a crawl reads back and what it commits.

A batch of visits is one transaction: pages, links, both books, clock, hosts and robots together, so the file
is consistent at every commit and a killed crawl loses at most the batch it was gathering.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from minicrawl.errors import StoreError
from minicrawl.store.database import open_to_write, store_errors, transaction
from minicrawl.store.links import LinkGraph, from_bytes, to_graph
from minicrawl.store.rows import Account, HostRow, Links, NewPage, PageColumns, Retry, RobotsRow, Turn
from minicrawl.store.urlhash import url_hash

MetaValue = int | float | str | None

_ACCOUNT_COLUMNS = ", ".join(Account._fields)
_ACCOUNT_UPDATES = ", ".join(f"{column} = ?" for column in Account._fields)
_TURN_UPDATES = ", ".join(f"{column} = ?" for column in Turn._fields[1:])
_CHUNK = 500


class Writer:
    """The write side of the store at `path`, which it creates if there is none. Raises StoreError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(f"{path}.lock")
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreError(f"another crawl is using {path}; wait for it, or use another --store") from error
        try:
            self._db = open_to_write(path)
        except BaseException:
            self._lock.release()
            raise
        with store_errors(path):
            self._key = bytes.fromhex(str(self.meta("hash_key") or self._new_key()))

    def close(self) -> None:
        """Give the store back. The write-ahead log is folded into the one file."""
        with store_errors(self.path):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.close()
        self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        with store_errors(self.path), transaction(self._db):
            yield

    # What a crawl reads back.

    def find(self, urls: Sequence[str]) -> dict[str, int]:
        """Page numbers of those URLs that are known."""
        found: dict[str, int] = {}
        for start in range(0, len(urls), _CHUNK):
            wanted = set(urls[start : start + _CHUNK])
            hashes = [url_hash(url, self._key) for url in wanted]
            marks = ",".join("?" * len(hashes))
            rows = self._db.execute(f"SELECT id, url FROM pages WHERE hash IN ({marks})", hashes)
            found.update((url, page) for page, url in rows if url in wanted)
        return found

    def url(self, page: int) -> str:
        row = self._db.execute("SELECT url FROM pages WHERE id = ?", (page,)).fetchone()
        return str(row[0])


    def pages(self) -> Iterator[PageColumns]:
        """All pages by number, some thousands at a time, each column one tuple."""
        columns = f"id, host, state, attempts, measures, {_ACCOUNT_COLUMNS}"
        cursor = self._db.execute(f"SELECT {columns} FROM pages ORDER BY id")
        while chunk := cursor.fetchmany(20_000):
            page, host, state, attempts, measures, *account = zip(*chunk, strict=True)
            yield PageColumns(page, host, state, attempts, measures, Account(*account))

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks at the last visit; empty when there was none."""
        row = self._db.execute("SELECT targets FROM links WHERE source = ?", (page,)).fetchone()
        return from_bytes(row[0] if row else b"")

    def graph_of(self, pages: Sequence[int], size: int) -> LinkGraph:
        """The outlinks of some pages, in rising order; pages never visited are left out."""
        rows: list[tuple[int, bytes]] = []
        for start in range(0, len(pages), _CHUNK):
            chunk = pages[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            rows += self._db.execute(f"SELECT source, targets FROM links WHERE source IN ({marks})", chunk)
        return to_graph(sorted(rows), size)

    def graph(self, size: int) -> LinkGraph:
        """The whole link table."""
        return to_graph(self._db.execute("SELECT source, targets FROM links ORDER BY source"), size)

    def seeds(self) -> list[str]:
        """URLs of the seeds."""
        return [url for (url,) in self._db.execute("SELECT url FROM pages WHERE found_on IS NULL ORDER BY id")]

    def hosts(self) -> list[HostRow]:
        return [HostRow(*row) for row in self._db.execute("SELECT id, name, delay, next_at FROM hosts ORDER BY id")]

    def robots(self, origin: str) -> RobotsRow | None:
        columns = ", ".join(RobotsRow._fields)
        row = self._db.execute(f"SELECT {columns} FROM robots WHERE origin = ?", (origin,)).fetchone()
        return RobotsRow(*row) if row else None

    def meta(self, key: str) -> MetaValue:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    # What a batch writes; call inside `transaction`.

    def add_pages(self, pages: Iterable[tuple[NewPage, Account]]) -> None:
        columns = f"id, hash, url, host, found_on, state, reason, {_ACCOUNT_COLUMNS}"
        marks = ", ".join("?" * (7 + len(Account._fields)))
        self._db.executemany(
            f"INSERT INTO pages ({columns}) VALUES ({marks})",
            (
                (new.id, url_hash(new.url, self._key), new.url, new.host, new.found_on, "waiting", new.reason, *account)
                for new, account in pages
            ),
        )

    def save_accounts(self, accounts: Iterable[tuple[int, Account]]) -> None:
        self._db.executemany(
            f"UPDATE pages SET {_ACCOUNT_UPDATES} WHERE id = ?", ((*account, page) for page, account in accounts)
        )

    def save_turns(self, turns: Iterable[Turn]) -> None:
        self._db.executemany(f"UPDATE pages SET {_TURN_UPDATES} WHERE id = ?", ((*turn[1:], turn.id) for turn in turns))

    def save_retries(self, retries: Iterable[Retry]) -> None:
        self._db.executemany(
            "UPDATE pages SET attempts = ?, reason = CASE WHEN is_read THEN reason ELSE ? END WHERE id = ?",
            ((retry.attempts, retry.reason, retry.id) for retry in retries),
        )

    def save_links(self, links: Iterable[Links]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO links (source, targets, nofollow, refused) VALUES (?,?,?,?)", links)

    def save_hosts(self, hosts: Iterable[HostRow]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO hosts (id, name, delay, next_at) VALUES (?, ?, ?, ?)", hosts)

    def save_robots(self, rows: Iterable[RobotsRow]) -> None:
        columns, marks = ", ".join(RobotsRow._fields), ", ".join("?" * len(RobotsRow._fields))
        self._db.executemany(f"INSERT OR REPLACE INTO robots ({columns}) VALUES ({marks})", rows)

    def save_meta(self, values: Mapping[str, MetaValue]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())

    def _new_key(self) -> str:
        key = os.urandom(16).hex()
        with transaction(self._db):
            self.save_meta({"hash_key": key})
        return key


def is_locked(path: Path) -> bool:
    """Whether a crawl holds the store right now."""
    if not Path(f"{path}.lock").exists():
        return False
    try:
        with FileLock(f"{path}.lock").acquire(timeout=0):
            return False
    except (Timeout, OSError, sqlite3.Error):
        return True
