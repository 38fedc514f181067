"""Requests for pages, and probes in their place, which learn how a host answers for a page that cannot exist."""

from collections.abc import Callable
from typing import Protocol

from minicrawl import log
from minicrawl.crawler.hosts import Host, HostTurn
from minicrawl.crawler.known.known_pages import KnownHosts, KnownUrls
from minicrawl.crawler.requests.request import Deliver, HostTurns, Kind, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.urls.keys import origin_of, politeness_key
from minicrawl.model import Fetched, PageRequest, ParsedPage, State


class Probes(Protocol):
    """The due probe of an origin, and learning from its answer, see crawler/visits/step.py."""

    def due(self, origin: str) -> str | None: ...

    def origins_due(self) -> list[str]: ...

    def put_back(self, url: str) -> None: ...

    def absorb(self, fetched: Fetched, title: str | None, now: float) -> None: ...


class Probe(Request):
    """A request for a page that cannot exist, in place of one for a page, which waits on."""

    def __init__(self, probes: Probes, turns: HostTurns, host: Host, url: str, page: int | None = None) -> None:
        super().__init__(turns, host, url, page)
        self._probes = probes
        self._title: str | None = None

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        log.event("asking-for-missing", url=self.url)
        self.fetched, parsed = await source.page(PageRequest(self.url))
        self._title = parsed.title

    def on_answer(self, now: float) -> None:
        self._probes.absorb(self.fetched, self._title, now)
        self.turns.answered(self.turn, self.fetched, now)

    def put_back(self, rest: float, now: float) -> None:
        self._probes.put_back(self.url)
        super().put_back(rest, now)


class LastProbe(Probe):
    """A probe of an origin that no page is left of."""

    waits = True

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        self.turns.frontier.end_turn(self.turn, now, asked=False)

    def put_back(self, rest: float, now: float) -> None:
        Request.put_back(self, rest, now)


class LastProbes(Kind):
    """Probes of origins whose last page made them due: no page is left in whose place they could be made.

    is_allowed: True if robots.txt allows a URL.
    """

    def __init__(self, probes: Probes, is_allowed: Callable[[str], bool], hosts: KnownHosts, turns: HostTurns) -> None:
        self._probes = probes
        self._is_allowed = is_allowed
        self._hosts = hosts
        self._turns = turns

    def on_nothing_left(self, now: float) -> bool:
        urls = [self._probes.due(origin) for origin in self._probes.origins_due()]
        allowed = [url for url in urls if url is not None and self._is_allowed(url)]
        for url in allowed:
            host = self._hosts.host(politeness_key(url))
            self._turns.frontier.add_errand(host, LastProbe(self._probes, self._turns, host, url), now)
        return bool(allowed)


_TRAP_SECONDS = 86_400.0


class Visits(Protocol):
    """Absorbs the turns of pages, see crawler/visits/visit.py."""

    def absorb(self, page: int, fetched: Fetched, parsed: ParsedPage, now: float) -> None: ...

    def absorb_unfetched(self, page: int, state: State, reason: str, until: float, now: float) -> None: ...

    def trap(self, page: int, url: str) -> str | None:
        """The reason code why an acquired page is not to be fetched, or None."""

    def request(self, page: int, url: str) -> PageRequest: ...


class Pages:
    """Requests for pages, and probes in their place. is_allowed: True if robots.txt allows a URL.

    wrong_guess: returns the reason not to fetch a page whose scheme was guessed, if it was wrong.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        visits: Visits,
        wrong_guess: Callable[[int], str | None],
        probes: Probes,
        is_allowed: Callable[[str], bool],
        turns: HostTurns,
        urls: KnownUrls,
    ) -> None:
        self.visits = visits
        self.wrong_guess = wrong_guess
        self._probes = probes
        self._is_allowed = is_allowed
        self._turns = turns
        self._urls = urls

    def request(self, page: int) -> "PageTurn":
        return PageTurn(self, self._turns, self._urls, page)

    def probe_in_place(self, request: "PageTurn") -> Request:
        """The request, or a probe of its origin that must come before."""
        url = self._probes.due(origin_of(request.url))
        if url is None or not self._is_allowed(url):
            return request
        return Probe(self._probes, self._turns, request.host, url, request.page)


class PageTurn(Request):
    """A request for the best page of a host, which waits in the frontier until it is begun."""

    is_page = True
    page: int
    _parsed = ParsedPage()

    def __init__(self, pages: Pages, turns: HostTurns, urls: KnownUrls, page: int) -> None:
        super().__init__(turns, turns.frontier.host(page), urls.url(page), page)
        self._pages = pages
        self._urls = urls

    @property
    def turn(self) -> HostTurn:
        return HostTurn(self.host, self.page)

    @property
    def links(self) -> int:
        return len(self._parsed.outlinks)

    def refusal(self, now: float) -> Refusal | None:
        wrong_guess = self._pages.wrong_guess(self.page)
        if wrong_guess is not None:
            return Refusal(State.ERROR, wrong_guess, now + _TRAP_SECONDS)
        dead = super().refusal(now)
        if dead is not None:
            return dead
        trap = self._pages.visits.trap(self.page, self.url)
        return None if trap is None else Refusal(State.ERROR, trap, now + _TRAP_SECONDS)

    def in_place(self) -> Request:
        return self._pages.probe_in_place(self)

    def begin(self, now: float) -> None:
        self.turns.frontier.hand_out(self.page, now)

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        self._pages.visits.absorb_unfetched(self.page, *refusal, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        self.fetched, self._parsed = await source.page(self._pages.visits.request(self.page, self.url))

    def on_answer(self, now: float) -> None:
        self._pages.visits.absorb(self.page, self.fetched, self._parsed, now)

    def put_back(self, rest: float, now: float) -> None:
        self.turns.spare(self.turn, rest, now)
        self.turns.frontier.put_back(self.page, now)

    def fail(self, turn: HostTurn, reason: str, now: float) -> None:
        """Fail the host's best page by now, which may be another one and is as good."""
        passed = self.turns.frontier.pass_on(turn, None, now)
        if passed is not None and passed.page is not None:
            self.page, self.url = passed.page, self._urls.url(passed.page)
            self.fetched = Fetched(self.url, reason=reason)
            self.on_answer(now)
