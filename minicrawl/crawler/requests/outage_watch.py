"""Requests without an answer: they have failed, or wait for another turn if the network is down; and the checks that
ask hosts all over the crawl, each at its own time, for any answer at all.
"""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from minicrawl import log
from minicrawl.crawler.hosts import HOSTS, Outage
from minicrawl.crawler.http.transport import PROXY
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.net.open_files import OPEN_FILES
from minicrawl.crawler.requests.request import Deliver, HostTurns, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.model import PageRequest, Silence, State

_TRIES = 64  # pages tried for a check: some are gone, or on hosts that may not be asked now
_GOLDEN = 0.6180339887  # its multiples, modulo 1, are spread evenly


class LivenessCheck(Request):
    """A request that any answer satisfies."""

    obeys_robots = False
    checks_life = True

    @property
    def shows_life(self) -> bool | None:
        return bool(super().shows_life)

    def refusal(self, now: float) -> Refusal | None:
        return None

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        log.event("asking-if-alive", url=self.url)
        self.fetched, _ = await source.page(PageRequest(self.url))

    def on_answer(self, now: float) -> None:
        self.turns.answered(self.turn, self.fetched, now)


class OutageWatch(Outage[Request]):
    """Carries out its own decisions, and chooses hosts for checks of the network.

    First a host that has answered in this run, if any; next a host that was never asked: if all known hosts are gone,
    others may be there. Then hosts that answered in earlier runs. absorb: absorbs a request with its answer or failure.
    """

    def __init__(
        self, state: CrawlState, turns: HostTurns, absorb: Callable[[Request, float], None], *, asks_robots: bool
    ) -> None:
        """asks_robots: the crawl asks for robots.txt files."""
        super().__init__(state.timing)
        self._accounts, self._frontier = state.accounts, state.frontier
        self._pages, self._urls = state.pages, state.urls
        self._turns = turns
        self._answered = state.hosts.answered  # and not failed since
        self._absorb, self._asks_robots = absorb, asks_robots
        self._looks = self._checks = 0
        self._page: int | None = None  # of the host that is checked
        # Seconds for which failed look-ups are cached: their hosts need not be asked before.
        self._stale_names = {"dns": state.timing.no_name, "dns-unanswered": state.timing.no_name_server}
        self._silent_since: float | None = None  # the outage that was logged
        self._was_full = False  # too many open files were logged

    @property
    def silence(self) -> Silence | None:
        """The outage, if there is one."""
        return None if self.since is None else Silence(self.since, self.pause)

    def check(self, now: float) -> LivenessCheck | None:
        """A check of a host that may be asked now, if it is time for one: the same host until one ends, if possible. It
        asks for robots.txt, or for a page if the crawl does not obey robots.txt."""
        if self.ask_at is None or now < self.ask_at:
            return None
        for page in [self._page] if self._page is not None else self._found():
            host = self._frontier.host(page)
            if host.health.dead_until <= now and self._frontier.may_be_asked(host, now):
                self._page, url = page, self._urls.url(page)
                url = f"{origin_of(url)}/robots.txt" if self._asks_robots else url
                return LivenessCheck(self._turns, host, url)
        self._page = None
        self.postponed(self._answered, now)
        return None

    def _found(self) -> Iterator[int]:
        size = self._accounts.size
        read = self._accounts.had_turn[:size]
        host_of = self._frontier.pages.host_of[:size]
        hosts = self._frontier.hosts
        answering = np.fromiter((bool(host.answers) for host in hosts), np.bool_, len(hosts))
        asked = np.fromiter((host.answers is not None for host in hosts), np.bool_, len(hosts))
        first, second = read & answering[host_of], ~read & ~asked[host_of]
        if self._checks % 2:
            first, second = second, first
        for pages in (first, second, read):
            for page in self._some(np.flatnonzero(pages)):
                if not read[page] or self._pages.last_state(page) == State.FETCHED:
                    yield page

    def _some(self, pages: npt.NDArray[np.int64]) -> Iterator[int]:
        for _ in range(_TRIES if len(pages) else 0):
            self._looks += 1
            yield int(pages[int(self._looks * _GOLDEN % 1 * len(pages))])

    def take(self, request: Request, now: float, *, is_over: bool) -> None:
        """Absorb a request with its answer, or hold it if it is silent. is_over: the crawl is over."""
        if request.reason == OPEN_FILES:  # a fault on our side
            if not self._was_full:
                self._was_full = True
                log.event("files-full")
            self._put_back(request, self._timing.full, now)
            return
        if request.reason == PROXY and (self._answered or request.checks_life):  # which tells nothing about the host
            self._put_back(request, self._timing.proxy, now)
            return
        request.on_arrival(now)
        is_there = request.shows_life
        if is_there is not None:
            request.turns.frontier.judge(request.host, is_there, now)
        if is_there is False:
            self._doubt(request, now)
            return
        if is_there:  # held requests have failed, unless there was an outage
            self._spare(now, is_over=is_over)
            if self._silent_since is not None:
                log.event("outage-over", seconds=now - self._silent_since)
                self._silent_since = None
            self._page, self._checks = None, 0
            self._absorb_failures(self.answered(), now)
        self._absorb(request, now)
        if is_there is None and request.checks_life and self.ask_at is not None:
            self.ask_at = now  # the address is known: check now

    def _doubt(self, request: Request, now: float) -> None:
        """Hold a silent request until it is known whether there is an outage."""
        if request.checks_life:
            request.put_back(self._rest(request), now)
            self._page, self._checks = None, self._checks + 1
            self.unanswered(now)
        elif self.ask_at is None and len(self._answered) < HOSTS:
            self._absorb(request, now)
        else:
            host = request.host
            request.turns.frontier.leave_address(request.turn, now, asked=request.takes_slot)
            self.failed(request, host.id if host.id in self._answered else None, now)

    def clear_up(self, now: float, *, is_idle: bool, is_over: bool) -> bool:
        """Put back requests that failed in an outage, or absorb failures that stay undecided. is_over: the crawl is
        over. Returns True if any were absorbed, so that there may be more to do."""
        if self.since is not None and self._silent_since is None:
            self._silent_since = self.since
            log.event("outage-began", since=self._silent_since)
        self._spare(now, is_over=is_over)
        overdue = self.overdue(now, is_idle=is_idle)
        self._absorb_failures(overdue, now)
        return bool(overdue)

    def _put_back(self, request: Request, rest: float, now: float) -> None:
        if request.checks_life:
            self._page, self._checks = None, self._checks + 1
            self.postponed(self._answered, now)
        request.put_back(rest, now)

    def _spare(self, now: float, *, is_over: bool) -> None:
        """Put back requests that failed in an outage, or may have when the crawl ends."""
        for request in self.spared(is_over=is_over):
            request.put_back(self._rest(request), now)

    def _absorb_failures(self, failures: list[Request], now: float) -> None:
        """Absorb failures of hosts, which give no signs any more until they answer again."""
        for request in failures:
            self._answered.discard(request.host.id)
            self._absorb(request, now)

    def _rest(self, request: Request) -> float:
        return self._stale_names.get(request.reason or "", 0.0)
