"""Several rankings of a store's pages, compared: how far they agree, pair by pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from minicrawl.analysis.link_graph import FoldedStore, folded_store
from minicrawl.analysis.rankings.options import Options
from minicrawl.analysis.rankings.ranking import RANKERS
from minicrawl.errors import SettingError
from minicrawl.opic.arrays import FloatArray, Pages
from minicrawl.rank import kendall_tau, overlap
from minicrawl.store.reader import Store

TOPS = (10, 100)
_DIGITS = 6
"""Digits to which values are the same: of pages alike, the further ones are noise, which would make an order."""
COMPARABLE = ("importance", "indegree", *(name for name in RANKERS if name != "topic"))
"""Of hits, the authorities; indegree: links from other pages, each once."""


class Pair(NamedTuple):
    """Agreement of two rankings: Kendall's tau-b, and the share of the first pages of one among those of the other, for
    each of TOPS."""

    one: str
    other: str
    kendall: float
    overlaps: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Comparison:
    """pages: numbers of the pages that are compared, those that are there and no aliases, in an order by lot, that of
    equal values. values: of each ranking, to _DIGITS digits, shape (pages,). damping: of the rankings that have one
    beside the crawl's own, `crawl_damping`. notes: on the computation, a sentence each."""

    pages: Pages
    values: dict[str, FloatArray]
    damping: float
    crawl_damping: float
    notes: tuple[str, ...] = ()

    def places(self) -> dict[str, Pages]:
        """The place of each page in each ranking, from 1, shape (pages,)."""
        orders = {name: np.argsort(-values, kind="stable") for name, values in self.values.items()}
        return {name: np.argsort(order) + 1 for name, order in orders.items()}

    def agreement(self, tops: Sequence[int]) -> dict[str, list[float]]:
        """The share of the first k pages of the first ranking among those of each other, for each k of `tops`."""
        first, *others = self.values
        return {name: [overlap(self.values[first], self.values[name], k) for k in tops] for name in others}

    def pairs(self) -> Iterator[Pair]:
        for (one, a), (other, b) in combinations(self.values.items(), 2):
            yield Pair(one, other, kendall_tau(a, b), tuple(overlap(a, b, k) for k in TOPS))


def compared(store: Store, names: Sequence[str], options: Options, *, as_crawl: bool) -> Comparison:
    """Compare rankings. names: of COMPARABLE. as_crawl: with the crawl's damping in place of that of the options.
    Raises SettingError, StoreError."""
    if unknown := [name for name in names if name not in COMPARABLE]:
        raise SettingError(f"--compare takes {', '.join(COMPARABLE)}, separated by commas, not {unknown[0]!r}")
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise SettingError(f"--compare takes two rankings or more, each once, not {','.join(names)!r}")
    folded, notes = folded_store(store), list[str]()
    options = replace(options, damping=folded.damping) if as_crawl else options
    values = {name: _rounded(_values(name, store, folded, options, notes)) for name in names}
    pages = np.flatnonzero(folded.is_live & ~folded.is_alias)
    pages = np.random.default_rng(0).permutation(pages)  # by their numbers, or one ranking, ties would seem to agree
    of_pages = {name: every[pages] for name, every in values.items()}
    return Comparison(pages, of_pages, options.damping, folded.damping, tuple(notes))


def _values(name: str, store: Store, folded: FoldedStore, options: Options, notes: list[str]) -> FloatArray:
    """A value per page."""
    if name == "importance":
        return store.ranks.importance()
    if name == "indegree":
        return np.bincount(folded.simple().graph.targets, minlength=folded.size).astype(np.float64)
    found, said = RANKERS[name](options, store, folded)
    notes += said
    return next(iter(found.values()))


def _rounded(values: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", over="ignore"):  # of values next to none, which become 0
        scale = 10.0 ** (_DIGITS - 1 - np.floor(np.log10(np.abs(values))))
    return np.where(values == 0.0, 0.0, np.round(values * np.where(np.isfinite(scale), scale, 0.0)) / scale)
