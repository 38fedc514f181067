"""The read side of a store. Works while a crawl runs: every query sees the last commit."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from minicrawl.settings import RANKINGS
from minicrawl.store.database import open_to_read, schema_version, store_errors
from minicrawl.store.links import LinkGraph, from_bytes, to_graph
from minicrawl.store.rows import (
    ACCOUNT_COLUMNS,
    Account,
    Fingerprint,
    HostRow,
    Links,
    MetaValue,
    PageColumns,
    PatternRow,
    Probe,
    RankedPage,
    RobotsRow,
    Told,
)
from minicrawl.store.urlhash import url_hash

_RANKED_COLUMNS = ", ".join(RankedPage._fields)
_CHUNK = 500
_LINK_ROWS = 1_000
_ORPHANS = {
    "pages are on a host that is not in the store": (
        "SELECT count(*) FROM pages WHERE host NOT IN (SELECT id FROM hosts)"
    ),
    "pages were found on a page that is not in the store": (
        "SELECT count(*) FROM pages WHERE found_on NOT IN (SELECT id FROM pages)"
    ),
    "page numbers are missing": "SELECT coalesce(max(id) + 1, 0) - count(*) FROM pages",
    "URLs stand twice": "SELECT count(*) - count(DISTINCT url) FROM pages",
    "rows of links come from a page that is not in the store": (
        "SELECT count(*) FROM links WHERE source NOT IN (SELECT id FROM pages)"
    ),
    "pages have no reason for their state": "SELECT count(*) FROM pages WHERE reason = ''",
}


def open_store(path: str | Path) -> "Store":
    """The read side of the store at `path`. Raises StoreError."""
    path = Path(path)
    return Store(path, open_to_read(path))


class Store:
    """Reads a store."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path = path
        self._db = db
        with store_errors(path):
            self._has_fingerprints = schema_version(db) >= 4
            self._key = bytes.fromhex(str(self.meta("hash_key") or ""))

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside the block is of one commit, also while a crawl goes on writing.

        Inside another such block it is that one's.
        """
        if self._db.in_transaction:
            yield
            return
        with store_errors(self.path):
            self._db.execute("BEGIN")
        try:
            yield
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    # For people.

    def top(self, n: int, by: str = "importance") -> list[RankedPage]:
        """The n pages with the largest `by`, one of RANKINGS; `rank` is always that by importance."""
        return list(self.pages(by, n))

    def pages(self, by: str = "importance", n: int = -1) -> Iterator[RankedPage]:
        """Every page, or the first n, by falling `by`, one of RANKINGS."""
        if by not in RANKINGS:
            raise ValueError(f"by must be one of {', '.join(RANKINGS)}, not {by!r}")
        query = f"SELECT {_RANKED_COLUMNS} FROM ranks ORDER BY {by} DESC, rank LIMIT ?"
        with store_errors(self.path):
            for row in self._db.execute(query, (n,)):
                yield RankedPage(*row)

    def rankings(self) -> dict[str, npt.NDArray[np.float64]]:
        """What pages can be ranked by: each of RANKINGS as an array by page number, shape (size,)."""
        with store_errors(self.path):
            rows = self._db.execute(f"SELECT {', '.join(RANKINGS)} FROM ranks ORDER BY id").fetchall()
        columns = np.array(rows, dtype=np.float64).reshape(-1, len(RANKINGS)).T
        return dict(zip(RANKINGS, columns, strict=True))

    def kept_rankings(self) -> list[str]:
        """Names of the rankings that 'minicrawl rank --save' has kept."""
        with store_errors(self.path):
            if schema_version(self._db) < 2:
                return []
            return [name for (name,) in self._db.execute("SELECT DISTINCT name FROM rankings ORDER BY name")]

    def kept_pages(self, name: str, n: int = -1) -> Iterator[tuple[RankedPage, float]]:
        """The n pages (-1: all) with the largest value in a kept ranking, and that value."""
        query = f"""
            SELECT {_RANKED_COLUMNS}, value FROM rankings JOIN ranks ON ranks.id = rankings.page
            WHERE name = ? ORDER BY value DESC, rank LIMIT ?"""
        with store_errors(self.path):
            for *page, value in self._db.execute(query, (name, n)):
                yield RankedPage(*page), value

    def values(self, by: str) -> dict[str, float]:
        """What every page has in a ranking, one of RANKINGS or a kept one, by URL."""
        if by in RANKINGS:
            return dict(zip(self.urls(), self.rankings()[by].tolist(), strict=True))
        query = "SELECT url, value FROM rankings JOIN pages ON pages.id = rankings.page WHERE name = ?"
        with store_errors(self.path):
            return dict(self._db.execute(query, (by,)))

    def ranked_pages(self, pages: Sequence[int]) -> list[RankedPage]:
        """Some pages with their ranks, in the order they are asked for."""
        query = f"SELECT id, {_RANKED_COLUMNS} FROM ranks WHERE id IN (SELECT value FROM json_each(?))"
        with store_errors(self.path):
            found = {page: RankedPage(*row) for page, *row in self._db.execute(query, (json.dumps(pages),))}
        return [found[page] for page in pages]

    def numbered_pages(self) -> Iterator[RankedPage]:
        """Every page by number."""
        with store_errors(self.path):
            for row in self._db.execute(f"SELECT {_RANKED_COLUMNS} FROM ranks ORDER BY id"):
                yield RankedPage(*row)

    def ranked_page(self, page: int) -> RankedPage:
        """One page with its rank."""
        with store_errors(self.path):
            row = self._db.execute(f"SELECT {_RANKED_COLUMNS} FROM ranks WHERE id = ?", (page,)).fetchone()
        return RankedPage(*row)

    def facts(self, page: int) -> dict[str, Any]:
        """The whole row of a page, by the column names of schema.sql, with its host's."""
        with store_errors(self.path):
            cursor = self._db.execute("SELECT * FROM pages WHERE id = ?", (page,))
            facts = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
            cursor = self._db.execute("SELECT name, crawl_delay, next_at FROM hosts WHERE id = ?", (facts["host"],))
            facts["host"] = HostRow(facts["host"], *cursor.fetchone())
            cursor = self._db.execute("SELECT nofollow, refused FROM links WHERE source = ?", (page,))
            facts["nofollow"], facts["refused"] = cursor.fetchone() or (0, 0)
        return facts

    def fetch_order(self) -> list[str]:
        """URLs of the pages that answered, in the order of their last answer."""
        query = "SELECT url FROM pages WHERE fetched_at IS NOT NULL ORDER BY fetched_at, id"
        with store_errors(self.path):
            return [url for (url,) in self._db.execute(query)]

    def counts(self) -> dict[tuple[str, str], int]:
        """Number of pages by (state, reason)."""
        query = "SELECT state, reason, count(*) FROM pages GROUP BY state, reason ORDER BY count(*) DESC"
        with store_errors(self.path):
            return {(state, reason): count for state, reason, count in self._db.execute(query)}

    def is_in_use(self) -> bool:
        """Whether a crawl holds the store right now."""
        lock = FileLock(f"{self.path}.lock")
        try:
            with lock.acquire(timeout=0):
                return False
        except (Timeout, OSError):
            return True

    def meta_json(self, key: str) -> dict[str, Any]:
        """A value of `meta` that holds JSON; {} when there is none."""
        value: dict[str, Any] = json.loads(str(self.meta(key) or "{}"))
        return value

    def integrity_errors(self) -> list[str]:
        """What SQLite and the foreign columns say is wrong with the file, in sentences."""
        errors = []
        with store_errors(self.path):
            for (line,) in self._db.execute("PRAGMA integrity_check"):
                if line != "ok":
                    errors.append(f"SQLite finds: {line}")
            for what, query in _ORPHANS.items():
                (count,) = self._db.execute(query).fetchone()
                if count:
                    errors.append(f"{count} {what}")
            for page, url, kept in self._db.execute("SELECT id, url, hash FROM pages"):
                if url_hash(url, self._key) != kept:
                    errors.append(f"page {page} cannot be found by its URL {url}")
        return errors

    # For programs.

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

    def state(self, page: int) -> str:
        """State of a known page; "waiting" while it is not committed."""
        row = self._db.execute("SELECT state FROM pages WHERE id = ?", (page,)).fetchone()
        return str(row[0]) if row else "waiting"

    def told(self, page: int) -> Told:
        """Reason and title of a page in the store."""
        return Told._make(self._db.execute("SELECT reason, title FROM pages WHERE id = ?", (page,)).fetchone())

    def columns(self) -> Iterator[PageColumns]:
        """All pages by number, some thousands at a time, each column one tuple."""
        columns = f"id, host, state, attempts, measures, {ACCOUNT_COLUMNS}"
        cursor = self._db.execute(f"SELECT {columns} FROM pages ORDER BY id")
        while chunk := cursor.fetchmany(20_000):
            page, host, state, attempts, measures, *account = zip(*chunk, strict=True)
            yield PageColumns(page, host, state, attempts, measures, Account._make(account))

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks at the last visit; empty when there was none."""
        row = self.links_row(page)
        return from_bytes(row.targets if row else b"")

    def links_row(self, page: int) -> Links | None:
        """The row of a page's outlinks; None when it was never read."""
        columns = ", ".join(Links._fields)
        row = self._db.execute(f"SELECT {columns} FROM links WHERE source = ?", (page,)).fetchone()
        return Links(*row) if row else None

    def hinted(self) -> Iterator[tuple[int, int]]:
        """Aliases that are pages of their own, each with its target."""
        rows = self._db.execute("SELECT source, targets FROM links WHERE own IS NOT NULL")
        return ((source, int(from_bytes(targets)[0])) for source, targets in rows)

    def links_of(self, pages: Sequence[int]) -> LinkGraph:
        """The outlinks of some pages, in rising order; pages never visited are left out."""
        rows: list[tuple[int, bytes]] = []
        for start in range(0, len(pages), _CHUNK):
            chunk = pages[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            rows += self._db.execute(f"SELECT source, targets FROM links WHERE source IN ({marks})", chunk)
        return to_graph(sorted(rows), self.size())

    def links(self) -> LinkGraph:
        """The whole link table: the graph of counted links as CSR, one row per read page."""
        with store_errors(self.path):
            return to_graph(self._db.execute("SELECT source, targets FROM links ORDER BY source"), self.size())

    def link_blocks(self) -> Iterator[LinkGraph]:
        """The link table by source, some thousand rows at a time."""
        size = self.size()
        with store_errors(self.path):
            cursor = self._db.execute("SELECT source, targets FROM links ORDER BY source")
            while rows := cursor.fetchmany(_LINK_ROWS):
                yield to_graph(rows, size)

    def link_count(self) -> int:
        """Number of counted links."""
        with store_errors(self.path):
            (count,) = self._db.execute("SELECT coalesce(sum(length(targets) / 4), 0) FROM links").fetchone()
        return int(count)

    def size(self) -> int:
        """Number of known pages."""
        row = self._db.execute("SELECT coalesce(max(id) + 1, 0) FROM pages").fetchone()
        return int(row[0])

    def sources_of(self, page: int) -> npt.NDArray[np.int64]:
        """Pages with a counted link to `page`; looks at every link."""
        graph = self.links()
        rows = np.searchsorted(graph.indptr, np.flatnonzero(graph.targets == page), side="right") - 1
        return graph.sources[rows]

    def urls(self) -> Iterator[str]:
        """URLs of all pages by number."""
        return (url for (url,) in self._db.execute("SELECT url FROM pages ORDER BY id"))

    def seeds(self) -> list[str]:
        """URLs of the seeds."""
        return [url for (url,) in self._db.execute("SELECT url FROM pages WHERE found_on IS NULL ORDER BY id")]

    def hosts(self) -> list[HostRow]:
        return [
            HostRow(*row) for row in self._db.execute("SELECT id, name, crawl_delay, next_at FROM hosts ORDER BY id")
        ]

    def patterns(self) -> list[PatternRow]:
        """What the trap defence has learned."""
        return self._patterns("")

    def trap_patterns(self) -> list[PatternRow]:
        """Patterns that a rule has shut, those with the most links dropped first."""
        return self._patterns("WHERE trap IS NOT NULL ORDER BY dropped DESC, name")

    def digests(self) -> list[int]:
        """Digests of what was read."""
        return [digest for (digest,) in self._db.execute("SELECT digest FROM digests")]

    def fingerprints(self) -> Iterator[list[Fingerprint]]:
        """What all pages can be told by, by page number, some thousands at a time."""
        if self._has_fingerprints:
            cursor = self._db.execute(f"SELECT {', '.join(Fingerprint._fields)} FROM fingerprints ORDER BY page")
            while rows := cursor.fetchmany(20_000):
                yield [Fingerprint._make(row) for row in rows]

    def fingerprint(self, page: int) -> Fingerprint | None:
        """What one page can be told by; None if nothing is known of it."""
        if not self._has_fingerprints:
            return None
        columns = ", ".join(Fingerprint._fields)
        row = self._db.execute(f"SELECT {columns} FROM fingerprints WHERE page = ?", (page,)).fetchone()
        return Fingerprint._make(row) if row else None

    def duplicate_counts(self) -> tuple[int, int]:
        """How many pages have the bytes of another, and how many nearly say what another says."""
        return self._duplicates("1")

    def duplicates_of(self, page: int) -> tuple[int, int]:
        """The same, of those that are marked with this page."""
        return self._duplicates(f"leader = {page:d}")

    def probes(self) -> list[Probe]:
        """What hosts answered for pages that cannot exist."""
        with store_errors(self.path):
            if not self._has_fingerprints:
                return []
            return [Probe._make(row) for row in self._db.execute(f"SELECT {', '.join(Probe._fields)} FROM probes")]

    def _duplicates(self, which: str) -> tuple[int, int]:
        query = f"SELECT count(*), count(distance) FROM fingerprints WHERE leader IS NOT NULL AND {which}"
        with store_errors(self.path):
            marked, near = self._db.execute(query).fetchone() if self._has_fingerprints else (0, 0)
        return marked - near, near

    def robots(self, origin: str) -> RobotsRow | None:
        columns = ", ".join(RobotsRow._fields)
        row = self._db.execute(f"SELECT {columns} FROM robots WHERE origin = ?", (origin,)).fetchone()
        return RobotsRow(*row) if row else None

    def meta(self, key: str) -> MetaValue:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def _patterns(self, which: str) -> list[PatternRow]:
        with store_errors(self.path):
            if schema_version(self._db) < 3:
                return []
            columns = ", ".join(PatternRow._fields)
            return [PatternRow(*row) for row in self._db.execute(f"SELECT {columns} FROM patterns {which}")]
