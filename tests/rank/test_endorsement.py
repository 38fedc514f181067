"""Figures of how well a ranking finds endorsed pages, against answers that can be derived and every order tried."""

import itertools
import math
import random
from statistics import fmean

import numpy as np
import pytest

from minicrawl.rank import Graph
from minicrawl.rank.compare import competition_ranks
from minicrawl.rank.endorsement import EndorsedSite, area, endorsements, mean_interval, ndcg, precision
from minicrawl.rank.pagerank import FloatArray


def array(*numbers: float) -> FloatArray:
    return np.array(numbers, dtype=np.float64)


def slow_area(values: list[float], gains: list[float]) -> float:
    """Pair by pair."""
    pages = list(zip(values, gains, strict=True))
    pairs = itertools.product([value for value, gain in pages if gain], [value for value, gain in pages if not gain])
    return fmean(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs)


def orders(values: list[float]) -> list[tuple[int, ...]]:
    """Every order of the pages in which none stands before one with more."""
    pages = itertools.permutations(range(len(values)))
    return [order for order in pages if all(values[a] >= values[b] for a, b in itertools.pairwise(order))]


def slow_dcg(gains: list[float], first: int) -> float:
    return sum(gain / math.log2(1 + position) for position, gain in enumerate(gains[:first], 1))


def slow_ndcg(values: list[float], gains: list[float], first: int) -> float:
    best = slow_dcg(sorted(gains, reverse=True), first)
    return fmean(slow_dcg([gains[page] for page in order], first) / best for order in orders(values))


def slow_precision(values: list[float], gains: list[float], first: int) -> float:
    return fmean(fmean(gains[page] > 0 for page in order[:first]) for order in orders(values))


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_the_mean_over_all_orders_of_tied_pages(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(2, 7)
    values = [float(rng.randrange(1, 4)) for _ in range(n)]
    gains = [float(rng.choice([0, 0, 1, 2])) for _ in range(n)]
    gains[0], gains[-1] = 1.5, 0.0  # some are endorsed, some are not
    assert area(array(*values), array(*gains)) == pytest.approx(slow_area(values, gains))
    for first in (1, 2, n, 20):
        assert ndcg(array(*values), array(*gains), first) == pytest.approx(slow_ndcg(values, gains, first))
        assert precision(array(*values), array(*gains), first) == pytest.approx(slow_precision(values, gains, first))


def test_figures_of_a_ranking_that_is_perfect_reversed_or_none() -> None:
    gains = array(3, 2, 1, 0, 0, 0)
    perfect = array(6, 5, 4, 3, 2, 1)
    assert [figure(perfect, gains) for figure in (area, ndcg)] == [1.0, 1.0]
    assert precision(perfect, gains, 3) == 1.0
    assert precision(perfect, gains) == 0.5  # of six pages there are no first twenty
    assert area(perfect[::-1], gains) == 0.0
    assert precision(perfect[::-1], gains, 3) == 0.0
    assert area(np.ones(6), gains) == 0.5
    assert precision(np.ones(6), gains, 3) == 0.5


def test_gain_comes_sooner_when_the_page_that_most_link_to_is_first() -> None:
    """DCG of 1, 3 is 1 + 3 / log2 3; the best is 3 + 1 / log2 3."""
    log = math.log2(3)
    assert ndcg(array(2, 1), array(1, 3)) == pytest.approx((1 + 3 / log) / (3 + 1 / log))
    assert area(array(3, 2, 1), array(1, 3, 0)) == area(array(2, 3, 1), array(1, 3, 0)) == 1.0


def test_last_digits_do_not_part_what_is_tied() -> None:
    """.1 + .2 and .3 are not the same to the machine, and the same here."""
    assert competition_ranks(array(0.3, 0.5, 0.1 + 0.2, 0.1)).tolist() == [2, 1, 2, 4]
    assert area(array(0.3, 0.1 + 0.2), array(1, 0)) == 0.5


@pytest.mark.parametrize("gains", [[], [0.0, 0.0], [1.0, 2.0]])
def test_where_there_is_nothing_to_tell_apart_there_is_no_area(gains: list[float]) -> None:
    values = array(*range(1, len(gains) + 1))
    assert math.isnan(area(values, array(*gains)))
    assert math.isnan(ndcg(values, array(*gains))) == (sum(gains) == 0)
    assert math.isnan(precision(values, array(*gains))) == (not gains)


def test_gain_of_a_page_grows_with_the_logarithm_of_the_sites_that_link_to_it() -> None:
    linking, none = np.array([0, 1, 7]), np.zeros(0, dtype=np.int64)
    site = EndorsedSite("a.test", ("/",) * 3, Graph.from_links([[], [], []]), np.zeros(0, np.uint8), linking, none)
    assert site.gains().tolist() == [0.0, 1.0, 3.0]
    assert site.endorsed() == 2


def test_interval_of_two_sites_is_derived() -> None:
    """Two draws of 0 or 1 have the means 0, .5 and 1 with probabilities 1/4, 1/2 and 1/4."""
    rng = np.random.default_rng(0)
    assert mean_interval(array(0, 1), rng) == (0.5, 0.0, 1.0)
    assert mean_interval(array(0, 1), rng, level=0.4) == (0.5, 0.5, 0.5)


def test_interval_is_that_of_the_normal_distribution_where_sites_are_many() -> None:
    """The mean of m draws of spread s has the spread s / sqrt(m); 95 % lie within 1.96 of it."""
    differences = np.random.default_rng(1).normal(0.02, 0.1, size=400)
    mean, low, high = mean_interval(differences, np.random.default_rng(2))
    spread = differences.std() / math.sqrt(len(differences))
    assert mean == differences.mean()
    assert (high - low) / (2 * 1.96 * spread) == pytest.approx(1.0, abs=0.05)
    assert (low + high) / 2 == pytest.approx(mean, abs=0.1 * spread)


def test_interval_of_one_seed_is_the_same_and_of_equal_sites_a_point() -> None:
    differences = array(0.1, -0.2, 0.4)
    one, two, other = (mean_interval(differences, np.random.default_rng(seed), draws=50) for seed in (1, 1, 2))
    assert one == two
    assert one != other
    assert mean_interval(array(0.25, 0.25), np.random.default_rng(0)) == (0.25, 0.25, 0.25)
    with pytest.raises(ValueError, match="at least one"):
        mean_interval(array(), np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(5))
def test_a_site_has_one_voice_for_a_page_and_none_where_it_links_to_many(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, links, most = int(rng.integers(1, 30)), int(rng.integers(0, 80)), int(rng.integers(1, 6))
    site = rng.integers(4, size=n)
    linking, pages = rng.integers(5, size=links), rng.integers(n, size=links)
    linked: dict[tuple[int, int], set[int]] = {}
    for one, page in zip(linking.tolist(), pages.tolist(), strict=True):
        linked.setdefault((one, int(site[page])), set()).add(page)
    slow = [sum(page in of and len(of) <= most for of in linked.values()) for page in range(n)]
    generated = [[*pair, len(of)] for pair, of in sorted(linked.items()) if len(of) > most]
    found = endorsements(linking, pages, site, most)
    assert found.linking.tolist() == slow
    assert found.generated.tolist() == generated
