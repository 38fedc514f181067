"""Order of pages by a ranking."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.model import READ, State
from minicrawl.settings import RANKINGS
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store

Ranked = Iterator[tuple[int, RankedPage, float | None]]
"""Numbers and rows of pages, best first; with the value of each in a kept ranking, else None."""
Wanted = npt.NDArray[np.bool_] | None
"""True for each wanted page, by number, shape (size,); None: all."""


@dataclass(frozen=True)
class Order:
    """The ranking that orders pages, and its basis.

    by: one of RANKINGS, or the name of a kept ranking. read, known: pages now. has_unread: True if pages wait to be
    read.
    """

    by: str
    read: int
    known: int
    has_unread: bool


def best_first(store: Store, by: str = RANKINGS[0]) -> tuple[Order, Ranked]:
    """Every page by falling `by`, as many as are taken: one of RANKINGS, or the name of a kept ranking. `rank` is the
    place of a page in that order."""
    counts = store.page_table.counts()
    read = sum(count for (state, _), count in counts.items() if state in READ)
    has_unread = any(state == State.WAITING for state, _ in counts)
    return Order(by, read, sum(counts.values()), has_unread), _placed(store.ranks.best_first(by))


def _placed(ranked: Ranked) -> Ranked:
    """Ranked pages with their places in this order as ranks."""
    for place, (page, row, value) in enumerate(ranked, start=1):
        yield page, row._replace(rank=place), value


def only(ranked: Ranked, is_wanted: Wanted) -> Ranked:
    """Filter ranked pages by `is_wanted`."""
    return ranked if is_wanted is None else ((page, row, value) for page, row, value in ranked if is_wanted[page])
