"""The web that graph stats are of."""

from itertools import pairwise
from pathlib import Path

from support.sites import HOME, Site, crawl

from minicrawl.analysis.link_graph import web_of_store
from minicrawl.store.reader import open_store

SITE: Site = {HOME: ["/b", "/moved", "/gone", HOME], HOME + "b": [HOME], HOME + "moved": HOME + "b"}


def test_of_a_crawl_aliases_are_folded_and_what_failed_was_never_read(tmp_path: Path) -> None:
    """Home, b and gone: a link to the page itself, and a second one to the same page, do not count."""
    crawl(SITE, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store:
        graph, never_read = web_of_store(store)
    rows_of_links = [graph.targets[first:last].tolist() for first, last in pairwise(graph.indptr)]
    assert rows_of_links == [[1, 2], [0], []]
    assert never_read == 1
