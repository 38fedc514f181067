"""What the ledger gives beyond the paper."""

import numpy as np
import pytest

from minicrawl.lab.generate import power_law
from minicrawl.lab.revisits import ranking_after_revisits
from minicrawl.lab.settling import figure, newcomers
from minicrawl.rank import Graph
from minicrawl.rank.components import subgraph


def test_part_of_a_graph_keeps_the_links_inside() -> None:
    graph = Graph.from_links([[1, 3], [0, 2], [4], [0, 4], []])
    inner = subgraph(graph, np.array([0, 3, 4]))
    assert inner.indptr.tolist() == [0, 1, 3, 3]
    assert inner.targets.tolist() == [1, 0, 2]


def test_pages_asked_for_twice_are_ranked_about_exactly() -> None:
    agreement = ranking_after_revisits(power_law(20_000, np.random.default_rng(1)), 0)
    assert agreement.tau >= 0.90
    assert agreement.top >= 0.88


@pytest.mark.parametrize("seed", [0, 1])
def test_new_pages_are_known_within_a_quarter(seed: int) -> None:
    """A page known for less than N visits: off by 18.5 % where this was first measured; never more than 25 %."""
    assert newcomers(power_law(20_000, np.random.default_rng(seed)), seed, rate=0.01) <= 25.0


def test_more_newcomers_are_harder() -> None:
    graph = power_law(5000, np.random.default_rng(3))
    assert newcomers(graph, 0, rate=0.02, turns=2) < newcomers(graph, 0, rate=1.0, turns=2)


def test_figure_compares_five_methods_every_quarter() -> None:
    result = figure([power_law(2000, np.random.default_rng(1))], 0, turns=5)
    assert len(result.rows) == 4 * 5 * (3 + 1 + 3)
    assert all(len(panel.curves) == 5 for panel in result.panels)
