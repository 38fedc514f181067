"""Page numbers by URL.

The store finds a URL by its hash; recently used URLs, which most links point to, are kept in memory.
"""

from collections.abc import Sequence
from functools import lru_cache

from minicrawl.store.writer import Writer

_GENERATION = 100_000


class KnownUrls:
    """URL to page number and back. URLs not yet committed are known here only."""

    def __init__(self, writer: Writer, committed: int) -> None:
        self._writer = writer
        self._stored_url = lru_cache(maxsize=1_000)(writer.page_table.url)  # needed more than once in a page's turn
        self._committed = committed
        self._uncommitted: dict[str, int] = {}
        self._new: list[str] = []
        # Two generations make a cheap cache of recently used URLs: a hit in the old one moves to the young one; when
        # the young one is full it becomes the old one.
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}

    def find(self, urls: Sequence[str]) -> list[int | None]:
        """Page number of each URL, None where it is unknown."""
        pages = list(map(self._young.get, urls))
        unmet = [place for place, page in enumerate(pages) if page is None]
        for place in unmet:
            pages[place] = self._remembered(urls[place])
        missing = [urls[place] for place in unmet if pages[place] is None]
        if missing and self._committed:
            found = self._writer.page_table.find(missing)
            for url, page in found.items():
                self._remember(url, page)
            for place in unmet:
                if pages[place] is None:
                    pages[place] = found.get(urls[place])
        return pages

    def add(self, url: str, page: int) -> None:
        """Make a URL known; page numbers rise by one from call to call."""
        self._uncommitted[url] = page
        self._new.append(url)

    def url(self, page: int) -> str:
        """URL of a known page."""
        if page >= self._committed:
            return self._new[page - self._committed]
        return self._stored_url(page)

    def committed(self) -> None:
        """Note that the new URLs are in the store."""
        for url, page in self._uncommitted.items():
            self._remember(url, page)
        self._committed += len(self._new)
        self._uncommitted, self._new = {}, []

    def _remembered(self, url: str) -> int | None:
        """Page number of a URL that is not among the young ones, without reading the store."""
        page = self._uncommitted.get(url)
        if page is None:
            page = self._old.get(url)
            if page is not None:
                self._remember(url, page)
        return page

    def _remember(self, url: str, page: int) -> None:
        self._young[url] = page
        if len(self._young) > _GENERATION:
            self._young, self._old = {}, self._young
