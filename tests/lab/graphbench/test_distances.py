"""Trees of shortest paths that follow a graph as it grows are held to networkx after every single insertion."""

from collections.abc import Callable
from functools import partial
from typing import Any

import networkx
import numpy as np
import pytest

from minicrawl.lab.graphbench.distances import (
    Trees,
    exact_distances,
    insert_by_trees,
    search_distances,
)
from minicrawl.lab.graphbench.sequences import Insertions
from minicrawl.rank.growing_distances import far


@pytest.mark.parametrize("find", [exact_distances, partial(exact_distances, method="FW"), search_distances])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_distances_found_anew_are_those_of_networkx(
    sequence: Insertions, dtype: type, find: Callable[..., Any]
) -> None:
    graph: networkx.DiGraph[int] = networkx.DiGraph(sequence.links.tolist())
    graph.add_nodes_from(range(sequence.size))
    found = dict(networkx.all_pairs_shortest_path_length(graph))
    distance = find(sequence.graph(len(sequence.links)), dtype)
    assert distance.dtype == dtype
    no_way = far(distance)
    pages = range(sequence.size)
    assert distance.tolist() == [[found[x].get(y, no_way) for y in pages] for x in pages]


def test_distances_and_updates_are_right_after_every_insertion(sequence: Insertions) -> None:
    trees = Trees.of(sequence.size)
    for count in range(len(sequence.links)):
        before, exact = trees.distance.copy(), exact_distances(sequence.graph(count + 1), np.int16)
        updates = insert_by_trees(trees, sequence.links[count : count + 1])
        assert (trees.distance == exact).all()
        assert updates == np.count_nonzero(before != exact)


def test_trees_hold_shortest_paths(sequence: Insertions) -> None:
    trees = Trees.of(sequence.size)
    insert_by_trees(trees, sequence.links)
    links = set(map(tuple, sequence.links.tolist()))
    for x in range(sequence.size):
        reached = [y for y in range(sequence.size) if 0 < trees.distance[x, y] < far(trees.distance)]
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
