"""PageRank where neither the link table nor the ranks fit into memory: block by block, from a shelf outside memory.

Source: T. Haveliwala, "Efficient Computation of PageRank", Stanford 1999. Pages are cut into blocks of the same
width. The links are split once, by the block of their target; then a round is, for every block, one pass over the
links into it, each with the block that it comes from.

p, A, y     as in sweeping.py: y = A @ y + p, the ranks are y / sum(y)
B, C        blocks of pages: y[B] a part of y, A[B, C] the links from C to B

    y[B] = p[B] + sum_C A[B, C] @ y[C]            for one B after another

All else lies on a `Shelf`: links as pieces that fit, and a single y: a block uses the new values of the blocks before
it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol  # Any: arrays

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import FloatArray, Pages
from minicrawl.rank.pagerank import MOST_STEPS, check, distribution

Arrays = tuple[npt.NDArray[Any], ...]

_TARGETS = 3
"""Positions of the targets in a piece."""
_PER_PAGE = 48
"""Bytes per page of a block: y new, old, and of the source block; p, a product, a difference."""
_PER_LINK = 96
"""Bytes per link of a piece, while links are split (page, key, place, in both orders) or multiplied."""


class LinkRows(NamedTuple):
    """Some rows of a link table: sources[k] has outdegrees[k] links, all of them here, to the next of `targets`.

    sources, outdegrees: integers, shape (rows,), sources rising. targets: integers, shape (links,). weights: of the
    links, not negative, shape (links,); None: 1 each.
    """

    sources: Pages
    outdegrees: Pages
    targets: Pages
    weights: FloatArray | None = None


class Shelf(Protocol):
    """Storage for arrays outside memory; minicrawl.store.spill implements it with a folder."""

    def append(self, block: int, arrays: Arrays) -> None:
        """Append arrays to those of a block."""

    def read(self, block: int) -> Iterator[Arrays]:
        """The arrays appended for a block, in order."""

    def put(self, block: int, array: FloatArray) -> None:
        """Store one array for a block, replacing the previous one."""

    def get(self, block: int) -> FloatArray:
        """The stored array."""


@dataclass(frozen=True)
class Plan:
    """Division of pages and links. width: pages of a block; the last may have fewer. links: of a piece, at most.

    bytes: most memory that all arrays take at a time, not above the cap the plan was made for. The incoming rows, a
    given preference and a concatenated result belong to the caller and are not counted.
    """

    size: int
    blocks: int
    width: int
    links: int
    bytes: int

    def pages(self, block: int) -> slice:
        """The pages of a block."""
        return slice(block * self.width, min((block + 1) * self.width, self.size))


def plan_blocks(size: int, memory: int) -> Plan:
    """Half of `memory`, in bytes, for blocks of `size` pages, half for a piece of links. Raises ValueError."""
    if size < 0:
        raise ValueError(f"size must be at least 0, not {size}")
    least = 2 * max(_PER_PAGE, _PER_LINK)
    if memory < least:
        raise ValueError(f"memory must be at least {least} bytes, not {memory}")
    blocks = max(1, -(-size // (memory // 2 // _PER_PAGE)))
    width = -(-size // blocks)
    links = (memory - width * _PER_PAGE) // _PER_LINK
    return Plan(size, blocks, width, links, width * _PER_PAGE + links * _PER_LINK)


def block_pagerank(  # noqa: PLR0913 - parameters of the method, with defaults
    rows: Iterable[LinkRows],
    plan: Plan,
    shelf: Shelf,
    damping: float = 0.85,
    preference: FloatArray | None = None,
    tolerance: float = 1e-12,
    most_rounds: int = MOST_STEPS,
) -> tuple[Iterator[FloatArray], int, float]:
    """`settled_pagerank` in little memory.

    Returns the ranks, whose blocks are read in the order of the pages (np.concatenate makes them one array), the number
    of rounds taken, and a bound on the L1 distance from the exact ranks; 2 says nothing.

    rows: the link table in parts of any size; read once. shelf: empty; in use until the last block was taken.

    Arguments, errors and the promise about the tolerance are those of `settled_pagerank`. Why it holds: from y = 0
    on no round takes y down or past the exact one. At most all of a round's addition, delta, has not been passed on, so
    the residual is at most A @ delta, and y falls short by at most e = damping / (1 - damping) * sum(delta);
    y / sum(y) is within 2 * e / sum(y). Rounded sums and products never take y down either, so a round that adds
    nothing comes in the end, for any tolerance.
    """
    check(damping, tolerance, most_rounds)
    if plan.size == 0:
        return iter(()), 0, 0.0
    p = None if preference is None else distribution(preference, plan.size)
    joined = _JoinedPieces(plan, shelf)
    for some in rows:
        for block, piece in split(some, plan):
            joined.append(block, piece)
    joined.flush()
    for block in range(plan.blocks):
        shelf.put(block, np.zeros(_length(plan, block)))
    rounds, error = 0, 2.0
    while error > tolerance and rounds < most_rounds:
        rounds += 1
        added = total = 0.0
        for block in range(plan.blocks):
            y = np.full(_length(plan, block), 1.0 / plan.size) if p is None else p[plan.pages(block)].copy()
            _receive(y, block, plan, shelf, damping)
            added += float(np.abs(y - shelf.get(block)).sum())
            total += float(y.sum())
            shelf.put(block, y)
        error = 2.0 * damping * added / ((1.0 - damping) * total)
    return (shelf.get(block) / total for block in range(plan.blocks)), rounds, min(2.0, error)


def split(rows: LinkRows, plan: Plan) -> Iterator[tuple[int, Arrays]]:
    """The rows in pieces of at most `plan.links` links, each between two blocks of pages, with the number of the
    target block.

    A piece is (sources, shares, indptr, targets) and, where links have weights, those: row k of its CSR is part of the
    links of page sources[k]; targets count from the first page of their block; shares[k] times its weight (or 1) is
    the probability that a link of that page is taken. Raises ValueError when a link leaves the graph.
    """
    for ends in (rows.sources, rows.targets):
        if len(ends) and not 0 <= ends.min() <= ends.max() < plan.size:
            raise ValueError(f"the pages of a graph of size {plan.size} are 0 to {plan.size - 1}; a link leaves it")
    ends_at = np.cumsum(rows.outdegrees, dtype=np.int64)
    if len(rows.targets) != (ends_at[-1] if len(ends_at) else 0) or (np.diff(rows.sources) <= 0).any():
        raise ValueError("rows must have rising sources and as many targets as the outdegrees say")
    shares = _shares(rows)
    for start in range(0, len(rows.targets), plan.links):
        links = slice(start, start + plan.links)
        targets = rows.targets[links]
        row = np.searchsorted(ends_at, np.arange(start, start + len(targets)), side="right").astype(np.int32)
        key = targets // plan.width * plan.blocks + rows.sources[row] // plan.width
        order = np.argsort(key, kind="stable")
        cuts = np.flatnonzero(np.diff(key[order])) + 1
        for piece in np.split(order, cuts):
            block = int(key[piece[0]]) // plan.blocks
            first = np.flatnonzero(np.diff(row[piece], prepend=-1))
            own = row[piece[first]]
            indptr = np.append(first, len(piece)).astype(np.int32)
            relative = (targets[piece] - block * plan.width).astype(np.int32)
            arrays: Arrays = (rows.sources[own].astype(np.int64), shares[own], indptr, relative)
            yield block, arrays if rows.weights is None else (*arrays, rows.weights[links][piece])


class _JoinedPieces:
    """Collects pieces until there are enough to be joined: a round takes as long for a small piece as for a large one.
    They wait in the memory of the rank blocks, of which there are none while links are split.
    """

    def __init__(self, plan: Plan, shelf: Shelf) -> None:
        self._plan, self._shelf = plan, shelf
        self._waiting: dict[int, list[Arrays]] = {}
        self._bytes: dict[int, int] = {}

    def append(self, block: int, piece: Arrays) -> None:
        self._waiting.setdefault(block, []).append(piece)
        self._bytes[block] = self._bytes.get(block, 0) + sum(array.nbytes for array in piece)
        while (sum(self._bytes.values()) + max(self._bytes.values())) > self._plan.width * _PER_PAGE:
            self._flush(max(self._bytes, key=self._bytes.__getitem__))  # joining takes as much again

    def flush(self) -> None:
        """Put all waiting pieces on the shelf."""
        for block in list(self._waiting):
            self._flush(block)

    def _flush(self, block: int) -> None:
        for group in self._groups(self._waiting.pop(block)):
            self._shelf.append(block, group[0] if len(group) == 1 else _joined(group))
        self._bytes[block] = 0

    def _groups(self, pieces: list[Arrays]) -> Iterator[list[Arrays]]:
        """Consecutive pieces from one block, with at most as many links together as one piece may have."""
        group: list[Arrays] = []
        links = 0
        for piece in pieces:
            more = len(piece[_TARGETS])
            if group and (links + more > self._plan.links or self._origin(piece) != self._origin(group[0])):
                yield group
                group, links = [], 0
            group.append(piece)
            links += more
        yield group

    def _origin(self, piece: Arrays) -> int:
        return int(piece[0][0]) // self._plan.width


def _joined(pieces: list[Arrays]) -> Arrays:
    """Join several pieces; a page with rows in two of them has two rows."""
    sources, shares, indptrs, *ends = zip(*pieces, strict=True)
    before = np.cumsum([0, *(int(indptr[-1]) for indptr in indptrs)])
    rows = [indptr[:-1] + start for indptr, start in zip(indptrs, before, strict=False)]
    indptr = np.concatenate([*rows, before[-1:]]).astype(np.int32)
    return (np.concatenate(sources), np.concatenate(shares), indptr, *map(np.concatenate, ends))


def _shares(rows: LinkRows) -> FloatArray:
    """1 / (weight of all links) of every row; 0 if the weights are 0."""
    total: FloatArray = rows.outdegrees.astype(np.float64)
    if rows.weights is not None:
        if rows.weights.shape != rows.targets.shape or not (rows.weights >= 0.0).all():
            raise ValueError(f"weights must be {len(rows.targets)} numbers, one per link, none negative")
        row = np.repeat(np.arange(len(total)), rows.outdegrees)
        total = np.bincount(row, rows.weights, minlength=len(total)).astype(np.float64)
    return np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0.0)


def _receive(y: FloatArray, block: int, plan: Plan, shelf: Shelf, damping: float) -> None:
    """Add the contributions of all links into block B to y[B], in place."""
    loaded, sending = -1, np.zeros(0)
    for sources, shares, indptr, targets, *weights in shelf.read(block):
        origin = int(sources[0]) // plan.width
        if origin != loaded:
            loaded, sending = origin, shelf.get(origin)
        sent = sending[sources - origin * plan.width] * shares
        sent *= damping
        along = np.repeat(sent, np.diff(indptr))
        if weights:
            along *= weights[0]
        # For small pieces, making a sparse matrix takes longer than multiplying it.
        y += np.bincount(targets, along, minlength=len(y))


def _length(plan: Plan, block: int) -> int:
    pages = plan.pages(block)
    return int(pages.stop - pages.start)
