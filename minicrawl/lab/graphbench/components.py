"""Components while links are inserted, and biconnected ones by their definition for comparison.

closure    reach[x], the pages that x reaches, a bit each, in blocks. A link u -> v:  reach[x] |= reach[v] where x
           reaches u
warshall   the same anew:  reach[x] |= reach[k] where x reaches k, for every k in turn. S. Warshall, "A theorem on
           Boolean matrices", Journal of the ACM 9 (1962)
merging    strong components of the graph of components, whose inner links are dropped
unions     of weak components: disjoint sets. R. Tarjan, "Efficiency of a good but not linear set union algorithm",
           Journal of the ACM 22 (1975)
cycles     of biconnected ones: a forest in which a page hangs from a component, and a component from a page. A link
           between two trees is a component of its own, and the smaller tree is hung from it anew; a link within a tree
           closes a cycle, which makes one component of all on the path between its ends. J. Westbrook, R. Tarjan,
           "Maintaining bridge-connected and biconnected components on-line", Algorithmica 7 (1992)
"""

from functools import partial

import numpy as np
import numpy.typing as npt

from minicrawl.lab.graphbench.sequences import Follower, Insertions, Links, Pages
from minicrawl.lab.heap import compiled
from minicrawl.rank import Graph
from minicrawl.rank.components import strong_components, weak_components

IntArray = npt.NDArray[np.int64]
_NONE = -1


def exact_biconnected(graph: Graph) -> npt.NDArray[np.bool_]:
    """Whether two pages share a biconnected component, shape (size, size), by the definition.

    They do if they are connected, and stay so whichever other page is taken away.
    """
    links = np.stack([graph.sources(), graph.targets])

    def parts(without: int) -> npt.NDArray[np.int32]:
        sources, targets = links[:, (links != without).all(axis=0)]
        return weak_components(Graph.from_edges(sources, targets, graph.size)).of

    whole = parts(_NONE)
    same: npt.NDArray[np.bool_] = whole[:, None] == whole
    for page in range(graph.size):
        of = parts(page)
        if of.max() > whole.max() + 1:  # more than the page itself comes off
            split = of[:, None] != of
            split[page] = split[:, page] = False
            same &= ~split
    return same


class Merged:
    """Strong components of a graph that only grows.

    Invariant: the links kept, between components, have the components' graph.
    """

    def __init__(self, size: int) -> None:
        self._of: IntArray = np.arange(size)
        self._count = size
        self._links = np.zeros((2, 0), dtype=np.int64)

    def insert(self, links: Links) -> int:
        """Insert a batch of links. Returns the number of components lost to others."""
        ends, before = np.concatenate([self._links, _between(self._of[links.T])], axis=1), self._count
        if ends.shape != self._links.shape:
            found = strong_components(Graph.from_edges(ends[0], ends[1], before))
            self._links = _between(found.of.astype(np.int64)[ends])
            self._of, self._count = found.of.astype(np.int64)[self._of], found.count
        return before - self._count

    def answer(self, some: Pages, others: Pages) -> npt.NDArray[np.bool_]:
        same: npt.NDArray[np.bool_] = self._of[some] == self._of[others]
        return same


def _between(ends: IntArray) -> IntArray:
    """Links between two components, each once; rows sources and targets."""
    ends = ends[:, ends[0] != ends[1]]
    keys = np.unique(ends[0] << 32 | ends[1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF])


def closure(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    """Follow strong components by who reaches whom, in blocks of this type."""
    reach = _themselves(sequence.size, dtype)
    return Follower(partial(_close, reach), partial(_reach_each_other, reach), reach.nbytes)


def warshall(sequence: Insertions, dtype: npt.DTypeLike) -> Follower:
    """Find who reaches whom after each batch, in blocks of this type."""
    linked, reach = (_themselves(sequence.size, dtype) for _ in range(2))
    return Follower(partial(_close_anew, linked, reach), partial(_reach_each_other, reach), 2 * reach.nbytes)


def _themselves(size: int, dtype: npt.DTypeLike) -> npt.NDArray[np.integer]:
    bits = 8 * np.dtype(dtype).itemsize
    reach: npt.NDArray[np.integer] = np.zeros((size, -(-size // bits)), dtype)
    _set_bits(reach, np.arange(size), np.arange(size))
    return reach


@compiled
def _bit(reach, x, y):  # type: ignore[no-untyped-def]
    bits = 8 * reach.itemsize
    return (reach[x, y // bits] >> (y % bits)) & 1


@compiled
def _set_bits(reach, sources, targets):  # type: ignore[no-untyped-def]
    bits = 8 * reach.itemsize
    for k in range(len(sources)):
        reach[sources[k], targets[k] // bits] |= 1 << (targets[k] % bits)


@compiled
def _reach_each_other(reach, some, others):  # type: ignore[no-untyped-def]
    found = np.zeros(len(some), np.bool_)
    for k in range(len(some)):
        found[k] = _bit(reach, some[k], others[k]) & _bit(reach, others[k], some[k])
    return found


@compiled
def _widen(reach, u, v):  # type: ignore[no-untyped-def]
    """Pages that reach u reach all that v does."""
    for x in range(len(reach)):
        if x != v and _bit(reach, x, u):
            for block in range(reach.shape[1]):
                reach[x, block] |= reach[v, block]


@compiled
def _close(reach, links):  # type: ignore[no-untyped-def]
    for insertion in range(len(links)):
        u, v = links[insertion]
        if not _bit(reach, u, v):
            _widen(reach, u, v)


@compiled
def _close_anew(linked, reach, links):  # type: ignore[no-untyped-def]
    _set_bits(linked, links[:, 0], links[:, 1])
    reach[:] = linked
    for k in range(len(reach)):
        _widen(reach, k, k)


def unions(sequence: Insertions) -> Follower:
    """Follow weak components by disjoint sets: above[p] is another page of the set, nearer to that at its top."""
    above = np.arange(sequence.size)
    return Follower(partial(_unite, above), partial(_same, above), above.nbytes)


@compiled
def _find(above, one):  # type: ignore[no-untyped-def]
    while above[one] != one:
        above[one] = above[above[one]]
        one = above[one]
    return one


@compiled
def _unite(above, links):  # type: ignore[no-untyped-def]
    lost = 0
    for insertion in range(len(links)):
        u, v = _find(above, links[insertion, 0]), _find(above, links[insertion, 1])
        lost += u != v
        above[max(u, v)] = min(u, v)
    return lost


@compiled
def _same(above, some, others):  # type: ignore[no-untyped-def]
    found = np.zeros(len(some), np.bool_)
    for k in range(len(some)):
        found[k] = _find(above, some[k]) == _find(above, others[k])
    return found


def cycles(sequence: Insertions) -> Follower:
    """Follow biconnected components by a forest whose nodes are the pages, and from `size` on the components.

    up: what a node hangs from. above: as in `unions`, of components; tree: of the pages in one tree. weight: pages of
    it. mark: the last walk that came by a node. filled: nodes, and walks so far.
    """
    size = sequence.size
    above, tree, weight, filled = np.arange(2 * size), np.arange(size), np.ones(size, np.int64), np.array([size, 0])
    up, mark = np.full((2, 2 * size), _NONE)
    arrays = (up, above, tree, weight, mark, filled)
    memory = sum(array.nbytes for array in arrays)
    return Follower(partial(_insert_by_cycles, *arrays), partial(_in_one_component, up, above), memory)


@compiled
def _hung(up, above, node):  # type: ignore[no-untyped-def]
    """What a node hangs from."""
    return _NONE if up[node] == _NONE else _find(above, up[node])


@compiled
def _in_one_component(up, above, some, others):  # type: ignore[no-untyped-def]
    found = np.zeros(len(some), np.bool_)
    for k in range(len(some)):
        x, y = some[k], others[k]
        one, other = _hung(up, above, x), _hung(up, above, y)
        found[k] = x == y or (one != _NONE and (one == other or up[one] == y)) or (other != _NONE and up[other] == x)
    return found


@compiled
def _insert_by_cycles(up, above, tree, weight, mark, filled, links):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    lost = 0
    for insertion in range(len(links)):
        u, v = links[insertion]
        small, large = _find(tree, u), _find(tree, v)
        if small == large:
            lost += _close_cycle(up, above, mark, filled, u, v) if u != v else 0
            continue
        if weight[small] > weight[large]:
            small, large, u, v = large, small, v, u
        tree[small] = large
        weight[large] += weight[small]
        # The path from u to the top of its tree is turned round, below a new component that hangs from v.
        node, higher = u, filled[0]
        filled[0] += 1
        up[higher] = v
        while node != _NONE:
            following = _hung(up, above, node)
            up[node] = higher
            node, higher = following, node
    return lost


@compiled
def _close_cycle(up, above, mark, filled, u, v):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    """Make one component of those on the path between two pages of a tree. Two walks, in turn, meet at its top."""
    one, other, walk, lost = u, v, filled[1], 0
    filled[1] += 1
    while one == _NONE or mark[one] != walk:
        if one != _NONE:
            mark[one] = walk
            one = _hung(up, above, one)
        one, other = other, one
    top, size = one, len(up) // 2
    component = _NONE if top < size else top
    for end in (u, v):
        node = end
        while node != top:
            higher = _hung(up, above, node)
            if node >= size and component == _NONE:
                component = node
            elif node >= size:
                above[node] = component
                lost += 1
            node = higher
    if top < size:
        up[component] = top
    return lost
