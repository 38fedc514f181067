"""Trust of sites, doors and jumps: closed forms, and loops that do what the formulas say."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic.sites import (
    VOUCHES,
    door_weights,
    first_half,
    link_shares,
    returns,
    site_trust,
    vouchers,
)


def trust(links: dict[tuple[int, int], int], roots: list[int], **options: Any) -> npt.NDArray[Any]:
    """links: {(source, target): number}. roots: of every site."""
    sources, targets = np.array(list(links), dtype=np.int64).reshape(-1, 2).T
    counts = np.array(list(links.values()), dtype=np.int64)
    return site_trust(sources, targets, counts, np.array(roots), len(roots), **{"tolerance": 1e-12} | options)


def slow_trust(links: dict[tuple[int, int], int], roots: list[int], damping: float, kappa: float) -> list[float]:
    """The same by the formulas, site by site, three hundred times."""
    size, whole = len(roots), sum(roots)
    weights = {pair: math.log2(1 + count) for pair, count in links.items() if pair[0] != pair[1]}
    total = [sum(weight for (a, _), weight in weights.items() if a == site) for site in range(size)]
    w = {(a, b): weight / total[a] for (a, b), weight in weights.items() if total[a]}

    def settled(passed: list[float], steps: int) -> list[float]:
        t = [root / whole for root in roots]
        for _ in range(steps):
            got = [0.0] * size
            for (a, b), share in w.items():
                got[b] += damping * share * t[a] * passed[a]
            t = [here + (1 - sum(got)) * root / whole for here, root in zip(got, roots, strict=True)]
        return t

    before = np.mean([settled([1.0] * size, steps) for steps in range(4)], axis=0).tolist()
    first = np.argsort(-np.array(before).round(12), kind="stable").tolist()
    half = [site for place, site in enumerate(first) if sum(before[each] for each in first[:place]) < 0.5 - 1e-9]
    goals = [site for site in range(size) if before[site] >= before[half[-1]] * (1 - 1e-9)]
    u = [0.0] * size
    for _ in range(3):
        u = [damping * sum(w.get((a, b), 0) * (1 if b in goals else u[b]) for b in range(size)) for a in range(size)]
    return settled([each / (each + kappa) for each in u], 300)


@st.composite
def graphs_of_sites(draw: Callable[..., Any]) -> tuple[dict[tuple[int, int], int], list[int]] | None:
    size = draw(st.integers(1, 7))
    site = st.integers(0, size - 1)
    links = draw(st.dictionaries(st.tuples(site, site), st.integers(1, 300), max_size=20))
    roots = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    return links, roots


@given(graphs_of_sites(), st.sampled_from([0.05, 0.2, 1.0]))
def test_trust_is_what_the_formulas_say(graph: tuple[dict[tuple[int, int], int], list[int]], kappa: float) -> None:
    links, roots = graph
    found = trust(links, roots, kappa=kappa)
    assert found == pytest.approx(slow_trust(links, roots, 0.85, kappa), abs=1e-9)
    assert found.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("kappa", [0.0, 0.05, 0.2])
def test_two_sites_that_link_to_each_other_have_a_closed_form(kappa: float) -> None:
    """The root is the only goal: it has 57 % at first. u is d at 1, which links to it, and d^2 there."""
    d = 0.85
    t = trust({(0, 1): 3, (1, 0): 100}, [1, 0], kappa=kappa)
    passed = d * d**2 / (d**2 + kappa)
    # What site 1 has comes back by its link or by the jump, all of it.
    assert t == pytest.approx([1 / (1 + passed), passed / (1 + passed)])


def test_links_by_the_thousand_say_ten_times_as_much_as_one() -> None:
    t = trust({(0, 1): 1, (0, 2): 1023}, [1, 0, 0], kappa=0.0)
    assert t[2] == pytest.approx(10 * t[1])


@pytest.mark.parametrize("farm", [1, 10, 100])
def test_a_site_from_which_nobody_comes_back_passes_nothing_on(farm: int) -> None:
    """The farm's domains link to each other, and one honest site to the first of them."""
    ring = {(2 + i, 2 + (i + 1) % farm): 5 for i in range(farm) if farm > 1}
    links = {(0, 1): 9, (1, 0): 9, (1, 2): 1} | ring
    roots = [1, 0] + [0] * farm
    assert trust(links, roots)[3:].sum() == 0.0
    assert farm == 1 or trust(links, roots, kappa=0.0)[3:].sum() > 0.1


@pytest.mark.parametrize("sites", [1, 7, 100])
def test_sites_alike_vouch_in_full_and_a_farm_as_far_as_its_share(sites: int) -> None:
    alike = np.full(sites, 1 / sites)
    assert vouchers(alike) == pytest.approx(1.0)
    found = vouchers(np.concatenate([0.99 * alike, np.full(10_000, 0.01 / 10_000), [0.0]]))
    assert found[:sites] == pytest.approx(1.0)
    assert found[sites:].sum() < 0.01 / VOUCHES * 1.2 * sites


def test_trust_from_where_it_was_is_the_same() -> None:
    rng = np.random.default_rng(0)
    sources, targets = np.unique(rng.integers(0, 200, (2000, 2)), axis=0).T
    links, roots = rng.integers(1, 50, len(sources)), rng.random(200) < 0.1
    exact = site_trust(sources, targets, links, roots, 200, tolerance=1e-12)
    warm = site_trust(sources, targets, links, roots, 200, start=exact + rng.random(200) * 1e-4)
    assert np.abs(warm - exact).sum() < 1e-6


def test_a_walk_to_a_goal_three_links_away_is_as_sure_as_three_steps_on() -> None:
    sources, targets = np.array([0, 1, 2, 0]), np.array([1, 2, 3, 4])
    shares = link_shares(sources, targets, np.array([1, 1, 1, 1]), 5)
    goals = np.arange(5) == 3
    assert returns(sources, targets, shares / 2, goals).tolist() == [0.0625, 0.25, 0.5, 0.0, 0.0]
    assert returns(sources, targets, shares / 2, goals, walk=2)[0] == 0.0


def test_a_page_is_a_door_by_the_sites_that_link_to_it() -> None:
    doors = door_weights(np.array([2, 1, 0, 1, 0]), np.array([True, False, True, False, True]))
    assert doors == pytest.approx([1 + math.log2(3), 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("trust", "expected"),
    [
        ([0.25] * 4, [True] * 4),
        ([0.125, 0.25, 0.25, 0.125, 0.25], [False, True, True, False, True]),
        ([0.3, 0.2 + 1e-16, 0.2, 0.1, 0.2], [True, True, True, False, True]),
        ([0.2, 0.5 - 1e-16, 0.2, 0.1], [False, True, False, False]),
        ([0.2, 0.5 + 1e-16, 0.2, 0.1], [False, True, False, False]),
    ],
)
def test_first_half_is_the_same_whatever_the_numbers_of_sites(trust: list[float], expected: list[bool]) -> None:
    assert first_half(np.array(trust)).tolist() == expected
    assert first_half(np.array(trust[::-1])).tolist() == expected[::-1]
