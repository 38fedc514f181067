"""The next request, and the requests that must come before it.

An errand of a host that is due one is next, else the best page. If the host's address or its robots.txt is not known,
an errand for that begins in its place, and the pages of the host wait for its end: the frontier offers pages of open
hosts only.
"""

import math
from collections import Counter
from collections.abc import Callable
from functools import partial

from minicrawl import log
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.requests.request import Deliver, Kind, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.visits.visit import LastProbes, PageTurn
from minicrawl.model import Fetched, Located
from minicrawl.reasons import SILENT, has
from minicrawl.settings import CrawlSettings
from minicrawl.web.net.addresses import Routes
from minicrawl.web.robots.rules import RobotsState
from minicrawl.web.urls.keys import origin_of

PATIENCE_OF_A_ROUND = 60.0
"""Seconds for which a round is held open for hosts that rest or are ill: there will be another round."""


class DueRequests:
    """Chooses the next request and begins it. `settings`: the present ones. `unanswered`: reasons for the absence of
    usable answers. `outlasts_pages`: see `Kind`."""

    def __init__(self, intake: Intake, settings: CrawlSettings) -> None:
        state, visits, is_allowed = intake.state, intake.visits, intake.robots.allows
        self._frontier, self._timing = state.frontier, state.timing
        self._is_round = state.terms.only is not None
        self._hosts, self._robots, self._sitemaps = state.hosts, intake.robots, intake.sitemaps
        self._page_turn = partial(PageTurn, visits, is_allowed)
        self.kinds: list[Kind] = [intake.sitemaps, LastProbes(visits, is_allowed)]
        self.kinds += [kind for step in intake.steps for kind in step.kinds()]
        self.outlasts_pages = any(kind.outlasts_pages for kind in self.kinds)
        self.settings = settings
        self._routes = Routes(settings.connect_to)
        self._named: dict[str, RobotsState] = {}  # by origin, the robots.txt whose sitemaps were added
        self.unanswered: Counter[str] = Counter()

    def next(self, now: float, *, attempts: bool) -> Request | None:
        """The request to make now, unless another must come before it; see `begun`. attempts: also hosts that have not
        answered yet, or not the last time."""
        for kind in self._present_kinds():
            kind.line_up(now)
        while (due := self._frontier.best_errand(now)) is not None:
            host, errand = due
            if attempts or host.answers:
                assert isinstance(errand, Request), "every errand of a host is a request"
                return errand
            self._frontier.rest(host, now + self._timing.attempt, now)
        page = None if self._frontier.errands_only else self._frontier.best_page(now, attempts=attempts)
        return None if page is None else self._page_turn(page)

    def begun(self, request: Request, now: float) -> Request | None:
        """The request that begins in the turn of a due one: itself, or one that must come before it. None: the request
        was refused, or its host waits, or its address is known now; choose again."""
        refusal = request.refusal(now)
        if refusal is None and request.obeys_robots and not self.settings.ignore_robots:
            origin = origin_of(request.url)
            robots = self._robots.state(origin)
            if robots is None or now >= robots.expires:
                return self._begun(self._robots.errand(request.host, origin, request.page), now)
            if robots.is_undecided:
                self.unanswered[robots.reason or "connection"] += 1
                self._frontier.rest(request.host, robots.expires, now)
                return None
            refused = robots.refusal(self.settings.user_agent, request.url)
            if refused is not None:
                refusal = Refusal(*refused, robots.expires)
                log.event("robots-refused", url=request.url, reason=refusal.reason)
            elif request.obeys_usage:
                refusal = self._robots.usage_refusal(request.url)
            named = () if robots.rules is None else robots.rules.sitemaps
            if refusal is None and request.page is not None and named and self._named.get(origin) is not robots:
                self._named[origin] = robots
                self._sitemaps.name(request.page, origin, named, now)
        if refusal is not None:
            request.begin(now)
            request.on_refusal(refusal, now)
            return None
        return self._begun(request, now)

    def _begun(self, request: Request, now: float) -> Request | None:
        """Begin the request, or one for the address of its host."""
        host = request.host
        if host.located_until <= now:
            address = self._routes.address(request.url)
            if address is not None:  # known without a look-up
                self._hosts.located(host, self._clocked(request.url, address), math.inf, now)
                return None
            request = LookUp(request, self._clocked, self._timing.name)
        else:
            request = request.in_place()
        request.begin(now)
        request.prepare()
        if request.is_page and request.page is not None:
            self._frontier.pages.charge(request.page)
        log.event("asking", url=request.url)
        return request

    def _clocked(self, url: str, address: str) -> str:
        """The address whose clock a host shares; "" for a gateway to all hosts, unless --ip-delay is set."""
        return "" if self.settings.ip_delay is None and self._routes.is_gateway(url) else address

    def next_ready(self) -> float | None:
        """Unix seconds at which the next request comes on offer; None if none will."""
        times = (self._frontier.next_ready(), *(kind.next_ready() for kind in self._present_kinds()))
        return min((time for time in times if time is not None), default=None)

    def is_empty(self) -> bool:
        """True if nothing waits, rests or is in flight."""
        return self._frontier.is_empty() and all(kind.next_ready() is None for kind in self._present_kinds())

    @property
    def patience(self) -> float:
        """Seconds for which the run waits for ill hosts."""
        return min(self.settings.patience, PATIENCE_OF_A_ROUND) if self._is_round else self.settings.patience

    def waits_for_next_round(self, now: float) -> bool:
        """True in a round with nothing to do but to wait until hosts have rested; visits all hosts if that is long."""
        soon, ready = now + PATIENCE_OF_A_ROUND, self.next_ready()
        if not self._is_round or ready is None or ready <= soon:
            return False
        waiting = (host for host in self._frontier.hosts if host.errands or self._frontier.pages.has_page(host))
        return all(host.is_banned or host.rests_until > max(soon, host.ready_at) for host in waiting)

    def left_to_next_round(self, now: float) -> dict[str, int]:
        """The number of pages of a round on each host that rests; none of another run."""
        hosts, left = self._frontier.hosts, self._frontier.pages.left() if self._is_round else {}
        return {hosts[number].name: pages for number, pages in left.items() if hosts[number].rests_until > now}

    def on_commit(self, now: float) -> None:
        for kind in self._present_kinds():
            kind.on_commit(now)

    def on_nothing_left(self, now: float) -> bool:
        """True if there is more to do after all."""
        return sum(kind.on_nothing_left(now) for kind in self._present_kinds()) > 0

    def end_pages(self, *, are_over: bool) -> None:
        """Choose only requests of kinds that outlast pages, or of all kinds again."""
        if self._frontier.errands_only != are_over:
            self._frontier.end_pages(errands_only=are_over)

    def _present_kinds(self) -> list[Kind]:
        return [kind for kind in self.kinds if kind.outlasts_pages] if self._frontier.errands_only else self.kinds


class LookUp(Request):
    """An errand that makes another request possible. Meanwhile the pages of the host wait. clocked: maps URL and
    address to the address whose clock the host shares."""

    opens = True
    takes_slot = False
    obeys_robots = False

    def __init__(self, request: Request, clocked: Callable[[str, str], str], lifetime: float) -> None:
        super().__init__(request.hosts, request.host, request.url, request.page)
        self.checks_life = request.checks_life
        self._request = request
        self._clocked = clocked
        self._lifetime = lifetime
        self._located: Located = ("", None)

    @property
    def shows_life(self) -> bool | None:
        if self.reason is None:
            return None  # the name server is not the host
        return False if self.checks_life or (self.reason and has(self.reason, SILENT)) else None

    def begin(self, now: float) -> None:
        super().begin(now)
        self.hosts.frontier.close(self.host, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        self._located = await source.locate(self.url)
        self.fetched = Fetched(self.url, reason=self._located[1])

    def on_arrival(self, now: float) -> None:
        self.hosts.frontier.looked_up(self.reason != "dns-unanswered", now)

    def on_answer(self, now: float) -> None:
        frontier = self.hosts.frontier
        if self.reason is None:
            frontier.end_turn(self.turn, now, asked=False)
            self.hosts.located(self.host, self._clocked(self.url, self._located[0]), now + self._lifetime, now)
        else:
            self._request.fail(self.turn, self.reason, now)
        frontier.open(self.host, now)

    def put_back(self, rest: float, now: float) -> None:
        super().put_back(rest, now)
        self.hosts.frontier.open(self.host, now)
