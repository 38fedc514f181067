"""The numbers of a crawl's graph while it runs: what they are, and how often links are looked at."""

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from support.sites import Site, crawl, rows

from minicrawl.crawler.books.graph_counts import LiveGraphCounts, graph_counts
from minicrawl.model import GraphCounts, Progress
from minicrawl.sizes import Sizes
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import open_store
from minicrawl.timing import Timing

SITE: Site = {
    "http://a.test/": ["/b", "/c", "/d"],
    "http://a.test/b": ["/"],
    "http://a.test/c": ["/d"],
    "http://a.test/d": [],
}
COUNTS = GraphCounts(read=4, links=5, dangling=1, most_inlinks=2, components=3, core=2)
NOTHING = LinkGraph(np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32), 0)


def test_numbers_of_a_store(tmp_path: Path) -> None:
    crawl(SITE, tmp_path / "crawl.db", ["http://a.test/"])
    with open_store(tmp_path / "crawl.db") as store:
        assert graph_counts(store.links()) == COUNTS


def test_without_scipy_a_crawl_has_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert LiveGraphCounts(fewest_read=1).look(2, 1, lambda: NOTHING) is None


def test_progress_and_store_tell_the_numbers(tmp_path: Path) -> None:
    always = Timing(progress=0.0, looks_apart=0.0)
    moments: list[Progress] = []
    crawl(
        SITE, tmp_path / "crawl.db", ["http://a.test/"], on_progress=moments.append, timing=always, sizes=Sizes(read=1)
    )
    assert moments[0].graph is None
    assert moments[-1].graph is not None
    ((run,),) = rows(tmp_path / "crawl.db", "SELECT value FROM meta WHERE key = 'run'")
    assert json.loads(run)["shape"] == dataclasses.asdict(moments[-1].graph)
