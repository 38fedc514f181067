"""Links in the order they are inserted: complete graphs, sequences with n**3 updates, sparse random graphs."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.rank import Graph

Links = npt.NDArray[np.int32]
"""Insertions in their order, shape (m, 2): source and target."""


@dataclass(frozen=True, eq=False)
class Insertions:
    """Links among `size` pages, in the order they are inserted."""

    name: str
    size: int
    links: Links

    def graph(self, count: int) -> Graph:
        """The graph of the first `count` links."""
        sources, targets = self.links[:count].T
        return Graph.from_edges(sources, targets, self.size)


def complete(size: int, rng: np.random.Generator) -> Insertions:
    """All links among some pages, in random order."""
    ends = np.divmod(rng.permutation(size * size), size)
    links = np.stack(ends, axis=1).astype(np.int32)
    return Insertions("complete", size, links[links[:, 0] != links[:, 1]])


def cubic(size: int) -> Insertions:
    """A sequence of some 4/3 n links that makes n**3 / 27 updates: after Ausiello et al.

    Three chains of k = n / 3 pages: x1 -> .. -> xk, y1 -> .. -> yk, z1 -> .. -> zk, and yk -> z1. Then the last x
    links to y1, to y2 and so on to yk: each brings the k * k pairs of an x and a z closer by one.
    """
    k = size // 3
    x, y, z = np.arange(k), k + np.arange(k), 2 * k + np.arange(k)
    chains = [np.stack([chain[:-1], chain[1:]], axis=1) for chain in (x, y, z)]
    shortcuts = np.stack([np.full(k, x[-1]), y], axis=1)
    links = np.concatenate([*chains, [[y[-1], z[0]]], shortcuts])
    return Insertions("cubic", 3 * k, links.astype(np.int32))


def random_sparse(size: int, rng: np.random.Generator, degree: int = 4) -> Insertions:
    """So many links a page between random pages, each drawn link once."""
    links = rng.integers(size, size=(degree * size, 2), dtype=np.int32)
    links = links[links[:, 0] != links[:, 1]]
    _, first = np.unique(links, axis=0, return_index=True)
    return Insertions("random", size, links[np.sort(first)])
