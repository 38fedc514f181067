"""Pages whose URL may be a longer name of another: they wait until that one was read, which costs no request.

/topic/12?reply=3 often is /topic/12. Read first, it would be a gain, and the topic a copy; read behind it, it shows
that `reply` changes nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from minicrawl.parts.samepage.pairs import plainer

if TYPE_CHECKING:
    from minicrawl.crawler.known.crawl_state import CrawlState


class PlainerFirst:
    """Lets a page wait once, for a plainer one of its host that is known and was not read."""

    def __init__(self, state: "CrawlState") -> None:
        self._urls, self._accounts, self._frontier = state.urls, state.accounts, state.frontier
        self._behind: defaultdict[int, dict[int, list[int]]] = defaultdict(dict)
        """By host and page that is read first the pages that wait."""
        self._waited: set[int] = set()
        self._soon: list[int] = []  # of those that are read first

    def lets_wait(self, page: int, url: str, reads_now: Callable[[str], bool]) -> bool:
        """True if a page waits; the plainer one is read soon. reads_now: of its URL."""
        if page in self._waited:
            self._waited.discard(page)
            return False
        host = self._host_of(page)
        for other in self._urls.find(list(plainer(url).values())):
            if other is None or self._accounts.had_turn[other] or self._host_of(other) != host:
                continue
            if other != page and reads_now(self._urls.url(other)):
                self._behind[host].setdefault(other, []).append(page)
                self._waited.add(page)
                self._soon.append(other)
                return True
        return False

    def read_soon(self, pages: Iterable[int]) -> None:
        """Read pages first once the turn has ended."""
        self._soon += pages

    def on_turn(self, page: int, now: float) -> None:
        """A page was read: those that waited for it wait for their turn again."""
        while self._soon:
            if not self._accounts.had_turn[other := self._soon.pop()]:
                self._frontier.put_first(other, now)
        pages = self._behind[host].pop(page, ()) if (host := self._host_of(page)) in self._behind else ()
        if pages:
            self._frontier.bring_back(pages, now)

    def on_idle(self, host: int, now: float) -> bool:
        """Let all pages of a host wait no more. False if there are none."""
        behind = self._behind.pop(host, {})
        self._frontier.bring_back([page for pages in behind.values() for page in pages], now)
        return bool(behind)

    def _host_of(self, page: int) -> int:
        return int(self._frontier.pages.host_of[page])
