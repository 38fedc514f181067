"""Versions of a page in several languages, or for several media: one is fetched first, the others last.

alternate  a page named in the head of a page read before it as its alternate (WHATWG HTML, 4.6.7.1), of the same
           owner (a registrable domain, or a user of a shared one): nobody can put off the pages of others

An alternate becomes known without cash, as deep as the page, but those of a seed are no seeds, and waits behind all
pages that are not alternates. It is not a link: cash and importance reach it along links, as they do any page.
"""

from collections.abc import Iterable

import numpy as np

from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import State
from minicrawl.store.reader import Store
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import site_of


class Alternates(Step):
    """Notes the alternates named by pages, and puts off those that wait."""

    def __init__(self, opening: Opening) -> None:
        state = opening.state
        self._accounts = state.accounts
        self._frontier = state.frontier
        self._admission = state.admission
        self._discovery = state.discovery
        self._plain = opening.plain
        self._named: list[tuple[int, int]] = []
        named = state.writer.array("SELECT id FROM pages WHERE named_by IS NOT NULL", np.int64)
        self._frontier.pages.put_off(named)

    @staticmethod
    def explain(store: Store, page: int) -> Iterable[str]:
        url = store.page_table.named_by(page)
        if url is not None:
            yield f"alternate   of {url}, read before it: it waits behind other pages"

    def on_turn(self, turn: Turn) -> None:
        """Make the alternates of a page known, and let them wait for their turn."""
        if not turn.parsed.alternates or turn.outcome.state is not State.FETCHED:
            return
        page, url, depth = turn.page, turn.fetched.url, int(self._accounts.depth[turn.page])
        owner, refuses = site_of(url), self._admission.scope.refuses
        others = [other for other in dict.fromkeys(self._plain(turn.parsed.alternates)) if other != url]
        urls = [other for other in others if site_of(other) == owner and refuses(other, max(depth, 1)) is None]
        if not urls:
            return
        admitted = self._discovery.admitted(urls, urls)
        known = self._discovery.made_known(admitted, page, "alternate", same_depth=depth > 0)
        self._discovery.offer_new(turn.now)
        pages = np.array(known, dtype=np.int64)
        waiting = pages[~self._accounts.had_turn[pages] & (self._accounts.depth[pages] > 0)]
        waiting = waiting[~self._frontier.pages.is_put_off(waiting)]
        self._frontier.pages.put_off(waiting)
        self._named += [(page, other) for other in waiting.tolist()]

    def save(self, writer: Writer) -> None:
        writer.update("pages", ["named_by"], self._named)
        self._named = []
