"""The front page of a folder under two names: `/a/` and `/a/index.html` with the same bytes are one page.

The name read first stays a page, the others become its aliases. Relative links of one folder lead to the same pages,
so equal bytes suffice; duplicates elsewhere (merged_duplicates.py) are compared by their links, too.
"""

from typing import Self

from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.parts.duplicates import DuplicatePages
from minicrawl.crawler.urls.normalise import front_page_names
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import State


class FrontPages(Part):
    """Makes the names of a front page aliases of the one read first."""

    def __init__(self, state: CrawlState, duplicates: DuplicatePages) -> None:
        self._accounts = state.accounts
        self._urls = state.urls
        self._fingerprints = duplicates.fingerprints

    @classmethod
    def of(cls, opening: Opening) -> Self:
        return cls(opening.state, opening.part(DuplicatePages))

    def recognise(self, turn: Turn) -> bool:
        outcome, payload = turn.outcome, turn.fetched.payload
        if outcome.is_redirect or outcome.state is not State.FETCHED or payload is None:
            return False
        if not self._fingerprints.was_said(payload):  # as mostly: no name is looked up then
            return False
        names = front_page_names(turn.fetched.url)
        for name, page in zip(names, self._urls.find(names) if names else (), strict=True):
            if page is not None and self._leads(page, turn.page, payload):
                turn.outcome = Outcome(State.ALIAS, "front-page", alias=name, follows=outcome.follows)
                return True
        return False

    def _leads(self, page: int, alias: int, payload: int) -> bool:
        if page == alias or self._accounts.ledger.alias[page]:
            return False
        row = self._fingerprints.row(page)
        return row is not None and row.payload == payload
