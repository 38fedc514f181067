"""Sitemaps, and the URLs in them that are not known yet."""

from minicrawl.store.read.tables import Tables, columns
from minicrawl.store.rows import ListedUrl, SitemapRow

_SITEMAP = columns(SitemapRow, "sitemaps")


class Sitemaps:
    """Reads the tables `sitemaps`, `sitemap_urls` and `sitemap_pages`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def all(self) -> list[SitemapRow]:
        """All sitemaps by number."""
        return self._tables.records(SitemapRow, "sitemaps ORDER BY id")

    def of(self, page: int) -> SitemapRow | None:
        """The sitemap that made a page known."""
        query = f"""
            SELECT {_SITEMAP} FROM sitemap_pages JOIN sitemaps ON sitemaps.id = sitemap
            WHERE sitemap_pages.page = ? AND sitemap_pages.made_known"""
        row = self._tables.row(query, page)
        return SitemapRow._make(row) if row else None

    def listing(self, url: str, host: str) -> SitemapRow | None:
        """The sitemap that lists a waiting URL of that host; scans the host's waiting URLs."""
        query = f"""
            SELECT {_SITEMAP} FROM hosts CROSS JOIN sitemap_urls AS listed ON listed.host = hosts.id
                JOIN sitemaps ON sitemaps.id = sitemap
            WHERE hosts.name = ? AND listed.url = ? LIMIT 1"""
        row = self._tables.row(query, host, url)
        return SitemapRow._make(row) if row else None

    def listed_urls(self, host: int, after: int, n: int) -> list[ListedUrl]:
        """The next n waiting URLs of a host, behind number `after`."""
        return self._tables.records(
            ListedUrl, "sitemap_urls WHERE host = ? AND id > ? ORDER BY id LIMIT ?", host, after, n
        )

    def listed_counts(self) -> dict[int, tuple[int, int]]:
        """Per host: count of waiting URLs, and the largest of their numbers."""
        rows = self._tables.rows("SELECT host, count(*), max(id) FROM sitemap_urls GROUP BY host")
        return {host: (count, last) for host, count, last in rows}
