"""A search: the index finds the pages that agree with a query; the store has their importance and current state.

    score = agreement * (1 + IMPORTANCE * R),      R = log(X / X_least) / log(X_most / X_least)

X is the importance of a page; by the logarithm, as it spans many powers of ten.

Of a folder each partition finds its best pages, which are merged by score: importance is that among all pages. How rare
a word is, is what it is in the page's partition. Pages of two partitions that say the same are both found.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

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
    """The result of a search. `matches`: number of pages with all words; `behind`: texts not indexed yet, as far as can
    be told without a scan."""

    pages: tuple[FoundPage, ...]
    matches: int
    behind: int


_Facts = tuple[str, str | None, int | None, float | None]
"""URL, title, the page that it duplicates, and the time of the last change of a page, as the store has it now."""


def _place(value: float, least: float, most: float) -> float:
    """R of a value, by the extremes of importance."""
    if value <= least or most <= least:
        return 0.0
    return min(1.0, math.log(value / least) / math.log(most / least))


def search(store: Store, text: str, asked: Asked | None = None) -> Found:
    """The pages of a store that agree best with a query and are most important. Raises SettingError for a query without
    words and a store without texts or index, StoreError."""
    asked = asked or Asked()
    if not store.texts.size:
        raise SettingError(f"{store.path} has no texts to search in; crawl with --search, or continue with it")
    path = index_path(store.path)
    with open_index(path, store_mark(store.hash_key)) as index, index_errors(path), store.snapshot():
        matching = Matching(index, parse_query(text, asked.sites))
        hits = matching.best(max(asked.n * _MARGIN, _MATCHES) if asked.since is None else _MOST_FILTERED)
        size = store.size()
        matches = sorted(page for page in hits if page < size)  # the store may be one that was copied earlier
        importance = dict(zip(matches, store.ranks.importance_of(matches).tolist(), strict=True))
        least, most = (float(index.state.get(key) or 0.0) for key in ("least", "most"))
        scores = {page: hits[page][0] * (1 + IMPORTANCE * _place(importance[page], least, most)) for page in matches}
        facts, groups = _grouped(store, sorted(scores, key=lambda page: (-scores[page], page)), asked)
        best = sorted(groups, key=lambda page: (-scores[groups[page][0]], page))[: asked.n]
        pages = (
            FoundPage(
                rank=rank,
                url=facts[page][0],
                title=facts[page][1] or "",
                score=scores[groups[page][0]],
                importance=importance[page],
                snippet=matching.snippet(hits[page][1]),
                alike=tuple(facts[other][0] for other in groups[page] if other != page),
                fetched_at=facts[page][3],
            )
            for rank, page in enumerate(best, 1)
        )
        is_level = index.state.get("texts") == f"{store.texts.made} {store.texts.size}"
        behind = 0 if is_level else store.texts.added_behind(int(index.state.get("end") or 0))
        return Found(tuple(pages), matching.count(), behind)


def _grouped(store: Store, pages: Sequence[int], asked: Asked) -> tuple[dict[int, _Facts], dict[int, list[int]]]:
    """Facts of the first pages that may be shown, and their groups of duplicates: each under its leader if that is one
    of them, else under its first page. pages: best first, as they are in each group."""
    best, enough = iter(pages), asked.n * _MARGIN
    facts, groups = dict[int, _Facts](), dict[int, list[int]]()
    while len(groups) < enough and (some := list(islice(best, enough))):
        for page, of_page in _shown(store, some).items():
            if asked.since is None or (of_page[3] or 0) >= asked.since:
                facts[page] = of_page
                groups.setdefault(page if of_page[2] is None else of_page[2], []).append(page)
    return facts, {leader if leader in group else group[0]: group for leader, group in groups.items()}


def _shown(store: Store, pages: Sequence[int]) -> dict[int, _Facts]:
    """The pages, in this order, without those that are gone by now, and those that do not want to be searched for if
    the crawl respects that."""
    rows = {row[0]: row for row in store.ranks.facts(json.dumps(pages)) if row[3] == State.FETCHED}
    there = {page: (*rows[page][1:3], *rows[page][4:]) for page in pages if page in rows}
    respected = store.settings.get("respect_usage")
    if not isinstance(respected, list) or _USE not in respected:
        return there
    says = PageUsage(store).of_pages({page: facts[0] for page, facts in there.items()})
    return {page: facts for page, facts in there.items() if not says[page].forbids([_USE])}
