"""Virtual visits: when they are due, whom they concern, and what they come to in the end."""

from pathlib import Path

import numpy as np
import pytest
from support.absorbing import HOME, absorber_of, answer, crawl_all, next_page, take_turn
from support.sites import random_site

from minicrawl.crawler.absorb import Absorber
from minicrawl.opic.units import DAMPING
from minicrawl.rank import Graph, pagerank
from minicrawl.store.links import PlacedLinks, placed, to_bytes

STAR = {HOME: [f"{HOME}{leaf}" for leaf in range(12)]} | {f"{HOME}{leaf}": [HOME] for leaf in range(12)}


def crawled(store: Path, most: int = 1_000) -> Absorber:
    absorber = absorber_of(store, discovery=1.0)
    absorber.start([HOME], 0.0)
    crawl_all(absorber, STAR, most=most)
    return absorber


def test_they_are_due_when_the_crawl_has_grown_by_a_tenth(tmp_path: Path) -> None:
    absorber = crawled(tmp_path / "crawl.db")
    settling, visited = absorber.settling, absorber.accounts.book.payees
    assert visited == 13
    assert settling.is_due
    settling.settle()
    turns = 0
    while not settling.is_due:
        settling.note_turn(0)  # a page without links has nothing to pass on
        assert not settling.is_due
        settling.note_turn(3)
        turns += 1
    assert turns == 2  # 13 / 10 and more
    absorber.writer.close()


def test_only_committed_links_are_passed_along(tmp_path: Path) -> None:
    """Of a page visited since, the store would not know the links that the ledger knows."""
    absorber = absorber_of(tmp_path / "crawl.db", discovery=1.0)
    absorber.start([HOME], 0.0)
    crawl_all(absorber, STAR, most=0)
    page = next_page(absorber.frontier, 0.0)
    assert page == 0
    take_turn(absorber, page, answer(STAR, HOME))
    assert absorber.settling.settle() == 0
    absorber.commit({})
    absorber.writer.close()


def test_in_the_end_the_ranking_is_pagerank(tmp_path: Path) -> None:
    """Of all pages known, those never read being without links: worked out by the power method."""
    site, seeds = random_site(9)
    absorber = absorber_of(tmp_path / "crawl.db", discovery=1.0)
    absorber.start(seeds, 0.0)
    crawl_all(absorber, site, most=25)
    absorber.settling.settle_fully()
    links = absorber.writer.links()
    indptr = np.zeros(absorber.accounts.size + 1, dtype=np.int64)
    indptr[links.sources + 1] = np.diff(links.indptr)
    births = absorber.accounts.ledger.birth(slice(0, absorber.accounts.size))
    expected = pagerank(Graph(np.cumsum(indptr), links.targets), DAMPING, births)
    assert absorber.accounts.ledger.importance() == pytest.approx(expected, abs=1e-4)
    assert (
        np.abs(absorber.accounts.ledger.importance() - expected).sum() <= absorber.accounts.ledger.certificate() + 1e-9
    )
    absorber.writer.close()


def test_links_that_are_read_once_are_read_again_when_some_have_changed(tmp_path: Path) -> None:
    """A leaf gets other links between two settlings: what it has sent goes along these from then on."""
    absorber = crawled(tmp_path / "crawl.db")
    absorber.commit({})
    absorber.settling.settle_again(1e-9)
    leaf, away = 3, 5
    row = absorber.pages.links_row(leaf)
    moved = PlacedLinks(np.array([away], dtype=np.int32))
    absorber.accounts.relink(leaf, moved, placed(row.targets, row.places))
    absorber.pages.relink(row._replace(targets=to_bytes(moved.targets)))
    absorber.commit({})
    absorber.settling.settle_again(1e-9)
    links = absorber.writer.links()
    indptr = np.concatenate([[0], np.cumsum(np.bincount(links.sources, np.diff(links.indptr), absorber.accounts.size))])
    births = absorber.accounts.ledger.birth(slice(0, absorber.accounts.size))
    expected = pagerank(Graph(indptr.astype(np.int64), links.targets), DAMPING, births)
    assert links.targets[indptr.astype(np.int64)[leaf]] == away
    assert np.abs(absorber.accounts.ledger.importance() - expected).sum() < 1e-5
    absorber.settling.forget_links()
    absorber.writer.close()
