"""Sitemaps and the URLs that wait in them, as they were written."""

from pathlib import Path

from minicrawl.store.hosts import HostRow
from minicrawl.store.sitemaps import ListedUrl, SitemapRow
from minicrawl.store.writer import Writer

HOSTS = [HostRow(0, "a.test", 0.0, 0.0), HostRow(1, "b.test", 0.0, 0.0)]
SITEMAPS = [
    SitemapRow(0, 0, "http://a.test/sitemap.xml", 0, 0, "due"),
    SitemapRow(1, 1, "http://b.test/sitemap.xml", 1, 0, "ok", status=200, found=3),
]
LISTED = [
    ListedUrl(0, 0, "http://a.test/0", 0),
    ListedUrl(0, 4, "http://a.test/4", 0),
    ListedUrl(0, 9, "http://a.test/9", 0),
    ListedUrl(1, 0, "http://a.test/4", 1),
]


def test_urls_wait_by_host_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        with writer.transaction():
            writer.put(HostRow, HOSTS)
            writer.put(SitemapRow, reversed(SITEMAPS))
            writer.add(ListedUrl, reversed(LISTED))
            writer.save_sitemap_pages([(7, 1, True), (6, 1, False)])
        sitemaps = writer.sitemaps
        assert sitemaps.all() == SITEMAPS
        assert sitemaps.listed_urls(0, -1, 2) == LISTED[:2]
        assert sitemaps.listed_urls(0, 4, 2) == LISTED[2:3]
        assert sitemaps.listed_counts() == {0: (3, 9), 1: (1, 0)}
        assert (sitemaps.of(7), sitemaps.of(6)) == (SITEMAPS[1], None)
        assert sitemaps.listing("http://a.test/4", "a.test") == SITEMAPS[0]
        assert sitemaps.listing("http://a.test/4", "b.test") == SITEMAPS[1]
        assert sitemaps.listing("http://a.test/9", "b.test") is None
        with writer.transaction():
            writer.remove(ListedUrl, [LISTED[2][:2], LISTED[3][:2]])
        assert sitemaps.listed_counts() == {0: (2, 4)}
