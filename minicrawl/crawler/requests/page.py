"""Asking for pages."""

from typing import Protocol

from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.crawler.known.page_numbers import KnownUrls
from minicrawl.crawler.requests.host_turns import HostTurns
from minicrawl.crawler.requests.probe import Probe, Probes
from minicrawl.crawler.requests.request import Deliver, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, ParsedPage, State

_TRAP_SECONDS = 86_400.0


class Visits(Protocol):
    """Who takes in the turns of pages, see crawler/absorb.py."""

    def absorb(self, page: int, fetched: Fetched, parsed: ParsedPage, now: float) -> None: ...

    def absorb_unfetched(self, page: int, state: State, reason: str, until: float, now: float) -> None: ...

    def trap(self, page: int, url: str) -> str | None: ...

    def wrong_guess(self, page: int) -> str | None: ...


class Pages:
    """Requests for pages, and for what is asked for in their place."""

    def __init__(self, visits: Visits, turns: HostTurns, known: KnownUrls, probes: Probes) -> None:
        self.visits = visits
        self.probes = probes
        self._turns = turns
        self._known = known

    def request(self, page: int) -> "PageTurn":
        return PageTurn(self, self._turns, self._known, page)


class PageTurn(Request):
    """A request for the best page of a host, which waits in the frontier until it is begun."""

    is_page = True
    page: int

    def __init__(self, pages: Pages, turns: HostTurns, known: KnownUrls, page: int) -> None:
        super().__init__(turns, turns.frontier.host(page), known.url(page), page)
        self._pages = pages
        self._known = known
        self._parsed = ParsedPage()

    @property
    def turn(self) -> HostTurn:
        return HostTurn(self.host, self.page)

    @property
    def links(self) -> int:
        return len(self._parsed.outlinks)

    def refusal(self, now: float) -> Refusal | None:
        visits = self._pages.visits
        wrong_guess = visits.wrong_guess(self.page)
        if wrong_guess is not None:
            return Refusal(State.ERROR, wrong_guess, now + _TRAP_SECONDS)
        dead = super().refusal(now)
        if dead is not None:
            return dead
        trap = visits.trap(self.page, self.url)
        return None if trap is None else Refusal(State.ERROR, trap, now + _TRAP_SECONDS)

    def in_place(self) -> Request:
        url = self._pages.probes.due(self.url)
        return self if url is None else Probe(self._pages.probes, self.turns, self.host, url, self.page)

    def begin(self, now: float) -> None:
        self.turns.frontier.hand_out(self.page, now)

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        self._pages.visits.absorb_unfetched(self.page, *refusal, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        self.fetched, self._parsed = await source.page(self.url)

    def on_answer(self, now: float) -> None:
        self._pages.visits.absorb(self.page, self.fetched, self._parsed, now)

    def put_back(self, rest: float, now: float) -> None:
        self.turns.spare(self.turn, rest, now)
        self.turns.frontier.put_back(self.page, now)

    def fail(self, turn: HostTurn, reason: str, now: float) -> None:
        """By now another page may be the best one of the host: it is as good, and fails in place of this one."""
        passed = self.turns.frontier.pass_on(turn, None, now)
        if passed is not None and passed.page is not None:
            self.page, self.url = passed.page, self._known.url(passed.page)
            self.fetched = Fetched(self.url, reason=reason)
            self.on_answer(now)
