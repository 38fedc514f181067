"""The pages of a host, as its judge sees them: witnesses, pages to request again, soft 404s that may be walls."""

from collections.abc import Sequence, Set

import numpy as np

from minicrawl.crawler.hosts.clocks import Host
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.recognise.soft404 import folder_of
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import READ, State
from minicrawl.opic.coverage import PageKind
from minicrawl.store.pages import Fetch

_MOST_LOOKED_AT = 64


class HostPages:
    """Looks up pages of hosts, and lets some wait again."""

    def __init__(self, state: CrawlState) -> None:
        self._accounts, self._frontier = state.accounts, state.frontier
        self._waiting, self._coverage = state.frontier.pages, state.accounts.coverage
        self._pages, self._table, self._opened_at = state.pages, state.writer.page_table, state.opened_at
        self.url = state.urls.url
        self._looks: dict[int, bool] = {}  # soft 404s that are requested again in this run: whether they were answered

    def last_answer(self, page: int) -> Fetch | None:
        """The last answer of a page that was there; None if it was not."""
        return self._pages.last_answer(page)

    def has_failed(self, page: int) -> bool:
        """True if the last request for a page has failed, and it is to be tried again."""
        return page in self._pages.attempts

    def well_read(self, host: Host) -> list[int]:
        """Some pages of a host that were read, in this run or before."""
        size = self._accounts.size
        is_read = (self._coverage.kind[:size] == PageKind.PAGE) & (self._waiting.host_of[:size] == host.id)
        pages = np.flatnonzero(is_read)[:_MOST_LOOKED_AT].tolist()
        return [page for page in pages if self._pages.last_state(page) == State.FETCHED]

    def new(self, host: Host, folders: Set[str]) -> int | None:
        """A page of a host that was never read, in none of these folders."""
        size = self._accounts.size
        pages = np.flatnonzero(~self._accounts.had_turn[:size] & (self._waiting.host_of[:size] == host.id))
        some: Sequence[int] = pages[:: max(len(pages) // _MOST_LOOKED_AT, 1)].tolist()
        return next((page for page in some if folder_of(self.url(page)) not in folders), None)

    def take_back(self, page: int, now: float) -> None:
        """Let a page that was taken in wait again as if it had not been asked."""
        self._pages.attempts.pop(page, None)
        if not self._accounts.had_turn[page]:
            return
        is_given_up = self._pages.last_state(page) not in READ
        if is_given_up:
            self._accounts.unvisit(page)
            self._pages.ask_again(page)
        self._frontier.put_first(page, now, is_new=is_given_up)

    def ask_for_looks(self, now: float) -> bool:
        """Ask again for one of each look of the soft 404s of runs before: a wall may have stood before them. Returns
        True if there are any."""
        has_any = self._table.counts().get((State.ERROR, "soft-404"), 0)
        pages = self._table.one_of_each_look(self._opened_at) if has_any else ()
        new = [page for page in pages if page not in self._looks]
        for page in new:
            self._looks[page] = False
            self.take_back(page, now)
        return bool(new)

    def note_look(self, turn: Turn) -> None:
        """If a page that was a soft 404 is none now, let the other soft 404s of its host wait again."""
        if self._looks.get(turn.page) is not False:
            return  # as mostly
        self._looks[turn.page] = True
        if turn.outcome.state is State.FETCHED:
            for page in self._table.soft_404s(self._frontier.host(turn.page).id):
                self._looks[page] = True
                self.take_back(page, turn.now)
