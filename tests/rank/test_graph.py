"""The links of a graph as two arrays, and what follows from them."""

import random

import numpy as np
import pytest

from minicrawl.rank import Graph
from minicrawl.rank.graph import linking_domains

LINKS = [[2, 1], [], [0, 0], [3]]


def test_links_keep_their_order() -> None:
    graph = Graph.from_links(LINKS)
    assert (graph.indptr.tolist(), graph.targets.tolist()) == ([0, 2, 2, 4, 5], [2, 1, 0, 0, 3])
    assert (graph.size, graph.outdegrees().tolist(), graph.dangling().tolist()) == (4, [2, 0, 2, 1], [1])
    assert graph.sources().tolist() == [0, 0, 2, 2, 3]


def test_pages_that_a_mapping_leaves_out_have_no_links() -> None:
    assert Graph.from_links({2: [0]}, size=4).indptr.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("stray", [-1, 4])
def test_link_that_leaves_the_graph_is_refused(stray: int) -> None:
    with pytest.raises(ValueError, match="the pages of a graph of size 4 are 0 to 3"):
        Graph.from_edges(np.array([0]), np.array([stray]), 4)


def test_walker_takes_each_link_alike_or_by_weight() -> None:
    graph, start = Graph.from_links([[1, 2], [2], []]), np.array([1.0, 0.0, 0.0])
    assert (graph.transition() @ start).tolist() == [0.0, 0.5, 0.5]
    assert (graph.transition(np.array([1.0, 3.0, 1.0])) @ start).tolist() == [0.0, 0.25, 0.75]
    assert (graph.transition(np.array([0.0, 0.0, 1.0])) @ start).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("weights", [[1.0], [1.0, 1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0, float("nan")]])
def test_weights_that_cannot_be_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights must be 5 numbers, one per link, none negative"):
        Graph.from_links(LINKS).transition(np.array(weights))


def random_web(seed: int, n: int = 40, sites: int = 6) -> tuple[list[list[int]], list[int]]:
    """Links of every page, some listed twice, and the site of every page."""
    rng = random.Random(seed)
    links = [[rng.randrange(n) for _ in range(rng.randrange(7))] for _ in range(n)]
    return links, [rng.randrange(sites) for _ in range(n)]


@pytest.mark.parametrize("seed", range(4))
def test_a_domain_has_one_voice_however_many_hosts_it_has(seed: int) -> None:
    """Pages of nine hosts, three to a domain."""
    links, host = random_web(seed, sites=9)
    domain = [host // 3 for host in host]
    voices = {
        (domain[page], host[target])
        for page, targets in enumerate(links)
        for target in targets
        if domain[page] != domain[target]
    }
    expected = [sum(to == host for _, to in voices) for host in range(9)]
    graph = Graph.from_links(links)
    assert linking_domains(graph, np.array(host), np.array(domain), 9).tolist() == expected


def test_numbers_beyond_32_bits_do_not_collide() -> None:
    """Of 100,000 sites the last links to the one before."""
    site = np.array([99_999, 99_998], dtype=np.int32)
    assert linking_domains(Graph.from_links([[1], []]), site, site, 100_000)[99_998] == 1
