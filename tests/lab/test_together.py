"""The experiment's rows and claims, on a small web."""

import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.lab.generate import power_law
from minicrawl.lab.together import POLICIES, experiment, reached
from minicrawl.rank import Graph


@pytest.mark.slow
def test_importance_and_learned_rate_hold_their_claims():
    result = experiment(power_law(3000, np.random.default_rng(0)), seed=0)
    assert [row[1] for row in result.rows[7::8]] == [policy.name for policy in POLICIES]
    assert [row[0] for row in result.rows[:8]] == list(range(1, 9))
    assert all(0 < row[2] < 1 and 0 < row[-1] <= 1 for row in result.rows)
    # A hundred pages are many of so few: two changes of a few links change their order.
    *others, distance, top, mass = result.rows[-1]
    assert (distance < 0.2, top > 0.8, mass > 0.98) == (True, True, True), others
    assert [claim.sentence for claim in result.claims if not claim.held and "95 of" not in claim.sentence] == []


@pytest.mark.slow
def test_what_the_seeds_reach_is_all_there_is():
    """Two halves that do not link to each other, seeds in one of them only."""
    links = [[(page + 1) % 50] for page in range(50)] + [[] for _ in range(50)]
    web, seeds = reached(Graph.from_links(links), np.random.default_rng(0))
    assert web.size == 50
    assert len(set(seeds.tolist())) == 10


def test_a_graph_too_small_is_refused():
    with pytest.raises(SettingError, match="the graph has 2 pages with links; the experiment needs at least 10"):
        experiment(Graph.from_links([[1], [0], []]), seed=0)
