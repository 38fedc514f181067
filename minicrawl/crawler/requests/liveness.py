"""Asking whether anybody answers: hosts all over the crawl, each at its own time."""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from minicrawl import log
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.known.known_pages import KnownPages
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.requests.host_turns import HostTurns
from minicrawl.crawler.requests.request import Deliver, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.model import PageRequest, State

_LOOKS = 64  # at pages, of which some were not found, or are on hosts that may not be asked now
_GOLDEN = 0.6180339887  # its multiples, modulo 1, are spread evenly


class Liveness:
    """Chooses hosts to be asked for nothing but an answer.

    The first is one that has answered in this run, as far as there is any, the next one that nobody has asked yet:
    where all that a crawl once knew have gone, others may be there. Then come those that answered in earlier runs.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        accounts: Accounts,
        frontier: Frontier,
        pages: KnownPages,
        urls: KnownUrls,
        turns: HostTurns,
        *,
        asks_robots: bool,
    ) -> None:
        """asks_robots: whether the crawl asks for robots.txt files."""
        self._accounts = accounts
        self._frontier = frontier
        self._pages = pages
        self._urls = urls
        self._turns = turns
        self._asks_robots = asks_robots
        self._looks = self._checks = 0
        self._page: int | None = None

    def check(self, on_located: Callable[[float], None], now: float) -> "LivenessCheck | None":
        """A request to a host that may be asked now: the same one until `over`, as far as that is possible.

        It is for its robots.txt; or for a page, if the crawl does not ask for those.
        """
        for page in [self._page] if self._page is not None else self._found():
            host = self._frontier.host(page)
            if host.health.dead_until <= now and self._frontier.may_be_asked(host, now):
                self._page, url = page, self._urls.url(page)
                url = f"{origin_of(url)}/robots.txt" if self._asks_robots else url
                return LivenessCheck(self._turns, host, url, on_located)
        self._page = None
        return None

    def over(self) -> None:
        """Whoever was asked has answered, or has not."""
        self._page = None
        self._checks += 1

    def all_well(self) -> None:
        """Somebody has answered, asked or not."""
        self._page = None
        self._checks = 0

    def _found(self) -> Iterator[int]:
        size = self._accounts.size
        read = self._accounts.book.visited[:size]
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
        for _ in range(_LOOKS if len(pages) else 0):
            self._looks += 1
            yield int(pages[int(self._looks * _GOLDEN % 1 * len(pages))])


class LivenessCheck(Request):
    """A request to which any answer is good. on_located: called once the address is known."""

    obeys_robots = False
    checks_life = True

    def __init__(self, turns: HostTurns, host: Host, url: str, on_located: Callable[[float], None]) -> None:
        super().__init__(turns, host, url)
        self._on_located = on_located

    @property
    def shows_life(self) -> bool | None:
        return bool(super().shows_life)

    def refusal(self, now: float) -> Refusal | None:
        return None

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        log.asking_if_alive(url=self.url)
        self.fetched, _ = await source.page(PageRequest(self.url))

    def on_located(self, now: float) -> None:
        self._on_located(now)

    def on_answer(self, now: float) -> None:
        self.turns.answered(self.turn, self.fetched, now)
