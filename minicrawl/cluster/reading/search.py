"""A search in the indexes of all partitions, as in one: each finds its best pages, which are then compared.

similarity   of a page with all words: what both barrels say of it, over the most that they say of any page anywhere
R            by importance among the pages of all partitions

How rare a word is, which BM25 counts with, is what it is in the page's partition. Words of links from other partitions
are not counted, and pages of two partitions that say the same are both found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from minicrawl.cluster.merged import AskedStore, Sums, importance_of, sums_of
from minicrawl.errors import SettingError
from minicrawl.search.index.following import following
from minicrawl.search.index.index_file import index_path
from minicrawl.search.matching import FULL
from minicrawl.search.ranking import Scale, score
from minicrawl.search.searching import Asked, Found, FoundPage, Searcher
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

_MARGIN, _MOST = 3, 1_000
"""So many times the pages asked for are asked of each partition, where their scores are not what they are here; up to
as many as a search gives."""
_RANKS = ("linear", "none")


class _Part(NamedTuple):
    """What a partition has found. most: what both barrels say of the page that they say most of; 0: of none."""

    store: AskedStore
    found: Found
    most: float


def search_all(stores: Sequence[AskedStore], text: str, asked: Asked) -> Found:
    """The pages of all partitions that agree best with a query and are most important. Raises SettingError, StoreError.

    asked: by importance, and ranked "linear" or "none". stores: those that have no texts yet find nothing.
    """
    if asked.by != RANKINGS[0] or asked.rank not in _RANKS:
        raise SettingError(f"partitions are searched by importance; leave out what asks for {asked.by} or {asked.rank}")
    some = [store for store in stores if store.ask(has_texts)]
    if not some:
        raise SettingError(
            "no partition has texts to search in; let the crawl go on with --text, and run minicrawl cluster index"
        )
    of_each = replace(asked, n=min(asked.n * _MARGIN, _MOST))
    parts = [_Part(store, *store.ask(_found, text, of_each)) for store in some]
    best = sorted(_scored(parts, sums_of(stores), asked), key=lambda page: (-page.score, -page.importance, page.url))
    meant = [part.found.meant for part in parts if part.found.meant]
    return replace(
        parts[0].found,
        pages=tuple(replace(page, rank=rank) for rank, page in enumerate(best[: asked.n], 1)),
        matches=sum(part.found.matches for part in parts),
        meant=meant[0] if meant and not any(page.has_all for page in best) else None,
        common=tuple(dict.fromkeys(word for part in parts for word in part.found.common)),
        behind=sum(part.found.behind for part in parts),
        without_text=sum(part.found.without_text for part in parts),
    )


def has_texts(store: Store) -> bool:
    return bool(store.texts.size)


def bring_up_to_date(store: Store) -> tuple[int, int]:
    """Let the index of a partition have all its texts: how many that were new, and pages in it. Raises StoreError."""
    with following(store.path) as follower:
        done = follower.catch_up().done
        follower.optimize()
        return done, follower.pages()


def _found(store: Store, text: str, asked: Asked) -> tuple[Found, float]:
    """What a partition finds, and the `most` of its _Part."""
    if not index_path(store.path).exists():
        raise SettingError(f"there is no index of the texts of {store.path} yet; 'minicrawl cluster index' makes it")
    with Searcher(store) as searcher:
        found = searcher.search(text, asked)
    most = (
        (page.short + FULL * page.full) / page.similarity
        for page in found.pages
        if page.has_all and page.similarity > 0
    )
    return found, max(next(most, 0.0), 0.0)


def _scored(parts: Sequence[_Part], sums: Sums, asked: Asked) -> Iterator[FoundPage]:
    """What all have found, with scores that can be compared."""
    most = max(part.most for part in parts)
    best = (page.importance for part in parts for page in part.store.at_home.first(*sums, 1))
    scale = Scale(sums.held / sums.total, max(best, default=0.0))
    for part in parts:
        importance = part.store.ask(importance_of, [page.url for page in part.found.pages], sums)
        for page in part.found.pages:
            x = importance[page.url]
            place = scale.place(x) if asked.rank == "linear" else 0.0
            similarity = page.similarity * part.most / most if page.has_all and most else page.similarity
            found = score(similarity, place, asked.weight)
            yield replace(page, importance=x, place=place, similarity=similarity, score=found)
