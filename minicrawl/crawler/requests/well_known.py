"""Requests for files at places that everybody knows: llms.txt, llms-full.txt, security.txt (--well-known).

Every origin of which a page was read is asked once, by errands of its host. A file becomes a page only if it is there,
as most are not, and a page where nothing is would have a share of its site's importance. The answer is the first turn
of that page, so nothing is asked for twice. Nobody links to it, so it is born without cash, and gets in the ledger
what any page gets by the jump; its links count as those of any page.

llms.txt, llms-full.txt  at the root of the origin (llmstxt.org)
security.txt             by https alone, at /.well-known/; where that is missing at the root, as in former times
                         (RFC 9116 3)

Redirects are followed within a site: RFC 9116 5 warns of those to other domains.
"""

import heapq
from collections.abc import Iterable, Sequence
from itertools import count

from minicrawl.crawler.formats.text_files import TEXT_TYPES
from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.http.content_type import media_type
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.known.discovery import Admitted
from minicrawl.crawler.outcomes.outcome import Outcome, judge
from minicrawl.crawler.requests.page import Visits
from minicrawl.crawler.requests.request import Deliver, HostTurns, Kind, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.urls.keys import origin_of, politeness_key, site_of
from minicrawl.model import Fetched, PageRequest, ParsedPage
from minicrawl.store.rows import WellKnownRow
from minicrawl.timing import Timing

DUE, OTHER = "due", "not-such-a-file"
PLACES = {
    "llms.txt": ("/llms.txt",),
    "llms-full.txt": ("/llms-full.txt",),
    "security.txt": ("/.well-known/security.txt", "/security.txt"),
}
"""The paths of each file, the one to ask for first before those to ask for where it is missing."""
MOST_HOPS = 5
"""Redirects from the usual place to a file."""
_MISSING = frozenset({"http-404", "http-410", OTHER})


class WellKnownQueue:
    """The files that origins are asked for.

    Invariant: a file is due in the store until its answer is committed, so a crawl that is killed repeats the requests
    in flight. rows: of the store; what was never asked for is due again.
    """

    def __init__(self, rows: Iterable[WellKnownRow]) -> None:
        self._rows = {row.url: row for row in rows}
        self._due = [row for row in self._rows.values() if row.reason == DUE or row.attempts or row.asked_at is None]
        self._resting: list[tuple[float, int, WellKnownRow]] = []
        self._numbers = count()
        self._changed: dict[str, WellKnownRow] = {}

    def note(self, origin: str, names: Iterable[str], page: int) -> None:
        """Let an origin be asked for files that it was not asked for. page: of it."""
        for name in names:
            if name != "security.txt" or origin.startswith("https:"):
                self.add(WellKnownRow(f"{origin}{PLACES[name][0]}", name, page, 0, DUE))

    def add(self, row: WellKnownRow) -> None:
        if row.url not in self._rows:
            self._note(row)
            self._due.append(row)

    def to_ask(self, now: float) -> list[WellKnownRow]:
        """The files to ask for; each is `tried` or `closed` later."""
        while self._resting and self._resting[0][0] <= now:
            self._due.append(heapq.heappop(self._resting)[2])
        due, self._due = self._due, []
        return due

    def next_ready(self) -> float | None:
        """Unix seconds at which the next file may be tried again; None if none waits for that."""
        return self._resting[0][0] if self._resting else None

    def tried(self, row: WellKnownRow, outcome: Outcome, fetched: Fetched, now: float) -> None:
        """Record a failed request; another follows."""
        row = row._replace(reason=outcome.reason, attempts=row.attempts + 1, status=fetched.status)
        self._note(row)
        heapq.heappush(self._resting, (now + outcome.wait, next(self._numbers), row))

    def closed(self, row: WellKnownRow, reason: str, status: int | None = None, asked_at: float | None = None) -> None:
        """Record the outcome for a file. asked_at: Unix seconds; None if it was not asked for."""
        self._note(row._replace(reason=reason, attempts=0, status=status, asked_at=asked_at))

    def take_rows(self) -> Sequence[WellKnownRow]:
        """The rows that changed since the last call."""
        rows = list(self._changed.values())
        self._changed.clear()
        return rows

    def _note(self, row: WellKnownRow) -> None:
        self._rows[row.url] = self._changed[row.url] = row


class WellKnownFiles(Kind):
    """Requests for files, which are errands of their hosts."""

    def __init__(
        self, queue: WellKnownQueue, state: CrawlState, visits: Visits, turns: HostTurns, timing: Timing
    ) -> None:
        self._queue = queue
        self._state = state
        self._visits = visits
        self._turns = turns
        self._timing = timing

    def line_up(self, now: float) -> None:
        """Give hosts errands for files that are due, but for those that are known as pages, or are out of scope."""
        state = self._state
        for row in self._queue.to_ask(now):
            depth = int(state.accounts.depth[row.page]) + 1
            refusal = state.admission.scope.refuses(row.url, depth)
            (known,) = state.urls.find([row.url])
            if refusal is not None or known is not None:
                self._queue.closed(row, refusal or "link")
            else:
                host = state.hosts.host(politeness_key(row.url))
                state.frontier.add_errand(host, WellKnownErrand(self, self._turns, host, row), now)

    def next_ready(self) -> float | None:
        return self._queue.next_ready()

    def drop(self, errand: "WellKnownErrand", reason: str, now: float) -> None:
        """Drop a file that is refused in its turn."""
        self._state.frontier.end_turn(errand.turn, now, asked=False)
        self._queue.closed(errand.row, reason)

    def absorb(self, errand: "WellKnownErrand", fetched: Fetched, parsed: ParsedPage, now: float) -> None:
        """Absorb the answer for a file, or its absence."""
        row = errand.row
        outcome = judge(fetched, parsed, row.attempts, now=now, timing=self._timing)
        self._turns.answered(errand.turn, fetched, now, outcome.rest)
        if outcome.state is None:
            self._queue.tried(row, outcome, fetched, now)
            return
        reason = outcome.reason
        if outcome.is_redirect and outcome.alias is not None:
            self._follow(row, outcome.alias)
        elif fetched.status == 200 and fetched.reason is None:
            is_file = fetched.digest is not None and media_type(fetched.content_type) in TEXT_TYPES
            reason = self._made_page(row, fetched, parsed, now) if is_file else OTHER
        self._queue.closed(row, reason, fetched.status, now)
        if reason in _MISSING:
            self._ask_elsewhere(row)

    def _ask_elsewhere(self, row: WellKnownRow) -> None:
        """Let an origin without a file at its first place be asked for it at the others."""
        origin, (first, *others) = origin_of(row.url), PLACES[row.name]
        if row.url == f"{origin}{first}":
            for place in others:
                self._queue.add(WellKnownRow(f"{origin}{place}", row.name, row.page, row.hops, DUE))

    def _follow(self, row: WellKnownRow, target: str) -> None:
        """Let the target of a redirect be asked for."""
        if row.hops < MOST_HOPS and site_of(target) == site_of(row.url):
            self._queue.add(WellKnownRow(target, row.name, row.page, row.hops + 1, DUE))

    def _made_page(self, row: WellKnownRow, fetched: Fetched, parsed: ParsedPage, now: float) -> str:
        """Make a file a page, unless it has become one; returns the reason code of the file."""
        state = self._state
        (known,) = state.urls.find([row.url])
        if known is not None:
            return "link"
        refusal = state.admission.refusal(state.urls.url(row.page), row.url)
        if refusal is not None:
            return refusal
        found = Admitted([row.url], [""], [None])
        (page,) = state.discovery.made_known(found, row.page, "well-known", grant=0)
        self._visits.absorb_found(page, fetched, parsed, now)
        return "ok"


class WellKnownErrand(Request):
    """A request for a file."""

    waits = True

    def __init__(self, files: WellKnownFiles, turns: HostTurns, host: Host, row: WellKnownRow) -> None:
        super().__init__(turns, host, row.url)
        self.row = row
        self._files = files
        self._parsed = ParsedPage()

    @property
    def links(self) -> int:
        return len(self._parsed.outlinks)

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        self._files.drop(self, refusal.reason, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        self.fetched, self._parsed = await source.page(PageRequest(self.url))

    def on_answer(self, now: float) -> None:
        self._files.absorb(self, self.fetched, self._parsed, now)
