"""The read side of a store. Works while a crawl runs: every query sees the last commit."""

import json
import math
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from minicrawl.settings import RANKINGS
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.database import damaged, is_held, open_to_read, schema_errors, store_errors
from minicrawl.store.links import LinkGraph, from_bytes, to_bytes, to_graph
from minicrawl.store.rows import (
    ACCOUNT_COLUMNS,
    Account,
    Alternate,
    DomainRow,
    Fingerprint,
    FingerprintColumns,
    HostRow,
    LastTurn,
    LinkerRow,
    Links,
    ListedUrl,
    MetaValue,
    PageColumns,
    ParameterRow,
    PatternRow,
    Probe,
    RankedPage,
    RecentPage,
    Refused,
    RobotsRow,
    SitemapRow,
)
from minicrawl.store.spill import Spill
from minicrawl.store.urlhash import url_hash

_RANKED_COLUMNS = ", ".join(RankedPage._fields)
_FINGERPRINT_COLUMNS = ", ".join(Fingerprint._fields)
_PATTERN_COLUMNS = ", ".join(PatternRow._fields)
_BOOKS = (
    *("level", "clock", "interpolation_size", "window_size", "window_visits", "newcomer_history", "newcomer_stretch"),
    *("ledger_virtual", "ledger_never_visited", "ledger_births", "ledger_total", "best_floor"),
)
"""Keys of `meta` that the view `books` reads."""
_CHUNK = 500
_SKETCH_BYTES = 40
_LEAST_ROW = 16
"""Bytes that a page takes at the very least."""
_SAMPLE = 2_000
"""Of so many pages, spread over all, a rank is guessed."""
_LOOKED_AT = 10_000
PLACES = 1_024
"""Pages in a row of `places`."""
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
    "rows of links are cut": ("SELECT count(*) FROM links WHERE length(targets) % 4 OR coalesce(length(own), 0) % 4"),
    "probes are cut": (
        "SELECT count(*) FROM probes WHERE coalesce(length(words), 0) % 4 OR coalesce(length(matched), 0) % 4 "
        "OR coalesce(length(others), 0) % 4"
    ),
    "words of pages are cut": "SELECT count(*) FROM recent_pages WHERE length(words) % 4",
    "pages read lately are not in the store": (
        "SELECT count(*) FROM recent_pages WHERE page NOT IN (SELECT id FROM pages)"
    ),
    "sketches are cut": f"SELECT count(*) FROM fetches WHERE length(sketch) <> {_SKETCH_BYTES}",
    "aliases have more or fewer targets than one": (
        "SELECT count(*) FROM pages JOIN links ON source = id WHERE state = 'alias' AND length(targets) <> 4"
    ),
    "hosts' numbers are missing": "SELECT coalesce(max(id) + 1, 0) - count(*) FROM hosts",
    "domains' numbers are missing": "SELECT coalesce(max(id) + 1, 0) - count(*) FROM domains",
    "linking domains belong to a domain that is not in the store": (
        "SELECT count(*) FROM linkers WHERE domain NOT IN (SELECT id FROM domains)"
    ),
    "of the best pages are not in the store": "SELECT count(*) FROM best WHERE page NOT IN (SELECT id FROM pages)",
    "pages are alternates of a page that is not in the store": (
        "SELECT count(*) FROM alternates WHERE named_by NOT IN (SELECT id FROM pages)"
    ),
    "pages are duplicates of a page that is not in the store": (
        "SELECT count(*) FROM fetches WHERE leader NOT IN (SELECT id FROM pages)"
    ),
    "sitemaps or URLs from them are on a host that is not in the store": (
        "SELECT count(*) FROM (SELECT host FROM sitemaps UNION SELECT host FROM sitemap_urls) "
        "WHERE host NOT IN (SELECT id FROM hosts)"
    ),
    "pages have no reason for their state": "SELECT count(*) FROM pages WHERE reason = ''",
    "hashes of URLs are of a page that is not in the store": (
        "SELECT count(*) FROM url_hashes WHERE page NOT IN (SELECT id FROM pages)"
    ),
    "pages have had an answer that is not in the store": (
        "SELECT count(*) FROM pages WHERE fetch IS NOT NULL AND fetch NOT IN (SELECT id FROM fetches)"
    ),
    "answers belong to no page": "SELECT (SELECT count(*) FROM fetches) - (SELECT count(DISTINCT fetch) FROM pages)",
    "sitemaps were named for a page that is not in the store": (
        "SELECT count(*) FROM sitemaps WHERE page NOT IN (SELECT id FROM pages)"
    ),
    "pages or URLs come from a sitemap that is not in the store": (
        "SELECT count(*) FROM (SELECT sitemap FROM sitemap_pages UNION SELECT sitemap FROM sitemap_urls) "
        "WHERE sitemap NOT IN (SELECT id FROM sitemaps)"
    ),
}


def open_store(path: str | Path, sizes: Sizes = STANDARD_SIZES) -> "Store":
    """The read side of the store at `path`. Raises StoreError."""
    path = Path(path)
    return Store(path, open_to_read(path), sizes)


class Store:
    """Reads a store."""

    def __init__(self, path: Path, db: sqlite3.Connection, sizes: Sizes = STANDARD_SIZES) -> None:
        self.path = path
        self.sizes = sizes
        self._db = db
        self._errors = store_errors(path)
        self._key = self._hash_key()
        self._check_books()

    def _hash_key(self) -> bytes:
        """The key of the hashes that URLs are found by; b"" when there is none yet."""
        kept = self.meta("hash_key")
        try:
            key = bytes.fromhex(str(kept or ""))
        except ValueError as error:
            raise damaged(self.path, "meta.hash_key is no key") from error
        if not key and self.size():
            raise damaged(self.path, "meta.hash_key is missing, without which no page can be found")
        return key

    def _check_books(self) -> None:
        """Raise StoreError when importance cannot be computed: to SQL a word is 0, and infinity and NULL will do."""
        keys = ", ".join("?" * len(_BOOKS))
        for key, value in self._rows(f"SELECT key, value FROM meta WHERE key IN ({keys})", _BOOKS):
            if value is not None and not (isinstance(value, int | float) and math.isfinite(value)):
                raise damaged(self.path, f"meta.{key} is {value!r:.60}, which cannot be meant")
        (books,) = self._row("SELECT level + clock + virtual + births + total + floor FROM books")
        if books is None and self.size():
            raise damaged(self.path, "a number is missing that importance is computed with")

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
        with self._errors:
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
        order = "" if by == "importance" else f"ORDER BY {by} DESC, rank"  # the view has that order of its own
        query = f"SELECT {_RANKED_COLUMNS} FROM ranks {order} LIMIT ?"
        with self._errors:
            for row in self._db.execute(query, (n,)):
                yield RankedPage(*row)

    def rankings(self) -> dict[str, npt.NDArray[np.float64]]:
        """What pages can be ranked by: each of RANKINGS as an array by page number, shape (size,)."""
        with self._errors:
            rows = self._db.execute(f"SELECT {', '.join(RANKINGS)} FROM ranks ORDER BY id").fetchall()
        columns = np.array(rows, dtype=np.float64).reshape(-1, len(RANKINGS)).T
        return dict(zip(RANKINGS, columns, strict=True))

    def kept_rankings(self) -> list[str]:
        """Names of the rankings that 'minicrawl rank --save' has kept."""
        with self._errors:
            return [name for (name,) in self._db.execute("SELECT DISTINCT name FROM rankings ORDER BY name")]

    def kept_pages(self, name: str, n: int = -1) -> Iterator[tuple[RankedPage, float]]:
        """The n pages (-1: all) with the largest value in a kept ranking, and that value."""
        query = f"""
            SELECT {_RANKED_COLUMNS}, value FROM rankings JOIN ranks ON ranks.id = rankings.page
            WHERE name = ? ORDER BY value DESC, rank LIMIT ?"""
        with self._errors:
            for *page, value in self._db.execute(query, (name, n)):
                yield RankedPage(*page), value

    def values(self, by: str) -> dict[str, float]:
        """What every page has in a ranking, one of RANKINGS or a kept one, by URL."""
        if by in RANKINGS:
            values = dict(zip(self.urls(), self.rankings()[by].tolist(), strict=True))
        else:
            query = "SELECT url, value FROM rankings JOIN pages ON pages.id = rankings.page WHERE name = ?"
            values = dict(self._rows(query, (by,)))
        if None in values:
            raise damaged(self.path, "a page has no URL")
        return values

    def ranked_pages(self, pages: Sequence[int]) -> list[RankedPage]:
        """Some pages with their ranks, in the order they are asked for."""
        if self.meta("is_ranked"):
            return [self.ranked_page(page) for page in pages]
        query = f"SELECT id, {_RANKED_COLUMNS} FROM ranks WHERE id IN (SELECT value FROM json_each(?))"
        with self._errors:
            found = {page: RankedPage(*row) for page, *row in self._db.execute(query, (json.dumps(pages),))}
        return [found[page] for page in pages]

    def numbered_pages(self) -> Iterator[RankedPage]:
        """Every page by number."""
        with self._errors:
            for row in self._db.execute(f"SELECT {_RANKED_COLUMNS} FROM ranks ORDER BY id"):
                yield RankedPage(*row)

    def ranked_page(self, page: int) -> RankedPage:
        """One page with its rank, which is a good guess unless `is_rank_exact`."""
        row = self._row(f"SELECT {', '.join(RankedPage._fields[1:])} FROM weighed WHERE id = ?", page)
        return RankedPage(self._rank(page), *row)

    def is_rank_exact(self, page: int) -> bool:
        """Whether the rank of one page can be told without a look at all others.

        It can be of the best thousand, and of all pages once a crawl has stopped.
        """
        return bool(self.meta("is_ranked")) or self._is_best(page)

    def _rank(self, page: int) -> int:
        if self._is_best(page):
            return self._better(page, "best CROSS JOIN weighed ON weighed.id = best.page WHERE is_worthy") + 1
        if self.meta("is_ranked"):
            return self._place(page) + 1
        size = self.size()
        some = json.dumps(sorted({number * size // _SAMPLE for number in range(_SAMPLE)} - {page}))
        others = len(json.loads(some))
        better = self._better(page, "json_each(?) CROSS JOIN weighed ON weighed.id = json_each.value WHERE 1", some)
        return 1 + round(better * (size - 1) / max(others, 1))

    def _is_best(self, page: int) -> bool:
        query = "SELECT is_worthy FROM best CROSS JOIN weighed ON weighed.id = best.page WHERE best.page = ?"
        row = self._row(query, page)
        return bool(row and row[0])

    def _better(self, page: int, among: str, *values: str) -> int:
        """How many pages are better than one, among some."""
        (x,) = self._row("SELECT x FROM weighed WHERE id = ?", page)
        query = f"SELECT count(*) FROM {among} AND (x > ? OR (x = ? AND weighed.id < ?))"
        (count,) = self._row(query, *values, x, x, page)
        return int(count)

    def _place(self, page: int) -> int:
        """How many pages are better than one, by the places that were written down at the end of a run."""
        wanted = self._key_of(page)
        blocks = range(0, self.size(), PLACES)

        def first(block: int) -> tuple[float, int]:
            (head,) = self._row("SELECT substr(pages, 1, 4) FROM places WHERE first = ?", block)
            return self._key_of(int(from_bytes(head)[0]))

        block = blocks[max(0, bisect_right(blocks, wanted, key=first) - 1)]
        (held,) = self._row("SELECT pages FROM places WHERE first = ?", block)
        return block + bisect_left(from_bytes(held).tolist(), wanted, key=self._key_of)

    def _key_of(self, page: int) -> tuple[float, int]:
        """What pages are ordered by, from the best on."""
        (x,) = self._row("SELECT x FROM weighed WHERE id = ?", page)
        return -x, page

    def facts(self, page: int) -> dict[str, Any]:
        """The whole row of a page, by the column names of schema.sql, with its host's."""
        with self._errors:
            query = "SELECT fetches.*, pages.* FROM pages LEFT JOIN fetches ON fetches.id = fetch WHERE pages.id = ?"
            cursor = self._db.execute(query, (page,))
            facts = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
            (facts["host"],) = self._hosts(f"WHERE id = {facts['host']}")
            cursor = self._db.execute("SELECT nofollow, refused FROM links WHERE source = ?", (page,))
            facts["nofollow"], facts["refused"] = cursor.fetchone() or (0, 0)
        return facts

    def fetch_order(self) -> list[str]:
        """URLs of the pages that answered, in the order of their last answer."""
        query = "SELECT url FROM pages JOIN fetches ON fetches.id = fetch ORDER BY fetched_at, pages.id"
        with self._errors:
            return [url for (url,) in self._db.execute(query)]

    def counts(self) -> dict[tuple[str, str], int]:
        """Number of pages by (state, reason)."""
        query = "SELECT state, reason, pages FROM tallies WHERE pages > 0 ORDER BY pages DESC"
        with self._errors:
            return {(state, reason): count for state, reason, count in self._db.execute(query)}

    def miscounted(self) -> list[tuple[str, str, int, int]]:
        """Each (state, reason) that `counts` is wrong about: how many pages it says, and how many there are."""
        query = """
            SELECT state, reason, sum(kept), sum(there) FROM (
                SELECT state, reason, pages AS kept, 0 AS there FROM tallies
                UNION ALL SELECT state, reason, 0, count(*) FROM pages GROUP BY 1, 2
            ) GROUP BY 1, 2 HAVING sum(kept) <> sum(there) ORDER BY 1, 2"""
        return list(self._rows(query))

    def unanswered(self) -> dict[str, int]:
        """What pages and sites that are to be asked again have failed with, by reason; looks at every page."""
        query = """
            SELECT reason, count(*) FROM (
                SELECT reason FROM pages WHERE attempts > 0 UNION ALL SELECT reason FROM robots WHERE attempts > 0
            ) GROUP BY reason"""
        return dict(self._rows(query))

    def is_in_use(self) -> bool:
        """Whether a crawl holds the store right now."""
        return is_held(self.path)

    def meta_json(self, key: str) -> dict[str, Any]:
        """A value of `meta` that holds JSON; {} when there is none."""
        try:
            value = json.loads(str(self.meta(key) or "{}"))
        except ValueError as error:
            raise damaged(self.path, f"meta.{key} is no JSON ({error})") from error
        if not isinstance(value, dict):
            raise damaged(self.path, f"meta.{key} is no JSON object")
        return value

    def structure_errors(self) -> list[str]:
        """The first thing that SQLite finds wrong with the file, without a look at what stands in it; or nothing."""
        return self._findings("PRAGMA quick_check(1)")

    def _findings(self, pragma: str) -> list[str]:
        """What SQLite finds wrong, a line each."""
        lines = (line for (text,) in self._rows(pragma) for line in text.splitlines())
        return [line for line in lines if line not in ("ok", "*** in database main ***")]

    def integrity_errors(self) -> list[str]:
        """What SQLite and the foreign columns say is wrong with the file, in sentences."""
        errors = [f"SQLite finds: {line}" for line in self._findings("PRAGMA integrity_check")]
        if errors:
            return errors  # what stands in such rows may be of no type that is looked for here
        with self._errors:
            errors += schema_errors(self._db)
            for what, query in _ORPHANS.items():
                (count,) = self._db.execute(query).fetchone()
                if count:
                    errors.append(f"{count} {what}")
            lost = self._db.execute(
                "SELECT id, url FROM pages WHERE id NOT IN (SELECT page FROM url_hashes)"
            ).fetchall()
            for page, url, kept in self._db.execute("SELECT id, url, hash FROM url_hashes JOIN pages ON id = page"):
                if url_hash(url, self._key) != kept:
                    lost.append((page, url))
            errors += [f"page {page} cannot be found by its URL {url}" for page, url in lost]
        return errors

    # For programs.

    def find(self, urls: Sequence[str]) -> dict[str, int]:
        """Page numbers of those URLs that are known."""
        found: dict[str, int] = {}
        for start in range(0, len(urls), _CHUNK):
            wanted = set(urls[start : start + _CHUNK])
            hashes = [url_hash(url, self._key) for url in wanted]
            marks = ",".join("?" * len(hashes))
            rows = self._rows(f"SELECT id, url FROM url_hashes JOIN pages ON id = page WHERE hash IN ({marks})", hashes)
            found.update((url, page) for page, url in rows if url in wanted)
        return found

    def url(self, page: int) -> str:
        (url,) = self._row("SELECT url FROM pages WHERE id = ?", page)
        return str(url)

    def state(self, page: int) -> str:
        """State of a known page; "waiting" while it is not committed."""
        row = self._row("SELECT state FROM pages WHERE id = ?", page)
        return str(row[0]) if row else "waiting"

    def given_up(self) -> list[tuple[int, str]]:
        """Pages that were given up or forbidden, each with its reason; looks at all pages."""
        return list(self._rows("SELECT id, reason FROM pages WHERE state IN ('error', 'disallowed')"))

    def last_turn(self, page: int) -> LastTurn:
        """What came of the last turn of a page in the store."""
        query = "SELECT reason, title FROM pages LEFT JOIN fetches ON fetches.id = fetch WHERE pages.id = ?"
        return LastTurn._make(self._row(query, page))

    def columns(self) -> Iterator[PageColumns]:
        """All pages by number, a thousand at a time: so many rows still are in the processor's cache when they are
        turned into columns."""
        with self._errors:
            query = f"SELECT state, id, host, attempts, fetch IS NOT NULL, {ACCOUNT_COLUMNS} FROM pages ORDER BY id"
            cursor = self._db.execute(query)
            while chunk := cursor.fetchmany(self.sizes.rows):
                state, *columns = zip(*chunk, strict=True)
                page, host, attempts, is_answered, *account = (
                    np.array(column, dtype=np.float64 if isinstance(column[0], float) else np.int64)
                    for column in columns
                )
                yield PageColumns(page, host, state, attempts, is_answered != 0, Account._make(account))

    def measures(self) -> Iterator[tuple[int, str]]:
        """What the window remembers of visits, by page; for windows that keep more than one number."""
        with self._errors:
            yield from self._db.execute("SELECT id, measures FROM pages WHERE measures IS NOT NULL")

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks at the last visit; empty when there was none."""
        row = self.links_row(page)
        return from_bytes(row.targets if row else b"")

    def links_row(self, page: int) -> Links | None:
        """The row of a page's outlinks; None when it was never read."""
        columns = ", ".join(Links._fields)
        row = self._row(f"SELECT {columns} FROM links WHERE source = ?", page)
        return Links(*row) if row else None

    def hinted(self) -> Iterator[tuple[int, int]]:
        """Aliases that are pages of their own, each with its target."""
        rows = self._rows("SELECT source, targets FROM links WHERE own IS NOT NULL AND length(targets) > 0")
        return ((source, int(from_bytes(targets)[0])) for source, targets in rows)

    def own_links(self) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
        """Aliases that are pages of their own, each with its own outlinks."""
        with self._errors:
            for source, own in self._db.execute("SELECT source, own FROM links WHERE own IS NOT NULL"):
                yield source, from_bytes(own)

    def places(self) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
        """All pages, best first, PLACES at a time, as they were written down at the end of a run."""
        return ((first, from_bytes(pages)) for first, pages in self._rows("SELECT first, pages FROM places"))

    def best(self) -> list[int]:
        """The pages that may be the most important."""
        return [page for (page,) in self._rows("SELECT page FROM best")]

    def merged(self) -> Iterator[tuple[int, int]]:
        """Aliases that are copies of another page, each with that page."""
        query = """
            SELECT source, targets FROM links JOIN pages ON id = source
            WHERE own IS NOT NULL AND state = 'alias' AND reason = 'duplicate' ORDER BY source"""
        return ((source, int(from_bytes(targets)[0])) for source, targets in self._rows(query))

    def alternates(self) -> Iterator[Alternate]:
        """Pages that a page read before them gives as its alternate."""
        return (Alternate(*row) for row in self._rows("SELECT page, named_by FROM alternates ORDER BY page"))

    def alternate_of(self, page: int) -> int | None:
        """The page that gives this one as its alternate, and was read before it."""
        row = self._row("SELECT named_by FROM alternates WHERE page = ?", page)
        return int(row[0]) if row else None

    def refused(self, page: int) -> Refused | None:
        """What a page leads to and is not followed, as far as that is kept."""
        return next(self._refused("WHERE source = ?", page), None)

    def too_deep(self) -> Iterator[Refused]:
        """Pages with links that only --max-depth keeps out."""
        return self._refused("WHERE too_deep IS NOT NULL ORDER BY source")

    def sources_of_too_deep(self, url: str) -> list[int]:
        """Pages that link to `url`, which only --max-depth keeps out; looks at every such link."""
        return [row.source for row in self.too_deep() if url in json.loads(row.too_deep or "[]")]

    def links_of(self, pages: Sequence[int]) -> LinkGraph:
        """The outlinks of some pages, in rising order; pages never visited are left out."""
        rows: list[tuple[int, bytes]] = []
        for start in range(0, len(pages), _CHUNK):
            chunk = pages[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            rows += self._rows(f"SELECT source, targets FROM links WHERE source IN ({marks})", chunk)
        return to_graph(sorted(rows), self.size())

    def links(self) -> LinkGraph:
        """The whole link table: the graph of counted links as CSR, one row per read page."""
        with self.snapshot():
            targets = np.empty(self.link_count(), dtype=np.int32)
            sources, outdegrees, filled = [np.zeros(0, dtype=np.int64)], [np.zeros(1, dtype=np.int64)], 0
            for block in self.link_blocks():
                targets[filled : filled + len(block.targets)] = block.targets
                filled += len(block.targets)
                sources.append(block.sources)
                outdegrees.append(np.diff(block.indptr))
            return LinkGraph(np.concatenate(sources), np.cumsum(np.concatenate(outdegrees)), targets, self.size())

    def link_blocks(self) -> Iterator[LinkGraph]:
        """The link table by source, some thousand rows at a time."""
        size = self.size()
        with self._errors:
            cursor = self._db.execute("SELECT source, targets FROM links ORDER BY source")
            while rows := cursor.fetchmany(self.sizes.link_rows):
                yield to_graph(rows, size)

    @contextmanager
    def kept_link_blocks(self) -> Iterator[Callable[[], Iterable[LinkGraph]]]:
        """What gives the link table by source in blocks, as often as it is called; many links are kept on disk."""
        if self.link_count() <= self.sizes.links:
            kept = list(self.link_blocks())
            yield lambda: kept
            return
        with Spill(self.path.parent) as spill:
            for block in self.link_blocks():
                spill.append(0, (block.sources, block.indptr, block.targets))
            size = self.size()
            yield lambda: (LinkGraph(sources, indptr, targets, size) for sources, indptr, targets in spill.read(0))

    def link_count(self) -> int:
        """Number of counted links."""
        with self._errors:
            (count,) = self._db.execute("SELECT coalesce(sum(length(targets) / 4), 0) FROM links").fetchone()
        return int(count)

    def size(self) -> int:
        """Number of known pages."""
        (size,) = self._row("SELECT coalesce(max(id) + 1, 0) FROM pages")
        (octets,) = self._row("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        if not 0 <= size <= octets // _LEAST_ROW:  # memory for so many would be asked for
            raise damaged(self.path, f"it has a page with the number {size - 1}")
        return int(size)

    def has_host(self, name: str) -> bool:
        return self._row("SELECT 1 FROM hosts WHERE name = ?", name) is not None

    def some_sources(self, page: int, n: int) -> list[int]:
        """Up to n pages with a counted link to `page`: of the links the crawl has, some 20,000 pages' are looked at.

        These are pages known not long after the first that links to it was, and the first of all.
        """
        (found_on,) = self._row("SELECT found_on FROM pages WHERE id = ?", page)
        query = f"""
            SELECT source, targets FROM (SELECT * FROM links WHERE source >= ? ORDER BY source LIMIT {_LOOKED_AT})
            WHERE instr(targets, ?)"""
        wanted = to_bytes(np.array([page], dtype=np.int32))
        found: dict[int, None] = {}
        for start in (found_on or 0, 0):
            rows = self._rows(query, (start, wanted)) if len(found) < n else []
            found |= dict.fromkeys(source for source, targets in rows if page in from_bytes(targets))
        return list(found)[:n]

    def urls(self) -> Iterator[str]:
        """URLs of all pages by number."""
        with self._errors:
            for (url,) in self._db.execute("SELECT url FROM pages ORDER BY id"):
                yield url

    def seeds(self) -> list[str]:
        """URLs of the seeds."""
        return [url for (url,) in self._rows("SELECT url FROM pages WHERE found_on IS NULL ORDER BY id")]

    def host_count(self) -> int:
        """Number of hosts."""
        (count,) = self._row("SELECT count(*) FROM hosts")
        return int(count)

    def hosts(self) -> list[HostRow]:
        return self._hosts("ORDER BY id")

    def strained_hosts(self) -> list[HostRow]:
        """Hosts whose last answers were failures, those with the most in a row first."""
        return self._hosts("WHERE strains > 0 ORDER BY strains DESC, name")

    def trap_patterns(self) -> list[PatternRow]:
        """Patterns that a rule has shut, those with the most links dropped first."""
        query = f"SELECT {_PATTERN_COLUMNS} FROM patterns WHERE trap IS NOT NULL ORDER BY dropped DESC, name"
        return [PatternRow(*row) for row in self._rows(query)]

    def pattern(self, name: str) -> PatternRow | None:
        """What the trap defence has learned of one pattern."""
        row = self._row(f"SELECT {_PATTERN_COLUMNS} FROM patterns WHERE name = ?", name)
        return PatternRow(*row) if row else None

    def parameters(self) -> list[ParameterRow]:
        """Parameters that are, or may be, sessions'."""
        return [ParameterRow(*row) for row in self._rows(f"SELECT {', '.join(ParameterRow._fields)} FROM parameters")]

    def domains(self) -> list[DomainRow]:
        return [DomainRow(*row) for row in self._rows("SELECT id, name, address FROM domains ORDER BY id")]

    def linkers(self) -> Iterator[LinkerRow]:
        """Who links to domains, in the order in which they came."""
        return map(LinkerRow._make, self._rows("SELECT domain, bit FROM linkers ORDER BY rowid"))

    def has_digest(self, digest: int) -> bool:
        """Whether a page that was read had this digest."""
        return self._row("SELECT 1 FROM digests WHERE digest = ?", digest) is not None

    def fingerprints(self) -> Iterator[FingerprintColumns]:
        """What all pages can be told by, in the order in which they got their first answer, a thousand at a time."""
        query = f"""
            SELECT page, payload, leader IS NULL OR distance IS NOT NULL, leader IS NULL AND sketch IS NOT NULL,
                coalesce(sketch, zeroblob({_SKETCH_BYTES}))
            FROM fetches WHERE payload IS NOT NULL ORDER BY id"""
        with self._errors:
            cursor = self._db.execute(query)
            while rows := cursor.fetchmany(self.sizes.rows):
                *columns, sketches = zip(*rows, strict=True)
                page, payload, is_first, leads = (np.array(column, dtype=np.int64) for column in columns)
                sketch = np.frombuffer(b"".join(sketches), np.uint64).reshape(len(rows), -1)
                yield FingerprintColumns(page, payload, is_first, sketch, leads)

    def fingerprint(self, page: int) -> Fingerprint | None:
        """What one page can be told by; None if nothing is known of it."""
        query = f"""
            SELECT {_FINGERPRINT_COLUMNS} FROM pages JOIN fetches ON fetches.id = fetch
            WHERE pages.id = ? AND payload IS NOT NULL"""
        row = self._row(query, page)
        return Fingerprint._make(row) if row else None

    def duplicate_counts(self) -> tuple[int, int]:
        """How many pages have the bytes of another, and how many nearly say what another says."""
        return self._duplicates("1")

    def duplicates_of(self, page: int) -> tuple[int, int]:
        """The same, of those that are marked with this page."""
        return self._duplicates(f"leader = {page:d}")

    def probes(self) -> list[Probe]:
        """What hosts answered for pages that cannot exist."""
        query = f"SELECT {', '.join(Probe._fields)} FROM probes"
        return [Probe._make(row) for row in self._rows(query)]

    def recent_pages(self) -> Iterator[tuple[RecentPage, str]]:
        """The pages that were read lately, in this order, each with its URL."""
        columns = ", ".join(f"recent_pages.{name}" for name in RecentPage._fields)
        recent = "recent_pages JOIN pages ON pages.id = page"
        rows = self._rows(f"SELECT url, {columns} FROM {recent} ORDER BY recent_pages.id")
        return ((RecentPage._make(row), url) for url, *row in rows)

    def _duplicates(self, which: str) -> tuple[int, int]:
        query = f"SELECT count(*), count(distance) FROM fetches WHERE leader IS NOT NULL AND {which}"
        marked, near = self._row(query)
        return marked - near, near

    def robots(self, origin: str) -> RobotsRow | None:
        columns = ", ".join(RobotsRow._fields)
        row = self._row(f"SELECT {columns} FROM robots WHERE origin = ?", origin)
        return RobotsRow(*row) if row else None

    def sitemaps(self) -> list[SitemapRow]:
        """All sitemaps by number."""
        return self._sitemaps("sitemaps ORDER BY id")

    def sitemap_of(self, page: int) -> SitemapRow | None:
        """The sitemap that made a page known."""
        found = self._sitemaps(
            "sitemap_pages JOIN sitemaps ON sitemaps.id = sitemap WHERE sitemap_pages.page = ?", page
        )
        return found[0] if found else None

    def sitemap_listing(self, url: str, host: str) -> SitemapRow | None:
        """The sitemap whose URL, on that host, waits to become known; looks at all that wait there."""
        found = self._sitemaps(
            "hosts CROSS JOIN sitemap_urls AS listed ON listed.host = hosts.id JOIN sitemaps ON sitemaps.id = sitemap "
            "WHERE hosts.name = ? AND listed.url = ? LIMIT 1",
            host,
            url,
        )
        return found[0] if found else None

    def listed_urls(self, host: int, after: int, n: int) -> list[ListedUrl]:
        """The next n URLs from sitemaps that wait on a host, behind the one with the number `after`."""
        query = "SELECT host, id, url, sitemap FROM sitemap_urls WHERE host = ? AND id > ? ORDER BY id LIMIT ?"
        return [ListedUrl(*row) for row in self._rows(query, (host, after, n))]

    def listed_counts(self) -> dict[int, tuple[int, int]]:
        """Per host that has any: how many URLs from sitemaps wait, and the largest number of these."""
        rows = self._rows("SELECT host, count(*), max(id) FROM sitemap_urls GROUP BY host")
        return {host: (count, last) for host, count, last in rows}

    def _sitemaps(self, which: str, *values: int | str) -> list[SitemapRow]:
        with store_errors(self.path):
            columns = ", ".join(f"sitemaps.{column}" for column in SitemapRow._fields)
            return [SitemapRow(*row) for row in self._db.execute(f"SELECT {columns} FROM {which}", values)]

    def meta(self, key: str) -> MetaValue:
        row = self._row("SELECT value FROM meta WHERE key = ?", key)
        return row[0] if row else None

    def texts(self, table: str, column: str) -> Iterator[str]:
        """What a column of JSON holds in all rows that have any."""
        with self._errors:
            for (text,) in self._db.execute(f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"):
                yield text

    def _hosts(self, which: str) -> list[HostRow]:
        columns = ", ".join(HostRow._fields)
        return [HostRow(*row) for row in self._rows(f"SELECT {columns} FROM hosts {which}")]

    def _refused(self, which: str, *values: int) -> Iterator[Refused]:
        return (Refused(*row) for row in self._rows(f"SELECT source, leads_to, too_deep FROM refused {which}", values))

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._errors:
            return self._db.execute(query, values).fetchall()

    def _row(self, query: str, *values: Any) -> Any:
        with self._errors:
            return self._db.execute(query, values).fetchone()
