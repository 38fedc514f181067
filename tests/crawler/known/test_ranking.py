"""Virtual visits: when they are due, whom they concern, and what they come to in the end."""

from pathlib import Path

import numpy as np
import pytest
from support.intakes import HOME, answer, crawl_all, intake_of, next_page, take_turn
from support.sites import random_site

from minicrawl.crawler.intake import Intake
from minicrawl.opic.units import DAMPING
from minicrawl.rank import Graph, pagerank

STAR = {HOME: [f"{HOME}{leaf}" for leaf in range(12)]} | {f"{HOME}{leaf}": [HOME] for leaf in range(12)}


def crawled(store: Path, most: int = 1_000) -> Intake:
    intake = intake_of(store, discovery=1.0)
    intake.start([HOME], 0.0)
    crawl_all(intake, STAR, most=most)
    return intake


def test_they_are_due_when_the_crawl_has_grown_by_a_tenth(tmp_path: Path) -> None:
    intake = crawled(tmp_path / "crawl.db")
    ranking, visited = intake.ranking, intake.state.accounts.book.payees
    assert visited == 13
    assert ranking.is_due
    ranking.settle()
    turns = 0
    while not ranking.is_due:
        ranking.note_turn(0)  # a page without links has nothing to pass on
        assert not ranking.is_due
        ranking.note_turn(3)
        turns += 1
    assert turns == 2  # 13 / 10 and more
    intake.state.writer.close()


def test_only_committed_links_are_passed_along(tmp_path: Path) -> None:
    """Of a page visited since, the store would not know the links that the ledger knows."""
    intake = intake_of(tmp_path / "crawl.db", discovery=1.0)
    intake.start([HOME], 0.0)
    crawl_all(intake, STAR, most=0)
    page = next_page(intake.state.frontier, 0.0)
    assert page == 0
    take_turn(intake, page, answer(STAR, HOME))
    assert intake.ranking.settle() == 0
    intake.commit({})
    intake.state.writer.close()


def test_in_the_end_the_ranking_is_pagerank(tmp_path: Path) -> None:
    """Of all pages known, those never read being without links: worked out by the power method."""
    site, seeds = random_site(9)
    intake = intake_of(tmp_path / "crawl.db", discovery=1.0)
    intake.start(seeds, 0.0)
    crawl_all(intake, site, most=25)
    intake.ranking.settle_fully()
    links = intake.state.writer.links()
    indptr = np.zeros(intake.state.accounts.size + 1, dtype=np.int64)
    indptr[links.sources + 1] = np.diff(links.indptr)
    births = intake.state.accounts.ledger.birth(slice(0, intake.state.accounts.size)).astype(np.float64)
    expected = pagerank(Graph(np.cumsum(indptr), links.targets), DAMPING, births)
    assert intake.state.accounts.ledger.importance() == pytest.approx(expected, abs=1e-4)
    assert (
        np.abs(intake.state.accounts.ledger.importance() - expected).sum()
        <= intake.state.accounts.ledger.certificate() + 1e-9
    )
    intake.state.writer.close()
