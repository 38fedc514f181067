"""Synthetic webs have the degrees their laws say. Bounds are five standard deviations of the count they bound."""

import numpy as np
import pytest
from scipy import stats

from minicrawl.errors import SettingError
from minicrawl.lab.generate import MODELS, generate, poisson, power_law, power_law_numbers

NODES = 100_000


def law(exponent, largest):
    """P(n) for n = 1..largest."""
    weight = np.array([n**-exponent for n in range(1, largest + 1)])
    return weight / weight.sum()


def draw(model, nodes=NODES, seed=1):
    return generate(model, nodes, np.random.default_rng(seed))


def indegrees(graph):
    return np.bincount(graph.targets, minlength=graph.size)


def assert_count(found, trials, p, slack=0.0):
    """`found` of `trials` independent tries of probability p hit, give or take five standard deviations."""
    assert abs(found - trials * p) <= 5 * np.sqrt(trials * p * (1 - p)) + slack


def pairs(graph):
    return set(zip(np.repeat(np.arange(graph.size), graph.outdegrees()).tolist(), graph.targets.tolist(), strict=True))


@pytest.mark.parametrize("exponent", [2.1, 2.72])
def test_numbers_follow_their_law(exponent):
    numbers = power_law_numbers(exponent, 50)(NODES, np.random.default_rng(3))
    counts = np.bincount(numbers, minlength=51)
    assert counts[0] == 0
    assert len(counts) == 51
    for count, p in zip(counts[1:], law(exponent, 50), strict=True):
        assert_count(count, NODES, p, slack=1)


@pytest.mark.parametrize("model", ["power-law", "power-law-out", "correlated"])
def test_indegrees_are_a_power_law_of_exponent_2_1(model):
    p = law(2.1, NODES // 10)
    found = indegrees(draw(model))
    assert found.max() <= NODES // 10
    # A link is dropped when its source is drawn again (hubs are, where sources are weighted) or is the page itself.
    dropped = {"power-law": 0.001, "power-law-out": 0.001, "correlated": 0.01}[model]
    for n in range(1, 6):
        assert_count((found == n).sum(), NODES, p[n - 1], slack=dropped * NODES * p[n - 1] * n)
    for n in (10, 100):
        assert_count((found >= n).sum(), NODES, p[n - 1 :].sum(), slack=NODES * p[n - 1] * (1 + 0.1 * n))


@pytest.mark.parametrize("seed", range(5))
def test_web_of_100_000_pages_is_that_of_the_paper(seed):
    graph = draw("power-law", seed=seed)
    p = law(2.1, NODES // 10)
    n = np.arange(1, NODES // 10 + 1)
    mean = p @ n
    assert len(graph.targets) / NODES == pytest.approx(mean, abs=5 * np.sqrt((p @ n**2 - mean**2) / NODES))
    assert_count(len(graph.dangling()), NODES, np.exp(-len(graph.targets) / NODES))


def test_uniform_sources_make_poisson_outdegrees():
    graph = draw("power-law")
    counts = np.bincount(graph.outdegrees(), minlength=20)
    for out in range(20):
        assert_count(counts[out], NODES, stats.poisson.pmf(out, len(graph.targets) / NODES), slack=1)


def test_weighted_sources_make_outdegrees_of_exponent_2_72():
    """A page of weight w has Poisson(c w) links: c links a unit of weight."""
    graph = draw("power-law-out")
    p, w = law(2.72, NODES // 10), np.arange(1, NODES // 10 + 1)
    # The sum of the drawn weights, and with it the scale, is about 1 % off what is expected of it.
    scale = len(graph.targets) / NODES / (p @ w)
    for least in (1, 2, 5, 10, 20, 50):
        tail = p @ stats.poisson.sf(least - 1, scale * w)
        assert_count((graph.outdegrees() >= least).sum(), NODES, tail, slack=0.01 * NODES * tail)


def test_correlated_outdegree_is_on_average_the_indegree():
    graph = draw("correlated")
    found, out = indegrees(graph), graph.outdegrees()
    for n in range(1, 8):
        group = out[found == n]
        assert group.mean() == pytest.approx(n, rel=0.03, abs=5 * np.sqrt(n / len(group)))


def test_poisson_indegrees_and_outdegrees():
    graph = poisson(NODES, np.random.default_rng(1), mean=3.0)
    for degrees in (indegrees(graph), graph.outdegrees()):
        counts = np.bincount(degrees, minlength=12)
        for n in range(12):
            assert_count(counts[n], NODES, stats.poisson.pmf(n, 3.0), slack=3)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("nodes", [10, 57, 3000])
def test_rows_are_sorted_and_have_neither_repeats_nor_links_to_oneself(model, nodes):
    graph = draw(model, nodes)
    assert (graph.indptr.dtype, graph.targets.dtype, graph.size) == (np.int64, np.int32, nodes)
    for page in range(nodes):
        row = graph.targets[graph.indptr[page] : graph.indptr[page + 1]].tolist()
        assert row == sorted(set(row) - {page})
    assert indegrees(graph).max() <= (max(1, nodes // 10) if model != "poisson" else nodes)


@pytest.mark.parametrize("model", MODELS)
def test_seed_decides_the_web(model):
    one, same, other = (draw(model, 2000, seed) for seed in (1, 1, 2))
    assert one.indptr.tolist() == same.indptr.tolist()
    assert one.targets.tolist() == same.targets.tolist()
    assert pairs(one) != pairs(other)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda rng: generate("star", 100, rng),
            "the model is one of power-law, power-law-out, correlated, poisson, not 'star'",
        ),
        (
            lambda rng: power_law(100, rng, "zipf"),
            "outdegrees is one of uniform, power-law, correlated, not 'zipf'",
        ),
        (lambda rng: power_law(9, rng), "nodes must be from 10 to 2147483647, not 9"),
        (lambda rng: poisson(-1, rng), "nodes must be from 10 to 2147483647, not -1"),
        (lambda rng: generate("correlated", 2**31, rng), "nodes must be from 10 to 2147483647, not 2147483648"),
        (lambda rng: poisson(10, rng, 0.0), "mean must be above 0 and below the 10 pages, not 0.0"),
        (lambda rng: poisson(10, rng, 10), "mean must be above 0 and below the 10 pages, not 10"),
        (lambda rng: poisson(10, rng, float("nan")), "mean must be above 0 and below the 10 pages, not nan"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, message):
    with pytest.raises(SettingError) as error:
        wrong(np.random.default_rng(1))
    assert str(error.value) == message
