"""The one writer of a store.

A batch of visits is one transaction: pages, links, book, clock, hosts and robots together, so the file
is consistent at every commit and a killed crawl loses at most the batch it was gathering.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any  # Any: rows

import numpy as np
import numpy.typing as npt

from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.database import (
    check_in_place,
    closed_if_it_fails,
    hold,
    identity,
    open_to_write,
    real_path,
    transaction,
)
from minicrawl.store.declaration import THIS_COMMIT, MetaValue, columns, delete, insert, upsert
from minicrawl.store.links import Links, from_bytes, to_bytes
from minicrawl.store.pages import Account, Fetch, NewPage, Turn, url_hash
from minicrawl.store.ranks import PLACES
from minicrawl.store.reader import Store
from minicrawl.store.recognised import Fingerprint
from minicrawl.store.refreshes import Change
from minicrawl.store.requisites import RequisiteRow
from minicrawl.store.sites import VoiceRow
from minicrawl.store.tables import COMMIT, Row

_VERSIONS, _OPENED = 8, 99
_KEEP_VERSION = "INSERT OR REPLACE INTO text_versions (at, page, text) SELECT ?, page, text"
_FORGET_VERSIONS = """
    DELETE FROM text_versions WHERE page = ? AND at < (
        SELECT at FROM text_versions WHERE page = ? ORDER BY at DESC LIMIT 1 OFFSET ?)"""

_FORGET_ANSWER = "DELETE FROM fetches WHERE id = (SELECT fetch FROM pages WHERE id = ?)"


class Writer(Store):
    """The write side of the store at `path`, which it creates if there is none. Raises StoreError."""

    def __init__(self, path: Path, sizes: Sizes = STANDARD_SIZES) -> None:
        self._lock = hold(path).lock
        try:
            with closed_if_it_fails(open_to_write(real_path(path))) as db:
                db.execute(f"PRAGMA cache_size = -{sizes.cache}")
                super().__init__(path, db, sizes)
                self._fetches = int(self.value("SELECT coalesce(max(id), 0) FROM fetches"))
                self._place = real_path(path)
                self._file = identity(self._place)
                before = str(self.meta(COMMIT) or 0).split()[-_OPENED:]
                self._opened, self._commit = [*before, os.urandom(4).hex()], int(before[-1])
                db.create_function("this_commit", 0, lambda: self._commit)
                if not self.hash_key:
                    self.hash_key = os.urandom(16)
                    with self.transaction():
                        self.save_meta({"hash_key": self.hash_key.hex()})
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Fold the write-ahead log into the file, wherever that was moved, and release the lock."""
        try:
            with self.errors:
                self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            super().close()
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as a transaction. Raises StoreError, also when the file at `path` was replaced."""
        check_in_place(self._place, self._file)
        self._commit += 1
        with self.errors, transaction(self.db):
            self.save_meta({COMMIT: " ".join([*self._opened, str(self._commit)])})
            yield

    @property
    def rows_written(self) -> int:
        """Number of rows inserted, changed or deleted so far."""
        return self.db.total_changes

    def forget_cached(self) -> None:
        """Free the memory of the pages of the file that were read or written lately."""
        with self.errors:
            self.db.execute("PRAGMA shrink_memory")

    # Rows; call all inside `transaction`.

    def add(self, kind: type[Row] | str, rows: Iterable[Row | tuple[object, ...]], *, if_new: bool = False) -> None:
        """Insert rows. kind: the declared type of a table's rows, or the name of a table whose rows are complete.
        if_new: skip rows whose keys exist."""
        self.db.executemany(insert(kind, "INSERT OR IGNORE" if if_new else "INSERT"), rows)

    def put(self, kind: type[Row], rows: Iterable[Row]) -> None:
        """Write rows of a kind, each in the place of the one with its keys. What is unique beside them stays."""
        self.db.executemany(upsert(kind), rows)

    def remove(self, kind: type[Row], keys: Iterable[Sequence[MetaValue]]) -> None:
        self.db.executemany(delete(kind), keys)

    def update(self, table: str, columns: Iterable[str], rows: Iterable[Sequence[object]]) -> None:
        """Set columns of rows of a table. rows: the values, and last the number of the row."""
        updates = ", ".join(f"{column} = ?" for column in columns)
        self.db.executemany(f"UPDATE {table} SET {updates} WHERE id = ?", rows)

    def save_places(self, order: npt.NDArray[np.int32]) -> None:
        """Store the order of all pages: their numbers, best first."""
        self.db.execute("DELETE FROM places")
        self.add("places", ((at, to_bytes(order[at : at + PLACES])) for at in range(0, len(order), PLACES)))

    def save_links(self, links: Iterable[Links]) -> None:
        """Replace pages' rows of links. The pages' states must be saved before: an alias stands for its target."""
        links = list(links)
        self.put(Links, links)
        update = "UPDATE pages SET stands_for = iif(state = 'alias', ?, NULL) WHERE id = ?"
        targets = ((int(from_bytes(row.targets)[0]) if row.targets else None, row.source) for row in links)
        self.db.executemany(f"{update} AND (state = 'alias' OR stands_for IS NOT NULL)", targets)

    def add_voices(self, changes: Iterable[VoiceRow]) -> None:
        """changes: differences in the number of links."""
        changes = list(changes)
        more = "ON CONFLICT DO UPDATE SET links = links + excluded.links"
        self.db.executemany(f"{insert(VoiceRow)} {more}", changes)
        gone = ((row.page, row.site) for row in changes if row.links < 0)
        self.db.executemany("DELETE FROM voices WHERE page = ? AND site = ? AND links = 0", gone)

    def forget_sites(self) -> None:
        """Delete all sites, as random surfers jump to all pages alike."""
        for table in ("sites", "doors", "voices"):
            self.db.execute(f"DELETE FROM {table}")
        self.db.execute("UPDATE hosts SET site = NULL")
        self.db.execute("UPDATE pages SET cited = NULL WHERE cited IS NOT NULL")

    def remove_sent(self, confirmed: Iterable[tuple[int, int]]) -> None:
        """Delete rows of the outbox: for each home those up to a number."""
        self.db.executemany("DELETE FROM outbox WHERE home = ? AND number <= ?", confirmed)

    def save_fingerprints(self, rows: Mapping[int, Fingerprint | None]) -> None:
        """rows: by page; None: the page no longer has one."""
        updates = ", ".join([*(f"{column} = ?" for column in Fingerprint._fields[1:]), f"changed = {THIS_COMMIT}"])
        nothing = (None,) * (len(Fingerprint._fields) - 1)
        update = f"UPDATE fetches SET {updates} WHERE id = (SELECT fetch FROM pages WHERE id = ?)"
        self.db.executemany(update, ((*(row[1:] if row else nothing), page) for page, row in rows.items()))

    def save_host_blocks(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """rows: hosts.id and blocks."""
        add = "INSERT INTO refresh_hosts (host, blocks) VALUES (?, ?)"
        self.db.executemany(f"{add} ON CONFLICT DO UPDATE SET blocks = excluded.blocks", rows)

    def save_changes(self, rows: Iterable[Change]) -> None:
        """Save changes of pages, and note the texts that changed pages have by now: those of this commit
        are saved before."""
        rows = list(rows)
        self.add(Change, rows)
        changed = [(row.at, row.page) for row in rows if row.what == "changed"]
        self.db.executemany(f"{_KEEP_VERSION} FROM texts WHERE page = ?", changed)
        self.db.executemany(_FORGET_VERSIONS, ((page, page, _VERSIONS - 1) for _, page in changed))

    def forget_versions(self, pages: Iterable[int]) -> None:
        self.db.executemany("DELETE FROM text_versions WHERE page = ?", ((page,) for page in pages))

    def keep_first_texts(self, pages: Iterable[int]) -> None:
        """Note the texts of pages that no change is known of yet."""
        never = "NOT EXISTS (SELECT 1 FROM text_versions WHERE page = texts.page)"
        self.db.executemany(f"{_KEEP_VERSION} FROM texts WHERE page = ? AND {never}", ((0.0, page) for page in pages))

    def forget_old_texts(self) -> None:
        """Delete the texts that no page has any more."""
        named = "SELECT text FROM texts UNION SELECT text FROM text_versions"
        self.db.execute(f"DELETE FROM text_records WHERE id NOT IN ({named})")

    def save_requisites(self, rows: Iterable[RequisiteRow]) -> None:
        """Add requisites, or replace the outcome of known ones; they keep their numbers and pages."""
        updates = ", ".join(f"{column} = excluded.{column}" for column in RequisiteRow._fields[4:-1])
        self.db.executemany(f"{insert(RequisiteRow)} ON CONFLICT (url) DO UPDATE SET {updates}", rows)

    def add_needing(self, rows: Iterable[tuple[bytes, str]]) -> None:
        """Note further pages that need requisites, nine of each at most: numbers of pages, and the URL."""
        query = "UPDATE requisites SET others = substr(CAST(others || ? AS BLOB), 1, 36) WHERE url = ?"
        self.db.executemany(f"{query} AND length(others) < 36", rows)

    def ask_for_requisites_again(self, reasons: Iterable[str]) -> None:
        """Let failed requisites wait again, by the reasons of their failures."""
        update = "UPDATE requisites SET state = 'waiting' WHERE state = 'failed' AND reason = ?"
        self.db.executemany(update, ((reason,) for reason in reasons))

    def save_meta(self, values: Mapping[str, MetaValue]) -> None:
        self.db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())

    def save_ranking(self, name: str, values: npt.NDArray[np.floating]) -> None:
        """Store a named ranking, a value per page by number; replaces the one of that name."""
        self.db.execute("DELETE FROM rankings WHERE name = ?", (name,))
        self.add("rankings", ((name, page, value) for page, value in enumerate(values.tolist())))

    # Pages, with their hashes and answers. Triggers count those with another state or reason.

    def add_pages(self, pages: Sequence[NewPage], accounts: Iterable[tuple[Any, ...]]) -> None:
        """Add pages that wait for their first turn. accounts: theirs, each with the number of its page last."""
        names = (*NewPage._fields[1:], *Account._fields, "id")
        marks = ", ".join("?" * len(names))
        add = f"INSERT INTO pages (state, attempts, {', '.join(names)}) VALUES ('waiting', 0, {marks})"
        self.db.executemany(add, (page[1:] + account for page, account in zip(pages, accounts, strict=True)))
        more = "ON CONFLICT (state, reason) DO UPDATE SET pages = pages + excluded.pages"
        tallies = (("waiting", *count) for count in Counter(page.reason for page in pages).items())
        self.db.executemany(f"{insert('tallies')} {more}", tallies)
        hashes = sorted((url_hash(page.url, self.hash_key), page.id) for page in pages)
        self.db.executemany("INSERT INTO url_hashes (hash, page) VALUES (?, ?)", hashes)

    def save_turns(self, turns: Sequence[Turn]) -> None:
        self.db.executemany(_FORGET_ANSWER, ((turn.id,) for turn in turns if turn.fetch is None))
        rows = []
        for turn in turns:
            # A page keeps the row of its first answer; the number for a new row is then skipped.
            self._fetches += turn.fetch is not None
            number = None if turn.fetch is None else self._fetches
            rows.append((turn.state, turn.reason, turn.attempts, number, number, turn.id))
        update = "UPDATE pages SET state = ?, reason = ?, attempts = ?, fetch = iif(?, coalesce(fetch, ?), NULL)"
        self.db.executemany(f"{update} WHERE id = ?", rows)
        marks = ", ".join("?" * len(Fetch._fields))
        updates = ", ".join(f"{column} = excluded.{column}" for column in (*Fetch._fields, "changed"))
        add = f"INSERT INTO fetches (id, page, changed, {columns(Fetch)})"
        add = f"{add} SELECT fetch, id, {THIS_COMMIT}, {marks} FROM pages WHERE id = ?"
        answers = ((*turn.fetch, turn.id) for turn in turns if turn.fetch is not None)
        self.db.executemany(f"{add} ON CONFLICT (id) DO UPDATE SET {updates}", answers)

    def forget_answers(self, pages: Collection[int]) -> None:
        """Delete the answers of pages, and their failures."""
        some = [(page,) for page in pages]
        self.db.executemany(_FORGET_ANSWER, some)
        self.db.executemany("UPDATE pages SET attempts = 0, fetch = NULL WHERE id = ?", some)

    def save_retries(self, retries: Mapping[int, tuple[int, str]]) -> None:
        """retries: failures in a row of pages that wait for another turn, by page, and the reason of the last one."""
        update = "UPDATE pages SET attempts = ?, reason = CASE WHEN visited THEN reason ELSE ? END WHERE id = ?"
        self.db.executemany(update, ((*retry, page) for page, retry in retries.items()))

    def ask_again(self, pages: Sequence[int], origins: Iterable[str], reasons: Iterable[str]) -> None:
        """Let pages that were given up wait as if they never had a turn.

        Failed robots.txt files of `origins`, and sitemaps that failed for one of
        `reasons`, are fetched again.
        """
        some = [(page,) for page in pages]
        self.db.executemany(_FORGET_ANSWER, some)
        update = "UPDATE pages SET state = 'waiting', attempts = 0, fetch = NULL, visited = 0 WHERE id = ?"
        self.db.executemany(f"{update} AND visited", some)
        forget = "DELETE FROM robots WHERE origin = ? AND reason IS NOT NULL"
        self.db.executemany(forget, ((origin,) for origin in origins))
        update = "UPDATE sitemaps SET reason = 'due', attempts = 0 WHERE reason = ?"
        self.db.executemany(update, ((reason,) for reason in reasons))
