"""Pages ranked by the visits in a site's access logs, alone or blended with importance.

A visit is a page seen by a visitor who has not asked for it in the half hour before, reloads and parts of a file
included: a unique page view of web analytics. A visitor is an address with an agent.

    score = (1 - blend) importance + blend visits / (visits of all pages)
"""

from array import array
from collections import Counter

import numpy as np

from minicrawl.analysis.access_logs import AccessLog, Request, is_bot, open_log
from minicrawl.analysis.link_graph import FloatArray, FoldedPages
from minicrawl.analysis.rankings.options import Found, Options
from minicrawl.crawler.admission.scope import MAX_URL_LENGTH
from minicrawl.crawler.urls.keys import authority
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.crawler.urls.parameters import stripped
from minicrawl.errors import SettingError, counted
from minicrawl.rank.compare import differences
from minicrawl.store.reader import Store

_WINDOW = 30 * 60.0
_MOST_RECENT, _MOST_ROBOTS, _MOST_TARGETS = 2**18, 2**17, 2**14
_SHOWN = 200, 206, 304
_OTHER_SCHEME = {"http": "https", "https": "http"}


class RecentRequests:
    """Requests of the last half hour, by the clock of the log.

    Two generations, so that what is old goes without being looked for. most: keys in each; where there are more within
    half an hour, a request may count as new too soon.
    """

    def __init__(self, most: int = _MOST_RECENT) -> None:
        self._most = most
        self._began = 0.0
        self._new: dict[int, float] = {}
        self._old: dict[int, float] = {}

    def is_repeated(self, key: int, at: float) -> bool:
        """True if there was a request of this key within half an hour of `at`, seconds. The request is noted."""
        if abs(at - self._began) >= _WINDOW or len(self._new) >= self._most:  # logs may follow in any order
            self._new, self._old, self._began = {}, self._new, at
        last = self._new.get(key)
        if last is None:
            last = self._old.get(key)
        self._new[key] = at
        return last is not None and abs(at - last) < _WINDOW


class VisitCounts:
    """Counts visits by page. left_out: requests that are none, by the reason: bots, others, unknown, repeated."""

    def __init__(self, store: Store, pages: FoldedPages, site: str | None) -> None:
        self._store, self._stands_for = store, pages.stands_for
        self._root = _root(store, pages, site)
        self._by_target: dict[tuple[str, str], int | None] = {}
        self._robots = set[int]()
        self._recent = RecentRequests()
        self.left_out = Counter[str]()
        self.visits = array("q", bytes(8 * pages.size))

    def take(self, request: Request) -> None:
        """Count a request. Raises SettingError if nothing tells its host."""
        visitor = hash((request.address, request.agent))
        if request.target.partition("?")[0] == "/robots.txt" and len(self._robots) < _MOST_ROBOTS:
            self._robots.add(visitor)
        if is_bot(request.agent) or visitor in self._robots:
            self.left_out["bots"] += 1
        elif request.method != b"GET" or request.status not in _SHOWN or request.prefetch:
            self.left_out["others"] += 1
        elif (page := self._page(request)) is None:
            self.left_out["unknown"] += 1
        elif self._recent.is_repeated(hash((visitor, page)), request.at):
            self.left_out["repeated"] += 1
        else:
            self.visits[page] += 1

    def _page(self, request: Request) -> int | None:
        root = self._root if request.host is None else f"{request.scheme or 'https'}://{request.host}"
        if root is None:
            raise SettingError(
                f"the log names no hosts, and {self._store.path} has pages of several; say which one's log it is, with "
                "--site https://example.com/"
            )
        if len(root) + len(request.target) > MAX_URL_LENGTH:
            return None
        key = root, request.target
        if key not in self._by_target:
            if len(self._by_target) >= _MOST_TARGETS:
                self._by_target.clear()
            self._by_target[key] = self._found(*key)
        return self._by_target[key]

    def _found(self, root: str, target: str) -> int | None:
        """The page of a target: with the scheme of the log or else the other, and as the crawl strips URLs."""
        if target.startswith("/"):
            scheme, _, rest = root.partition("://")
            given = [normalise(f"{each}://{rest}{target}") for each in (scheme, _OTHER_SCHEME[scheme])]
        else:
            given = [normalise(target)]
        urls = [each for url in given if url is not None for each in (url, stripped(url))]
        pages = self._store.page_table.find(urls)
        return next((int(self._stands_for[pages[url]]) for url in urls if url in pages), None)


def visit_ranking(options: Options, store: Store, pages: FoldedPages) -> Found:
    """The score of every page, see above, and what was counted. Raises SettingError."""
    if not options.log:
        raise SettingError("--by visits needs the access logs of the site; name each with --log access.log")
    counts, log = VisitCounts(store, pages, options.site), AccessLog()
    notes = []
    for path in options.log:
        with open_log(path) as file:
            for request in log.requests(file):
                counts.take(request)
        if log.is_cut:
            notes.append(f"{path} ends in the middle of its compressed data; the lines before that count")
            log.is_cut = False
    notes.append(_told(counts, log))
    visits = np.array(counts.visits, dtype=np.float64)
    if not visits.any():
        told = "; ".join(notes)
        if log.strays == log.lines:
            raise SettingError(f"there are no requests: {told}; name logs in Common, Combined or W3C format with --log")
        raise SettingError(f"no visit to a page of {store.path}: {told}; --site may have to name another host")
    importance = np.where(pages.is_alias, 0.0, store.ranks.importance())
    weight = 1.0 if options.blend is None else options.blend
    scores = (1.0 - weight) * importance / importance.sum() + weight * visits / visits.sum()
    return Found({"visits": scores}, (*notes, _agreement(importance, visits, pages)))


def _told(counts: VisitCounts, log: AccessLog) -> str:
    left = counts.left_out
    visited = sum(map(bool, counts.visits))
    return (
        f"{counted(log.lines, 'line')}: {counted(sum(counts.visits), 'visit')} to {counted(visited, 'page')}; not "
        f"counted: {left['bots']:,} by bots, {left['others']:,} that showed no page, {left['unknown']:,} of URLs that "
        f"the crawl does not know, {left['repeated']:,} repeated within half an hour, {log.strays:,} that are no "
        "requests"
    )


def _agreement(importance: FloatArray, visits: FloatArray, pages: FoldedPages) -> str:
    """How far visits and importance agree on the pages of the hosts that were visited."""
    is_there = np.isin(pages.hosts, pages.hosts[visits > 0.0]) & ~pages.is_alias & (pages.is_parsed | (visits > 0.0))
    found = differences(importance[is_there], visits[is_there])
    same = ", ".join(f"{share:.0%} of the first {k:,}" for k, share in found.overlaps.items() if k <= 100)
    return (
        f"importance and visits of {counted(found.common, 'page')} of the hosts visited: {same} the same, "
        f"tau {found.tau:.2f}, L1 distance {found.l1:.2f}"
    )


def _root(store: Store, pages: FoldedPages, site: str | None) -> str | None:
    """Scheme and host of targets where the log has no host: those of --site, or of the one host with pages."""
    if site is not None:
        if (url := normalise(site)) is None:
            raise SettingError(f"--site {site!r} is no URL; say one such as https://example.com/")
        return url.partition("://")[0] + "://" + authority(url)
    read = set(pages.hosts[pages.is_parsed & ~pages.is_alias].tolist())
    names = [host.name for host in store.hosts.all() if host.id in read]
    return f"https://{names[0]}" if len(names) == 1 else None
