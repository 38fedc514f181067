"""Synthetic webs have the degrees their laws say. Bounds are five standard deviations of the count they bound."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from support.link_webs import cycle, ends

from minicrawl.lab.webs import MODELS, Evolving, poisson, power_law_numbers
from minicrawl.rank import Graph

NODES = 100_000


def law(exponent: float, largest: int) -> npt.NDArray[Any]:
    """P(n) for n = 1..largest."""
    weight = np.array([n**-exponent for n in range(1, largest + 1)])
    return np.asarray(weight / weight.sum())


def draw(model: str, nodes: int = NODES, seed: int = 1) -> Graph:
    return MODELS[model](nodes, np.random.default_rng(seed))


def indegrees(graph: Graph) -> npt.NDArray[Any]:
    return np.bincount(graph.targets, minlength=graph.size)


def assert_count(found: int, trials: int, p: float, slack: float = 0.0) -> None:
    """`found` of `trials` independent tries of probability p hit, give or take five standard deviations."""
    assert abs(found - trials * p) <= 5 * np.sqrt(trials * p * (1 - p)) + slack


@pytest.mark.parametrize("exponent", [2.1, 2.72])
def test_numbers_follow_their_law(exponent: float) -> None:
    numbers = power_law_numbers(NODES, exponent, 50, np.random.default_rng(3))
    counts = np.bincount(numbers, minlength=51)
    assert counts[0] == 0
    assert len(counts) == 51
    for count, p in zip(counts[1:], law(exponent, 50), strict=True):
        assert_count(count, NODES, p, slack=1)


def test_indegrees_are_a_power_law_of_exponent_2_1() -> None:
    p = law(2.1, NODES // 10)
    found = indegrees(draw("power-law"))
    assert found.max() <= NODES // 10
    dropped = 0.001  # A link is dropped when its source is drawn again or is the page itself.
    for n in range(1, 6):
        assert_count((found == n).sum(), NODES, p[n - 1], slack=dropped * NODES * p[n - 1] * n)
    for n in (10, 100):
        assert_count((found >= n).sum(), NODES, p[n - 1 :].sum(), slack=NODES * p[n - 1] * (1 + 0.1 * n))


def test_uniform_sources_make_poisson_outdegrees() -> None:
    graph = draw("power-law")
    counts = np.bincount(graph.outdegrees(), minlength=20)
    for out in range(20):
        assert_count(counts[out], NODES, stats.poisson.pmf(out, len(graph.targets) / NODES), slack=1)


def test_poisson_indegrees_and_outdegrees() -> None:
    graph = poisson(NODES, np.random.default_rng(1), mean=3.0)
    for degrees in (indegrees(graph), graph.outdegrees()):
        counts = np.bincount(degrees, minlength=12)
        for n in range(12):
            assert_count(counts[n], NODES, stats.poisson.pmf(n, 3.0), slack=3)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("nodes", [10, 57, 3000])
def test_rows_are_sorted_and_have_neither_repeats_nor_links_to_oneself(model: str, nodes: int) -> None:
    graph = draw(model, nodes)
    assert (graph.indptr.dtype, graph.targets.dtype, graph.size) == (np.dtype(np.int64), np.dtype(np.int32), nodes)
    assert all(source != target for source, target in links_of(graph))
    assert indegrees(graph).max() <= (max(1, nodes // 10) if model != "poisson" else nodes)


@pytest.mark.parametrize("model", MODELS)
def test_seed_decides_the_web(model: str) -> None:
    one, same, other = (draw(model, 2000, seed) for seed in (1, 1, 2))
    assert one.indptr.tolist() == same.indptr.tolist()
    assert one.targets.tolist() == same.targets.tolist()
    assert one.targets.tolist() != other.targets.tolist()


def web(nodes: int = 300, seed: int = 1, model: str = "power-law") -> Evolving:
    rng = np.random.default_rng(seed)
    return Evolving(MODELS[model](nodes, rng), rng)


def links_of(graph: Graph) -> set[tuple[int, int]]:
    """Links as pairs, which rise, so that none is there twice."""
    links = ends(graph)
    assert links == sorted(set(links))
    return set(links)


def sources(links: set[tuple[int, int]], page: int) -> set[int]:
    return {source for source, target in links if target == page}


def complete(size: int) -> Graph:
    """Every page links to every other."""
    return Graph.from_links([[target for target in range(size) if target != page] for page in range(size)])


def assert_sound(evolving: Evolving, links: set[tuple[int, int]]) -> None:
    assert all(source != target and max(source, target) < evolving.size for source, target in links)
    assert evolving.graph().size == evolving.size


def test_one_change_halves_or_doubles_one_indegree_and_touches_nothing_else() -> None:
    """Also among pages that came later."""
    evolving = web(290)
    evolving.come(10)
    before = links_of(evolving.graph())
    outcomes = set()
    for _ in range(300):
        (page,) = evolving.change(1).tolist()
        after = links_of(evolving.graph())
        assert {link for link in before ^ after if link[1] != page} == set()
        old, new = sources(before, page), sources(after, page)
        if len(new) > len(old):
            assert old < new
            assert len(new) == min(2 * len(old), 299)
            outcomes.add("doubled")
        else:
            assert new <= old
            assert len(new) in {len(old) // 2, len(old) - len(old) // 2} or len(new) == len(old) == 299
            outcomes.add("halved" if len(new) < len(old) else "kept")
        assert_sound(evolving, after)
        before = after
    assert outcomes == {"doubled", "halved", "kept"}


def test_pages_are_drawn_uniformly_and_the_coin_is_fair() -> None:
    """In a ring all pages have 1 inlink, a doubled one has 2, half of the halved ones have none.

    Bounds are five standard deviations.
    """
    rng = np.random.default_rng(2)
    drawn_times, tossed, doubled, emptied = np.zeros(1000), 0, 0, 0
    for _ in range(100):
        evolving = Evolving(Graph.from_links(cycle(1000)), rng)
        times = np.bincount(evolving.change(100), minlength=1000)
        indegree = np.bincount(evolving.graph().targets, minlength=1000)
        assert (indegree[times == 0] == 1).all()
        assert np.isin(indegree[times == 1], (0, 1, 2)).all()
        tossed += (times == 1).sum()
        doubled += (indegree[times == 1] == 2).sum()
        emptied += (indegree[times == 1] == 0).sum()
        drawn_times += times
    assert abs(doubled - tossed / 2) <= 5 * np.sqrt(tossed) / 2
    assert abs(emptied - tossed / 4) <= 5 * np.sqrt(tossed * 3 / 16)
    assert abs(drawn_times - 10).max() <= 5 * np.sqrt(10)


def test_new_inlinks_come_from_every_stranger_alike() -> None:
    """In a ring of 21, a new source is each page equally often, and 2 to 20 pages behind its target equally often."""
    rng = np.random.default_rng(4)
    distances, pages = np.zeros(21), np.zeros(21)
    for _ in range(300):
        evolving = Evolving(Graph.from_links(cycle(21)), rng)
        evolving.change(12)
        links = links_of(evolving.graph())
        for page in range(21):
            behind = {(page - source) % 21 for source in sources(links, page)}
            if len(behind) == 2 and 1 in behind:
                (distance,) = behind - {1}
                distances[distance] += 1
                pages[(page - distance) % 21] += 1
    total = pages.sum()
    assert total > 500
    assert distances[:2].tolist() == [0, 0]
    assert abs(distances[2:] - total / 19).max() <= 5 * np.sqrt(total / 19)
    assert abs(pages - total / 21).max() <= 5 * np.sqrt(total / 21)


def test_doubling_stops_when_everyone_links() -> None:
    evolving = Evolving(complete(7), np.random.default_rng(1))
    for _ in range(100):
        evolving.change(5)
        assert_sound(evolving, links_of(evolving.graph()))


def test_new_pages_get_new_numbers_and_only_their_own_links() -> None:
    evolving = web(200)
    before, mean = links_of(evolving.graph()), len(evolving.graph().targets) / 200
    evolving.come(2000)
    after = links_of(evolving.graph())
    assert evolving.size == 2200
    assert_sound(evolving, after)
    added = after - before
    assert before <= after
    assert all((source >= 200) != (target >= 200) for source, target in added)
    into = np.bincount([target for _, target in added if target >= 200], minlength=2200)[200:]
    assert (into.min(), into.max() <= 20) == (1, True)
    p = law(2.1, 20)  # of two sources of 200, drawn with replacement, both are the same in 1 page of 200
    assert_count((into == 1).sum(), 2000, p[0] + p[1] / 200, slack=1)
    out = sum(source >= 200 for source, _ in added)
    assert abs(out - 2000 * mean) <= 5 * np.sqrt(2000 * mean) + 2000 * mean**2 / 2 / 200


def test_links_to_oneself_and_repeats_of_the_first_graph_are_dropped() -> None:
    evolving = Evolving(Graph.from_links([[1, 0, 1], [0]]), np.random.default_rng(1))
    assert links_of(evolving.graph()) == {(0, 1), (1, 0)}


def test_first_graph_stays_as_it_was() -> None:
    graph = MODELS["power-law"](100, np.random.default_rng(1))
    links = links_of(graph)
    evolving = Evolving(graph, np.random.default_rng(1))
    kept = evolving.graph()
    evolving.change(50)
    evolving.come(5)
    assert links_of(graph) == links_of(kept) == links
