"""The one writer of a store: what a crawl commits.

A batch of visits is one transaction: pages, links, both books, clock, hosts and robots together, so the file
is consistent at every commit and a killed crawl loses at most the batch it was gathering.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from minicrawl.errors import StoreError
from minicrawl.store.database import open_to_write, store_errors, transaction
from minicrawl.store.reader import Store
from minicrawl.store.rows import (
    ACCOUNT_COLUMNS,
    Account,
    Fingerprint,
    HostRow,
    Links,
    MetaValue,
    NewPage,
    PatternRow,
    Probe,
    Restated,
    Retry,
    RobotsRow,
    Turn,
)
from minicrawl.store.urlhash import url_hash

_ACCOUNT_UPDATES = ", ".join(f"{column} = ?" for column in Account._fields)
_TURN_UPDATES = ", ".join(f"{column} = ?" for column in Turn._fields[1:])


class Writer(Store):
    """The write side of the store at `path`, which it creates if there is none. Raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(f"{path}.lock")
        with store_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(timeout=0)
            except Timeout as error:
                raise StoreError(f"another crawl is using {path}; wait for it, or use another --store") from error
        try:
            super().__init__(path, open_to_write(path))
            if not self._key:
                self._key = os.urandom(16)
                with self.transaction():
                    self.save_meta({"hash_key": self._key.hex()})
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Give the store back. The write-ahead log is folded into the one file."""
        try:
            with store_errors(self.path):
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            super().close()
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        with store_errors(self.path), transaction(self._db):
            yield

    # What a batch writes; call inside `transaction`.

    def add_pages(self, pages: Iterable[tuple[NewPage, Account]]) -> None:
        columns = f"id, hash, url, host, found_on, state, reason, {ACCOUNT_COLUMNS}"
        marks = ", ".join("?" * (7 + len(Account._fields)))
        self._db.executemany(
            f"INSERT INTO pages ({columns}) VALUES ({marks})",
            (
                (
                    new.id,
                    url_hash(new.url, self._key),
                    new.url,
                    new.host,
                    new.found_on,
                    "waiting",
                    new.reason,
                    *account,
                )
                for new, account in pages
            ),
        )

    def save_accounts(self, accounts: Iterable[tuple[int, Account]]) -> None:
        self._db.executemany(
            f"UPDATE pages SET {_ACCOUNT_UPDATES} WHERE id = ?",
            ((*account, page) for page, account in accounts),
        )

    def save_turns(self, turns: Iterable[Turn]) -> None:
        self._db.executemany(f"UPDATE pages SET {_TURN_UPDATES} WHERE id = ?", ((*turn[1:], turn.id) for turn in turns))

    def save_retries(self, retries: Iterable[Retry]) -> None:
        self._db.executemany(
            "UPDATE pages SET attempts = ?, reason = CASE WHEN is_read THEN reason ELSE ? END WHERE id = ?",
            ((retry.attempts, retry.reason, retry.id) for retry in retries),
        )

    def save_states(self, pages: Iterable[Restated]) -> None:
        self._db.executemany(
            "UPDATE pages SET state = ?, reason = ? WHERE id = ?",
            ((page.state, page.reason, page.id) for page in pages),
        )

    def save_links(self, links: Iterable[Links]) -> None:
        self._db.executemany(
            "INSERT OR REPLACE INTO links (source, targets, nofollow, refused, own) VALUES (?, ?, ?, ?, ?)", links
        )

    def save_hosts(self, hosts: Iterable[HostRow]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO hosts (id, name, crawl_delay, next_at) VALUES (?, ?, ?, ?)", hosts)

    def save_robots(self, rows: Iterable[RobotsRow]) -> None:
        columns, marks = ", ".join(RobotsRow._fields), ", ".join("?" * len(RobotsRow._fields))
        self._db.executemany(f"INSERT OR REPLACE INTO robots ({columns}) VALUES ({marks})", rows)

    def save_patterns(self, rows: Iterable[PatternRow]) -> None:
        columns, marks = ", ".join(PatternRow._fields), ", ".join("?" * len(PatternRow._fields))
        self._db.executemany(f"INSERT OR REPLACE INTO patterns ({columns}) VALUES ({marks})", rows)

    def save_digests(self, digests: Iterable[int]) -> None:
        self._db.executemany("INSERT OR IGNORE INTO digests (digest) VALUES (?)", ((digest,) for digest in digests))

    def save_fingerprints(self, rows: Mapping[int, Fingerprint | None]) -> None:
        """By page; None: the page has none any more."""
        gone = [(page,) for page, row in rows.items() if row is None]
        self._db.executemany("DELETE FROM fingerprints WHERE page = ?", gone)
        columns, marks = ", ".join(Fingerprint._fields), ", ".join("?" * len(Fingerprint._fields))
        self._db.executemany(
            f"INSERT OR REPLACE INTO fingerprints ({columns}) VALUES ({marks})", filter(None, rows.values())
        )

    def save_probes(self, rows: Iterable[Probe]) -> None:
        columns, marks = ", ".join(Probe._fields), ", ".join("?" * len(Probe._fields))
        self._db.executemany(f"INSERT OR REPLACE INTO probes ({columns}) VALUES ({marks})", rows)

    def save_meta(self, values: Mapping[str, MetaValue]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())

    # What other commands keep in a store; call inside `transaction`.

    def save_ranking(self, name: str, values: npt.NDArray[np.floating[Any]]) -> None:
        """Keep a value per page, by page number, under a name; what was kept under it before is replaced."""
        self._db.execute("DELETE FROM rankings WHERE name = ?", (name,))
        self._db.executemany(
            "INSERT INTO rankings (name, page, value) VALUES (?, ?, ?)",
            ((name, page, value) for page, value in enumerate(values.tolist())),
        )
