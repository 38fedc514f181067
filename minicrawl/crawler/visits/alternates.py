"""Pages that are one page in several languages, or for several media: one is fetched first, the others last.

alternate  a page that the head of a page read before it gives as its alternate (WHATWG HTML, 4.6.7.1), of the same
           owner (a registrable domain, or a user of a shared one): nobody can put off the pages of others

An alternate becomes known without cash, and waits behind all pages that are no alternates. It is no link: cash and
importance reach it along the links that lead there, as they do any page.
"""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.known.discovery import Discovery
from minicrawl.crawler.urls.keys import site_of
from minicrawl.store.rows import Alternate
from minicrawl.store.writer import Writer


class Alternates:
    """Notes what pages name as their alternates, and puts those off that wait.

    plain: gives a URL without what is a session's.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        stored: Iterable[Alternate],
        accounts: Accounts,
        frontier: Frontier,
        admission: Admission,
        discovery: Discovery,
        plain: Callable[[str], str],
    ) -> None:
        self._accounts = accounts
        self._frontier = frontier
        self._admission = admission
        self._discovery = discovery
        self._plain = plain
        self._rows: list[Alternate] = []
        frontier.pages.put_off(np.array([row.page for row in stored], dtype=np.int64))

    def note(self, page: int, url: str, alternates: Sequence[str], now: float) -> None:
        """Note the alternates that the page at `url` names: those that are new wait for their turn, too."""
        urls = self._own(page, url, alternates)
        if not urls:
            return
        admitted = self._discovery.admitted(url, urls, urls)
        known = self._discovery.made_known(admitted, page, "alternate", same_depth=True, grant=0)
        self._discovery.offer_new(now)
        pages = np.array(known, dtype=np.int64)
        waiting = pages[~self._accounts.book.visited[pages] & (self._accounts.depth[pages] > 0)]
        waiting = waiting[~self._frontier.pages.is_put_off(waiting)]
        self._frontier.pages.put_off(waiting)
        self._rows += [Alternate(other, page) for other in waiting.tolist()]

    def save(self, writer: Writer) -> None:
        writer.save_alternates(self._rows)
        self._rows = []

    def _own(self, page: int, url: str, alternates: Sequence[str]) -> list[str]:
        """Those of the alternates that are in scope and of the same owner."""
        owner, depth = site_of(url), int(self._accounts.depth[page])
        return [
            other
            for other in dict.fromkeys(map(self._plain, alternates))
            if other != url and site_of(other) == owner and self._admission.scope.refuses(other, depth) is None
        ]
