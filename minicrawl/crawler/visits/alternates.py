"""Pages that are one page in several languages, or for several media: one is fetched first, the others last.

twin    a page that the head of a page read before it gives as its alternate (WHATWG HTML, 4.6.7.1), of the same owner
        (a registrable domain, or a user of a shared one): nobody can put off the pages of others

A twin becomes known without cash, and waits behind all pages that are no twins. It is no link: cash and importance
reach it along the links that lead there, as they do any page.
"""

from collections.abc import Callable, Sequence

import numpy as np

from minicrawl.crawler.known.known_web import KnownWeb
from minicrawl.crawler.urls.keys import hostname, owner_of
from minicrawl.store.rows import Alternate


class Twins:
    """Notes what pages name as their alternates, and puts those off that wait.

    plain: gives a URL without what is a session's.
    """

    def __init__(self, web: KnownWeb, plain: Callable[[str], str]) -> None:
        self._web, self._plain = web, plain
        self._rows: list[Alternate] = []
        web.frontier.put_off(np.array([twin.page for twin in web.writer.alternates()], dtype=np.int64))

    def note(self, page: int, alternates: Sequence[str], now: float) -> None:
        """Take in the alternates that a page names: those that are new wait for their turn, too."""
        web, url = self._web, self._web.known.url(page)
        own = owner_of(hostname(url))
        depth = int(web.accounts.depth[page])
        urls = [
            other
            for other in dict.fromkeys(map(self._plain, alternates))
            if other != url and owner_of(hostname(other)) == own and web.scope.refuses(other, depth) is None
        ]
        if not urls:
            return
        urls, _, known, _ = web.admitted(url, urls, urls)
        first_new = web.accounts.size
        twins = np.array(web.made_known(urls, known, page, "alternate", same_depth=True, grant=0), dtype=np.int64)
        for new in range(first_new, web.accounts.size):
            web.frontier.add(new, now)
        waiting = twins[~web.accounts.book.visited[twins] & (web.accounts.depth[twins] > 0)]
        waiting = waiting[~web.frontier.is_put_off(waiting)]
        web.frontier.put_off(waiting)
        self._rows += [Alternate(twin, page) for twin in waiting.tolist()]

    def save(self) -> None:
        """Write all that has changed since the last commit, within the transaction of the next."""
        self._web.writer.save_alternates(self._rows)
        self._rows = []
