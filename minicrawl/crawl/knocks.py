"""Whom to ask whether anybody answers: hosts of pages that were found, all over the crawl, each at its own time."""

from collections.abc import Iterator

import numpy as np

from minicrawl.crawl.hosts import HostTurn
from minicrawl.crawl.known_web import KnownWeb
from minicrawl.crawl.urls import origin
from minicrawl.model import State

_LOOKS = 64  # at pages, of which some were not found, or are on hosts that may not be asked now
_GOLDEN = 0.6180339887  # its multiples, modulo 1, are spread evenly


class Knocks:
    """Hands out hosts to be asked for nothing but an answer."""

    def __init__(self, web: KnownWeb) -> None:
        self._web = web
        self._looks = 0
        self._page: int | None = None

    def acquire(self, now: float) -> tuple[HostTurn, str] | None:
        """A host that may be asked now, and the URL to ask for: the same until `over`, as far as that is possible.

        That is its robots.txt; or a page, if the crawl does not ask for those.
        """
        for page in [self._page] if self._page is not None else self._found():
            host = self._web.frontier.host(page)
            turn = self._web.frontier.acquire_host(host, now) if host.health.dead_until <= now else None
            if turn is not None:
                self._page, url = page, self._web.known.url(page)
                return turn, url if self._web.settings.ignore_robots else f"{origin(url)}/robots.txt"
        self._page = None
        return None

    def over(self) -> None:
        """Whoever was asked has answered, or has not."""
        self._page = None

    def _found(self) -> Iterator[int]:
        read = np.flatnonzero(self._web.accounts.book.read[: self._web.accounts.size])
        for _ in range(_LOOKS if len(read) else 0):
            self._looks += 1
            page = int(read[int(self._looks * _GOLDEN % 1 * len(read))])
            if self._web.last_state(page) == State.FETCHED:
                yield page
