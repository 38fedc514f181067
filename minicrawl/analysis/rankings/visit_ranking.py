"""Pages ranked by the visits in a site's access logs, alone or blended with importance.

A visit is a page seen by a visitor who has not asked for it in the half hour before, reloads and parts of a file
included: a unique page view of web analytics. A visitor is an address with an agent.

    score = (1 - blend) importance + blend visits / (visits of all pages)
"""

import gzip
import re
import zlib
from collections import Counter, OrderedDict
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote_from_bytes

import numpy as np

from minicrawl.analysis.link_graph import FoldedPages
from minicrawl.analysis.rankings.options import Found, Options
from minicrawl.errors import SettingError, counted
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank.compare import kendall_tau, l1, overlap
from minicrawl.store.reader import Store
from minicrawl.web.urls.keys import authority
from minicrawl.web.urls.normalise import MAX_URL_LENGTH, normalise, stripped

_WINDOW = 30 * 60.0
_MOST_RECENT, _MOST_TARGETS, _LONGEST_LINE = 2**18, 2**14, 2**16
_SHOWN = b"200", b"206", b"304"
_COMBINED = re.compile(  # https://httpd.apache.org/docs/current/logs.html#combined
    rb"(\S+) [^\[]*+\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "
    rb'"(\S+) ([^" ]*)[^"]*" (\d{3}) \S+ "[^"\\]*+(?:\\.[^"\\]*+)*+" "([^"\\]*+(?:\\.[^"\\]*+)*+)"'
)
# Browsers begin with Mozilla/, and only Internet Explorer says that it is compatible.
_BOT = re.compile(
    rb"(?!Mozilla/|Opera/)|.*?(?:bot|crawl|spider|slurp|https?:|www\.|@|headless|compatible; (?!MSIE)|archive|fetch"
    rb"|scrap|preview|monitor|scan|check|google-|inspect|lighthouse|phantomjs|selenium|playwright|synthetics)",
    re.IGNORECASE | re.DOTALL,
)


class VisitCounts:
    """Counts visits by page. left_out: lines that are none, by the reason: bots, others, unknown, repeated, strays."""

    def __init__(self, store: Store, pages: FoldedPages, site: str | None, most_recent: int = _MOST_RECENT) -> None:
        """most_recent: pages of visitors that are remembered; beyond, a request may count as new too soon."""
        self._store, self._stands_for, self._most_recent = store, pages.stands_for, most_recent
        self._host = _host(store, pages, site)
        self._page = lru_cache(_MOST_TARGETS)(self._found)
        self._recent = OrderedDict[int, float]()
        self.lines, self.left_out = 0, Counter[str]()
        self.visits = np.zeros(pages.size)

    def take(self, line: bytes) -> None:
        self.lines += 1
        found = _COMBINED.match(line)
        at = None if found is None else _seconds(found[2])
        if found is None or at is None:
            self.left_out["strays"] += 1
            return
        address, _, method, target, status, agent = found.groups()
        if _BOT.match(agent):
            self.left_out["bots"] += 1
        elif method != b"GET" or status not in _SHOWN:
            self.left_out["others"] += 1
        elif len(target) > MAX_URL_LENGTH or (page := self._page(target)) is None:
            self.left_out["unknown"] += 1
        elif self._is_repeated(hash((address, agent, page)), at):
            self.left_out["repeated"] += 1
        else:
            self.visits[page] += 1

    def _found(self, target: bytes) -> int | None:
        """The page of a target, spelled and stripped as the crawl does. Raises SettingError."""
        given = target.decode() if target.isascii() else quote_from_bytes(target, safe=bytes(range(128)))
        if self._host is None and given.startswith("/"):
            raise SettingError(
                f"{self._store.path} has pages of several hosts; name the one with this log by --site URL"
            )
        whole = [f"{scheme}://{self._host}{given}" for scheme in ("https", "http")] if given[:1] == "/" else [given]
        urls = [each for url in map(normalise, whole) if url is not None for each in (url, stripped(url))]
        pages = self._store.page_table.find(urls)
        return next((int(self._stands_for[pages[url]]) for url in urls if url in pages), None)

    def _is_repeated(self, key: int, at: float) -> bool:
        last = self._recent.pop(key, None)
        self._recent[key] = at
        if len(self._recent) > self._most_recent:
            self._recent.popitem(last=False)
        return last is not None and abs(at - last) < _WINDOW


def visit_ranking(options: Options, store: Store, pages: FoldedPages) -> Found:
    """The score of every page, and what was counted. Raises SettingError."""
    if not options.log:
        raise SettingError("--by visits needs the access logs of the site; name each with --log access.log")
    counts = VisitCounts(store, pages, options.site)
    for path in options.log:
        for line in _lines(path):
            counts.take(line)
    left, visits = counts.left_out, counts.visits
    told = (
        f"{counted(counts.lines, 'line')}: {counted(int(visits.sum()), 'visit')} to "
        f"{counted(int(np.count_nonzero(visits)), 'page')}; not counted: {left['bots']:,} by bots, {left['others']:,} "
        f"that showed no page, {left['unknown']:,} of URLs that the crawl does not know, {left['repeated']:,} repeated "
        f"within half an hour, {left['strays']:,} that are not requests"
    )
    if not visits.any():
        raise SettingError(
            f"these logs have no visit to a page: {told}; name logs in Combined Log Format, or another host with --site"
        )
    importance = np.where(pages.is_alias, 0.0, store.ranks.importance())
    weight = 1.0 if options.blend is None else options.blend
    scores = (1.0 - weight) * importance / importance.sum() + weight * visits / visits.sum()
    return {"visits": scores}, (told, _agreement(importance, visits, pages))


def _lines(path: str) -> Iterator[bytes]:
    """The lines of a log, longer ones in pieces. Raises SettingError."""
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            yield from iter(lambda: file.readline(_LONGEST_LINE), b"")
    except (OSError, EOFError, zlib.error) as error:
        raise SettingError(f"--log {path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


@lru_cache(maxsize=2**12)
def _seconds(stamp: bytes) -> float | None:
    """Seconds since 1970 at "10/Oct/2000:13:55:36 -0700"; None for no such time."""
    try:
        return datetime.strptime(stamp.decode(), "%d/%b/%Y:%H:%M:%S %z").timestamp()
    except (ValueError, OverflowError):
        return None


def _agreement(importance: FloatArray, visits: FloatArray, pages: FoldedPages) -> str:
    """How far visits and importance agree on the pages of the hosts that were visited."""
    is_there = np.isin(pages.hosts, pages.hosts[visits > 0.0]) & ~pages.is_alias & (pages.is_parsed | (visits > 0.0))
    a, b = importance[is_there], visits[is_there]
    same = ", ".join(f"{overlap(a, b, k):.0%} of the first {k:,}" for k in (10, 100) if len(a))
    pages_of = f"importance and visits of {counted(len(a), 'page')} of the hosts visited"
    distance = l1(a / a.sum(), b / b.sum())
    return f"{pages_of}: {same} the same, tau {kendall_tau(a, b):.2f}, L1 distance {distance:.2f}"


def _host(store: Store, pages: FoldedPages, site: str | None) -> str | None:
    """The host of the log: that of --site, or the one with pages; None if there are several. Raises SettingError."""
    if site is not None:
        if (url := normalise(site)) is None:
            raise SettingError(f"--site {site!r} is not a URL; give one such as https://example.com/")
        return authority(url)
    read = set(pages.hosts[pages.is_parsed & ~pages.is_alias].tolist())
    names = [host.name for host in store.hosts.all() if host.id in read]
    return names[0] if len(names) == 1 else None
