"""Page numbers by URL and URLs by page number, from memory or from the store."""

from pathlib import Path

from support.sites import crawl

from minicrawl.crawler.known.known_pages import KnownUrls
from minicrawl.store.writer import Writer

HOME, OTHER, NEW = "http://a.test/", "http://a.test/b", "http://a.test/new"


def test_committed_and_new_urls_are_found(tmp_path: Path) -> None:
    crawl({HOME: [OTHER], OTHER: []}, tmp_path / "crawl.db", [HOME])
    with Writer(tmp_path / "crawl.db") as writer:
        urls = KnownUrls(writer, writer.size())
        assert urls.find([OTHER, NEW, HOME]) == [1, None, 0]
        urls.add(NEW, 2)
        assert urls.find([NEW, NEW, OTHER]) == [2, 2, 1]
        assert [urls.url(page) for page in range(3)] == [HOME, OTHER, NEW]


def test_urls_that_memory_has_dropped_are_found_in_the_store(tmp_path: Path) -> None:
    pages = [f"http://a.test/{number}" for number in range(40)]
    crawl({HOME: pages, **{page: [] for page in pages}}, tmp_path / "crawl.db", [HOME])
    with Writer(tmp_path / "crawl.db") as writer:
        size = writer.size()
        urls = KnownUrls(writer, 0, generation=8)  # as in the run that found them
        for page, url in enumerate(writer.page_table.urls()):
            urls.add(url, page)
            if page % 5 == 0:
                urls.committed()
        urls.committed()
        urls.add(NEW, size)
        assert urls.find([HOME, *pages, NEW, OTHER]) == [*range(size), size, None]
        assert [urls.url(page) for page in range(size + 1)] == [HOME, *pages, NEW]
