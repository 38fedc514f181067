"""What the trees are shown, and what they make of it."""

import numpy as np
import pytest

from minicrawl.lab import frontiers
from minicrawl.lab.batches import Known, links_of
from minicrawl.lab.generate import power_law
from minicrawl.lab.learnt_order import features, learnt
from minicrawl.lab.orders import draw_seeds
from minicrawl.rank import Graph, pagerank

pytestmark = pytest.mark.slow  # all of them wait for compiled loops


@pytest.mark.parametrize("seed", range(4))
def test_features_are_counted_from_what_is_known(seed: int) -> None:
    draw = np.random.default_rng(seed)
    links = [[int(t) for t in draw.permutation(30)[: draw.integers(0, 6)] if t != page] for page in range(30)]
    hosts, ranks = draw.integers(0, 4, 30), draw.random(30)
    read = draw.permutation(30)[:8].tolist()
    known = list(dict.fromkeys(read + [target for page in read for target in links[page]]))
    found = np.full(30, -1, dtype=np.int32)
    found[known] = np.arange(len(known))
    visited = np.isin(np.arange(30), read)
    seen = features(Known(links_of(Graph.from_links(links), visited), found, visited), hosts, ranks)
    for page in known:
        linking = [each for each in read if page in links[each]]
        own = [each for each in linking if hosts[each] == hosts[page]]
        of_host = [each for each in known if hosts[each] == hosts[page]]
        read_there = [each for each in of_host if each in read]
        mean = sum(ranks[each] for each in read_there) / max(1, len(read_there))
        expected = [
            len(linking),
            len(linking) - len(own),
            sum(1 / len(links[each]) for each in own),
            sum(1 / len(links[each]) for each in linking if each not in own),
            ranks[page] * len(known),
            known.index(page) / len(known),
            len(of_host),
            len(read_there),
            mean * len(known),
            ranks[page] / max(mean, 1e-300),
        ]
        assert seen[page].tolist() == pytest.approx(expected, abs=1e-12)


def test_trees_tell_important_pages_of_the_web_they_learnt_from() -> None:
    rng = np.random.default_rng(1)
    graph = power_law(2000, rng)
    importance, hosts = pagerank(graph), np.arange(graph.size) // 100
    orders = [frontiers.greedy(graph, draw_seeds(graph, 10, rng)) for _ in range(2)]
    trees = learnt(graph, hosts, importance, orders[:1])
    visited = np.zeros(graph.size, dtype=np.bool_)
    visited[orders[1][:500]] = True
    found = np.full(graph.size, -1, dtype=np.int32)
    known = np.union1d(orders[1][:500], links_of(graph, visited).targets)
    found[known] = np.arange(len(known))
    waiting = known[~visited[known]]
    seen = Known(links_of(graph, visited), found, visited)
    ranks = pagerank(seen.graph, preference=seen.pages.astype(np.float64))
    predicted = trees.predicted(features(seen, hosts, ranks)[waiting])
    assert np.corrcoef(predicted, np.log(importance[waiting]))[0, 1] > 0.5


def test_crawls_that_leave_nothing_waiting_teach_nothing() -> None:
    graph = Graph.from_links([[1], []])
    trees = learnt(graph, np.zeros(2, dtype=np.int64), np.ones(2), [np.array([0, 1], dtype=np.int32)])
    assert len(trees.predicted(np.zeros((3, 10)))) == 3
