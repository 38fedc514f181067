"""A search: the index finds the pages that agree with a query; the store has their importance and current state.

    score = agreement * (1 + IMPORTANCE * R),      R = log(X / X_least) / log(X_most / X_least)

X is the importance of a page; by the logarithm, as it spans many powers of ten.

Of a folder each partition finds its best pages, which are merged by score: importance is that among all pages. How rare
a word is, is what it is in the page's partition. Pages of two partitions that say the same are both found.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import TracebackType
from typing import NamedTuple, Self

from minicrawl.analysis.usage import PageUsage
from minicrawl.errors import SettingError
from minicrawl.model import State
from minicrawl.search.index_folder import index_errors, index_path, open_index, store_mark
from minicrawl.search.matching import Matching, Snippet, parse_query
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


class _Ranked(NamedTuple):
    """A page as the store has it now, and its score. leader: the page that it duplicates. alike: URLs of its
    duplicates."""

    page: int
    url: str
    title: str | None
    leader: int
    changed_at: float | None
    score: float
    importance: float
    alike: tuple[str, ...] = ()

    def joined(self, other: "_Ranked | None") -> "_Ranked":
        """Merged with its group so far: under the leader if that is one of them, with the best score."""
        if other is None:
            return self
        front, behind = (self, other) if self.page == self.leader else (other, self)
        return front._replace(score=max(front.score, behind.score), alike=(*front.alike, behind.url, *behind.alike))


def _place(value: float, least: float, most: float) -> float:
    """R of a value, by the extremes of importance."""
    if value <= least or most <= least:
        return 0.0
    return min(1.0, math.log(value / least) / math.log(most / least))


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

    def search(self, text: str, asked: Asked, extremes: tuple[float, float] | None = None) -> Found:
        """The pages that agree best with a query. Raises SettingError for a query without words, StoreError.

        extremes: the least positive importance and the greatest; None: those of the pages of this store.
        """
        query = parse_query(text, asked.sites)
        with index_errors(self._path), self._store.snapshot():
            matching = Matching(self._index.words, query)
            enough = asked.n * _MARGIN
            hits = matching.best(max(enough, _MATCHES) if asked.since is None else _MOST_FILTERED)
            ranked = self._ranked({page: hits[page][0] for page in hits}, asked, extremes or self._extremes())
            pages = (
                FoundPage(
                    rank=rank,
                    url=one.url,
                    title=one.title or "",
                    score=one.score,
                    importance=one.importance,
                    snippet=matching.snippet(hits[one.page][1]),
                    alike=one.alike,
                    fetched_at=one.changed_at,
                )
                for rank, one in enumerate(ranked[: asked.n], 1)
            )
            return Found(tuple(pages), matching.count(), self.behind())

    def behind(self) -> int:
        """Number of texts not indexed yet, as far as can be told without a scan."""
        texts = self._store.texts
        if self._index.state.get("texts") == f"{texts.made} {texts.size}":
            return 0
        return texts.added_behind(int(self._index.state.get("end") or 0))

    def _extremes(self) -> tuple[float, float]:
        least, most = (float(self._index.state.get(key) or 0.0) for key in ("least", "most"))
        return least, most

    def _ranked(self, agreement: dict[int, float], asked: Asked, extremes: tuple[float, float]) -> list[_Ranked]:
        """The best pages that may be shown, one of each group of duplicates. agreement: of the pages that match."""
        size = self._store.size()
        pages = sorted(page for page in agreement if page < size)  # the store may be one that was copied earlier
        importance = dict(zip(pages, self._store.ranks.importance_of(pages).tolist(), strict=True))
        scores = {page: agreement[page] * (1 + IMPORTANCE * _place(importance[page], *extremes)) for page in pages}
        best = iter(sorted(pages, key=lambda page: (-scores[page], page)))
        groups: dict[int, _Ranked] = {}
        while len(groups) < asked.n * _MARGIN and (some := list(islice(best, asked.n * _MARGIN))):
            for page, (url, title, leader, at) in self._shown(some).items():
                if asked.since is None or (at or 0) >= asked.since:
                    group = page if leader is None else leader
                    one = _Ranked(page, url, title, group, at, scores[page], importance[page])
                    groups[group] = one.joined(groups.get(group))
        return sorted(groups.values(), key=lambda one: (-one.score, one.page))

    def _shown(self, pages: Sequence[int]) -> dict[int, tuple[str, str | None, int | None, float | None]]:
        """URL, title, leader and time of the last change of the pages, in this order, without those that are gone by
        now, and those that do not want to be searched for if the crawl respects that."""
        rows = {row[0]: row for row in self._store.ranks.facts(json.dumps(pages)) if row[3] == State.FETCHED}
        there = {page: (*rows[page][1:3], *rows[page][4:]) for page in pages if page in rows}
        respected = self._store.settings.get("respect_usage")
        if not isinstance(respected, list) or _USE not in respected:
            return there
        says = PageUsage(self._store).of_pages({page: facts[0] for page, facts in there.items()})
        return {page: facts for page, facts in there.items() if not says[page].forbids([_USE])}


_OF_EACH = 3
"""So many times the pages asked for are asked of each partition."""


def search(store: Store, text: str, asked: Asked | None = None) -> Found:
    """The pages of a store that agree best with a query and are most important. Raises SettingError, StoreError."""
    asked = asked or Asked()
    some = _with_texts(store)
    if store.parts == (store,):
        with Searcher(store) as searcher:
            return searcher.search(text, asked)
    of_each, extremes = replace(asked, n=min(asked.n * _OF_EACH, MOST_SHOWN)), store.ranks.extremes()
    parts = [part.ask(_found, text, of_each, extremes) for part in some]
    pages = [page for part in parts for page in part.pages]
    best = sorted(pages, key=lambda page: (-page.score, -page.importance, page.url))[: asked.n]
    return Found(
        pages=tuple(replace(page, rank=rank) for rank, page in enumerate(best, 1)),
        matches=sum(part.matches for part in parts),
        behind=sum(part.behind for part in parts),
    )


def _with_texts(store: Store) -> list[Store]:
    some = [part for part in store.parts if part.texts.size]
    if not some:
        raise SettingError(f"{store.path} has no texts to search in; crawl with --search, or go on with it")
    return some


def _found(store: Store, text: str, asked: Asked, extremes: tuple[float, float]) -> Found:
    with Searcher(store) as searcher:
        return searcher.search(text, asked, extremes)
