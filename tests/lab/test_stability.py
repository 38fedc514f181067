"""Rankings after pages are taken away."""

import networkx
import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.lab.generate import power_law
from minicrawl.lab.stability import HITS, LEDGER, PAGERANK, RANKINGS, compared, experiment


def slowly_compared(before, after):
    """By sorted lists of pages."""
    first = sorted(range(len(before)), key=lambda page: (-before[page], page))
    then = sorted(range(len(after)), key=lambda page: (-after[page], page))
    tops = {k: len(set(first[:k]) & set(then[:k])) / k for k in (10, 100)}
    return tops, max(then.index(page) + 1 for page in first[:10])


@pytest.mark.parametrize("seed", range(4))
def test_figures_are_those_of_sorted_lists(seed):
    rng = np.random.default_rng(seed)
    before = rng.integers(0, 40, 300).astype(float)
    after = before + rng.normal(0, 4, 300)
    found = compared(before, after)
    assert (found.tops, found.lowest) == slowly_compared(before, after)


def test_what_has_not_changed_is_the_same():
    values = np.random.default_rng(0).random(500)
    found = compared(values, values * 3)
    assert (found.tops, found.tau, found.lowest) == ({10: 1.0, 100: 1.0}, pytest.approx(1.0), 10)


@pytest.fixture(scope="module")
def result():
    return experiment(power_law(2000, np.random.default_rng(3)), seed=1, trials=2)


def test_every_ranking_is_compared_in_every_trial(result):
    assert [row[:2] for row in result.rows] == [(name, trial) for name in RANKINGS for trial in (1, 2)]
    assert all(0 <= row[2] <= 1 and 0 <= row[3] <= 1 and -1 <= row[4] <= 1 and row[5] >= 10 for row in result.rows)


def test_figures_of_pagerank_are_those_of_networkx(result):
    """The pages that stay are drawn from the seed, trial after trial."""
    graph, rng = power_law(2000, np.random.default_rng(3)), np.random.default_rng(1)
    links = networkx.MultiDiGraph()
    links.add_nodes_from(range(graph.size))
    links.add_edges_from(zip(graph.sources().tolist(), graph.targets.tolist(), strict=True))
    whole = networkx.pagerank(links, tol=1e-12, max_iter=500)
    for row in [row for row in result.rows if row[0] == PAGERANK]:
        pages = sorted(rng.choice(graph.size, 1400, replace=False).tolist())
        part = networkx.pagerank(links.subgraph(pages), tol=1e-12, max_iter=500)
        tops, lowest = slowly_compared([whole[page] for page in pages], [part[page] for page in pages])
        assert row[2:4] == (tops[10], tops[100])
        assert row[5] == lowest


def test_claims_have_the_figures_that_decide(result):
    means = {name: np.mean([row[3] for row in result.rows if row[0] == name]) for name in RANKINGS}
    assert result.claims[0].held == (means[PAGERANK] > means[HITS])
    assert f"{means[PAGERANK]:.3f} of the first 100" in result.claims[0].measured
    assert result.claims[3].held == (abs(means[LEDGER] - means[PAGERANK]) <= 0.02)


def test_same_seed_gives_the_same_rows(result):
    assert experiment(power_law(2000, np.random.default_rng(3)), seed=1, trials=2).rows == result.rows


def test_too_few_pages_are_refused():
    with pytest.raises(SettingError, match="140 pages would be left, too few to compare"):
        experiment(power_law(200, np.random.default_rng(0)), seed=0)
