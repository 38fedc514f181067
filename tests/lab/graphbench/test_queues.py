"""Distances by queues of links are held to scipy after every single insertion."""

import numpy as np

from minicrawl.lab.graphbench.distances import exact_distances
from minicrawl.lab.graphbench.queues import Queues, insert_by_queues
from minicrawl.lab.graphbench.sequences import Insertions


def test_distances_are_right_after_every_insertion(sequence: Insertions) -> None:
    queues = Queues.of(sequence.size, sequence.links)
    for count in range(len(sequence.links)):
        before, exact = queues.distance.copy(), exact_distances(sequence.graph(count + 1), queues.distance)
        updates = insert_by_queues(queues, sequence.links[count : count + 1])
        assert (queues.distance == exact).all()
        assert updates == np.count_nonzero(before != exact)


def test_every_queue_has_its_links_the_farthest_first(sequence: Insertions) -> None:
    """Keys are in heap order, and no distance is larger than its key."""
    queues = Queues.of(sequence.size, sequence.links)
    insert_by_queues(queues, sequence.links)
    for u in range(sequence.size):
        targets = sorted(sequence.links[sequence.links[:, 0] == u, 1].tolist())
        start, filled = queues.first[u], queues.filled[u]
        for x in range(sequence.size):
            keys, found = (row[x, start : start + filled].tolist() for row in (queues.key, queues.target))
            assert sorted(found) == targets
            assert all(keys[(at - 1) // 2] >= keys[at] for at in range(1, filled))
            assert all(queues.distance[x, w] <= key for w, key in zip(found, keys, strict=True))
            assert all(queues.distance[x, w] <= queues.distance[x, u] + 1 for w in found)
