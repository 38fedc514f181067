"""Gather the stores of a crawl in partitions into one ordinary store.

All stores are read as of commits that go together, also while the crawl runs. Their rows get new numbers: a column says
by its declaration which table it refers to.

pages    those that births were shared out to come first, of all partitions, as meta.shared_out is one number
mirrors  become the page at its home: what they have received and not handed over, and what is on its way, goes into the
         account of that page; one that its home does not know yet becomes a page that waits
answers  in the order of their times
hosts    the row of the partition that has the pages of a host counts, and its site's
"""

import heapq
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from hashlib import blake2b
from itertools import chain
from operator import itemgetter, mul
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError, StoreError
from minicrawl.model import CoursePoint, ReadShare
from minicrawl.settings.crawl import in_full
from minicrawl.store.database import damaged, open_to_write, real_path, store_errors
from minicrawl.store.declaration import MetaValue, insert, meanings, tables
from minicrawl.store.gathered_meta import course, merged
from minicrawl.store.links import from_bytes as pages_of
from minicrawl.store.links import to_bytes
from minicrawl.store.partitions.folder import Folder, found
from minicrawl.store.partitions.records import from_bytes
from minicrawl.store.ranks import PLACES
from minicrawl.store.reader import Store, open_store
from minicrawl.store.sites import SiteRow
from minicrawl.store.texts.text_file import HEAD, TextFile, first_line, text_path
from minicrawl.store.transfers import agree, check_traffic
from minicrawl.store.upkeep import replaced
from minicrawl.store.urlhash import url_hash

Ids = npt.NDArray[np.int32]
GATHERED = "gathered"
"""Key of what a store was gathered of: the crawl, its commits, and the store itself as it was then."""
_LOOKS = 50
"""How often the stores of a running crawl are opened until their commits go together. Mostly once is enough."""
_BEST = 1_000
"""Pages that a list begins with, without a scan of all."""
_CACHE = 2**14
"""KiB of the new store that are in memory while it is written."""
_FUNCTIONS = {
    "pages.id": "page",
    "pages.id, 4 bytes each, little endian": "page_list",
    "hosts.id": "host",
    "sites.id": "site",
    "fetches.id": "fetch",
    "sitemaps.id": "sitemap",
    "pages.clock": "moment",
    "texts.start": "place",
    "text_versions.start": "place",
}
"""SQL functions that turn the numbers of a partition into those of the crawl, by a column or what that refers to."""
_ROWS = {
    "pages": "state <> 'elsewhere' OR page(id) >= {unknown}",
    "voices": "site <> 0",  # which stands for sites that mirrors in other partitions name
    "doors": "page NOT IN (SELECT page FROM mirrors) OR page(page) >= {unknown}",
    **dict.fromkeys(("sitemap_pages", "rankings"), "page NOT IN (SELECT page FROM mirrors)"),
}
"""Which rows are copied, of tables that also have rows of mirrors."""
_WORKED_OUT = {
    *("hosts", "sites", "url_hashes", "tallies", "course", "meta", "best", "places"),
    *("mirrors", "outbox", "neighbours"),
}
"""Tables that are not copied row by row; the last three stay empty."""
_META = f"SELECT key, value FROM meta WHERE key <> '{GATHERED}' ORDER BY key"
_UNSENT = """
    SELECT cash, pages.inlinks - mirrors.inlinks, pages.depth, pages.chain_length, page(page)
    FROM mirrors JOIN pages ON id = page
    WHERE cash <> 0 OR pages.inlinks <> mirrors.inlinks OR pages.depth IS NOT mirrors.depth
        OR pages.chain_length <> mirrors.chain_length"""
_RECEIVE = """
    UPDATE pages SET cash = cash + ?, inlinks = inlinks + ?, depth = min(depth, ?), chain_length = max(chain_length, ?)
    WHERE id = ?"""


def gather(path: Path, file: Path, *, force: bool = False) -> bool:
    """Write the crawl in the folder at `path` to an ordinary store, `file`, which appears whole or not at all.

    A file that was gathered of the same crawl is replaced; False: it is of the last commits, and was left as it is.
    force: replace any other file, too. Raises StoreError, SettingError.
    """
    folder = found(path)
    if real_path(file).parent == real_path(path):
        raise SettingError(f"{file} is among the stores of the crawl; name a file in another folder")
    with _opened(folder) as stores:
        if not stores:
            raise StoreError(f"{path} has no store yet; run 'minicrawl crawl SEEDS --store {path}' first")
        of = {"cluster": folder.cluster, "commits": _mark(store.each(_META) for store in stores)}
        if not force and _is_there(file, of):
            return False
        with store_errors(file), replaced(file) as unfinished, closing(open_to_write(unfinished)) as db:
            unfinished.chmod(stores[0].path.stat().st_mode & 0o777)  # for the same users as the stores
            _Gathering(db, folder, stores, text_path(unfinished)).run(of)
    return True


@contextmanager
def _opened(folder: Folder) -> Iterator[Sequence[Store]]:
    """All stores, as of commits that go together: each keeps what another has not taken yet, and none has taken more.

    Commits of a running crawl between the first look and the last may break that; then all are looked at again.
    """
    looks = _LOOKS if folder.is_in_use else 1
    for look in range(looks):
        with folder.opened() as stores:
            for store in stores:
                store.pin()
            traffic = [store.transfers.traffic() for store in stores]
            if look == looks - 1:
                check_traffic(traffic)
            if agree(traffic):
                yield stores
                return


def _mark(each: Iterable[Iterable[object]]) -> str:
    """A digest of the last commits of stores. each: the rows of `meta`, which every commit writes anew."""
    return blake2b(repr(list(map(list, each))).encode(), digest_size=16).hexdigest()


def _is_there(file: Path, of: Mapping[str, str]) -> bool:
    """True if a file was gathered of these commits of a crawl. Raises SettingError if it is not to be replaced."""
    if not file.exists():
        return False
    try:
        with open_store(file) as store:
            before, now = store.meta_json(GATHERED), _mark([store.each(_META)])
    except StoreError:
        before, now = {}, ""
    if before.get("cluster") != of["cluster"]:
        raise SettingError(f"{file} already exists; name another file, or replace it with --force")
    if before["store"] != now:
        raise SettingError(f"{file} has changed since it was gathered; name another file, or replace it with --force")
    return bool(before["commits"] == of["commits"])


class _Gathering:
    """Fills the empty store behind a connection. texts: its file of texts."""

    def __init__(self, db: sqlite3.Connection, folder: Folder, stores: Sequence[Store], texts: Path) -> None:
        self._db, self._folder, self._stores, self._texts = db, folder, stores, texts
        self._key = os.urandom(16)
        self._pages, self._olds, self._unknown = _page_numbers(stores)
        self._clock = 0.0

    def run(self, of: Mapping[str, str]) -> None:
        db = self._db
        for setting in ("journal_mode = MEMORY", "synchronous = OFF", f"cache_size = -{_CACHE}"):
            db.execute(f"PRAGMA {setting}")  # a kill leaves nothing of the file, so it needs no log
        indexes = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL").fetchall()
        db.execute("BEGIN")
        for name, _ in indexes:
            db.execute(f"DROP INDEX {name}")
        self._add_hosts()
        self._define_functions()
        for table in tables().keys() - _WORKED_OUT:
            self._copy_rows(table)
        # Pages that their homes do not know yet; what they have received comes next.
        unread = "state = 'waiting', reason = 'link', inlinks = 0, cash = 0, forwarded = 0"
        db.execute(f"UPDATE pages SET {unread} WHERE state = 'elsewhere'")
        self._receive()
        self._finish(of)
        for _, statement in indexes:
            db.execute(statement)  # which is faster at the end
        db.execute("COMMIT")
        db.execute("PRAGMA journal_mode = WAL")

    def _add_hosts(self) -> None:
        """Write all hosts and sites: first those of pages, then those that only mirrors have."""
        hosts = [name for name in meanings("hosts") if name not in ("id", "site")]
        sites = ", ".join(name if name != "id" else "NULL" for name in SiteRow._fields)  # numbered from 1 on
        add_site = f"{insert(SiteRow)} ON CONFLICT DO NOTHING"
        next_id, its_site = "(SELECT coalesce(max(id) + 1, 0) FROM hosts)", "(SELECT id FROM sites WHERE name = ?)"
        add_host = f"""
            INSERT INTO hosts (id, {", ".join(hosts)}, site) VALUES ({next_id}, {"?, " * len(hosts)} {its_site})
            ON CONFLICT DO NOTHING"""
        site = "(SELECT name FROM sites WHERE sites.id = site)"
        of_pages = "id IN (SELECT host FROM pages WHERE state <> 'elsewhere')"
        for which, of_which in [(of_pages, f"id IN (SELECT site FROM hosts WHERE {of_pages})"), ("1", "1")]:
            for store in self._stores:
                rows = store.each(f"SELECT {sites} FROM sites WHERE {of_which} ORDER BY id")
                self._db.executemany(add_site, rows)
                rows = store.each(f"SELECT {', '.join(hosts)}, {site} FROM hosts WHERE {which} ORDER BY id")
                self._db.executemany(add_host, rows)

    def _define_functions(self) -> None:
        """Define _FUNCTIONS for every partition."""
        stores = self._stores
        for table, function in (("hosts", "host"), ("sites", "site")):
            ours = dict(self._db.execute(f"SELECT name, id FROM {table}"))
            for store in stores:
                rows = list(store.each(f"SELECT id, name FROM {table}"))
                numbers = _spread(store, [own for own, _ in rows], [ours[name] for _, name in rows])
                store.define(function, np.append(numbers, np.int32(-1)).item)  # -1 means all hosts
        # The age of a history stays the same part of the window.
        windows = [float(store.meta("window") or 1.0) for store in stores]
        paces = [sum(windows) / window for window in windows]
        clocks = [float(store.meta("clock") or 0.0) for store in stores]
        self._clock = max(map(mul, clocks, paces))
        sitemaps, each = 0, zip(self._pages, _answer_numbers(stores), self._copy_texts(), strict=True)
        for store, at, pace, (pages, answers, shift) in zip(stores, clocks, paces, each, strict=True):
            store.define("page", pages.item)
            store.define("page_list", partial(_page_list, pages))
            store.define("fetch", answers.item)
            store.define("sitemap", sitemaps.__add__)
            store.define("moment", partial(_moment, self._clock, at, pace))
            store.define("place", shift.__add__)
            sitemaps += next(store.each("SELECT coalesce(max(id) + 1, 0) FROM sitemaps"))[0]

    def _copy_rows(self, table: str) -> None:
        """Copy the rows of a table. Of two with the same keys, the first one is kept."""
        first, *others = tables()[table].keys
        functions = {
            name: _FUNCTIONS.get(f"{table}.{name}") or _FUNCTIONS.get(meaning.partition(";")[0])
            for name, meaning in meanings(table).items()
        }
        if first == "id" and not others and functions["id"] is None:
            del functions["id"]  # nothing refers to it: the rows are numbered anew
        names = sorted(functions, key=lambda name: name != first)
        said = (f"iif({name} IS NULL, NULL, {functions[name]}({name}))" if functions[name] else name for name in names)
        where = _ROWS.get(table, "1").format(unknown=self._unknown)
        query = f"SELECT {', '.join(said)} FROM {table} WHERE {where} ORDER BY {first}"
        each = [store.each(query) for store in self._stores]
        # By rising numbers, each page of the file is written once.
        rows = heapq.merge(*each, key=itemgetter(0)) if functions.get(first) in ("page", "fetch") else chain(*each)
        add = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        self._db.executemany(add, rows)

    def _copy_texts(self) -> list[int]:
        """Append the files of texts of all partitions. Returns by how many bytes the texts of each move."""
        shifts, end = [], HEAD
        for store in self._stores:
            size, line = store.texts.size, first_line(store.hash_key, store.texts.made)
            shifts.append(end - HEAD)
            if size > HEAD:
                with TextFile(text_path(store.path), line) as source, self._texts.open("ab") as target:
                    target.write(b"" if target.tell() else first_line(self._key, 0))
                    source.copy_to(target, HEAD, size)
                    end = target.tell()
        return shifts

    def _receive(self) -> None:
        """Add what mirrors have not handed over, and what is on its way, to the accounts of pages."""
        numbers = [int(store.meta("partition") or 0) for store in self._stores]
        taken = {
            (number, row.partition): row.taken
            for number, store in zip(numbers, self._stores, strict=True)
            for row in store.transfers.neighbours()
        }
        for number, store, pages in zip(numbers, self._stores, self._pages, strict=True):
            self._db.executemany(_RECEIVE, store.each(_UNSENT))
            for home, message, row in store.each("SELECT home, number, records FROM outbox"):
                if message > taken.get((home, number), 0):
                    records = from_bytes(row)
                    own = store.page_table.find(records.urls)
                    ours = [pages.item(own[url]) for url in records.urls]
                    columns = (records.received, records.inlinks, records.depth, records.chain_length)
                    self._db.executemany(_RECEIVE, zip(*(column.tolist() for column in columns), ours, strict=True))

    def _finish(self, of: Mapping[str, str]) -> None:
        """Write what is worked out of the rows, and the values of `meta`."""
        db = self._db
        db.create_function("hash", 1, lambda url: url_hash(url, self._key))
        db.execute("INSERT INTO url_hashes SELECT hash(url), id FROM pages ORDER BY 1")
        db.execute("INSERT INTO tallies SELECT state, reason, count(*) FROM pages GROUP BY state, reason")
        db.executemany(insert(CoursePoint), course([store.course() for store in self._stores]))
        meta = merged([dict(store.each(_META)) for store in self._stores])
        meta |= {"hash_key": self._key.hex(), "clock": self._clock}
        meta["settings"] = json.dumps(in_full(self._folder.settings, self._folder.path.absolute()))
        meta["text_size"] = self._texts.stat().st_size if self._texts.exists() else None
        if meta.get("shared_out") is not None:
            meta["shared_out"] = self._olds
        self._save(meta)
        worth = "cash + forwarded + virtual / births * birth"
        for key, of_all in {  # each by views of those before
            "births": "coalesce(sum(birth), 0) FROM born",
            "never_visited": "coalesce(sum(birth + cash + forwarded), 0) FROM born WHERE NOT visited",
            "total": f"total({worth}) FROM born CROSS JOIN book WHERE state <> 'alias' AND NOT is_dead",
        }.items():
            self._save({key: db.execute(f"SELECT {of_all}").fetchone()[0]})
        self._rank()
        self._save({GATHERED: json.dumps({**of, "store": _mark([db.execute(_META)])})})

    def _rank(self) -> None:
        """Write the order of all pages, so that none is ranked anew, and the importance of those that were read."""
        query = "SELECT id, iif(state = 'fetched', importance, 0.0), x FROM weighed ORDER BY x DESC, id"
        kind = [("page", np.int32), ("read", np.float64), ("x", np.float64)]
        ranked = np.fromiter(self._db.execute(query), kind)
        places = range(0, len(ranked), PLACES)
        rows = ((first, to_bytes(ranked["page"][first : first + PLACES])) for first in places)
        self._db.executemany("INSERT INTO places (first, pages) VALUES (?, ?)", rows)
        best = ranked[:_BEST]
        self._db.executemany("INSERT INTO best (page) VALUES (?)", ((page,) for page in best["page"].tolist()))
        # More than the last one by what two ways of adding up may differ, as a page that is worth as much is left out.
        floor = best["x"][-1] * (1 + 1e-12) if len(ranked) > _BEST else np.finfo(np.float64).tiny
        self._save({"is_ranked": 1, "best_floor": float(floor)})
        sites = self._db.execute("SELECT count(*) FROM sites WHERE page_level > 1").fetchone()[0]
        coverage = ReadShare.settled(float(ranked["read"].sum()), sites)
        covered = "json_set(value, '$.coverage', json(?))"
        self._db.execute(f"UPDATE meta SET value = {covered} WHERE key = 'run'", (json.dumps(coverage),))

    def _save(self, values: Mapping[str, MetaValue]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())


def _page_list(pages: Ids, own: bytes) -> bytes:
    return to_bytes(pages[pages_of(own)])


def _moment(clock: float, at: float, pace: float, then: float) -> float:
    return clock - (at - then) * pace


def _spread(store: Store, own: npt.ArrayLike, ours: npt.ArrayLike) -> Ids:
    """An array of `ours` by the `own` numbers of a store, which have few gaps."""
    places = np.asarray(own, np.int64)
    size = int(places.max(initial=-1)) + 1
    if size > 2 * len(places) + 1_000 or places.min(initial=0) < 0:
        raise damaged(store.path, f"it has a row with the number {size - 1}")
    spread = np.full(size, -1, np.int32)
    spread[places] = ours
    return spread


def _page_numbers(stores: Sequence[Store]) -> tuple[list[Ids], int, int]:
    """New numbers of pages and mirrors by their own. Then how many pages births were shared out to, and the number of
    the first page that its home does not know.

    A URL is found by Python's own hash, of 64 bits and with a secret of this process, so that nobody can write URLs
    that share one. Of 10^8, two do with a probability of 3 in 10,000.
    """
    each, olds = [], []
    for store in stores:
        store.define("digest", hash)
        rows = store.each("SELECT id, digest(url), state <> 'elsewhere' FROM pages ORDER BY id")
        pages = np.fromiter(rows, [("id", np.int32), ("digest", np.int64), ("is_home", np.bool_)])
        shared_out = store.meta("shared_out")
        is_old = pages["is_home"] & (True if shared_out is None else pages["id"] < int(shared_out))
        each.append(pages)
        olds.append(int(np.count_nonzero(is_old)))
    first, end, numbers = 0, sum(olds), []
    for pages, old in zip(each, olds, strict=True):
        new = int(np.count_nonzero(pages["is_home"])) - old
        numbers += [np.arange(first, first + old), np.arange(end, end + new)]
        first, end = first + old, end + new
    known = np.concatenate([pages["digest"][pages["is_home"]] for pages in each])
    order = np.argsort(known)
    known, number = known[order], np.concatenate(numbers)[order]
    nearest = [known.take(np.searchsorted(known, pages["digest"]), mode="clip") for pages in each]
    missing = [pages["digest"][pages["digest"] != near] for pages, near in zip(each, nearest, strict=True)]
    unknown = np.unique(np.concatenate(missing))
    places = np.searchsorted(known, unknown)
    known, number = np.insert(known, places, unknown), np.insert(number, places, np.arange(end, end + len(unknown)))
    found = [number[np.searchsorted(known, pages["digest"])] for pages in each]
    return [_spread(*of) for of in zip(stores, (pages["id"] for pages in each), found, strict=True)], sum(olds), end


def _answer_numbers(stores: Sequence[Store]) -> Iterator[Ids]:
    """New numbers of answers by their own, in the order of their times; those of a partition keep theirs."""
    kind = [("id", np.int32), ("at", np.float64)]
    each = [np.fromiter(store.each("SELECT id, fetched_at FROM fetches ORDER BY id"), kind) for store in stores]
    order = np.argsort(np.concatenate([np.maximum.accumulate(answers["at"]) for answers in each]), kind="stable")
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.arange(1, len(order) + 1)
    for store, answers in zip(stores, each, strict=True):
        yield _spread(store, answers["id"], numbers[: len(answers)])
        numbers = numbers[len(answers) :]
