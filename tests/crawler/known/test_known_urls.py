"""Which page a URL is, whether the store or memory knows it."""

from pathlib import Path

from support.sites import crawl

from minicrawl.crawler.known.known_urls import KnownUrls
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


def test_urls_stay_known_once_they_are_committed(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        urls = KnownUrls(writer, 0)
        urls.add(HOME, 0)
        urls.committed()
        urls.add(NEW, 1)
        assert urls.find([HOME, NEW, OTHER]) == [0, 1, None]
        assert urls.url(1) == NEW
