"""Results of a crawl as JSON for the page."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any  # Any: JSON

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.explain import explain
from minicrawl.analysis.page_changes import PageChange, page_changes
from minicrawl.analysis.page_filter import PageFilter, best_wanted
from minicrawl.analysis.status import CrawlAtRest, Partition, at_rest
from minicrawl.analysis.thumbnails import thumbnail
from minicrawl.analysis.top.top_list import TopList, lines_per_site, top_list
from minicrawl.control.messages import Message
from minicrawl.dashboard.commands import started
from minicrawl.dashboard.picture import picture_of_hosts, picture_of_pages, picture_of_sites
from minicrawl.dashboard.statistics import Shapes, answers, course, share_curve
from minicrawl.errors import SettingError
from minicrawl.search.partitions import search as partitions_search
from minicrawl.search.searching import Asked, Found
from minicrawl.settings import RANKINGS
from minicrawl.store.database import is_held, logs
from minicrawl.store.partitions.folder import files_of, folder_at
from minicrawl.store.read.hosts import HostPages
from minicrawl.store.read.refreshes import ChangedPage, RisenPage
from minicrawl.store.reader import Store, open_store
from minicrawl.store.rows import HostRow, RankedPage
from minicrawl.store.texts.difference import Line

FloatArray = npt.NDArray[np.float64]
Reading = Mapping[str, Any]
"""A JSON object."""

_HOSTS, _MOST_PAGES, _LONGEST_QUERY, _LONGEST_FILTER = 500, 500, 2_000, 500
_RISING, _WEEK = 20, 7 * 86_400.0
_MOST_CHANGES, _MOST_BLOCKS, _LONGEST_BLOCK = 8, 200, 2_000
_PICTURES = {"pages": picture_of_pages, "hosts": picture_of_hosts, "sites": picture_of_sites}


class Readings:
    """Results of the crawl at a path: a store, which may not exist yet, or a folder of partitions.

    Each method opens it, and reads one commit. Each raises MinicrawlError if the result is not available.
    """

    def __init__(self, path: Path) -> None:
        """Raises StoreError for a folder without a crawl."""
        self.path = path
        self._shapes = Shapes(path)
        self._importance: tuple[object, FloatArray] | None = None
        self._at_rest: tuple[object, CrawlAtRest] | None = None
        if path.is_dir():
            folder_at(path)

    def has_begun(self) -> bool:
        """True if there is a crawl yet."""
        return self.path.exists()

    def is_in_use(self) -> bool:
        """True if another process is writing to the store."""
        return any(map(is_held, files_of(self.path)))

    def at_rest(self) -> CrawlAtRest:
        """Summary of the crawl and its runs, cached until a file changes, as it may take a look at all pages."""
        files = self.is_in_use(), self._files()
        if self._at_rest is None or self._at_rest[0] != files:
            with open_store(self.path) as store:
                self._at_rest = files, at_rest(store)
        return self._at_rest[1]

    def _files(self) -> object:
        """Fingerprint of the store's files, different after each commit."""
        return [_as_it_is(path) for path in files_of(self.path)]

    @contextmanager
    def _with_importance(self) -> Iterator[tuple[Store, FloatArray]]:
        """The store, as of one commit, and the importance of every page, which is read once for a commit."""
        before = self._files()
        with open_store(self.path) as store, store.snapshot():
            store.size()  # from here on it shows one commit: that of the files before, if they have not changed
            kept = self._importance
            if kept is None or kept[0] != before or self._files() != before:
                is_as_before = self._files() == before
                kept = before, store.ranks.importance()
                self._importance = kept if is_as_before else None
            yield store, kept[1]

    def top(self, by: str, n: int) -> TopList:
        """The n best pages, without duplicates. by: one of RANKINGS."""
        with open_store(self.path) as store:
            return top_list(store, by, n, per_site=lines_per_site(store))

    def pages(self, asked: PageFilter, n: int) -> tuple[int, Sequence[RankedPage]]:
        """Number of the pages that a filter selects, and the n most important ones."""
        with self._with_importance() as (store, importance):
            return best_wanted(store, asked, n, importance)

    def collected(self) -> tuple[FloatArray, FloatArray]:
        """Importance of the pages read, in crawl order; and of all known pages, falling."""
        with self._with_importance() as (store, importance):
            return store.ranks.collected(importance), np.sort(importance)[::-1]

    def rising(self, since: float, n: int) -> Sequence[RisenPage]:
        """The n pages that have gained the most importance since `since`, in Unix seconds."""
        with open_store(self.path) as store:
            return [] if len(store.parts) > 1 else store.refreshes.risen_pages(since, n)

    def changed(self, since: float, n: int) -> Sequence[ChangedPage]:
        """The n most important pages that have changed or gone since `since`, in Unix seconds."""
        with open_store(self.path) as store:
            return store.refreshes.changed_pages(since, n, has_new=False)

    def page_changes(self, url: str) -> Sequence[PageChange]:
        """The changes of a page, the oldest first."""
        with open_store(self.path) as store:
            return page_changes(store, url, 0.0)

    def hosts(self, n: int) -> tuple[Sequence[tuple[HostPages, HostRow]], int]:
        """The n hosts with the most known pages, by falling number; and the number of all hosts."""
        with open_store(self.path) as store, store.snapshot():
            pages = store.hosts.pages(n)
            rows = {row.name: row for row in store.hosts.all()}
        return [(host, rows[host.name]) for host in pages], len(rows)

    def why(self, url: str) -> Reading:
        """All facts about a URL."""
        with open_store(self.path) as store:
            facts = explain(store, url).as_json()
            picture = thumbnail(store, facts["url"])
        return facts if picture is None else {**facts, "thumbnail": picture}

    def search(self, words: str, n: int) -> tuple[Found, dict[str, str | None]]:
        """The pages that match a query, and their thumbnails by URL."""
        with open_store(self.path) as store:
            found = partitions_search(store, words, Asked(n))
            return found, {page.url: thumbnail(store, page.url) for page in found.pages}

    def course(self) -> Reading:
        """`states`: numbers of pages by state; `points`: the crawl over time."""
        return course(self.path)

    def answers(self, host: str) -> Reading:
        """See statistics.answers."""
        return answers(self.path, host)

    def shape(self) -> Reading:
        """See statistics.Shapes."""
        return self._shapes.look()

    def picture(self, of: str) -> Reading:
        """of: "pages", "hosts" or "sites"."""
        return _PICTURES[of](self.path)

    def start(self, asked: object) -> Message:
        """Start or resume a crawl there."""
        return started(self.path, asked)


def _as_it_is(file: Path) -> object:
    """Fingerprint of a store file, different after each change; a reader makes an empty log."""
    found = [path.stat() for path in (file, logs(file)[0]) if path.exists()]
    return [(one.st_mtime_ns, one.st_size) for one in found if one.st_size]


def top(readings: Readings, by: str, n: int) -> Reading:
    """The n best pages, without duplicates. by: one of RANKINGS. Raises MinicrawlError."""
    if by not in RANKINGS:
        raise SettingError(f"pages can be ordered by {', '.join(RANKINGS)}, not {by[:40]!r}")
    _check_length(n)
    found = readings.top(by, n)
    pages = [{**line.page._asdict(), "alike": len(line.alike)} for line in found.lines]
    return {"pages": pages, "by": by, "unread": found.unread}


def pages(readings: Readings, given: Mapping[str, str], n: int) -> Reading:
    """The n most important pages that a filter selects, of any state. given: fields of PageFilter. Raises
    MinicrawlError."""
    _check_length(n)
    names = [field.name for field in fields(PageFilter)]
    for name, text in given.items():
        if name not in names:
            raise SettingError(f"pages are chosen by {', '.join(names)}, not by {name[:40]!r}")
        if len(text) > _LONGEST_FILTER:
            raise SettingError(f"{name} has {_LONGEST_FILTER:,} characters at most")
    count, found = readings.pages(PageFilter(**{name: text for name, text in given.items() if text.strip()}), n)
    return {"pages": [page._asdict() for page in found], "count": count}


def _check_length(n: int) -> None:
    if not 1 <= n <= _MOST_PAGES:
        raise SettingError(f"a list has 1 to {_MOST_PAGES} pages, not {n}")


def importance(readings: Readings) -> Reading:
    """Importance collected by number of pages read, and the optimum."""
    read, known = readings.collected()
    curves = {"collected": share_curve(read), "possible": share_curve(known, len(read))}
    return {"curves": curves, "read": len(read), "known": len(known)}


def rising(readings: Readings) -> Reading:
    """The pages that have gained the most importance in a week, as far as is known; `since`: Unix seconds."""
    since = time.time() - _WEEK
    return {"pages": [page._asdict() for page in readings.rising(since, _RISING)], "since": since}


def changes(readings: Readings, url: str) -> Reading:
    """The last changes of a page, the latest first, each with the blocks that differ, or null; of "", the pages that
    have changed in a week. Raises MinicrawlError."""
    if not url:
        return {"pages": [page._asdict() for page in readings.changed(time.time() - _WEEK, _RISING)]}
    found = readings.page_changes(_one_url(url))[: -_MOST_CHANGES - 1 : -1]
    return {"changes": [{**change._asdict(), "diff": _lines(change.diff)} for change in found]}


def _lines(diff: Sequence[Line] | None) -> Sequence[Reading] | None:
    if diff is None:
        return None
    return [line._replace(text=line.text[:_LONGEST_BLOCK])._asdict() for line in diff[:_MOST_BLOCKS]]


def hosts(readings: Readings) -> Reading:
    """The hosts with the most known pages, and the reasons why they are not asked."""
    first, in_all = readings.hosts(_HOSTS)
    return {"hosts": [{**pages._asdict(), **_rules(row._asdict())} for pages, row in first], "count": in_all}


def partitions(readings: Readings) -> Reading:
    """Figures of each partition from its store; empty for a crawl in one store."""
    parts = readings.at_rest().status.partitions if readings.has_begun() else ()
    return {"partitions": [partition(part) for part in parts]}


def partition(part: Partition) -> Reading:
    """A stored partition in the form of a running one."""
    return {**asdict(part), "known": part.known, "read": part.read, "states": part.pages, "waiting": part.outbox}


def _rules(row: Reading) -> Reading:
    names = ("crawl_delay", "backoff", "strains", "dead_until", "rests_until", "seconds")
    return {name: row[name] for name in names}


def why(readings: Readings, url: str) -> Reading:
    """All facts about a URL. Raises MinicrawlError."""
    return readings.why(_one_url(url))


def _one_url(url: str) -> str:
    if not url or len(url) > _LONGEST_QUERY:
        raise SettingError("name the URL of a page")
    return url


def search(readings: Readings, words: str, n: int) -> Reading:
    """The pages that match a query best. Raises MinicrawlError, also if there is no index."""
    if len(words) > _LONGEST_QUERY:
        raise SettingError(f"a query has {_LONGEST_QUERY:,} characters at most")
    found, thumbnails = readings.search(words, n)
    pages = [
        {
            "rank": page.rank,
            "url": page.url,
            "title": page.title,
            "importance": page.importance,
            "score": page.score,
            "snippet": page.snippet.text,
            "marks": page.snippet.marks,
            "alike": len(page.alike),
            **({"thumbnail": thumbnails[page.url]} if thumbnails[page.url] else {}),
        }
        for page in found.pages
    ]
    return {"pages": pages, "matches": found.matches, "behind": found.behind}


def picture(readings: Readings, of: str) -> Reading:
    """Pages, hosts or sites with their positions, and the links between them. Raises MinicrawlError."""
    if of not in _PICTURES:
        raise SettingError("there is a picture of pages, of hosts, and of sites")
    return readings.picture(of)
