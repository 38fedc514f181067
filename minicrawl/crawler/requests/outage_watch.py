"""Outages on our own side: if hosts that have answered before seem to die together, the fault is ours.

silent   a request that failed as it would without a network, see SILENT; any other failure shows a live network
sign     a silent request to a host that has answered before, and not failed since
check    a request for any answer at all: to a host that has answered before, or one that was never asked

After signs from HOSTS different hosts without an answer in between, silent requests are held, and only checks are sent.
Before that they are held, too, but for those of hosts that are ill: their silence tells nothing.
If one of the first CHECKS is answered, the hosts are at fault: held requests have failed, and the crawl continues. If
not, it is an outage: held requests wait for another turn as if they had not had one, and so do all that fail until
somebody answers. Checks are then a second apart, twice as long each time, up to a minute. Held requests fail after all
when there are more than MOST_HELD, after a minute, or when nothing else is left to ask for.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from minicrawl import log
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.requests.request import Deliver, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import PageRequest, Silence, State
from minicrawl.web.http.transport import PROXY
from minicrawl.web.net.open_files import OPEN_FILES
from minicrawl.web.urls.keys import origin_of

HOSTS = 5
CHECKS = 2
MOST_HELD = 256
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
        self.hosts.end_turn(self.turn, self.fetched, now)


class OutageWatch:
    """Holds silent requests until it is known whether they failed by an outage, and chooses hosts for checks.

    First a host that has answered in this run, if any; next a host that was never asked: if all known hosts are gone,
    others may be there. Then hosts that answered in earlier runs. absorb: absorbs a request with its answer or failure.

    `ask_at`: the time of the next check, infinity during a check; None if all is well. `silence`: the outage, once it
    is certain.
    """

    def __init__(self, state: CrawlState, absorb: Callable[[Request, float], None], *, asks_robots: bool) -> None:
        """asks_robots: the crawl asks for robots.txt files."""
        self._timing = state.timing
        self._accounts, self._frontier = state.accounts, state.frontier
        self._pages, self._urls = state.pages, state.urls
        self._hosts = state.hosts
        self._answered = state.hosts.answered  # and not failed since
        self._absorb, self._asks_robots = absorb, asks_robots
        # Seconds for which failed look-ups are cached: their hosts need no request before then.
        self._stale_names = {"dns": state.timing.no_name, "dns-unanswered": state.timing.no_name_server}
        self._held: deque[tuple[float, Request]] = deque()
        self._looks = 0
        self._was_full = self._is_logged = False  # too many open files, and an outage, were logged
        self._calm_down()

    def _calm_down(self) -> None:
        self._signs: set[int] = set()
        self._silent_at: float | None = None  # the first silent request
        self.silence: Silence | None = None
        self.ask_at: float | None = None
        self._unanswered = self._checks = 0
        self._page: int | None = None  # of the host that is checked

    def check(self, now: float) -> LivenessCheck | None:
        """A check of a host that may get a request now, if it is time for one: the same host until one ends, if
        possible. It asks for robots.txt, or for a page if the crawl does not obey robots.txt."""
        if self.ask_at is None or now < self.ask_at:
            return None
        for page in [self._page] if self._page is not None else self._found():
            host = self._frontier.host(page)
            if self._frontier.may_be_asked(host, now):
                self._page, url = page, self._urls.url(page)
                url = f"{origin_of(url)}/robots.txt" if self._asks_robots else url
                return LivenessCheck(self._hosts, host, url)
        self._page = None
        self._postpone(now)
        return None

    def checking(self) -> None:
        """A check is under way."""
        self.ask_at = math.inf

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
            self._frontier.judge(request.host, is_there, now)
        if is_there is False:
            self._doubt(request, now)
            return
        if is_there:  # held requests have failed, unless there was an outage
            self._spare(now, is_over=is_over)
            if self._is_logged and self.silence is not None:
                log.event("outage-over", seconds=now - self.silence.since)
            self._is_logged = False
            self._calm_down()
            while self._held:
                self._fail_first(now)
        self._absorb(request, now)
        if is_there is None and request.checks_life and self.ask_at is not None:
            self.ask_at = now  # the address is known: check now

    def _doubt(self, request: Request, now: float) -> None:
        """Hold a silent request until it is known whether there is an outage."""
        host = request.host
        if request.checks_life:
            request.put_back(self._rest(request), now)
            self._end_check()
            if self.ask_at is not None:  # no other host has answered meanwhile
                self._unanswered += 1
                self.ask_at = now
                if self._unanswered >= CHECKS:
                    self._find_out(now)
        elif self.ask_at is None and (len(self._answered) < HOSTS or host.is_ill):
            self._absorb(request, now)
        else:
            self._frontier.leave_address(request.turn, now, asked=request.takes_slot)
            self._silent_at = now if self._silent_at is None else self._silent_at
            self._held.append((now, request))
            if host.id in self._answered:
                self._signs.add(host.id)
            if len(self._signs) >= HOSTS and self.ask_at is None:
                self.ask_at = now

    def clear_up(self, now: float, *, is_idle: bool, is_over: bool) -> bool:
        """Put back requests that failed in an outage, or absorb failures that stay undecided. is_idle: no request in
        flight would tell more. is_over: the crawl is over. Returns True if any were absorbed, so that there may be more
        to do."""
        if self.silence is not None and not self._is_logged:
            self._is_logged = True
            log.event("outage-began", since=self.silence.since)
        self._spare(now, is_over=is_over)
        has_failed = False
        while self.ask_at is None and self._held:
            is_late = now - self._held[0][0] >= self._timing.undecided
            if not (is_idle or is_late or len(self._held) > MOST_HELD):
                break
            self._fail_first(now)
            has_failed = True
        return has_failed

    def _put_back(self, request: Request, rest: float, now: float) -> None:
        if request.checks_life:
            self._end_check()
            self._postpone(now)
        request.put_back(rest, now)

    def _end_check(self) -> None:
        self._page, self._checks = None, self._checks + 1

    def _postpone(self, now: float) -> None:
        """No host may be checked now. If all that ever answered are silent, it is an outage."""
        self.ask_at = now + self._timing.first_pause
        is_late = self._silent_at is not None and now - self._silent_at >= self._timing.undecided
        if self.silence is None and (is_late or self._signs.issuperset(self._answered)):
            self._find_out(now)

    def _find_out(self, now: float) -> None:
        since, pause = (self.silence.since, self.silence.pause) if self.silence else (self._silent_at or now, 0.0)
        pause = min(max(2 * pause, self._timing.first_pause), self._timing.longest_pause)
        self.silence, self.ask_at = Silence(since, pause), now + pause

    def _spare(self, now: float, *, is_over: bool) -> None:
        """Put back requests that failed in an outage, or may have when the crawl ends."""
        while self._held and (self.silence is not None or is_over):
            _, request = self._held.popleft()
            request.put_back(self._rest(request), now)

    def _fail_first(self, now: float) -> None:
        """Absorb a held request as a failure of its host, which gives no signs any more until it answers again."""
        _, request = self._held.popleft()
        self._answered.discard(request.host.id)
        self._absorb(request, now)

    def _rest(self, request: Request) -> float:
        return self._stale_names.get(request.reason or "", 0.0)
