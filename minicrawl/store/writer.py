"""The one writer of a store: what a crawl commits.

A batch of visits is one transaction: pages, links, both books, clock, hosts and robots together, so the file
is consistent at every commit and a killed crawl loses at most the batch it was gathering.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.database import Watch, hold, open_to_write, real_path, transaction
from minicrawl.store.links import to_bytes
from minicrawl.store.read.ranks import PLACES
from minicrawl.store.read.tables import Row, columns
from minicrawl.store.reader import Store
from minicrawl.store.rows import (
    AccountColumns,
    Alternate,
    DomainRow,
    Fetch,
    Fingerprint,
    HostRow,
    LinkerRow,
    Links,
    ListedUrl,
    MetaValue,
    NewPage,
    ParameterRow,
    PatternRow,
    Probe,
    RecentPage,
    Refused,
    Restated,
    Retry,
    RobotsRow,
    SitemapRow,
    Turn,
)
from minicrawl.store.tallies import Tallies
from minicrawl.store.urlhash import url_hash


class Writer(Store):
    """The write side of the store at `path`, which it creates if there is none. Raises StoreError."""

    def __init__(self, path: Path, sizes: Sizes = STANDARD_SIZES) -> None:
        self._lock = hold(path)
        try:
            super().__init__(path, open_to_write(real_path(path)), sizes)
            self._db = self._tables.db
            self._tallies = Tallies(self._db)
            self._watch = Watch(real_path(path))
            if not self._tables.hash_key:
                self._tables.hash_key = os.urandom(16)
                with self.transaction():
                    self.save_meta({"hash_key": self._tables.hash_key.hex()})
            (self._fetches,) = self._tables.row("SELECT coalesce(max(id), 0) FROM fetches")
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Give the store back. The write-ahead log is folded into the one file, wherever that has been moved."""
        try:
            with self._tables.errors:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            super().close()
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. Raises StoreError, also when the file at `path` is no longer the one that was opened."""
        self._watch.check()
        with self._tables.errors, transaction(self._db):
            yield

    def vacuum(self) -> None:
        """Write the file anew, without the room that is free in it."""
        with self._tables.errors:
            self._db.execute("VACUUM")

    # What a batch writes; call inside `transaction`.

    def add_pages(self, pages: Sequence[NewPage], accounts: AccountColumns) -> None:
        """Pages that wait for their first turn, in the order of `accounts`, which are whole."""
        if not pages:
            return
        names = [*NewPage._fields, *accounts.values]
        marks = ", ".join("?" * len(names))
        self._db.executemany(
            f"INSERT INTO pages (state, {', '.join(names)}) VALUES ('waiting', {marks})",
            zip(*zip(*pages, strict=True), *accounts.values.values(), strict=True),
        )
        self._tallies.add(Counter(("waiting", page.reason) for page in pages))
        self._db.executemany(
            "INSERT INTO url_hashes (hash, page) VALUES (?, ?)",
            sorted((url_hash(page.url, self._tables.hash_key), page.id) for page in pages),
        )

    def save_accounts(self, accounts: AccountColumns) -> None:
        """What `accounts` has of pages that are in the store."""
        updates = ", ".join(f"{column} = ?" for column in accounts.values)
        self._db.executemany(
            f"UPDATE pages SET {updates} WHERE id = ?",
            zip(*accounts.values.values(), accounts.id, strict=True),
        )

    def save_turns(self, turns: Sequence[Turn]) -> None:
        self._tallies.replace((turn.id for turn in turns), Counter((turn.state, turn.reason) for turn in turns))
        answered = [turn for turn in turns if turn.fetch is not None]
        unanswered = [turn for turn in turns if turn.fetch is None]
        self._db.executemany(
            "DELETE FROM fetches WHERE id = (SELECT fetch FROM pages WHERE id = ?)", ((turn.id,) for turn in unanswered)
        )
        update = "UPDATE pages SET state = ?, reason = ?, attempts = ?, measures = ?, fetch"
        self._db.executemany(
            f"{update} = NULL WHERE id = ?",
            ((turn.state, turn.reason, turn.attempts, turn.measures, turn.id) for turn in unanswered),
        )
        # A page keeps the row of its first answer; the number for a new one is then left out.
        numbers = range(self._fetches + 1, self._fetches + 1 + len(answered))
        self._fetches += len(answered)
        self._db.executemany(
            f"{update} = coalesce(fetch, ?) WHERE id = ?",
            (
                (turn.state, turn.reason, turn.attempts, turn.measures, number, turn.id)
                for number, turn in zip(numbers, answered, strict=True)
            ),
        )
        marks = ", ".join("?" * len(Fetch._fields))
        updates = ", ".join(f"{column} = excluded.{column}" for column in Fetch._fields)
        self._db.executemany(
            f"INSERT INTO fetches (id, page, {columns(Fetch)}) SELECT fetch, id, {marks} FROM pages WHERE id = ? "
            f"ON CONFLICT (id) DO UPDATE SET {updates}",
            ((*(turn.fetch or ()), turn.id) for turn in answered),
        )

    def save_retries(self, retries: Collection[Retry]) -> None:
        with self._tallies.kept(retry.id for retry in retries):
            self._db.executemany(
                "UPDATE pages SET attempts = ?, reason = CASE WHEN visited THEN reason ELSE ? END WHERE id = ?",
                ((retry.attempts, retry.reason, retry.id) for retry in retries),
            )

    def save_states(self, pages: Collection[Restated]) -> None:
        with self._tallies.kept(page.id for page in pages):
            self._db.executemany(
                "UPDATE pages SET state = ?, reason = ? WHERE id = ?",
                ((page.state, page.reason, page.id) for page in pages),
            )

    def ask_again(self, pages: Sequence[int], origins: Iterable[str], reasons: Iterable[str]) -> None:
        """Let pages that were given up wait like such that never had a turn.

        Their part of the level stays with them, and walkers that found nothing there wait with them.

        Their hosts count as alive, robots.txt files of `origins` that were not to be had are asked for again, and so
        are sitemaps that were not to be had for one of `reasons`.
        """
        with self._tallies.kept(pages):
            self._ask_again(pages)
        self._db.executemany(
            "DELETE FROM robots WHERE origin = ? AND reason IS NOT NULL", ((origin,) for origin in origins)
        )
        self._db.executemany(
            "UPDATE sitemaps SET reason = 'due', attempts = 0 WHERE reason = ?", ((reason,) for reason in reasons)
        )

    def _ask_again(self, pages: Sequence[int]) -> None:
        some = [(page,) for page in pages]
        self._db.executemany("DELETE FROM fetches WHERE id = (SELECT fetch FROM pages WHERE id = ?)", some)
        self._db.executemany(
            "UPDATE meta SET value = value + (SELECT steps FROM pages WHERE id = ?) WHERE key = 'coverage_waiting'",
            some,
        )
        self._db.executemany(
            """UPDATE pages SET state = 'waiting', attempts = 0, fetch = NULL, measures = NULL, visited = 0,
                walkers = walkers + steps, steps = 0,
                standing = standing + (SELECT value FROM meta WHERE key = 'level')
            WHERE id = ? AND visited""",
            some,
        )
        self._db.executemany(
            "UPDATE hosts SET strains = 0, dead_until = 0 WHERE id = (SELECT host FROM pages WHERE id = ?)", some
        )

    def save_measures(self, measures: Mapping[int, str | None]) -> None:
        """By page, of pages whose turn changed nothing else."""
        self._db.executemany(
            "UPDATE pages SET measures = ? WHERE id = ?", ((text, page) for page, text in measures.items())
        )

    def save_best(self, pages: Iterable[int], *, is_anew: bool) -> None:
        """Add to the pages that may be the best. is_anew: those before go."""
        if is_anew:
            self._db.execute("DELETE FROM best")
        self._db.executemany("INSERT OR IGNORE INTO best (page) VALUES (?)", ((page,) for page in pages))

    def save_places(self, order: npt.NDArray[np.int32]) -> None:
        """Keep the places of all pages: their numbers, best first."""
        self._db.execute("DELETE FROM places")
        self._db.executemany(
            "INSERT INTO places (first, pages) VALUES (?, ?)",
            ((first, to_bytes(order[first : first + PLACES])) for first in range(0, len(order), PLACES)),
        )

    def save_links(self, links: Iterable[Links]) -> None:
        self._replace("links", Links, links)

    def save_refused(self, rows: Iterable[Refused]) -> None:
        """Note what pages lead to that is not followed; a row that says nothing takes the page's away."""
        rows = list(rows)
        self._db.executemany("DELETE FROM refused WHERE source = ?", ((row.source,) for row in rows))
        self._insert("refused", Refused, (row for row in rows if row.leads_to or row.too_deep))

    def save_hosts(self, hosts: Iterable[HostRow]) -> None:
        # An update in place: to replace a row would write the index of names as well.
        updates = ", ".join(f"{column} = excluded.{column}" for column in HostRow._fields[2:])
        self._insert("hosts", HostRow, hosts, then=f"ON CONFLICT (id) DO UPDATE SET {updates}")

    def save_robots(self, rows: Iterable[RobotsRow]) -> None:
        self._replace("robots", RobotsRow, rows)

    def save_patterns(self, rows: Iterable[PatternRow]) -> None:
        self._replace("patterns", PatternRow, rows)

    def save_parameters(self, rows: Iterable[ParameterRow]) -> None:
        self._replace("parameters", ParameterRow, rows)

    def save_domains(self, rows: Iterable[DomainRow]) -> None:
        self._replace("domains", DomainRow, rows)

    def add_linkers(self, rows: Iterable[LinkerRow]) -> None:
        self._insert("linkers", LinkerRow, rows)

    def save_digests(self, digests: Iterable[int]) -> None:
        self._db.executemany("INSERT OR IGNORE INTO digests (digest) VALUES (?)", ((digest,) for digest in digests))

    def save_sitemaps(self, rows: Iterable[SitemapRow]) -> None:
        self._replace("sitemaps", SitemapRow, rows)

    def add_listed_urls(self, rows: Iterable[ListedUrl]) -> None:
        self._insert("sitemap_urls", ListedUrl, rows)

    def remove_listed_urls(self, rows: Iterable[ListedUrl]) -> None:
        self._db.executemany("DELETE FROM sitemap_urls WHERE host = ? AND id = ?", ((row.host, row.id) for row in rows))

    def save_sitemap_pages(self, pages: Iterable[tuple[int, int]]) -> None:
        """(page, sitemap that made it known)."""
        self._db.executemany("INSERT INTO sitemap_pages (page, sitemap) VALUES (?, ?)", pages)

    def save_fingerprints(self, rows: Mapping[int, Fingerprint | None]) -> None:
        """By page; None: the page has none any more."""
        updates = ", ".join(f"{column} = ?" for column in Fingerprint._fields[1:])
        nothing = (None,) * (len(Fingerprint._fields) - 1)
        self._db.executemany(
            f"UPDATE fetches SET {updates} WHERE id = (SELECT fetch FROM pages WHERE id = ?)",
            ((*(row[1:] if row else nothing), page) for page, row in rows.items()),
        )

    def save_probes(self, rows: Iterable[Probe]) -> None:
        self._replace("probes", Probe, rows)

    def save_recent_pages(self, rows: Iterable[RecentPage], dropped: Iterable[int]) -> None:
        self._insert("recent_pages", RecentPage, rows)
        self._db.executemany("DELETE FROM recent_pages WHERE id = ?", ((number,) for number in dropped))

    def save_alternates(self, alternates: Iterable[Alternate]) -> None:
        self._insert("alternates", Alternate, alternates, "INSERT OR IGNORE")

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

    def _insert(
        self, table: str, kind: type[Row], rows: Iterable[Row], verb: str = "INSERT", *, then: str = ""
    ) -> None:
        """Write rows whose fields are columns of a table. then: what SQLite does with a row that is there already."""
        marks = ", ".join("?" * len(kind._fields))
        self._db.executemany(f"{verb} INTO {table} ({columns(kind)}) VALUES ({marks}) {then}", rows)

    def _replace(self, table: str, kind: type[Row], rows: Iterable[Row]) -> None:
        """Write rows, instead of those with the same keys."""
        self._insert(table, kind, rows, "INSERT OR REPLACE")
