"""Distances that follow a graph as it grows are held to scipy after every single insertion."""

import numpy as np

from minicrawl.lab.graphbench.distances import FAR, Trees, exact_distances, insert_by_matrix, insert_by_trees, no_links
from minicrawl.lab.graphbench.sequences import Insertions


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
