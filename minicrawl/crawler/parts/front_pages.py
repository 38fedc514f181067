"""One page under several names of its site, which have the same bytes.

The front page of a folder is a file in it as well: `/a/` is `/a/index.html`, or `/a/start.html`. A site that speaks
http and https, or answers with www and without, has each page twice or four times.

The name read first stays a page, the others become its aliases. Relative links lead to other names of the same pages,
so equal bytes suffice. Files that say little have only the usual names of front pages.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Self

from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.parts.duplicates import DuplicatePages
from minicrawl.crawler.urls.normalise import is_front_page, other_names
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import State

MOST_COMPARED = 16
"""Pages with the bytes of a front page that are looked for in its folder, the first ones."""


class FrontPages(Part):
    """Makes the names of a page aliases of the one read first."""

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
        url = turn.fetched.url
        for page in self._others(url, payload, says_much=turn.fetched.sketch is not None):
            if self._leads(page, turn.page, payload):
                alias = self._urls.url(page)
                reason = "same-page" if _name(alias) == _name(url) else "front-page"
                turn.outcome = Outcome(State.ALIAS, reason, alias=alias, follows=outcome.follows)
                return True
        return False

    def _others(self, url: str, payload: int, *, says_much: bool) -> Iterator[int]:
        """Pages that may be the one at a URL with this payload."""
        others = other_names(url)
        if not says_much and not is_front_page(url):
            others = [other for other in others if _name(other) == _name(url)]
        yield from (page for page in self._urls.find(others) if page is not None)
        if says_much and is_front_page(url):  # of any file in its folder
            folder = url.rpartition("/")[0]
            first = islice(self._fingerprints.first(payload), MOST_COMPARED)
            yield from (page for page in first if self._urls.url(page).rpartition("/")[0] == folder)

    def _leads(self, page: int, alias: int, payload: int) -> bool:
        if page == alias or self._accounts.book.alias[page]:
            return False
        row = self._fingerprints.row(page)
        return row is not None and row.payload == payload


def _name(url: str) -> str:
    return url.rpartition("/")[2]
