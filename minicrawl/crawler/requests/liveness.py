"""Whom to ask whether anybody answers: hosts all over the crawl, each at its own time."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.crawler.known.known_pages import KnownPages
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.model import State

_LOOKS = 64  # at pages, of which some were not found, or are on hosts that may not be asked now
_GOLDEN = 0.6180339887  # its multiples, modulo 1, are spread evenly


class Knocks:
    """Hands out hosts to be asked for nothing but an answer.

    The first is one that has answered in this run, as far as there is any, the next one that nobody has asked yet:
    where all that a crawl once knew have gone, others may be there. Then come those that answered in earlier runs.
    """

    def __init__(
        self, accounts: Accounts, frontier: Frontier, pages: KnownPages, urls: KnownUrls, *, asks_robots: bool
    ) -> None:
        """asks_robots: whether the crawl asks for robots.txt files."""
        self._accounts = accounts
        self._frontier = frontier
        self._pages = pages
        self._urls = urls
        self._asks_robots = asks_robots
        self._looks = self._knocks = 0
        self._page: int | None = None

    def acquire(self, now: float) -> tuple[HostTurn, str] | None:
        """A host that may be asked now, and the URL to ask for: the same until `over`, as far as that is possible.

        That is its robots.txt; or a page, if the crawl does not ask for those.
        """
        for page in [self._page] if self._page is not None else self._found():
            host = self._frontier.host(page)
            turn = self._frontier.acquire_host(host, now) if host.health.dead_until <= now else None
            if turn is not None:
                self._page, url = page, self._urls.url(page)
                return turn, f"{origin_of(url)}/robots.txt" if self._asks_robots else url
        self._page = None
        return None

    def over(self) -> None:
        """Whoever was asked has answered, or has not."""
        self._page = None
        self._knocks += 1

    def all_well(self) -> None:
        """Somebody has answered, asked or not."""
        self._page = None
        self._knocks = 0

    def _found(self) -> Iterator[int]:
        size = self._accounts.size
        read = self._accounts.book.visited[:size]
        host_of = self._frontier.host_of[:size]
        hosts = self._frontier.hosts
        answering = np.fromiter((bool(host.answers) for host in hosts), np.bool_, len(hosts))
        asked = np.fromiter((host.answers is not None for host in hosts), np.bool_, len(hosts))
        first, second = read & answering[host_of], ~read & ~asked[host_of]
        if self._knocks % 2:
            first, second = second, first
        for pages in (first, second, read):
            for page in self._some(np.flatnonzero(pages)):
                if not read[page] or self._pages.last_state(page) == State.FETCHED:
                    yield page

    def _some(self, pages: npt.NDArray[np.int64]) -> Iterator[int]:
        for _ in range(_LOOKS if len(pages) else 0):
            self._looks += 1
            yield int(pages[int(self._looks * _GOLDEN % 1 * len(pages))])
