"""What a search has to know of pages beside the index: asked of the store, so it is as of now."""

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from minicrawl.model import State
from minicrawl.search.ranking import Scale
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

_UNREAD = frozenset({State.WAITING, State.DISALLOWED})
"""States of pages that were not fetched and may be there."""


class PageFacts(NamedTuple):
    """A page as the store has it now. `leader`: page that says the same."""

    page: int
    url: str
    host: str
    title: str | None
    state: str
    leader: int | None
    changed_at: float | None
    content_type: str | None

    def can_be_shown(self, *, has_text: bool) -> bool:
        """Whether a search may show it. A page of HTML whose text is not kept may have said noindex."""
        if self.state == State.FETCHED:
            return has_text or not (self.content_type or "").startswith(("text/html", "application/xhtml"))
        return self.state in _UNREAD


def facts_of(store: Store, pages: Iterable[int]) -> Mapping[int, PageFacts]:
    """Facts of some pages, by number."""
    return {row[0]: PageFacts._make(row) for row in store.ranks.facts(json.dumps(list(pages)))}


def scale_of(store: Store, by: str, least: float, most: float) -> Scale:
    """The scale of a ranking, one of RANKINGS or a kept one. least, most: of importance."""
    return Scale(least, most) if by == RANKINGS[0] else Scale(*store.ranks.extremes(by))
