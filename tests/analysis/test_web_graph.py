"""The web that graph stats are of."""

from itertools import pairwise
from pathlib import Path

import pytest
from support.sites import Site, crawl, rows

from minicrawl.analysis.web_graph import web_of_file, web_of_store
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
SITE: Site = {HOME: ["/b", "/moved", "/gone", HOME], HOME + "b": [HOME], HOME + "moved": HOME + "b"}


def test_of_a_crawl_aliases_are_folded_and_what_failed_was_never_read(tmp_path: Path) -> None:
    """A link to the page itself, and a second one to the same page, do not count."""
    crawl(SITE, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store:
        web = web_of_store(store)
    assert web.names == (HOME, HOME + "b", HOME + "gone")
    rows_of_links = [web.graph.targets[first:last].tolist() for first, last in pairwise(web.graph.indptr)]
    assert rows_of_links == [[1, 2], [0], []]
    assert web.never_read() == 1
    importance = dict(rows(tmp_path / "crawl.db", "SELECT url, importance FROM ranks"))
    assert web.importance.tolist() == pytest.approx([importance[url] for url in web.names])


def test_of_a_file_all_links_are_known(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("0 1\n1 2\n2 0\n")
    web = web_of_file(tmp_path / "links.txt")
    assert web.never_read() is None
    assert web.importance.tolist() == pytest.approx([1 / 3] * 3)
