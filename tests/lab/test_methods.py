"""Every way to work importance out comes to the same on a small web."""

from itertools import islice

import numpy as np
import pytest

from minicrawl.lab.methods import METHODS, POWER, X
from minicrawl.rank import Graph, l1, pagerank

WEB = Graph.from_links([[1, 2], [2], [0], [0, 1], []])

pytestmark = pytest.mark.slow  # all of them wait for compiled loops


@pytest.mark.parametrize("name", METHODS)
def test_method_comes_near_pagerank(name: str) -> None:
    last = list(islice(METHODS[name](WEB, np.random.default_rng(0), 50 * WEB.size), 4))[-1]
    assert l1(last.estimates[POWER if name == "off-line" else X], pagerank(WEB)) < 0.02


@pytest.mark.parametrize("name", ["greedy", "cycle", "random"])
def test_cash_book_says_what_its_visits_spent(name: str) -> None:
    first = next(METHODS[name](WEB, np.random.default_rng(0), 100))
    assert first.clock == pytest.approx(first.spent * 100 / WEB.size)
