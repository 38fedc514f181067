"""Trust of sites, doors and jumps: closed forms, and loops that do what the formulas say."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic.sites.trust import (
    VOUCHES,
    door_weights,
    first_half,
    fixed_point,
    jump,
    link_shares,
    returns,
    site_trust,
    voice_counts,
    vouchers,
)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_solution_of_the_linear_system_in_fewer_steps_than_repeating_takes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = rng.random((50, 50)) ** 8
    m *= 0.85 / m.sum(axis=0)
    p = np.full(50, 1 / 50)
    steps = 0

    def step(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        nonlocal steps
        steps += 1
        return m @ x + 0.15 * p

    exact = np.linalg.solve(np.eye(50) - m, 0.15 * p)
    found = fixed_point(step, p, 1e-12)
    assert np.abs(found - exact).sum() == pytest.approx(0.0, abs=1e-11)
    assert steps < np.log(1e-12) / np.log(0.85) / 2
    assert found.sum() == pytest.approx(1.0)


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


@given(graphs_of_sites(), st.sampled_from([0.5, 0.7, 0.85]), st.sampled_from([0.05, 0.2, 1.0]))
def test_trust_is_what_the_formulas_say(
    graph: tuple[dict[tuple[int, int], int], list[int]], damping: float, kappa: float
) -> None:
    links, roots = graph
    found = trust(links, roots, damping=damping, kappa=kappa)
    assert found == pytest.approx(slow_trust(links, roots, damping, kappa), abs=1e-9)
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
    site = np.array([0, 0, 0, 1, 2])
    links = [(1, 0), (1, 0), (2, 0), (0, 0), (1, 1), (3, 1), (4, 1), (0, 3)]
    linking, pages = np.array(links).T
    entrances = np.array([True, False, True, False, True])
    doors = door_weights(voice_counts(linking, pages, site), entrances)
    assert doors == pytest.approx([1 + math.log2(3), 2, 1, 1, 1])


def test_links_to_more_than_a_hundred_pages_of_a_site_are_generated() -> None:
    site = np.array([0] * 101 + [1])
    linking, pages = np.full(101, 1), np.arange(101)
    assert voice_counts(linking, pages, site).sum() == 0
    assert voice_counts(linking[1:], pages[1:], site).sum() == 100
    assert voice_counts(np.full(101, 2), pages, site).sum() == 0
    assert voice_counts(linking[:0], pages[:0], site).sum() == 0


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


@given(st.data())
def test_jump_is_what_the_formula_says(data: st.DataObject) -> None:
    pages, sites = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 4))
    site = np.array(data.draw(st.lists(st.integers(0, sites - 1), min_size=pages, max_size=pages)))
    doors = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=pages, max_size=pages)))
    standing = np.array(data.draw(st.lists(st.booleans(), min_size=pages, max_size=pages)))
    t = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.2, 1.0]), min_size=sites, max_size=sites)))
    m = data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    v = jump(t, site, doors, standing, m)
    there = [s for s in range(sites) if (standing & (site == s)).any()]
    whole = sum(t[s] for s in there)
    expected = [0.0] * pages
    for s in there:
        own = [p for p in range(pages) if standing[p] and site[p] == s]
        opened = sum(doors[p] for p in own)
        for p in own:
            share = (1 - m) / len(own) + m * doors[p] / opened if opened else 1 / len(own)
            expected[p] = t[s] / whole * share if whole else 0.0
    assert v == pytest.approx(expected)
    assert v.sum() == pytest.approx(1.0 if whole else 0.0)


@pytest.mark.parametrize(
    "options",
    [
        {"damping": 1.0},
        {"kappa": -0.1},
        {"tolerance": 0.0},
        {"roots": [0, 0]},
        {"start": np.array([-1.0, 2.0])},
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any]) -> None:
    name = next(iter(options))
    with pytest.raises(ValueError, match=name):
        trust({(0, 1): 1}, options.pop("roots", [1, 0]), **options)
