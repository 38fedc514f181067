"""Page numbers by URL, and URLs by page number.

The store finds a URL by its hash, and a URL by its page. Most links lead to recently used URLs, and most pages whose
turn comes became known a short while ago: both are kept in memory.
"""

from collections.abc import Sequence
from functools import lru_cache

from minicrawl.store.writer import Writer

_GENERATION = 100_000


class KnownUrls:
    """URL to page number and back. URLs not yet committed are known here only."""

    def __init__(self, writer: Writer, committed: int, *, generation: int = _GENERATION) -> None:
        """committed: number of pages in the store. generation: number of URLs in one of two."""
        self._writer = writer
        self._generation = generation
        self._stored_url = lru_cache(maxsize=1_000)(writer.page_table.url)  # needed more than once in a page's turn
        self._committed = committed
        # URLs of the latest pages, by number from `_first` on.
        self._first = committed
        self._latest: list[str] = []
        # Two generations make a cheap cache of recently used URLs: a hit in the old one moves to the young one; when
        # the young one is full it becomes the old one. The young one has all that are not committed.
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._has_all = not committed
        """True if both generations together have every known URL, so that the store knows no other."""

    def find(self, urls: Sequence[str]) -> list[int | None]:
        """Page number of each URL, None where it is unknown."""
        pages = list(map(self._young.get, urls))
        if None not in pages:  # as for most pages
            return pages
        unmet = [place for place, page in enumerate(pages) if page is None]
        if self._old:
            for place in unmet:
                page = pages[place] = self._old.get(urls[place])
                if page is not None:
                    self._remember(urls[place], page)
            unmet = [place for place in unmet if pages[place] is None]
        if unmet and not self._has_all:
            found = self._writer.page_table.find([urls[place] for place in unmet])
            for url, page in found.items():
                self._remember(url, page)
            for place in unmet:
                pages[place] = found.get(urls[place])
        return pages

    def add(self, url: str, page: int) -> None:
        """Make a URL known; page numbers rise by one from call to call."""
        self._young[url] = page
        self._latest.append(url)

    def url(self, page: int) -> str:
        """URL of a known page."""
        return self._latest[page - self._first] if page >= self._first else self._stored_url(page)

    def committed(self) -> None:
        """Note that the new URLs are in the store."""
        self._committed = self._first + len(self._latest)
        surplus = len(self._latest) - self._generation
        if 2 * surplus > self._generation:
            del self._latest[:surplus]
            self._first += surplus
        self._age()

    def _remember(self, url: str, page: int) -> None:
        self._young[url] = page
        self._age()

    def _age(self) -> None:
        """Drop the old generation once the young one is full."""
        new = self._committed - self._first
        if len(self._young) - (len(self._latest) - new) > self._generation:
            self._has_all = self._has_all and not self._old
            self._old = self._young
            self._young = {url: page for page, url in enumerate(self._latest[new:], self._committed)}
