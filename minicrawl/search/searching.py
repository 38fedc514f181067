"""A search: the index finds the pages that agree with a query; the store has their importance and current state.

    score = agreement * (1 + IMPORTANCE * R),      R = log(X / X_least) / log(X_most / X_least)

X is the importance of a page; by the logarithm, as it spans many powers of ten.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import NamedTuple, Self

from minicrawl.analysis.usage import PageUsage
from minicrawl.errors import SettingError
from minicrawl.model import State
from minicrawl.search.index.index_folder import index_errors, index_path, open_index, store_mark
from minicrawl.search.matching import Hit, Matching, Snippet
from minicrawl.search.query import parse_query
from minicrawl.store.reader import Store

IMPORTANCE = 0.5
"""So much more is the most important page worth than the least, if they agree alike with a query."""
MOST_SHOWN = 1_000
_USE = "search"
_MATCHES, _MOST_FILTERED = 100, 5_000
"""Matches among which importance decides, at least; and those of a search for pages since a date, which the index does
not know."""
_MARGIN = 3
"""Pages considered for each page asked for: some may not be shown, or are duplicates."""


@dataclass(frozen=True)
class Asked:
    """The options of a search. n: pages; since: Unix seconds. Raises SettingError."""

    n: int = 10
    sites: tuple[str, ...] = ()
    since: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST_SHOWN:
            raise SettingError(f"--n is a number from 1 to {MOST_SHOWN:,}, not {self.n}")


@dataclass(frozen=True)
class FoundPage:
    """A page that was found. `alike`: URLs of duplicates, which are left out."""

    rank: int
    url: str
    title: str
    score: float
    importance: float
    snippet: Snippet
    alike: tuple[str, ...]
    fetched_at: float | None


@dataclass(frozen=True)
class Found:
    """The result of a search. `matches`: number of pages with all words; `behind`: texts not indexed yet."""

    pages: tuple[FoundPage, ...]
    matches: int
    behind: int


class Scale(NamedTuple):
    """The least positive importance, and the greatest."""

    least: float
    most: float

    def place(self, value: float) -> float:
        """R of a value."""
        if value <= self.least or self.most <= self.least:
            return 0.0
        return min(1.0, math.log(value / self.least) / math.log(self.most / self.least))


class _Facts(NamedTuple):
    """A page as the store has it now. `leader`: the page that it duplicates."""

    page: int
    url: str
    title: str | None
    state: str
    leader: int | None
    changed_at: float | None


class _Ranked(NamedTuple):
    """A page and its score, the better ones first. `alike`: URLs of its duplicates."""

    facts: _Facts
    hit: Hit
    score: float
    importance: float
    alike: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[float, int]:
        return -self.score, self.facts.page

    def joined(self, other: "_Ranked | None", leader: int) -> "_Ranked":
        """Merged with its group so far: under the leader if that is one of them, with the best score."""
        if other is None:
            return self
        front, behind = (self, other) if self.facts.page == leader else (other, self)
        return front._replace(
            score=max(front.score, behind.score), alike=(*front.alike, behind.facts.url, *behind.alike)
        )


class Searcher:
    """Searches one store. Raises SettingError if it has no index."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._path = index_path(store.path)
        self._index = open_index(self._path, store_mark(store.hash_key))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._index.close()

    def search(self, text: str, asked: Asked, scale: Scale | None = None) -> Found:
        """The pages that agree best with a query. Raises SettingError for a query without words, StoreError.

        scale: of importance; None: that of the pages of this store.
        """
        query = parse_query(text, asked.sites)
        with index_errors(self._path), self._store.snapshot():
            matching = Matching(self._index.words, query)
            ranked = self._ranked(matching, asked, scale or self._scale())[: asked.n]
            return Found(
                pages=tuple(
                    FoundPage(
                        rank=rank,
                        url=facts.url,
                        title=facts.title or "",
                        score=score,
                        importance=importance,
                        snippet=matching.snippet(hit),
                        alike=alike,
                        fetched_at=facts.changed_at,
                    )
                    for rank, (facts, hit, score, importance, alike) in enumerate(ranked, 1)
                ),
                matches=matching.count(),
                behind=self.behind(),
            )

    def behind(self) -> int:
        """Number of texts not indexed yet, as far as can be told without a scan."""
        texts = self._store.texts
        if self._index.state.get("texts") == f"{texts.made} {texts.size}":
            return 0
        return texts.added_behind(int(self._index.state.get("end") or 0))

    def _scale(self) -> Scale:
        return Scale(*(float(self._index.state.get(key) or 0.0) for key in ("least", "most")))

    def _ranked(self, matching: Matching, asked: Asked, scale: Scale) -> list[_Ranked]:
        """The best pages that may be shown, one of each group of duplicates."""
        enough = asked.n * _MARGIN
        found = matching.best(max(enough, _MATCHES) if asked.since is None else _MOST_FILTERED)
        size = self._store.size()
        hits = {hit.page: hit for hit in found if hit.page < size}  # the store may be one that was copied earlier
        pages = sorted(hits)
        importance = dict(zip(pages, self._store.ranks.importance_of(pages).tolist(), strict=True))
        scores = {page: hits[page].agreement * (1 + IMPORTANCE * scale.place(importance[page])) for page in pages}
        best = iter(sorted(hits.values(), key=lambda hit: (-scores[hit.page], hit.page)))
        groups: dict[int, _Ranked] = {}
        while len(groups) < enough and (some := list(islice(best, enough))):
            for facts in self._shown([hit.page for hit in some]):
                if asked.since is None or (facts.changed_at or 0) >= asked.since:
                    leader = facts.page if facts.leader is None else facts.leader
                    one = _Ranked(facts, hits[facts.page], scores[facts.page], importance[facts.page])
                    groups[leader] = one.joined(groups.get(leader), leader)
        return sorted(groups.values(), key=lambda one: one.order)

    def _shown(self, pages: Sequence[int]) -> list[_Facts]:
        """The pages, in this order, without those that are gone by now, and those that do not want to be searched for
        if the crawl respects that."""
        known = {row[0]: _Facts._make(row) for row in self._store.ranks.facts(json.dumps(pages))}
        there = [known[page] for page in pages if page in known and known[page].state == State.FETCHED]
        respected = self._store.settings.get("respect_usage")
        if not isinstance(respected, list) or _USE not in respected:
            return there
        says = PageUsage(self._store).of_pages({facts.page: facts.url for facts in there})
        return [facts for facts in there if not says[facts.page].forbids([_USE])]
