"""Gather the stores of a crawl in partitions into one ordinary store.

All stores are read as of commits that go together, also while the crawl runs. Their rows get new numbers: a column says
by its declaration which table it refers to.

pages    those that births were shared out to come first, of all partitions, as meta.shared_out is one number
mirrors  become the page at its home: what they have received and not handed over, and what is on its way, goes into the
         account of that page; one that its home does not know yet becomes a page that waits
answers  in the order of their times
hosts    the row of the partition that has the pages of a host counts, and its site's

Gathered again, what has a number keeps it, and more numbers follow: so only those rows of pages, links and answers are
written that have changed since, by their commits, and small tables as a whole. It is one transaction.
"""

import heapq
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import chain
from operator import itemgetter, mul
from pathlib import Path
from typing import Any  # Any: JSON

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError, StoreError
from minicrawl.model import CoursePoint
from minicrawl.settings.crawl import in_full
from minicrawl.store.archived import FILES
from minicrawl.store.database import damaged, hold, open_to_write, real_path, store_errors, transaction
from minicrawl.store.declaration import MetaValue, columns, insert, meanings, tables
from minicrawl.store.folder import Folder, found
from minicrawl.store.hosts import HostRow
from minicrawl.store.links import renumbered, to_bytes
from minicrawl.store.pages import url_hash
from minicrawl.store.ranks import PLACES
from minicrawl.store.reader import Store, open_store
from minicrawl.store.sites import SiteRow
from minicrawl.store.tables import COMMIT
from minicrawl.store.transfers import agree, check_traffic, unpacked
from minicrawl.store.upkeep import replaced

Ids = npt.NDArray[np.int32]
GATHERED = "gathered"
"""Key of what a store was gathered of. JSON: the id of the crawl, the last commit of each partition, and the bytes of
its texts."""
_LOOKS = 50
"""How often the stores of a running crawl are opened until their commits go together. Mostly once is enough."""
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
    "text_records.id": "text",
}
"""SQL functions that turn the numbers of a partition into those of the crawl, by a column or what that refers to."""
_ROWS = {
    **dict.fromkeys(("links", "fetches"), "changed > {since}"),
    "text_records": "id >= {texts}",
    "pages": "is_here(id)",
    "voices": "site <> 0",  # which stands for sites that mirrors in other partitions name
    **dict.fromkeys(("doors", "sitemap_pages", "rankings"), "is_here(page)"),
}
"""Which rows are copied, also of tables that have rows of mirrors."""
_CHANGED = {"links", "fetches", "text_records"}
"""Tables of which only those rows are copied again that have changed."""
_WORKED_OUT = {
    *("hosts", "sites", "url_hashes", "tallies", "course", "meta", "places"),
    *("mirrors", "outbox", "neighbours"),
}
"""Tables that are not copied row by row; the last three stay empty."""
_UNSENT = """
    SELECT cash, pages.inlinks - mirrors.inlinks, pages.depth, pages.chain_length, page(page)
    FROM mirrors JOIN pages ON id = page
    WHERE cash <> 0 OR pages.inlinks <> mirrors.inlinks OR pages.depth IS NOT mirrors.depth
        OR pages.chain_length <> mirrors.chain_length"""
_RECEIVE = """
    UPDATE pages SET cash = cash + ?, inlinks = inlinks + ?, depth = min(depth, ?), chain_length = max(chain_length, ?)
    WHERE id = ?"""

_ONLY_HERE = {
    *(COMMIT, "cluster", "partition", "partitions", "carried", "hash_key", "is_ranked", "late_turns"),
    *("archive_indexed", "asked_first"),  # refer to numbers of rows
}
"""Keys of `meta` that only partitions have, or that a store gets later."""
_OTHERWISE: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("virtual", "window", "links_left_out", "links_nofollow"), sum),
    **dict.fromkeys(("sitemap_thirds", "discovery_credit"), sum),
    **dict.fromkeys(("run_at", "asked_until", "in_doubt", "shared_out"), max),
    **dict.fromkeys(("runs", "seconds", "since", "pause", "coverage", FILES), max),
    "voice_level": min,
    "stopped": lambda some: ", ".join(dict.fromkeys(some)),
}
_JSON = {"run", "earlier_runs", "sitemaps_left_out", "hook_errors", "banned_hosts", "refuted_canonicals", FILES}
"""How values of `meta`, and of JSON in it, become one. Of all other keys the first value counts."""


def gather(path: Path, file: Path, *, force: bool = False) -> bool:
    """Write the crawl in the folder at `path` to an ordinary store, `file`, which appears whole or not at all.

    A file that was gathered of the same crawl is brought up to date; False: it is of the last commits already.
    force: replace any file by a new one. Raises StoreError, SettingError.
    """
    folder = found(path)
    if real_path(file).parent == real_path(path):
        raise SettingError(f"{file} is among the stores of the crawl; name a file in another folder")
    with _opened(folder) as stores:
        if not stores:
            raise StoreError(f"{path} has no store yet; run 'minicrawl crawl SEEDS --store {path}' first")
        kept = {} if force else _kept(file, folder.cluster)
        if kept and kept["commits"] == [store.meta(COMMIT) for store in stores]:
            return False
        with store_errors(file):
            if kept and _is_brought_up_to_date(file, folder, stores, kept):
                return True
            with replaced(file) as unfinished, closing(open_to_write(unfinished)) as db:
                unfinished.chmod(stores[0].path.stat().st_mode & 0o777)  # for the same users as the stores
                for setting in ("journal_mode = MEMORY", "synchronous = OFF", f"cache_size = -{_CACHE}"):
                    db.execute(f"PRAGMA {setting}")  # a kill leaves nothing of the file, so it needs no log
                query = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
                indexes = db.execute(query).fetchall()
                with transaction(db):
                    for name, _ in indexes:
                        db.execute(f"DROP INDEX {name}")
                    _Gathering(db, folder, stores, {}).run()
                    for _, statement in indexes:
                        db.execute(statement)  # which is faster at the end
                db.execute("PRAGMA journal_mode = WAL")
    return True


def _is_brought_up_to_date(file: Path, folder: Folder, stores: Sequence[Store], kept: Mapping[str, Any]) -> bool:
    """Write to a gathered store what has changed since. False: it has to be made again, and was left as it was."""
    with hold(file), closing(open_to_write(real_path(file))) as db, transaction(db):
        db.execute(f"PRAGMA cache_size = -{_CACHE}")
        gathering = _Gathering(db, folder, stores, kept)
        if gathering.fits:
            gathering.run()
        return gathering.fits


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


def _kept(file: Path, cluster: str) -> dict[str, Any]:
    """What a file was gathered of; {} if there is none. Raises SettingError if it is not to be replaced."""
    if not file.exists():
        return {}
    kept, is_changed = dict[str, Any](), False
    with suppress(StoreError), open_store(file) as store:
        kept, is_changed = store.meta_json(GATHERED), store.meta(COMMIT) is not None
    if kept.get("cluster") != cluster:
        raise SettingError(f"{file} already exists; name another file, or replace it with --force")
    if is_changed:
        raise SettingError(f"{file} has changed since it was gathered; name another file, or replace it with --force")
    return kept


def _since(before: str, now: str) -> int | None:
    """The number of an earlier commit of a store; None if the later one does not follow it, as in a copy."""
    (*_, opened, last), numbers = before.split(), now.split()
    is_later = opened in numbers and int(last) <= int(numbers[numbers.index(opened) + 1])
    return int(last) if is_later else None


class _Gathering:
    """Fills the store behind a connection, which is empty or has what was gathered before. kept: what it was gathered
    of.

    `fits`: what it has can stay.
    """

    def __init__(
        self, db: sqlite3.Connection, folder: Folder, stores: Sequence[Store], kept: Mapping[str, Any]
    ) -> None:
        self._db, self._folder, self._stores = db, folder, stores
        self._commits = [str(store.meta(COMMIT)) for store in stores]
        before = dict(db.execute("SELECT key, value FROM meta"))
        self._key = bytes.fromhex(before["hash_key"]) if kept else os.urandom(16)
        self._texts: list[int] = kept.get("texts", [0] * len(stores))
        self._since = list(map(_since, kept["commits"], self._commits)) if kept else [-1] * len(stores)
        self._kept = int(db.execute("SELECT count(*) FROM pages").fetchone()[0])
        self._pages, self._size, self._olds, are_first = self._page_numbers()
        self.fits = None not in self._since and are_first

    def run(self) -> None:
        ours = [dict(self._db.execute(f"SELECT name, id FROM {table}")) for table in ("hosts", "sites")]
        for table in tables().keys() - _CHANGED - {"url_hashes"}:
            self._db.execute(f"DELETE FROM {table}")
        self._add_hosts(*ours)
        self._define_functions(*ours)
        for table in tables().keys() - _WORKED_OUT:
            self._copy_rows(table)
        # Pages that their homes do not know yet; what they have received comes next.
        unread = "state = 'waiting', reason = 'link', inlinks = 0, cash = 0, forwarded = 0"
        self._db.execute(f"UPDATE pages SET {unread} WHERE state = 'elsewhere'")
        self._receive()
        self._finish()

    def _page_numbers(self) -> tuple[list[Ids], int, int, bool]:
        """New numbers of pages and mirrors by their own; how many there are; how many pages births were shared out to;
        and False if these are not the first ones. Defines `page` and `is_here` for every partition.

        A URL is found by Python's own hash, of 64 bits and with a secret of this process, so that nobody can write URLs
        that share one. Of 10^8, two do with a probability of 3 in 10,000.
        """
        self._db.create_function("digest", 1, hash)
        kept = np.fromiter(chain.from_iterable(self._db.execute("SELECT digest(url) FROM pages ORDER BY id")), np.int64)
        kind = [("id", np.int32), ("digest", np.int64), ("is_home", np.bool_)]
        each, olds, are_shared_out = [], [], True
        for store in self._stores:
            store.define("digest", hash)
            rows = store.each("SELECT id, digest(url), state <> 'elsewhere' FROM pages ORDER BY id")
            pages = np.fromiter(rows, kind)
            shared_out = store.meta("shared_out")
            are_shared_out &= shared_out is not None
            olds.append(pages["is_home"] & (True if shared_out is None else pages["id"] < int(shared_out)))
            each.append(pages)
        homes = [pages["digest"][pages["is_home"] & ~old] for pages, old in zip(each, olds, strict=True)]
        old = np.concatenate([pages["digest"][is_old] for pages, is_old in zip(each, olds, strict=True)])
        known = np.sort(np.concatenate([kept, old, *homes]))
        found = (pages["digest"] for pages in each)
        missing = [some[known.take(np.searchsorted(known, some), mode="clip") != some] for some in found]
        known, first = np.unique(np.concatenate([kept, old, *homes, *missing]), return_index=True)
        number = np.empty(len(known), np.int32)
        number[np.argsort(first)] = np.arange(len(known), dtype=np.int32)
        is_known = np.zeros(len(known), np.bool_)
        is_known[number[np.searchsorted(known, np.concatenate([old, *homes]))]] = True
        numbers = []
        for store, pages in zip(self._stores, each, strict=True):
            ours = number[np.searchsorted(known, pages["digest"])]
            numbers.append(_spread(store, pages["id"], ours))
            store.define("page", numbers[-1].item)
            store.define("is_here", _spread(store, pages["id"], pages["is_home"] | ~is_known[ours]).item)
        are_first = not are_shared_out or number[np.searchsorted(known, old)].max(initial=-1) < len(old)
        return numbers, len(known), len(old), bool(are_first)

    def _add_hosts(self, hosts: dict[str, int], sites: dict[str, int]) -> None:
        """Write all hosts and sites: first those of pages, then those that only mirrors have. hosts, sites: their
        numbers by name, to which more are added."""
        add_site = insert(SiteRow, "INSERT OR IGNORE")
        add_host = f"INSERT OR IGNORE INTO hosts ({columns(HostRow)}, site) VALUES (?{', ?' * len(HostRow._fields)})"
        its_site = "(SELECT name FROM sites WHERE sites.id = site)"
        of_pages = "hosts.id IN (SELECT host FROM pages WHERE state <> 'elsewhere')"
        for which, of_which in [(of_pages, f"id IN (SELECT site FROM hosts WHERE {of_pages})"), ("1", "1")]:
            for store in self._stores:
                own = store.each(f"SELECT {columns(SiteRow)} FROM sites WHERE {of_which} ORDER BY id")
                numbered = ((sites.setdefault(row[1], len(sites) + 1), *row[1:]) for row in own)
                self._db.executemany(add_site, numbered)
                own = store.each(f"SELECT {columns(HostRow)}, {its_site} FROM hosts WHERE {which} ORDER BY id")
                numbered = ((hosts.setdefault(row[1], len(hosts)), *row[1:-1], sites.get(row[-1])) for row in own)
                self._db.executemany(add_host, numbered)

    def _define_functions(self, hosts: Mapping[str, int], sites: Mapping[str, int]) -> None:
        """Define the others of _FUNCTIONS for every partition."""
        stores = self._stores
        for table, function, ours in (("hosts", "host", hosts), ("sites", "site", sites)):
            for store in stores:
                rows = list(store.each(f"SELECT id, name FROM {table}"))
                numbers = _spread(store, [own for own, _ in rows], [ours[name] for _, name in rows])
                store.define(function, np.append(numbers, np.int32(-1)).item)  # -1 means all hosts
        # The age of a history stays the same part of the window.
        windows = [float(store.meta("window") or 1.0) for store in stores]
        paces = [sum(windows) / window for window in windows]
        clocks = [float(store.meta("clock") or 0.0) for store in stores]
        self._clock = max(map(mul, clocks, paces))
        sitemaps, columns = 0, (range(len(stores)), self._pages, self._answer_numbers())
        for store, at, pace, number, pages, answers in zip(stores, clocks, paces, *columns, strict=True):
            store.define("page_list", partial(renumbered, pages=pages))
            store.define("fetch", answers.item)
            store.define("sitemap", sitemaps.__add__)
            store.define("moment", lambda then, at=at, pace=pace: self._clock - (at - then) * pace)
            store.define("text", lambda own, number=number: own * len(stores) + number)
            sitemaps += store.value("SELECT coalesce(max(id) + 1, 0) FROM sitemaps")

    def _answer_numbers(self) -> Iterator[Ids]:
        """New numbers of answers by their own: new ones follow in the order of their times; those of a partition stay
        in theirs. Answers that are no longer there are deleted."""
        kind = [("id", np.int32), ("page", np.int32), ("at", np.float64)]
        query = "SELECT id, page(page), fetched_at FROM fetches ORDER BY id"
        each = [np.fromiter(store.each(query), kind) for store in self._stores]
        kept = np.zeros(self._size, np.int32)
        for page, number in self._db.execute("SELECT page, id FROM fetches"):
            kept[page] = number
        numbers = kept[np.concatenate([answers["page"] for answers in each])]
        new = np.flatnonzero(numbers == 0)
        times = np.concatenate([np.maximum.accumulate(answers["at"]) for answers in each])[new]
        numbers[new[np.argsort(times, kind="stable")]] = np.arange(1, len(new) + 1) + kept.max(initial=0)
        gone = np.setdiff1d(kept[kept > 0], numbers)
        self._db.executemany("DELETE FROM fetches WHERE id = ?", ((number,) for number in gone.tolist()))
        for store, answers in zip(self._stores, each, strict=True):
            yield _spread(store, answers["id"], numbers[: len(answers)])
            numbers = numbers[len(answers) :]

    def _copy_rows(self, table: str) -> None:
        """Copy the rows of a table. Of two with the same keys, the first one is kept."""
        first, *others = tables()[table].keys
        functions = {
            name: _FUNCTIONS.get(f"{table}.{name}") or _FUNCTIONS.get(meaning.partition(";")[0])
            for name, meaning in meanings(table).items()
        }
        if first == "id" and not others and functions["id"] is None:
            del functions["id"]  # nothing refers to it: the rows are numbered again
        names = sorted(functions, key=lambda name: name != first)
        said = (f"iif({name} IS NULL, NULL, {functions[name]}({name}))" if functions[name] else name for name in names)
        query = f"SELECT {', '.join(said)} FROM {table} WHERE {_ROWS.get(table, '1')} ORDER BY {first}"
        parts = zip(self._stores, self._since, self._texts, strict=True)
        each = [store.each(query.format(since=since, texts=texts)) for store, since, texts in parts]
        # By rising numbers, each page of the file is written once.
        is_by_number = functions.get(first) in ("page", "fetch", "text")
        rows = heapq.merge(*each, key=itemgetter(0)) if is_by_number else chain(*each)
        verb = "INSERT OR REPLACE" if table in _CHANGED else "INSERT OR IGNORE"
        self._db.executemany(f"{verb} INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", rows)

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
                    records, _ = unpacked([row])
                    own = store.page_table.find(records.urls)
                    ours = [pages.item(own[url]) for url in records.urls]
                    columns = (records.received, records.inlinks, records.depth, records.chain_length)
                    self._db.executemany(_RECEIVE, zip(*(column.tolist() for column in columns), ours, strict=True))

    def _finish(self) -> None:
        """Write what is worked out of the rows, and the values of `meta`."""
        db = self._db
        db.create_function("hash", 1, lambda url: url_hash(url, self._key))
        db.execute("INSERT INTO url_hashes SELECT hash(url), id FROM pages WHERE id >= ? ORDER BY 1", (self._kept,))
        db.execute("INSERT OR REPLACE INTO tallies SELECT state, reason, count(*) FROM pages GROUP BY state, reason")
        db.executemany(insert(CoursePoint), course([store.course() for store in self._stores]))
        meta = merged([dict(store.each("SELECT key, value FROM meta")) for store in self._stores])
        meta |= {"hash_key": self._key.hex(), "clock": self._clock}
        meta["settings"] = json.dumps(in_full(self._folder.settings, self._folder.path.absolute()))
        texts = [store.texts.size for store in self._stores]
        meta["text_size"] = max(texts) * len(texts)
        if meta.get("shared_out") is not None:
            meta["shared_out"] = self._olds
        of = {"cluster": self._folder.cluster, "commits": self._commits, "texts": texts}
        self._save(meta | {GATHERED: json.dumps(of)})
        worth = "cash + forwarded + virtual / births * birth"
        for key, of_all in {  # each by views of those before
            "births": "coalesce(sum(birth), 0) FROM born",
            "never_visited": "coalesce(sum(birth + cash + forwarded), 0) FROM born WHERE NOT visited",
            "total": f"total({worth}) FROM born CROSS JOIN book WHERE state <> 'alias' AND NOT is_dead",
        }.items():
            self._save({key: db.execute(f"SELECT {of_all}").fetchone()[0]})
        self._rank()

    def _rank(self) -> None:
        """Write the order of all pages, so that none is ranked again."""
        pages = (page for (page,) in self._db.execute("SELECT id FROM weighed ORDER BY x DESC, id"))
        ranked = np.fromiter(pages, np.int32)
        places = range(0, len(ranked), PLACES)
        rows = ((first, to_bytes(ranked[first : first + PLACES])) for first in places)
        self._db.executemany(insert("places"), rows)
        self._save({"is_ranked": 1})

    def _save(self, values: Mapping[str, MetaValue]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())


def _spread(store: Store, own: npt.ArrayLike, ours: npt.ArrayLike) -> Ids:
    """An array of `ours` by the `own` numbers of a store, which have few gaps."""
    places = np.asarray(own, np.int64)
    size = int(places.max(initial=-1)) + 1
    if size > 2 * len(places) + 1_000 or places.min(initial=0) < 0:
        raise damaged(store.path, f"it has a row with the number {size - 1}")
    spread = np.full(size, -1, np.int32)
    spread[places] = ours
    return spread


def merged(each: Sequence[Mapping[str, MetaValue]]) -> dict[str, MetaValue]:
    """The values of all partitions by key, as one store would have them."""
    keys = dict.fromkeys(chain(*each))
    return {key: None if key in _ONLY_HERE else _merged(key, [values.get(key) for values in each]) for key in keys}


def _merged(key: str, values: Sequence[Any], numbers: Callable[[Any], Any] = itemgetter(0)) -> Any:
    """One value of those of all partitions: JSON name by name. numbers: what becomes of them but for those keys whose
    largest, say, counts; in JSON they are added up."""
    some = [value for value in values if value is not None]
    if not some:
        return None
    if key in _JSON and isinstance(some[0], str):
        return json.dumps(_merged(key, list(map(json.loads, some)), sum))
    if isinstance(some[0], dict):
        names = dict.fromkeys(chain(*some))
        return {name: _merged(FILES if key == FILES else name, [one.get(name) for one in some], sum) for name in names}
    if isinstance(some[0], list) and key not in _OTHERWISE:
        return sorted(set(chain(*some)))
    return _OTHERWISE.get(key, numbers)(some)


def course(each: Sequence[Sequence[CoursePoint]]) -> list[CoursePoint]:
    """Points of all partitions added up, at the times of the one that has crawled longest; its coverage counts.

    Values between two points are interpolated.
    """
    some = [points for points in each if points]
    if not some:
        return []
    longest = max(some, key=lambda points: points[-1].seconds)
    at = [point.at for point in longest]
    at[-1] = max(points[-1].at for points in some)  # by then all have finished
    for name in ("fetched", "bytes", "known", "read", "given_up"):
        lines = [([point.at for point in points], [getattr(point, name) for point in points]) for points in some]
        values = sum(np.interp(at, *line, left=0.0) for line in lines)
        pairs = zip(longest, values.tolist(), strict=True)
        longest = [point._replace(**{name: round(value)}) for point, value in pairs]
    return [point._replace(at=moment) for point, moment in zip(longest, at, strict=True)]
