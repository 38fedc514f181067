"""Gather the stores of a crawl in partitions into one ordinary store.

Every partition is attached in turn, and its rows are copied with numbers of their own: a column says by its declaration
what it refers to. Page numbers begin with the pages that births were shared out to, of all partitions, as `shared_out`
is one number. A mirror stands for the page at its home: what it has received and not handed over, and what is on its
way, goes into the account of that page. A page that its home does not know yet is one that waits.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple  # Any: rows

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.model import CoursePoint
from minicrawl.settings.crawl import in_full
from minicrawl.store.archived import FILES
from minicrawl.store.database import beside, store_errors, transaction
from minicrawl.store.declaration import MetaValue, columns, insert, meanings, names
from minicrawl.store.partitions.folder import PartitionFolder, folder_at
from minicrawl.store.partitions.records import from_bytes
from minicrawl.store.texts.text_file import HEAD, first_line, text_path
from minicrawl.store.urlhash import url_hash
from minicrawl.store.writer import Writer

Ids = npt.NDArray[np.int32]
_PIECE = 2**20
_HOME = "state <> 'elsewhere'"
_OWN = {
    *("pages", "hosts", "sites", "url_hashes", "voices", "course", "meta"),
    *("tallies", "best", "places", "mirrors", "outbox", "neighbours"),
}
"""Tables that are not copied row by row."""
_ALSO_OF_MIRRORS = ("doors", "interests", "alternates", "sitemap_pages")
_OF_HOME = f"WHERE page IN (SELECT id FROM part.pages WHERE {_HOME})"
_SUMMED = ("links_left_out", "links_elsewhere")
_OF_PARTITIONS = {
    *("cluster", "partition", "partitions", "carried", "hash_key", "is_ranked", "best_floor", "settings", "text_made"),
    *("asked_until", "in_doubt"),
}


class Part(NamedTuple):
    """A partition. home, mirrors: its pages by rising number; old: how many of `home` births were shared out to; clock:
    of its book; taken: by partition, the messages of it that are in the accounts; first_*: what its numbers begin
    with."""

    path: Path
    number: int
    home: Ids
    old: int
    clock: float
    taken: Mapping[int, int]


def gather(path: Path, file: Path, *, force: bool = False) -> int:
    """Write the crawl in the folder at `path` to an ordinary store. Returns its number of pages.

    `file` appears whole or not at all. force: replace an existing one. Raises StoreError, SettingError.
    """
    folder = folder_at(path)
    folder.check_is_here()
    if file.exists() and not force:
        raise SettingError(f"{file} is there already; name another file, or replace it with --force")
    unfinished = beside(file, ".gathered")
    leftovers = [beside(unfinished, ending) for ending in ("", "-wal", "-shm", ".lock", ".text")]
    try:
        for left in leftovers:
            left.unlink(missing_ok=True)
        with closing(Writer(unfinished)) as writer:
            key = writer.hash_key
        with store_errors(unfinished):
            with closing(sqlite3.connect(unfinished.absolute().as_uri(), uri=True, isolation_level=None)) as db:
                db.execute("PRAGMA synchronous = OFF")  # a kill leaves nothing of it
                _Gathering(db, folder, unfinished, key).run()
        for old in (text_path(file), *(beside(file, ending) for ending in ("-wal", "-shm"))):
            old.unlink(missing_ok=True)
        if text_path(unfinished).exists():
            text_path(unfinished).replace(text_path(file))
        unfinished.replace(file)
    finally:
        for left in leftovers:
            left.unlink(missing_ok=True)
    with Writer(file) as written:
        return written.size()


class _Gathering:
    """Fills the empty store behind a connection."""

    def __init__(self, db: sqlite3.Connection, folder: PartitionFolder, file: Path, key: bytes) -> None:
        self._db, self._folder, self._file, self._key = db, folder, file, key
        self._pages: Ids = np.zeros(0, np.int32)
        self._hosts: dict[int, int] = {}
        self._sites: dict[int, int] = {}
        self._fetches: Ids = np.zeros(0, np.int32)
        self._sitemaps = 0
        self._text_shift = 0
        self._clock = 0.0
        self._parts: list[Part] = []
        define = partial(db.create_function, deterministic=True)
        define("page", 1, lambda own: None if own is None else self._pages.item(own))
        define("host", 1, lambda own: self._hosts.get(own, own))  # type: ignore[arg-type]  # -1 is no host
        define("site", 1, lambda own: None if own is None else self._sites[own])  # type: ignore[index]
        define("fetch", 1, lambda own: None if own is None else self._fetches.item(own))
        define("sitemap", 1, lambda own: own + self._sitemaps)  # type: ignore[operator]
        define("page_list", 1, self._page_list)
        define("hash", 1, lambda url: url_hash(url, key))  # type: ignore[arg-type]

    def _page_list(self, own: Any) -> bytes | None:
        return None if own is None else self._pages[np.frombuffer(own, "<i4")].astype("<i4").tobytes()

    def run(self) -> None:
        self._db.execute("CREATE TEMP TABLE urls (url TEXT PRIMARY KEY, page INTEGER NOT NULL) WITHOUT ROWID")
        for number in self._folder.made:
            with self._attached(number) as path:
                self._parts.append(self._looked_at(path, number))
        self._clock = max((part.clock for part in self._parts), default=0.0)
        self._number_hosts()
        maps = self._number_pages()
        fetches = self._number_fetches()
        courses: list[list[CoursePoint]] = []
        meta: list[dict[str, MetaValue]] = []
        for part, pages, fetch in zip(self._parts, maps, fetches, strict=True):
            with self._attached(part.number):
                self._pages, self._fetches = pages, fetch
                self._map_hosts()
                (self._sitemaps,) = self._row("SELECT coalesce(max(id) + 1, 0) FROM sitemaps")
                self._copy(part)
                rows = self._db.execute(f"SELECT {columns(CoursePoint)} FROM part.course ORDER BY seconds")
                courses.append(list(map(CoursePoint._make, rows)))
                meta.append(dict(self._db.execute("SELECT key, value FROM part.meta")))
        self._receive(maps)
        with transaction(self._db):
            self._db.executemany(insert(CoursePoint), course(courses))
            self._finish(meta)

    @contextmanager
    def _attached(self, number: int) -> Iterator[Path]:
        path = self._folder.store(number)
        with self._folder.opened_some([number]):  # which checks it
            pass
        self._db.execute("ATTACH ? AS part", (f"{path.absolute().as_uri()}?mode=ro",))
        with transaction(self._db):
            yield path
        self._db.execute("DETACH part")

    def _row(self, query: str, *values: MetaValue) -> Any:
        return self._db.execute(query, values).fetchone()

    def _ids(self, query: str) -> Ids:
        return np.fromiter((row[0] for row in self._db.execute(query)), np.int32)

    # Numbers.

    def _looked_at(self, path: Path, number: int) -> Part:
        home = self._ids(f"SELECT id FROM part.pages WHERE {_HOME} ORDER BY id")
        meta = dict(self._db.execute("SELECT key, value FROM part.meta WHERE key IN ('shared_out', 'clock')"))
        shared_out = meta.get("shared_out")
        old = len(home) if shared_out is None else int(np.searchsorted(home, shared_out))
        taken = dict(self._db.execute("SELECT partition, taken FROM part.neighbours"))
        return Part(path, number, home, old, float(meta.get("clock") or 0.0), taken)

    def _number_hosts(self) -> None:
        """Write all sites and hosts. The row of the partition that has pages of a host counts, and its site's."""
        host = ", ".join(f"h.{name}" for name in meanings("hosts") if name not in ("id", "site"))
        site = ", ".join(f"s.{name}" for name in meanings("sites") if name != "id")
        for is_own in (True, False):
            for part in self._parts:
                with self._attached(part.number):
                    own = f"IN (SELECT DISTINCT host FROM part.pages WHERE {_HOME})" if is_own else "IS NOT NULL"
                    of_own = f"IN (SELECT site FROM part.hosts WHERE id {own})" if is_own else "IS NOT NULL"
                    self._db.execute(
                        f"INSERT OR IGNORE INTO main.sites ({site.replace('s.', '')}) SELECT {site} FROM part.sites s "
                        f"WHERE s.id {of_own} ORDER BY s.id"
                    )
                    (first,) = self._row("SELECT coalesce(max(id) + 1, 0) FROM main.hosts")
                    self._db.execute(
                        f"INSERT INTO main.hosts (id, {host.replace('h.', '')}, site) "
                        f"SELECT row_number() OVER (ORDER BY h.id) - 1 + {first}, {host}, ours.id FROM part.hosts h "
                        "LEFT JOIN part.sites theirs ON theirs.id = h.site "
                        "LEFT JOIN main.sites ours ON ours.name = theirs.name "
                        f"WHERE h.id {own} AND h.name NOT IN (SELECT name FROM main.hosts)"
                    )

    def _map_hosts(self) -> None:
        pairs = "SELECT theirs.id, ours.id FROM part.{0} theirs JOIN main.{0} ours USING (name)"
        self._hosts = dict(self._db.execute(pairs.format("hosts")))
        self._sites = dict(self._db.execute(pairs.format("sites")))

    def _number_pages(self) -> list[Ids]:
        """For each partition, the new numbers of its pages and mirrors, by their own."""
        old, end = 0, sum(part.old for part in self._parts)
        maps = []
        for part in self._parts:
            news = len(part.home) - part.old
            ids = np.concatenate([np.arange(old, old + part.old), np.arange(end, end + news)]).astype(np.int32)
            old, end = old + part.old, end + news
            with self._attached(part.number):
                (size,) = self._row("SELECT coalesce(max(id) + 1, 0) FROM part.pages")
                self._pages = np.full(size, -1, np.int32)
                self._pages[part.home] = ids
                maps.append(self._pages)
                self._db.execute(f"INSERT INTO temp.urls SELECT url, page(id) FROM part.pages WHERE {_HOME}")
        for part, pages in zip(self._parts, maps, strict=True):
            with self._attached(part.number):
                mirrors = "SELECT id, page FROM part.pages LEFT JOIN temp.urls USING (url) WHERE state = 'elsewhere'"
                unknown = []
                for own, page in self._db.execute(mirrors):
                    if page is None:
                        page = end + len(unknown)
                        unknown.append(own)
                    pages[own] = page
                end += len(unknown)
                self._pages = pages
                self._db.executemany(
                    "INSERT INTO temp.urls SELECT url, page(id) FROM part.pages WHERE id = ?",
                    ((own,) for own in unknown),
                )
                self._adopt(unknown)
        return maps

    def _adopt(self, mirrors: Sequence[int]) -> None:
        """Write pages that their homes do not know yet, without what they have received."""
        self._map_hosts()
        self._db.executemany(
            "INSERT INTO main.pages (id, url, host, found_on, state, reason, visited, depth, inlinks, cash, forwarded, "
            f"history, clock, attempts, chain_length) SELECT page(id), url, host(host), NULL, 'waiting', 'link', 0, "
            f"depth, 0, 0, 0, 0.0, {self._clock!r}, 0, chain_length FROM part.pages WHERE id = ?",
            ((own,) for own in mirrors),
        )

    def _number_fetches(self) -> list[Ids]:
        """New numbers of answers, in the order of their times, by their own."""
        ids, times = [], []
        for part in self._parts:
            with self._attached(part.number):
                rows = self._db.execute("SELECT id, fetched_at FROM part.fetches ORDER BY id").fetchall()
                ids.append(np.array([row[0] for row in rows], np.int64))
                times.append(np.maximum.accumulate(np.array([row[1] for row in rows], np.float64)))
        order = np.argsort(np.concatenate([np.zeros(0), *times]), kind="stable")
        numbers = np.empty(len(order), np.int32)
        numbers[order] = np.arange(1, len(order) + 1)
        maps = []
        for own in ids:
            spread = np.zeros(int(own.max(initial=0)) + 1, np.int32)
            spread[own], numbers = numbers[: len(own)], numbers[len(own) :]
            maps.append(spread)
        return maps

    # Rows.

    def _copy(self, part: Part) -> None:
        clock = {"clock": f"clock + {self._clock - part.clock!r}"}
        self._copy_rows("pages", clock, f"WHERE {_HOME}")
        self._db.execute(
            "INSERT INTO main.voices SELECT page(page), site(site), links FROM part.voices WHERE site "
            "ON CONFLICT DO UPDATE SET links = links + excluded.links"
        )
        shift = self._append_texts(part.path)
        for name in names():
            if name not in _OWN:
                places = {"start": f"start + {shift}"} if name in ("texts", "text_versions") else {}
                self._copy_rows(name, places, _OF_HOME if name in _ALSO_OF_MIRRORS else "")

    def _copy_rows(self, table: str, changed: Mapping[str, str], where: str = "") -> None:
        """Copy the rows of a table, with the numbers of the crawl. Of two rows with the same keys, the first one is
        kept. changed: expressions, by column."""
        said = {name: _translated(table, name, meaning) for name, meaning in meanings(table).items()} | changed
        shown = {name: expression for name, expression in said.items() if expression}
        self._db.execute(
            f"INSERT OR IGNORE INTO main.{table} ({', '.join(shown)}) "
            f"SELECT {', '.join(shown.values())} FROM part.{table} {where}"
        )

    def _append_texts(self, store: Path) -> int:
        """Append the file of texts of a partition. Returns by how much its places move."""
        (size,) = self._row("SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM part.meta WHERE key = 'text_size'")
        if not size:
            return 0
        target = text_path(self._file)
        with text_path(store).open("rb") as source, target.open("ab") as out:
            if not out.tell():
                out.write(first_line(self._key, 0))
            at, left = out.tell(), size - HEAD
            source.seek(HEAD)
            while left > 0 and (piece := source.read(min(_PIECE, left))):
                out.write(piece)
                left -= len(piece)
        return at - HEAD

    def _receive(self, maps: Sequence[Ids]) -> None:
        """Add what mirrors have not handed over, and what is on its way, to the accounts of pages."""
        add = """
            UPDATE main.pages SET cash = cash + ?, inlinks = inlinks + ?, depth = min(depth, ?),
                chain_length = max(chain_length, ?) WHERE id = ?"""
        taken = {part.number: part.taken for part in self._parts}
        for part, self._pages in zip(self._parts, maps, strict=True):
            with self._attached(part.number):
                unsent = self._db.execute("""
                    SELECT cash, pages.inlinks - mirrors.inlinks, pages.depth, pages.chain_length, page(id)
                    FROM part.mirrors CROSS JOIN part.pages ON id = page
                    WHERE cash OR pages.inlinks <> mirrors.inlinks OR pages.depth IS NOT mirrors.depth""")
                self._db.executemany(add, unsent.fetchall())
                for home, number, row in self._db.execute("SELECT home, number, records FROM part.outbox").fetchall():
                    if number <= taken.get(home, {}).get(part.number, 0):
                        continue
                    found = from_bytes(row)
                    for at, url in enumerate(found.urls):
                        values = (found.received, found.inlinks, found.depth, found.chain_length)
                        (page,) = self._row("SELECT page FROM temp.urls WHERE url = ?", url)
                        self._db.execute(add, (*(column.item(at) for column in values), page))

    def _finish(self, each: Sequence[Mapping[str, MetaValue]]) -> None:
        """Write what is worked out of the rows, and the values of `meta`."""
        db = self._db
        db.execute("INSERT INTO main.url_hashes SELECT hash(url), id FROM main.pages ORDER BY 1")
        db.execute("INSERT INTO main.tallies SELECT state, reason, count(*) FROM main.pages GROUP BY state, reason")
        meta = _merged(each)
        meta["settings"] = json.dumps(dict(in_full(self._folder.settings, self._folder.path.absolute())))
        meta["clock"] = self._clock
        if meta.get("shared_out") is not None:
            meta["shared_out"] = sum(part.old for part in self._parts)
        if text_path(self._file).exists():
            meta["text_size"] = text_path(self._file).stat().st_size
        meta["virtual"] = sum(int(one.get("virtual") or 0) for one in each)
        save = "INSERT OR REPLACE INTO main.meta (key, value) VALUES (?, ?)"
        db.executemany(save, meta.items())
        births, unvisited = self._row(
            "SELECT sum(birth), coalesce(sum(birth + cash + forwarded) FILTER (WHERE NOT visited), 0) FROM main.born"
        )
        db.executemany(save, [("births", births), ("never_visited", unvisited)])
        (total,) = self._row(
            "SELECT total(cash + forwarded + virtual / births * birth) FROM main.born CROSS JOIN main.book "
            "WHERE state <> 'alias'"
        )
        db.executemany(save, [("total", total)])


def _translated(table: str, name: str, meaning: str) -> str:
    """The expression for a column, by what it refers to; "" for a number that is given anew."""
    if name == "id" and table in ("pages", "fetches", "sitemaps"):
        return {"pages": "page(id)", "fetches": "fetch(id)", "sitemaps": "sitemap(id)"}[table]
    if name == "id" and table != "sitemap_urls":
        return ""
    if meaning.startswith("pages.id,"):
        return f"page_list({name})"
    kinds = {
        "pages.id": "page",
        "hosts.id": "host",
        "sites.id": "site",
        "fetches.id": "fetch",
        "sitemaps.id": "sitemap",
    }
    kind = kinds.get(meaning.partition(";")[0])
    return f"{kind}({name})" if kind else name


def _merged(each: Sequence[Mapping[str, MetaValue]]) -> dict[str, MetaValue]:
    """The values of `meta` of all partitions as those of one store."""
    merge: dict[str, Callable[[list[Any]], MetaValue]] = {
        **dict.fromkeys(_SUMMED, sum),
        "window": sum,
        "run_at": max,
        "stopped": lambda values: ", ".join(dict.fromkeys(map(str, values))),
        "banned_hosts": lambda values: json.dumps(sorted({host for value in values for host in json.loads(value)})),
        **dict.fromkeys(("sitemaps_left_out", "hook_errors"), _counted),
        FILES: lambda values: json.dumps({name: size for value in values for name, size in json.loads(value).items()}),
        "run": _run,
        "earlier_runs": _earlier_runs,
    }
    keys = dict.fromkeys(key for meta in each for key in meta if key not in _OF_PARTITIONS)
    found: dict[str, MetaValue] = {}
    for key in keys:
        values = [meta[key] for meta in each if meta.get(key) is not None]
        found[key] = merge.get(key, lambda values: values[0])(values) if values else None
    return found


def _counted(each: Sequence[str]) -> str:
    counted: Counter[str] = Counter()
    for one in each:
        counted.update(json.loads(one))
    return json.dumps(counted)


def _earlier_runs(each: Sequence[str]) -> str:
    runs = [json.loads(one) for one in each]
    added = {name: sum(one.get(name, 0) for one in runs) for name in ("fetched", "bytes")}
    return json.dumps(added | {name: max(one.get(name, 0) for one in runs) for name in ("runs", "seconds")})


def _run(each: Sequence[str]) -> str:
    """A run of all partitions, as long as the longest."""
    runs = [json.loads(one) for one in each]
    added = {name: sum(one.get(name) or 0 for one in runs) for name in ("fetched", "bytes", "in_flight", "refreshed")}
    errors = json.loads(_counted([json.dumps(one["errors"]) for one in runs]))
    coverage = max(one.get("coverage") or 0.0 for one in runs)
    return json.dumps({**added, "seconds": max(one["seconds"] for one in runs), "errors": errors, "coverage": coverage})


_OF_COURSE = ("fetched", "bytes", "known", "read", "given_up")


def course(each: Sequence[Sequence[CoursePoint]]) -> list[CoursePoint]:
    """Points of all partitions added up, at the times of the one that has crawled longest.

    Values between two points are interpolated. Known URLs include those of other partitions. Coverage is that of the
    partition that has crawled longest.
    """
    some = [points for points in each if points]
    if not some:
        return []
    longest = max(some, key=lambda points: points[-1].seconds)
    at = [point.at for point in longest]
    at[-1] = max(points[-1].at for points in some)  # by then all partitions have finished
    summed = {name: np.sum([_along(points, name, at) for points in some], axis=0) for name in _OF_COURSE}
    return [
        point._replace(at=moment, **{name: round(summed[name][row]) for name in _OF_COURSE})
        for row, (point, moment) in enumerate(zip(longest, at, strict=True))
    ]


def _along(points: Sequence[CoursePoint], name: str, at: Sequence[float]) -> npt.NDArray[np.float64]:
    """One partition's values at some times, interpolated; 0 before its first point."""
    values = np.array([getattr(point, name) for point in points], np.float64)
    return np.interp(at, [point.at for point in points], values, left=0.0)
