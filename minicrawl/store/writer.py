"""The one writer of a store: what a crawl commits.

A batch of visits is one transaction: pages, links, both books, clock, hosts and robots together, so the file
is consistent at every commit and a killed crawl loses at most the batch it was gathering.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    AccountColumns,
    Fingerprint,
    HostRow,
    Links,
    ListedUrl,
    MetaValue,
    NewPage,
    PatternRow,
    Probe,
    Refused,
    Restated,
    Retry,
    RobotsRow,
    SitemapRow,
    Turn,
)
from minicrawl.store.urlhash import HASH_BYTES, url_hash

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
                self._key, self._hash_bytes = os.urandom(16), HASH_BYTES
                with self.transaction():
                    self.save_meta({"hash_key": self._key.hex(), "hash_bytes": HASH_BYTES})
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Give the store back. The write-ahead log is folded into the one file."""
        try:
            with self._errors:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            super().close()
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        with self._errors, transaction(self._db):
            yield

    def vacuum(self) -> None:
        """Write the file anew, without the room that is free in it."""
        with self._errors:
            self._db.execute("VACUUM")

    # What a batch writes; call inside `transaction`.

    def add_pages(self, pages: Sequence[NewPage], accounts: AccountColumns) -> None:
        """Pages that wait for their first turn, in the order of `accounts`, which are whole."""
        if not pages:
            return
        hashes = [url_hash(page.url, self._key, self._hash_bytes) for page in pages]
        columns = [*NewPage._fields, "hash", *accounts.values]
        marks = ", ".join("?" * len(columns))
        self._db.executemany(
            f"INSERT INTO pages (state, {', '.join(columns)}) VALUES ('waiting', {marks})",
            zip(*zip(*pages, strict=True), hashes, *accounts.values.values(), strict=True),
        )

    def save_accounts(self, accounts: AccountColumns) -> None:
        """What `accounts` has of pages that are in the store."""
        updates = ", ".join(f"{column} = ?" for column in accounts.values)
        self._db.executemany(
            f"UPDATE pages SET {updates} WHERE id = ?",
            zip(*accounts.values.values(), accounts.id, strict=True),
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

    def save_refused(self, rows: Iterable[Refused]) -> None:
        """Note what pages lead to that is not followed; a row that says nothing takes the page's away."""
        rows = list(rows)
        self._db.executemany("DELETE FROM refused WHERE source = ?", ((row.source,) for row in rows))
        self._db.executemany(
            "INSERT INTO refused (source, leads_to, beyond) VALUES (?, ?, ?)",
            (row for row in rows if row.leads_to or row.beyond),
        )

    def save_hosts(self, hosts: Iterable[HostRow]) -> None:
        columns, marks = ", ".join(HostRow._fields), ", ".join("?" * len(HostRow._fields))
        self._db.executemany(f"INSERT OR REPLACE INTO hosts ({columns}) VALUES ({marks})", hosts)

    def save_robots(self, rows: Iterable[RobotsRow]) -> None:
        columns, marks = ", ".join(RobotsRow._fields), ", ".join("?" * len(RobotsRow._fields))
        self._db.executemany(f"INSERT OR REPLACE INTO robots ({columns}) VALUES ({marks})", rows)

    def save_patterns(self, rows: Iterable[PatternRow]) -> None:
        columns, marks = ", ".join(PatternRow._fields), ", ".join("?" * len(PatternRow._fields))
        self._db.executemany(f"INSERT OR REPLACE INTO patterns ({columns}) VALUES ({marks})", rows)

    def save_digests(self, digests: Iterable[int]) -> None:
        self._db.executemany("INSERT OR IGNORE INTO digests (digest) VALUES (?)", ((digest,) for digest in digests))

    def save_sitemaps(self, rows: Iterable[SitemapRow]) -> None:
        columns, marks = ", ".join(SitemapRow._fields), ", ".join("?" * len(SitemapRow._fields))
        self._db.executemany(f"INSERT OR REPLACE INTO sitemaps ({columns}) VALUES ({marks})", rows)

    def add_listed_urls(self, rows: Iterable[ListedUrl]) -> None:
        self._db.executemany("INSERT INTO sitemap_urls (host, id, url, sitemap) VALUES (?, ?, ?, ?)", rows)

    def remove_listed_urls(self, rows: Iterable[ListedUrl]) -> None:
        self._db.executemany("DELETE FROM sitemap_urls WHERE host = ? AND id = ?", (row[:2] for row in rows))

    def save_sitemap_pages(self, pages: Iterable[tuple[int, int]]) -> None:
        """(page, sitemap that made it known)."""
        self._db.executemany("INSERT INTO sitemap_pages (page, sitemap) VALUES (?, ?)", pages)

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
