"""Distances of all pairs found anew after every insertion: by searches from every page, and by Floyd and Warshall.

breadth-first    from every page; n * m
Floyd-Warshall   d[x, y] = min(d[x, y], d[x, k] + d[k, y]) for every k in turn; n**3. R. Floyd, "Algorithm 97: Shortest
                 path", Communications of the ACM 5 (1962)
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.lab.graphbench.sequences import Links
from minicrawl.lab.heap import compiled
from minicrawl.rank.growing_distances import Distances, far, no_links

_NONE = -1


class Growing(NamedTuple):
    """Distances, and the links so far, as lists. distance: d.

    newest: int32, shape (size,): the number of the last link of a page. older, target: int32, shape (links,): the link
    of the same page before it, and where it goes. filled: int64, shape (1,): how many links there are.
    """

    distance: Distances
    newest: npt.NDArray[np.int32]
    older: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    filled: npt.NDArray[np.int64]

    @classmethod
    def of(cls, size: int, links: Links, dtype: npt.DTypeLike = np.int16) -> "Growing":
        """No links yet, and room for these."""
        newest, older, target = (np.full(room, _NONE, np.int32) for room in (size, len(links), len(links)))
        return cls(no_links(size, dtype), newest, older, target, np.zeros(1, np.int64))


def insert_and_search(growing: Growing, links: Links) -> None:
    """Insert links, and search from every page."""
    _append(*growing[1:], links)
    distance = growing.distance
    distance[:] = far(distance)
    _search(*growing[:-1], np.zeros(len(distance), dtype=np.int32), far(distance))


def insert_and_relax(growing: Growing, links: Links) -> None:
    """Insert links, and let every page be one by way of which others are reached, as Floyd and Warshall do."""
    _append(*growing[1:], links)
    distance = growing.distance
    distance[:] = no_links(len(distance), distance.dtype)
    _relax(*growing[:-1], far(distance))


@compiled
def _append(newest, older, target, filled, links):  # type: ignore[no-untyped-def]
    for insertion in range(len(links)):
        u, link = links[insertion, 0], filled[0]
        older[link], target[link] = newest[u], links[insertion, 1]
        newest[u] = link
        filled[0] += 1


@compiled
def _search(distance, newest, older, target, waiting, no_way):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    for x in range(len(distance)):
        row = distance[x]
        row[x], waiting[0], at, waits = 0, x, 0, 1
        while at < waits:
            y = waiting[at]
            at += 1
            link = newest[y]
            while link != _NONE:
                w = target[link]
                if row[w] == no_way:
                    row[w] = row[y] + 1
                    waiting[waits] = w
                    waits += 1
                link = older[link]


@compiled
def _relax(distance, newest, older, target, no_way):  # type: ignore[no-untyped-def]
    size = len(distance)
    for x in range(size):
        link = newest[x]
        while link != _NONE:
            if target[link] != x:
                distance[x, target[link]] = 1
            link = older[link]
    for k in range(size):
        for x in range(size):
            to_k = distance[x, k]
            if to_k != no_way:
                for y in range(size):
                    distance[x, y] = min(distance[x, y], to_k + distance[k, y])
