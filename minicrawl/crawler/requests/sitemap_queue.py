"""The queue of sitemaps to ask for, and of their URLs, which become known at a limited rate (docs/sitemaps.md).

One sitemap of a host is requested at a time. Its URLs count only for that host (sitemaps.org: naming a sitemap in
robots.txt is the proof), whatever server has the sitemap, so no site can list pages of others. Sitemaps are never
guessed: most hosts that have one name it, and asking all others for /sitemap.xml would cost each a request for nothing.

Next of the waiting URLs is always one of the host with the fewest let in so far. While many wait, no more sitemaps are
asked for. Pure but for reading the store: time is passed in, and what changes waits for `save` in the next commit.
"""

import heapq
import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from minicrawl.store.reader import Store
from minicrawl.store.sitemaps import ListedUrl, SitemapRow
from minicrawl.store.writer import Writer

LINKS_PER_URL = 3
"""Pages made known by links for each URL let in from a sitemap."""
MOST_LEVELS = 5
"""Redirects and indexes between robots.txt and a sitemap."""
MOST_SITEMAPS = 1_000
"""Sitemaps of one host; those beyond are only counted."""
MOST_IN_ALL = 100_000
MOST_WAITING = 10_000
"""A host's next sitemap is requested while fewer of its URLs wait; all hosts together may have a million."""
MOST_WAITING_IN_ALL = 1_000_000
LIFETIME = 24 * 3600.0
"""Seconds after which a sitemap that is named again is requested again, as robots.txt is."""
DUE = "due"


class SitemapQueue:
    """Sitemaps, and their URLs that have not become pages.

    Invariant: a sitemap is due until its answer is absorbed, a URL waits until it is let in; both are in the store, so
    a crawl that is killed repeats the requests in flight and lets no URL in twice.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rows = {row.id: row for row in store.sitemaps.all()}
        self._numbers = {(row.host, row.url): row.id for row in self._rows.values()}
        self._per_host: defaultdict[int, int] = defaultdict(int)
        self._due: defaultdict[int, deque[int]] = defaultdict(deque)
        self._idle: dict[int, None] = {}  # hosts with sitemaps due and none in flight
        self._resting: list[tuple[float, int]] = []
        self._taken: defaultdict[int, int] = defaultdict(int)  # URLs let in by host
        self._waiting: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._read_to: dict[int, int] = {}
        self._turns: list[tuple[int, int]] = []  # (URLs let in, host) of all hosts with URLs waiting, each at most once
        self._has_turn: set[int] = set()
        # Counts of sitemaps too many or too deep, by the sitemap that names them, or by "-" and the host for
        # robots.txt.
        self._left_out: dict[str, int] = store.meta_json("sitemaps_left_out")
        self._left_out_saved = self._left_out.copy()
        self.waiting = 0
        self.thirds = int(store.meta("sitemap_thirds") or 0)  # thirds of a URL, earned and not spent yet
        self._changed: set[int] = set()
        self._listed: list[ListedUrl] = []
        self._unlisted: list[ListedUrl] = []
        self._pages: list[tuple[int, int, bool]] = []  # page, sitemap that lists it, whether it made the page known
        for row in self._rows.values():
            self._per_host[row.host] += 1
            self._taken[row.host] += row.made_known
            if row.reason == DUE or row.attempts:
                self._make_due(row)
        for host, (count, last) in store.sitemaps.listed_counts().items():
            self._count(host, count)
            self._last[host] = last
            self._give_turn(host)

    def row(self, sitemap: int) -> SitemapRow:
        return self._rows[sitemap]

    # Sitemaps to ask for.

    def named_by_robots(self, host: int, urls: Iterable[str], page: int, now: float) -> None:
        """Add the sitemaps at normalised `urls` that robots.txt of `host` names; its `page` had its turn."""
        self._left_out.pop(f"-{host}", None)
        self._name(f"-{host}", host, urls, page, 0, now)

    def named_by(self, sitemap: int, urls: Iterable[str], now: float) -> None:
        """Add the sitemaps at normalised `urls` that a sitemap leads to."""
        row = self._rows[sitemap]
        self._name(str(sitemap), row.host, urls, row.page, row.nesting + 1, now)

    def _name(self, source: str, host: int, urls: Iterable[str], page: int, level: int, now: float) -> None:  # noqa: PLR0913 - the columns of one row
        for url in urls:
            number = self._numbers.get((host, url))
            if number is not None:
                row = self._rows[number]
                # A time in the future comes from a clock that has been set back since, by an unknown span.
                is_recent = 0 <= now - (row.asked_at or 0.0) < LIFETIME
                if row.reason != DUE and not row.attempts and not is_recent:
                    self._note(row._replace(reason=DUE, nesting=level))
                    self._make_due(self._rows[number])
            elif level <= MOST_LEVELS and self._per_host[host] < MOST_SITEMAPS and len(self._rows) < MOST_IN_ALL:
                row = SitemapRow(len(self._rows), host, url, page, level, DUE)
                self._numbers[host, url] = row.id
                self._per_host[host] += 1
                self._note(row)
                self._make_due(row)
            else:
                self._left_out[source] = self._left_out.get(source, 0) + 1

    def to_ask(self, now: float) -> Iterator[SitemapRow]:
        """Sitemaps to ask for, at most one per host; each is `tried` or `closed` later."""
        while self._resting and self._resting[0][0] <= now:
            self._idle[self._rows[heapq.heappop(self._resting)[1]].host] = None
        if not self._idle or self.waiting >= MOST_WAITING_IN_ALL:
            return
        for host in list(self._idle):
            if self._waiting.get(host, 0) < MOST_WAITING:
                del self._idle[host]
                row = self._rows[self._due[host][0]]
                self._left_out.pop(str(row.id), None)  # its answer names them again
                yield row

    def next_ready(self) -> float | None:
        """Unix seconds at which the next sitemap may be tried again; None if none waits."""
        return self._resting[0][0] if self._resting else None

    def tried(self, sitemap: int, reason: str, status: int | None, until: float) -> None:
        """Record a failed request; another may follow."""
        row = self._rows[sitemap]
        self._note(row._replace(reason=reason, attempts=row.attempts + 1, status=status))
        heapq.heappush(self._resting, (until, sitemap))

    def closed(self, sitemap: int, reason: str, status: int | None, found: int, now: float) -> None:
        """Record the outcome of a sitemap; its URLs have been enqueued."""
        row = self._rows[sitemap]
        self._note(row._replace(reason=reason, attempts=0, status=status, found=found, asked_at=now))
        due = self._due[row.host]
        due.popleft()
        if due:
            self._idle[row.host] = None

    # URLs to let in.

    def enqueue(self, sitemap: int, urls: Sequence[str]) -> None:
        """Let URLs on the sitemap's host wait."""
        row = self._rows[sitemap]
        first = self._last.get(row.host, -1) + 1
        self._listed += (ListedUrl(row.host, first + place, url, sitemap) for place, url in enumerate(urls))
        self._last[row.host] = first + len(urls) - 1
        self._note(row._replace(queued=row.queued + len(urls)))
        self._count(row.host, len(urls))

    def earned(self, born: int) -> int:
        """The number of URLs that may be let in after a page whose links made `born` pages known."""
        earned, self.thirds = divmod(self.thirds + born, LINKS_PER_URL)
        return earned

    def hosts(self) -> list[int]:
        """The hosts with URLs waiting."""
        return [host for host, waiting in self._waiting.items() if waiting]

    def next_urls(self, most: int, host: int | None = None) -> tuple[SitemapRow, list[str]] | None:
        """Take out up to `most` committed URLs of one sitemap; None if there are none. host: theirs; None for the host
        with the fewest URLs let in."""
        if host is not None:
            return self._taken_out(self._listed_of(host, most))
        while self._turns:
            taken, host = self._turns[0]
            rows = self._listed_of(host, most)
            if taken == self._taken[host] and rows:
                return self._taken_out(rows)
            heapq.heappop(self._turns)
            self._has_turn.discard(host)
            if rows:
                self._give_turn(host)
        return None

    def _listed_of(self, host: int, most: int) -> list[ListedUrl]:
        return (
            self._store.sitemaps.listed_urls(host, self._read_to.get(host, -1), most) if self._waiting.get(host) else []
        )

    def _taken_out(self, rows: Sequence[ListedUrl]) -> tuple[SitemapRow, list[str]] | None:
        """Take out the first of these URLs that are of one sitemap."""
        for sitemap, of_it in groupby(rows, lambda row: row.sitemap):
            same = list(of_it)
            self._unlisted += same
            self._read_to[same[-1].host] = same[-1].id
            self._count(same[-1].host, -len(same))
            return self._rows[sitemap], [row.url for row in same]
        return None

    def lists(self, sitemap: int, pages: Iterable[int]) -> None:
        """Record pages that a sitemap lists and that were known before."""
        self._pages += ((page, sitemap, False) for page in pages)

    def let_in(self, sitemap: int, pages: Iterable[int]) -> None:
        """Record the pages that a sitemap has made known."""
        made = [(page, sitemap, True) for page in pages]
        row = self._rows[sitemap]
        self._pages += made
        self._taken[row.host] += len(made)
        self._note(row._replace(made_known=row.made_known + len(made)))

    def save(self, writer: Writer) -> None:
        """Write the rows that changed since the last commit."""
        writer.put(SitemapRow, [self._rows[number] for number in sorted(self._changed)])
        writer.add(ListedUrl, self._listed)
        writer.remove(ListedUrl, (row[:2] for row in self._unlisted))
        writer.add("sitemap_pages", self._pages, if_new=True)
        writer.save_meta({"sitemap_thirds": self.thirds})
        if self._left_out != self._left_out_saved:
            writer.save_meta({"sitemaps_left_out": json.dumps(self._left_out)})
            self._left_out_saved = self._left_out.copy()
        for host in dict.fromkeys(row.host for row in self._listed):
            self._give_turn(host)
        self._changed, self._listed, self._unlisted, self._pages = set(), [], [], []

    def _note(self, row: SitemapRow) -> None:
        self._rows[row.id] = row
        self._changed.add(row.id)

    def _make_due(self, row: SitemapRow) -> None:
        due = self._due[row.host]
        if not due:
            self._idle[row.host] = None
        due.append(row.id)

    def _give_turn(self, host: int) -> None:
        if host not in self._has_turn:
            self._has_turn.add(host)
            heapq.heappush(self._turns, (self._taken[host], host))

    def _count(self, host: int, urls: int) -> None:
        self._waiting[host] = self._waiting.get(host, 0) + urls
        self.waiting += urls
