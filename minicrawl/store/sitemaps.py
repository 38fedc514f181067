"""Sitemaps, and the URLs in them that are not known yet."""

from typing import Annotated, NamedTuple

from minicrawl.store.declaration import HostId, PageId, SitemapId, Time, table
from minicrawl.store.tables import Subject


class SitemapRow(NamedTuple):
    """A sitemap that a robots.txt file names, or another sitemap; see crawler/requests/sitemap_queue.py."""

    id: int
    host: Annotated[HostId, "whose robots.txt led here, and whose URLs it may list"]
    url: str
    page: Annotated[PageId, "whose turn led to that robots.txt"]
    nesting: Annotated[int, "redirects and indexes between robots.txt and here"]
    reason: Annotated[str, '"due", or the code that says what came of it']
    attempts: Annotated[int, "failures in a row"] = 0
    status: Annotated[int | None, "HTTP status"] = None
    asked_at: Time | None = None
    found: Annotated[int, "URLs in it"] = 0
    queued: Annotated[int, "of these, URLs that were in scope and not known yet"] = 0
    made_known: Annotated[int, "of these, pages that it made known"] = 0


class ListedUrl(NamedTuple):
    """A URL from a sitemap that is not known yet, by the host it is on."""

    host: HostId
    id: Annotated[int, "in the order in which they become known"]
    url: str
    sitemap: SitemapId


table("sitemaps", "sitemaps, and what came of them", SitemapRow, keys="id", unique="host url")
table("sitemap_urls", "URLs from sitemaps that are not known yet", ListedUrl, keys="host id")
table(
    "sitemap_pages",
    "pages that sitemaps list",
    keys="page",
    page=PageId,
    sitemap=Annotated[SitemapId, "the first that lists it"],
    made_known=Annotated[bool, "it made the page known; else a link or a seed had"],
)


class Sitemaps(Subject):
    """Reads the tables `sitemaps`, `sitemap_urls` and `sitemap_pages`."""

    def all(self) -> list[SitemapRow]:
        return self._tables.records(SitemapRow, "sitemaps ORDER BY id")

    def listed_urls(self, host: int, after: int, n: int) -> list[ListedUrl]:
        """The next n waiting URLs of a host, after number `after`."""
        source = "sitemap_urls WHERE host = ? AND id > ? ORDER BY id LIMIT ?"
        return self._tables.records(ListedUrl, source, host, after, n)

    def listed_counts(self) -> dict[int, tuple[int, int]]:
        """Per host: count of waiting URLs, and the largest of their numbers."""
        rows = self._tables.rows("SELECT host, count(*), max(id) FROM sitemap_urls GROUP BY host")
        return {host: (count, last) for host, count, last in rows}
