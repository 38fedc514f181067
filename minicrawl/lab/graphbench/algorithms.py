"""The algorithms that follow the distances of all pairs, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from minicrawl.lab.graphbench.anew import Growing, insert_and_relax, insert_and_search
from minicrawl.lab.graphbench.distances import Trees, insert_by_trees
from minicrawl.lab.graphbench.queues import Queues, insert_by_queues
from minicrawl.lab.graphbench.sequences import Insertions, Links
from minicrawl.rank.growing_distances import Distances, insert_links, no_links

BITS: dict[int, npt.DTypeLike] = {8: np.uint8, 16: np.int16, 32: np.int32, 64: np.int64}
"""Of the numbers that distances are."""


@dataclass(frozen=True, eq=False)
class Follower:
    """Distances of all pairs of a graph that grows. distance: d, after all that was inserted.

    insert: takes the next links, and returns how many pairs came closer; None where that is not counted. memory: bytes
    of all arrays.
    """

    distance: Distances
    insert: Callable[[Links], int | None]
    memory: int


def _by_rows(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    distance = no_links(sequence.size, dtype)

    def insert(links: Links) -> None:
        for u, v in links:
            insert_links(distance, u, np.array([v]))

    return Follower(distance, insert, distance.nbytes)


def _by_pages(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    distance = no_links(sequence.size, dtype)

    def insert(links: Links) -> None:
        ordered = links[np.argsort(links[:, 0], kind="stable")]
        starts = np.flatnonzero(np.diff(ordered[:, 0], prepend=-1))
        for page, targets in zip(ordered[starts, 0].tolist(), np.split(ordered[:, 1], starts[1:]), strict=True):
            insert_links(distance, page, targets)

    return Follower(distance, insert, distance.nbytes)


def _by_trees(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    trees = Trees.of(sequence.size, dtype)
    return Follower(trees.distance, partial(insert_by_trees, trees), _bytes(trees))


def _by_queues(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    queues = Queues.of(sequence.size, sequence.links, dtype)
    return Follower(queues.distance, partial(insert_by_queues, queues), _bytes(queues))


def _anew(find: Callable[[Growing, Links], None], sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    growing = Growing.of(sequence.size, sequence.links, dtype)
    return Follower(growing.distance, partial(find, growing), _bytes(growing))


def _bytes(arrays: tuple[npt.NDArray[np.generic], ...]) -> int:
    return sum(array.nbytes for array in arrays)


BFS, FLOYD_WARSHALL, EVEN_GAZIT, PAGES, TREES, QUEUES = (
    "bfs", "floyd-warshall", "even-gazit", "pages", "trees", "queues",
)  # fmt: skip
ALGORITHMS: dict[str, Callable[[Insertions, npt.DTypeLike], Follower]] = {
    BFS: partial(_anew, insert_and_search),
    FLOYD_WARSHALL: partial(_anew, insert_and_relax),
    EVEN_GAZIT: _by_rows,
    PAGES: _by_pages,
    TREES: _by_trees,
    QUEUES: _by_queues,
}
