"""A search of a store: of the index of a file, or of those of all partitions.

Of a folder each partition finds its best pages, which are merged by score: importance is that among all pages. How rare
a word is, is what it is in the page's partition. Pages of two partitions that say the same are both found.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace

from minicrawl.errors import SettingError
from minicrawl.search.searching import MOST_SHOWN, Asked, Found, Scale, Searcher
from minicrawl.store.reader import Store

_MARGIN = 3
"""So many times the pages asked for are asked of each partition."""


def search(store: Store, text: str, asked: Asked | None = None) -> Found:
    """The pages of a store that agree best with a query and are most important. Raises SettingError, StoreError."""
    asked = asked or Asked()
    store.prepare(lambda part: (part.texts.size, part.ranks.extremes(asked.by)))
    some = _with_texts(store)
    if store.parts == (store,):
        with Searcher(store) as searcher:
            return searcher.search(text, asked)
    of_each, scale = replace(asked, n=min(asked.n * _MARGIN, MOST_SHOWN)), Scale(*store.ranks.extremes(asked.by))
    parts = [part.ask(_found, text, of_each, scale) for part in some]
    pages = [page for part in parts for page in part.pages]
    best = sorted(pages, key=lambda page: (-page.score, -page.importance, page.url))[: asked.n]
    return Found(
        pages=tuple(replace(page, rank=rank) for rank, page in enumerate(best, 1)),
        matches=sum(part.matches for part in parts),
        left_out=parts[0].left_out,
        behind=sum(part.behind for part in parts),
        is_built=all(part.is_built for part in parts),
        without_text=sum(part.without_text for part in parts),
    )


def behind(store: Store) -> int | None:
    """Number of texts not indexed yet, as far as can be told without a scan; None where there is no index."""
    each = [part.ask(_behind) for part in store.parts]
    return None if None in each else sum(number or 0 for number in each)


def _behind(store: Store) -> int | None:
    try:
        with Searcher(store) as searcher:
            return searcher.behind()
    except SettingError:
        return None


def facets_of(store: Store, text: str, asked: Asked | None = None) -> dict[str, dict[str, int]]:
    """Numbers of pages with all words of a query by site and by language, the most frequent first."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for part in _with_texts(store):
        for field, found in part.ask(_facets, text, asked or Asked()).items():
            counts[field].update(found)
    return {field: dict(found.most_common()) for field, found in counts.items()}


def _with_texts(store: Store) -> list[Store]:
    some = [part for part in store.parts if part.texts.size]
    if not some:
        raise SettingError(f"{store.path} has no texts to search in; crawl with --search, or go on with it")
    return some


def _facets(store: Store, text: str, asked: Asked) -> Mapping[str, Mapping[str, int]]:
    with Searcher(store) as searcher:
        return searcher.facets(text, asked)


def _found(store: Store, text: str, asked: Asked, scale: Scale) -> Found:
    with Searcher(store) as searcher:
        return searcher.search(text, asked, scale)
