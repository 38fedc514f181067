"""PageRank of a store by any method, in memory or on disk.

A round on disk moves, by Haveliwala's count,

    B|S| + |D| + |L|(1 + e)         bytes

B blocks; |S|, |D| bytes of the ranks that are read and written, 8 a page here; |L| bytes of the link table in one
piece; e relative growth by splitting it, as a page with links into several blocks is in each.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from minicrawl.analysis.link_graph import FoldedPages, FoldedStore, folded_rows
from minicrawl.analysis.rankings.options import Found, Options, jump_of, site_weights
from minicrawl.errors import SettingError
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.surfer import REASONABLE, Surfer
from minicrawl.rank.blocks import Arrays, LinkRows, Plan, Shelf, block_pagerank, plan_blocks
from minicrawl.rank.pagerank import Settled, settled_pagerank
from minicrawl.rank.sweeping import prioritized
from minicrawl.setting import parse_size
from minicrawl.store.reader import Store
from minicrawl.store.spill import Spill

_PER_RANK, _PER_ROW, _PER_TARGET, _PER_WEIGHT = 8, 20, 4, 8
"""Bytes of a rank; of a row of links: page, share and place; of a link: target, and weight if any."""


class CountedShelf:
    """A shelf of a plan that counts the bytes it reads and writes.

    table, split_table: bytes of the link table in one piece, and split. Pages without links take none.
    """

    def __init__(self, shelf: Shelf, plan: Plan) -> None:
        self._shelf = shelf
        self.plan = plan
        self.read_bytes = self.written_bytes = self.table = self.split_table = 0

    def append(self, block: int, arrays: Arrays) -> None:
        self.split_table += _bytes(arrays)
        self._shelf.append(block, arrays)

    def read(self, block: int) -> Iterator[Arrays]:
        for arrays in self._shelf.read(block):
            self.read_bytes += _bytes(arrays)
            yield arrays

    def put(self, block: int, array: FloatArray) -> None:
        self.written_bytes += array.nbytes
        self._shelf.put(block, array)

    def get(self, block: int) -> FloatArray:
        array = self._shelf.get(block)
        self.read_bytes += array.nbytes
        return array

    def counted(self, rows: Iterable[LinkRows]) -> Iterator[LinkRows]:
        """The rows of the link table, whose bytes are counted."""
        for some in rows:
            per_link = _PER_TARGET + (0 if some.weights is None else _PER_WEIGHT)
            self.table += int(np.count_nonzero(some.outdegrees)) * _PER_ROW + len(some.targets) * per_link
            yield some

    @property
    def count(self) -> int:
        """Bytes of a round by Haveliwala's count."""
        return (self.plan.blocks + 1) * _PER_RANK * self.plan.size + self.split_table

    def moved(self, rounds: int) -> float:
        """Bytes read and written in a round. Before the first, ranks of 0 were written for all pages, and behind the
        last all are read."""
        return (self.read_bytes + self.written_bytes - 2 * _PER_RANK * self.plan.size) / max(rounds, 1)

    def cost(self, rounds: int) -> str:
        """The costs in a sentence."""
        ranks, blocks = _PER_RANK * self.plan.size / 1e6, self.plan.blocks
        longer = self.split_table / max(self.table, 1) - 1.0
        return (
            f"{blocks:,} blocks; a round by B|S| + |D| + |L|(1 + e) = {blocks:,} x {ranks:.3g} + {ranks:.3g} + "
            f"{self.table / 1e6:.3g} x (1 + {longer:.2f}) = {self.count / 1e6:.3g} MB; measured "
            f"{self.moved(rounds) / 1e6:.3g} MB a round, {rounds:,} rounds"
        )


def pagerank_on_disk(  # noqa: PLR0913 - a ranking is of a store, and how it is weighed
    memory: str, options: Options, store: Store, pages: FoldedPages, surfer: Surfer, jump: FloatArray
) -> tuple[FloatArray, int, float, CountedShelf]:
    """PageRank of a store's links, kept in temporary files: ranks, rounds, error as of `block_pagerank`, and the costs.
    Raises SettingError, StoreError."""
    try:
        plan = plan_blocks(pages.size, parse_size(memory))
    except ValueError as error:
        raise SettingError(f"--memory {memory} is too little: {error}") from error
    with Spill() as spill:
        shelf = CountedShelf(spill, plan)
        rows = shelf.counted(folded_rows(store, pages, surfer))
        blocks, rounds, error_bound = block_pagerank(rows, plan, shelf, options.damping, jump)
        return np.concatenate(list(blocks)), rounds, error_bound, shelf


def _bytes(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays)


TOLERANCE = 1e-12
_SETTLED = 1e-9
"""Error below which ranks count as settled: rounding keeps the bound above the tolerance."""

METHODS: dict[str, Callable[..., Settled]] = {"power": settled_pagerank, "sweeping": prioritized}
"""Methods of computing PageRank, by name. Both give the same ranks."""


def pagerank_ranking(options: Options, store: Store, folded: FoldedStore) -> Found:
    """PageRank of the links in memory. Raises SettingError."""
    if _weighs_sites(options):
        weights: FloatArray | None = site_weights(options, store, folded)
    else:
        weights = folded.weights(REASONABLE)
    jump = jump_of(options.jump, store, folded)
    settled = METHODS[options.method](folded.graph, options.damping, jump, TOLERANCE, weights=weights)
    took = ""
    if options.method != "power":
        took = f"{settled.rounds:,} rounds, {settled.visits:,} visits, {settled.links:,} links followed"
    return {"pagerank": settled.ranks}, tuple(filter(None, (took, capped(settled.error, settled.rounds))))


def pagerank_ranking_on_disk(memory: str, options: Options, store: Store, pages: FoldedPages) -> Found:
    """PageRank of the links in temporary files. Raises SettingError, StoreError."""
    if options.method != "power":
        raise SettingError("--memory has a method of its own; leave out --method")
    if _weighs_sites(options):
        raise SettingError("--per, --inside and --cap need all links at once, which --memory never has; leave it out")
    jump = jump_of(options.jump, store, pages)
    ranks, rounds, error, shelf = pagerank_on_disk(memory, options, store, pages, REASONABLE, jump)
    return {"pagerank": ranks}, tuple(filter(None, (shelf.cost(rounds), capped(error, rounds))))


def _weighs_sites(options: Options) -> bool:
    return any(given is not None for given in (options.per, options.inside, options.cap))


def capped(error: float, rounds: int) -> str:
    """A note on ranks that had not settled after the last round; "" if they had."""
    if error < _SETTLED:
        return ""
    return (
        f"stopped after {rounds:,} rounds before the ranks had settled: they are within {error:.1g} (L1) of the exact "
        "ones; give a lower --damping"
    )
