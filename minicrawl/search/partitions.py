"""A search of a store: of the index of a file, or of those of all partitions.

Of a folder each partition finds its best pages, which are then compared: by importance among all pages, and by

similarity   of a page with all words: what both barrels say of it, over the most that they say of any page anywhere

How rare a word is, which BM25 counts with, is what it is in the page's partition. Words of links from other partitions
are not counted, and pages of two partitions that say the same are both found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from minicrawl.errors import SettingError
from minicrawl.search.matching import FULL
from minicrawl.search.ranking import Scale, score
from minicrawl.search.searching import Asked, Found, FoundPage, Searcher
from minicrawl.store.reader import Store

_MARGIN, _MOST = 3, 1_000
"""So many times the pages asked for are asked of each partition, where their scores are not what they are here; up to
as many as a search gives."""
_OF_LINKS = ("hits", "topic")


class _Part(NamedTuple):
    """A partition's findings. most: the largest score of a page by both barrels; 0 without any."""

    found: Found
    most: float


def search(store: Store, text: str, asked: Asked | None = None) -> Found:
    """The pages of a store that agree best with a query and are most important. Raises SettingError, StoreError."""
    asked = asked or Asked()
    some = [part for part in store.parts if part.texts.size]
    if not some:
        raise SettingError(f"{store.path} has no texts to search in; crawl with --search, or go on with it")
    if store.parts == (store,):
        with Searcher(store) as searcher:
            return searcher.search(text, asked)
    if asked.rank in _OF_LINKS:
        raise SettingError(
            f"--rank {asked.rank} follows the links between pages of one index, and each partition has its own; leave "
            "it out, or take --rank none"
        )
    of_each, scale = replace(asked, n=min(asked.n * _MARGIN, _MOST)), Scale(*store.ranks.extremes(asked.by))
    parts = [part.ask(_found, text, of_each, scale) for part in some]
    best = sorted(_scored(parts, asked), key=lambda page: (-page.score, -page.importance, page.url))
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


def _found(store: Store, text: str, asked: Asked, scale: Scale) -> _Part:
    with Searcher(store) as searcher:
        found = searcher.search(text, asked, scale)
    most = (
        (page.short + FULL * page.full) / page.similarity
        for page in found.pages
        if page.has_all and page.similarity > 0
    )
    return _Part(found, max(next(most, 0.0), 0.0))


def _scored(parts: Sequence[_Part], asked: Asked) -> Iterator[FoundPage]:
    """The pages of all, with scores that can be compared."""
    most = max(part.most for part in parts)
    for part in parts:
        for page in part.found.pages:
            similarity = page.similarity * part.most / most if page.has_all and most else page.similarity
            yield replace(page, similarity=similarity, score=score(similarity, page.place, asked.weight))
