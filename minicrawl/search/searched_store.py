"""A store that can be searched: what `minicrawl.open_store` opens."""

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from minicrawl.search.ranking import WEIGHT
from minicrawl.search.searching import RANKS, Asked, FoundPage, Searcher
from minicrawl.settings import RANKINGS
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.database import open_to_read
from minicrawl.store.reader import Store


class SearchedStore(Store):
    """The read side of a store, with its index, which is opened when something is searched for."""

    _searcher: Searcher | None = None

    def search(  # noqa: PLR0913 - what a search may be asked, each by name
        self,
        words: str,
        n: int = 10,
        *,
        sites: Iterable[str] = (),
        since: float | None = None,
        weight: float = WEIGHT,
        by: str = RANKINGS[0],
        rank: str = RANKS[0],
    ) -> list[FoundPage]:
        """The n pages that agree best with `words` and are most important, best first.

            for page in store.search('asyncio "task group" -trio site:docs.python.org', n=5):
                print(page.rank, page.url, page.snippet.text)

        sites: hosts or domains. since: Unix seconds at which a page was seen to have changed, or fetched, at the
        earliest. weight: of agreement beside importance, 0 to 1. by: another ranking in place of importance. rank:
        "linear", "none" or "hits". Raises ConfigError for what cannot be searched for, StoreError without an index.
        """
        asked = Asked(n, tuple(sites), since, weight, by, rank)
        if self._searcher is None:
            self._searcher = Searcher(self)
        return list(self._searcher.search(words, asked).pages)

    def close(self) -> None:
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None
        super().close()

    def __enter__(self) -> Self:
        return self


def open_store(path: str | Path, sizes: Sizes = STANDARD_SIZES) -> SearchedStore:
    """The read side of the store at `path`. Raises StoreError."""
    path = Path(path)
    return SearchedStore(path, open_to_read(path), sizes)
