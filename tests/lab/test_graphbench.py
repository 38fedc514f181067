"""Algorithms that follow a graph as it grows, held to scipy after every single insertion."""

import numpy as np
import pytest

from minicrawl.lab import graphbench
from minicrawl.lab.graphbench import (
    FAR,
    Closure,
    Insertions,
    Merged,
    Trees,
    complete,
    cubic,
    exact_components,
    exact_distances,
    growing_steps,
    insert_by_matrix,
    insert_by_trees,
    no_links,
    random_sparse,
)
from minicrawl.rank import Graph

SEQUENCES = [
    complete(9, np.random.default_rng(0)),
    cubic(12),
    *(random_sparse(14, np.random.default_rng(s)) for s in range(4)),
]


@pytest.fixture(params=SEQUENCES, ids=lambda sequence: f"{sequence.name} {len(sequence.links)}")
def sequence(request: pytest.FixtureRequest) -> Insertions:
    return request.param


def test_distances_are_right_after_every_insertion(sequence: Insertions) -> None:
    matrix, trees, updates = no_links(sequence.size), Trees.of(sequence.size), 0
    for count in range(len(sequence.links)):
        link = sequence.links[count : count + 1]
        before, exact = matrix.copy(), exact_distances(sequence.graph(count + 1))
        insert_by_matrix(matrix, link)
        assert (matrix == exact).all()
        updates = insert_by_trees(trees, link)
        assert (trees.distance == exact).all()
        assert updates == np.count_nonzero(before != exact)


def test_trees_hold_shortest_paths(sequence: Insertions) -> None:
    trees = Trees.of(sequence.size)
    insert_by_trees(trees, sequence.links)
    links = set(map(tuple, sequence.links.tolist()))
    for x in range(sequence.size):
        reached = [y for y in range(sequence.size) if 0 < trees.distance[x, y] < FAR]
        for y in reached:
            parent = trees.parent[x, y]
            assert (parent, y) in links
            assert trees.distance[x, parent] == trees.distance[x, y] - 1
        children = []
        for parent in range(sequence.size):
            child = trees.child[x, parent]
            while child >= 0:
                children.append(child)
                child = trees.after[x, child]
        assert sorted(children) == reached


def test_components_are_right_after_every_insertion(sequence: Insertions) -> None:
    closure, merged = Closure(sequence.size), Merged(sequence.size)
    for count in range(len(sequence.links)):
        exact = exact_components(sequence.graph(count + 1)).tolist()
        closure.insert(sequence.links[count : count + 1])
        merged.insert(*sequence.links[count : count + 1].T)
        assert closure.lowest.tolist() == merged.lowest().tolist() == exact
        assert closure.mergers == sequence.size - len(set(exact)) == sequence.size - merged.count


@pytest.mark.parametrize("size", [9, 30])
def test_cubic_sequence_brings_every_pair_of_ends_closer_again_and_again(size: int) -> None:
    """Of its last k links all but the first bring k * k pairs of an x and a z, and some of x and y, closer."""
    k, sequence = size // 3, cubic(size)
    trees = Trees.of(size)
    insert_by_trees(trees, sequence.links[:-k])
    updates = [insert_by_trees(trees, link[None]) for link in sequence.links[-k:]]
    assert [count - k * k for count in updates] == [k * (k - shortcut) for shortcut in range(k)]


def test_steps_grow_by_a_half_and_end_with_all() -> None:
    assert growing_steps(200, 80) == [80, 121, 182, 200]
    assert growing_steps(50, 80) == [50]


def test_experiment_says_what_it_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphbench, "crawl_order", lambda web, rng: np.arange(web.size))  # quicker than to compile it
    web = Graph.from_links([[1, 2], [2, 3], [0], [4], [5, 3], [0, 6], []])
    result = graphbench.experiment(0, web, cubic_sizes=[12], complete_sizes=[5], first_look=5)
    agree, is_cubic = result.claims[:2]
    assert agree.held
    assert is_cubic.held
    assert {row[0] for row in result.rows} == {"complete", "cubic", "random", "crawl"}
    assert all(len(row) == len(result.columns) for row in result.rows)
    assert [panel.title for panel in result.panels][2] == "components of a crawl"
