"""The links of a store, aliases folded into the pages they stand for."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from support.sites import HOME, Site, crawl, rows

from minicrawl.analysis.link_graph import check_is_rankable, folded_graph, rankable, web_of_store
from minicrawl.analysis.verify import verify
from minicrawl.errors import StoreError
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import open_store


@pytest.mark.parametrize("length", [1, 2, 7])
def test_circle_of_aliases_stands_for_nothing(length: int) -> None:
    """However the jumps along it are doubled, none ends at a page of its own."""
    pages = np.arange(length)
    circle = LinkGraph(pages, np.arange(length + 1), np.roll(pages, 1).astype(np.int32), length)
    with pytest.raises(ValueError, match="stand for each other"):
        folded_graph(circle, np.array(["alias"] * length))


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ("waiting", "has been read yet; run 'minicrawl crawl SEEDS --store"),
        ("gone", "exists any more, so there is nothing to rank"),
        ("fetched", None),
        ("error", None),
    ],
)
def test_pages_of_these_states_can_be_ranked_or_not(state: str, sentence: str | None, store: Path) -> None:
    crawl({HOME: []}, store, [HOME])
    rows(store, "UPDATE tallies SET state = ?", state)
    with open_store(store) as reader:
        if sentence is None:
            check_is_rankable(reader)
        else:
            with pytest.raises(StoreError, match=sentence):
                check_is_rankable(reader)


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize(("reason", "is_there"), [("dns", False), ("http-404", False), ("http-500", True), ("", True)])
def test_an_alias_of_a_page_that_is_not_there_is_nothing_to_rank(
    reason: str, is_there: bool, waits: bool, store: Path
) -> None:
    """But one of a page that fails for now, or was not asked for, is."""
    crawl({HOME: "http://b.test/", "http://b.test/": 500}, store, [HOME])
    state = "waiting" if waits or not reason else "error"
    assert dict(rows(store, "SELECT url, state FROM pages")) == {HOME: "alias", "http://b.test/": "error"}
    rows(store, "UPDATE pages SET state = ?, reason = ? WHERE state = 'error'", state, reason)
    rows(store, "UPDATE OR REPLACE tallies SET state = ?, reason = ? WHERE state = 'error' AND pages", state, reason)
    with open_store(store) as reader:
        if is_there:
            assert verify(reader).stored.l1 <= 1
        else:
            with pytest.raises(StoreError, match="there is nothing to rank"):
                verify(reader)


def test_links_that_lead_nowhere_are_an_error_of_the_store(tmp_path: Path) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    with (
        open_store(tmp_path / "crawl.db") as reader,
        pytest.raises(StoreError, match="cannot be ranked: it is odd"),
        rankable(reader),
    ):
        raise ValueError("it is odd")


SITE: Site = {HOME: ["/b", "/moved", "/gone", HOME], HOME + "b": [HOME], HOME + "moved": HOME + "b"}


def test_of_a_crawl_aliases_are_folded_and_what_failed_was_never_read(tmp_path: Path) -> None:
    """Home, b and gone: a link to the page itself, and a second one to the same page, do not count."""
    crawl(SITE, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store:
        graph, never_read = web_of_store(store)
    rows_of_links = [graph.targets[first:last].tolist() for first, last in pairwise(graph.indptr)]
    assert rows_of_links == [[1, 2], [0], []]
    assert never_read == 1
