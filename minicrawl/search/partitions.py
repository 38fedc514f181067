"""A search of a store: of the index of a file, or of those of all partitions.

Of a folder each partition finds its best pages, which are merged by score: importance is that among all pages. How rare
a word is, is what it is in the page's partition. Pages of two partitions that say the same are both found.
"""

from dataclasses import replace

from minicrawl.errors import SettingError
from minicrawl.search.searching import MOST_SHOWN, Asked, Found, Scale, Searcher
from minicrawl.store.reader import Store

_MARGIN = 3
"""So many times the pages asked for are asked of each partition."""


def search(store: Store, text: str, asked: Asked | None = None) -> Found:
    """The pages of a store that agree best with a query and are most important. Raises SettingError, StoreError."""
    asked = asked or Asked()
    some = _with_texts(store)
    if store.parts == (store,):
        with Searcher(store) as searcher:
            return searcher.search(text, asked)
    of_each, scale = replace(asked, n=min(asked.n * _MARGIN, MOST_SHOWN)), Scale(*store.ranks.extremes())
    parts = [part.ask(_found, text, of_each, scale) for part in some]
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


def _found(store: Store, text: str, asked: Asked, scale: Scale) -> Found:
    with Searcher(store) as searcher:
        return searcher.search(text, asked, scale)
