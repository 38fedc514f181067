"""What a search has to know of pages beside the index: asked of the store, so it is as of now."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from minicrawl.model import State
from minicrawl.search.ranking import Scale
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

_UNREAD = frozenset({State.WAITING, State.DISALLOWED})
"""States of pages that were not fetched and may be there."""


@dataclass(frozen=True)
class PageFacts:
    """A page as the store has it now. `value`: in the ranking that counts; `leader`: page that says the same."""

    page: int
    url: str
    host: str
    title: str | None
    state: str
    importance: float
    value: float
    leader: int | None
    changed_at: float | None
    content_type: str | None

    def can_be_shown(self, *, has_text: bool) -> bool:
        """Whether a search may show it. A page of HTML whose text is not kept may have said noindex."""
        if self.state == State.FETCHED:
            return has_text or not (self.content_type or "").startswith(("text/html", "application/xhtml"))
        return self.state in _UNREAD


class Facts:
    """Facts of a store's pages. by: the ranking that counts, one of RANKINGS or a kept one."""

    def __init__(self, store: Store, by: str) -> None:
        self._store = store
        self._by = by

    def of(self, pages: Iterable[int]) -> Mapping[int, PageFacts]:
        rows = self._store.ranks.facts(json.dumps(list(pages)), self._by)
        return {row[0]: PageFacts(*row) for row in rows}

    def scale(self, least: float, most: float) -> Scale:
        """The scale of the ranking. least, most: of importance."""
        return Scale(least, most) if self._by == RANKINGS[0] else Scale(*self._store.ranks.extremes(self._by))
