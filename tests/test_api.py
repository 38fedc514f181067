"""minicrawl as a library."""

import asyncio
from pathlib import Path

import pytest
from sites import Server

import minicrawl

HOME = "http://a.test/"


def test_crawl_and_open_store(tmp_path: Path) -> None:
    server = Server({HOME: ["/b", "/c"], HOME + "b": [HOME], HOME + "c": [HOME]})
    report = minicrawl.crawl([HOME], store=tmp_path / "crawl.db", pages=1000, transport=server, delay=0.0)
    assert isinstance(report, minicrawl.CrawlReport)
    assert (report.fetched, report.reason) == (3, "nothing-left")
    with minicrawl.open_store(tmp_path / "crawl.db") as store:
        assert [page.url for page in store.top(1)] == [HOME]
        assert [page.rank for page in store.pages()] == [1, 2, 3]
        graph = store.links()
    assert (graph.indptr.tolist(), graph.targets.tolist(), graph.size) == ([0, 2, 3, 4], [1, 2, 0, 0], 3)


def test_acrawl_is_the_same_inside_a_loop(tmp_path: Path) -> None:
    server = Server({HOME: []})
    report = asyncio.run(minicrawl.acrawl(HOME, tmp_path / "crawl.db", transport=server, delay=0.0))
    assert server.asked == [HOME]
    assert report.read == 1


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'spider'"):
        minicrawl.spider  # noqa: B018
