"""Requests for requisites: the files that read pages need to look as they do, for an archive or an audit.

A requisite waits in the store from the commit of the page that needs it first. It is requested once, whatever comes of
it and whatever pages need it, as an errand of its host: every second turn of a host with pages goes to one. Style
sheets and frames need files in turn, and redirects lead to others, up to MOST_LEVELS from the page. No requisite is a
page.
"""

from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Self

import numpy as np

from minicrawl.crawler.hosts.clocks import Host
from minicrawl.crawler.outcomes.outcome import judge
from minicrawl.crawler.outcomes.retries import wants
from minicrawl.crawler.requests.request import Deliver, Kind, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, PageRequest, ParsedPage, Requisite, RequisiteKind, State
from minicrawl.store.links import to_bytes
from minicrawl.store.reader import Store
from minicrawl.store.requisites import RequisiteRow
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import politeness_key

WAITING, KEPT, FAILED = "waiting", "kept", "failed"
"""States of a requisite."""
MOST_LEVELS = 8
"""Style sheets, frames and redirects between a page and a requisite."""
MOST_OF_PAGE = 2_000
"""Requisites of one page with all that its style sheets and frames need, from which on those add no more."""
_LOADED = 10_000
"""Requisites in memory; the others wait in the store alone."""
_RECENT = 20_000
_MOST_NEEDING = 10
_ACCEPT = (("Accept", "*/*"),)


class Requisites(Step, Kind):
    """Requisites that wait, by host, and requests for them, which are errands of their hosts. Of a rendered page the
    archive has what Chromium requested.

    Invariant: a requisite waits in the store until its answer is committed, so a crawl that is killed repeats the
    requests in flight.
    """

    outlasts_pages = True

    def __init__(self, opening: Opening) -> None:
        state = opening.state
        self._frontier, self.hosts, self._urls = state.frontier, state.hosts, state.urls
        self._admission, self._store, self._timing = state.admission, state.writer, state.timing
        self.is_archived = opening.settings.archive is not None  # of pages that are; else they are only asked for
        self._new: dict[str, RequisiteRow] = {}
        self._closed: list[RequisiteRow] = []
        self._recent: dict[str, int] = {}  # URLs noted lately, as the pages of a site need the same files; how often
        self._needing: defaultdict[str, list[int]] = defaultdict(list)
        self._last = 0
        self._may_have_more = True
        self._due: defaultdict[str, deque[RequisiteRow]] = defaultdict(deque)  # the first of each host is requested
        self._idle = deque[str]()  # hosts whose first one is not requested yet
        self._loaded = 0

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        settings, writer = opening.settings, opening.state.writer
        if not settings.requisites:
            return None
        failed = {reason for state, reason, *_ in writer.requisites.counts() if state == FAILED}
        again = [reason for reason in failed if wants(reason, settings.retry)]
        if again:
            with writer.transaction():
                writer.ask_for_requisites_again(again)
        return cls(opening)

    def kinds(self) -> Iterable[Kind]:
        return (self,)

    @staticmethod
    def explain(store: Store, page: int) -> Iterable[str]:
        counts = store.requisites.counts(page)
        if counts:
            states = ", ".join(f"{number:,} {state} ({reason})" for state, reason, number, _ in counts)
            yield f"requisites  needed by it first: {states}"

    def on_turn(self, turn: Turn) -> None:
        if not turn.parsed.requisites:
            return
        has_record = turn.fetched.record is not None
        if has_record if self.is_archived else not self._admission.scope.only_checks(turn.fetched.url):
            self.note(turn.page, turn.parsed.requisites)

    def note(self, page: int, requisites: Iterable[Requisite], level: int = 0) -> None:
        """Let the requisites of a page wait that are not known yet. level: of those within its own."""
        needed = "SELECT count(*) FROM requisites WHERE page = ?"
        if level > MOST_LEVELS or (level and self._store.value(needed, page) >= MOST_OF_PAGE):
            return
        for url, kind in requisites:
            times = self._recent[url] = self._recent.get(url, 0) + 1
            if times == 1:
                self._new[url] = RequisiteRow(url, page, str(kind), level, WAITING, "page" if not level else "part")
            elif not level and times <= _MOST_NEEDING:
                self._needing[url].append(page)
        while len(self._recent) > _RECENT:
            del self._recent[next(iter(self._recent))]

    def load(self) -> None:
        """Load committed requisites that wait, as far as there is room."""
        room = _LOADED - self._loaded
        if not self._may_have_more or room < _LOADED // 2:
            return
        rows = self._store.requisites.waiting(self._last, room)
        self._may_have_more = len(rows) == room
        for number, row in rows:
            self._last = number
            self._loaded += 1
            due = self._due[politeness_key(row.url)]
            due.append(row)
            if len(due) == 1:
                self._idle.append(politeness_key(row.url))

    def closed(self, row: RequisiteRow, state: str, reason: str, fetched: Fetched | None, now: float) -> None:
        """Record the outcome for the first requisite of a host. fetched: None if it was not requested."""
        status, size = (None, 0) if fetched is None else (fetched.status, fetched.size)
        closed = row._replace(state=state, reason=reason, status=status, bytes=row.bytes + size, asked_at=now)
        self._closed.append(closed)
        self._loaded -= 1
        host = politeness_key(row.url)
        self._due[host].popleft()
        if self._due[host]:
            self._idle.append(host)
        else:
            del self._due[host]

    def save(self, writer: Writer) -> None:
        writer.add(RequisiteRow, self._new.values(), if_new=True)
        writer.add_needing((to_bytes(np.array(pages)), url) for url, pages in self._needing.items())
        self._needing.clear()
        writer.save_requisites(self._closed)
        self._may_have_more |= bool(self._new)
        self._new.clear()
        self._closed.clear()

    def line_up(self, now: float) -> None:
        while self._idle:
            name = self._idle.popleft()
            row = self._due[name][0]
            (page,) = self._urls.find([row.url])
            if page is not None and self._store.archived.last_of(page) is not None:  # the archive has it, as a page
                self.closed(row, KEPT, "read", None, now)
            elif any(pattern.search(row.url) for pattern in self._admission.scope.deny):
                self.closed(row, FAILED, "deny", None, now)
            else:
                host = self.hosts.host(name)
                self._frontier.add_errand(host, RequisiteErrand(self, host, row), now)

    def on_commit(self, now: float) -> None:
        self.load()
        self.line_up(now)

    def on_nothing_left(self, now: float) -> bool:
        self.load()
        self.line_up(now)
        return not self._frontier.is_empty()

    def absorb(self, errand: "RequisiteErrand", fetched: Fetched, parsed: ParsedPage, now: float) -> None:
        row = errand.row
        outcome = judge(fetched, ParsedPage(), now=now, timing=self._timing)
        self.hosts.end_turn(errand.turn, fetched, now, outcome.rest)
        state, reason = KEPT, outcome.reason
        if outcome.is_redirect and outcome.alias is not None:
            self.note(row.page, [Requisite(outcome.alias, RequisiteKind(row.kind))], row.level + 1)
        elif outcome.state is not State.FETCHED or fetched.status != 200:
            state = FAILED
        elif fetched.record is None and self.is_archived:
            state, reason = FAILED, "noarchive"
        else:
            reason = "truncated" if fetched.truncated else "ok"
            self.note(row.page, parsed.requisites, row.level + 1)
        self.closed(row, state, reason, fetched, now)


class RequisiteErrand(Request):
    """A request for a requisite."""

    waits = True
    alternates = True

    def __init__(self, requisites: Requisites, host: Host, row: RequisiteRow) -> None:
        super().__init__(requisites.hosts, host, row.url)
        self.row = row
        self._requisites = requisites
        self._parsed = ParsedPage()

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        super().on_refusal(refusal, now)
        self._requisites.closed(self.row, FAILED, refusal.reason, None, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        asked = PageRequest(self.url, headers=_ACCEPT, requisite=RequisiteKind(self.row.kind))
        self.fetched, self._parsed = await source.page(asked)

    def on_answer(self, now: float) -> None:
        self._requisites.absorb(self, self.fetched, self._parsed, now)
