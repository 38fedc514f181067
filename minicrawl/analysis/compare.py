"""Differences of two rankings, with pages matched by URL (`minicrawl compare`, `minicrawl report --compare`).

A page is gone if it could be opened in A, and cannot be in B, where it is unknown or is no page of its own; one that B
has yet to request is not gone. New is the same the other way round. Without the states of pages, nothing is told but
the pages that one ranking alone has.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.model import State
from minicrawl.rank.compare import differences
from minicrawl.rank.pagerank import FloatArray


@dataclass(frozen=True)
class Counts:
    """Pages of the rankings A and B, and those in both."""

    a: int
    b: int
    common: int


@dataclass(frozen=True)
class Mover:
    """A page whose share differs: its places in A and in B, its shares among the pages of both, and their ratio, None
    for a share that was 0."""

    url: str
    rank_before: int
    rank_after: int
    before: float
    after: float
    factor: float | None


@dataclass(frozen=True)
class Placed:
    """A page, its place and its share, in the ranking that has it."""

    url: str
    rank: int
    share: float


@dataclass(frozen=True)
class Alone:
    """Number of pages of one ranking only, by what it has or by what can be opened, and the best of them."""

    pages: int
    best: tuple[Placed, ...]


@dataclass(frozen=True)
class Comparison:
    """Differences of A and B. overlap: by k, the share of the first k of one that are among the first k of the other.

    tau: Kendall's, of the common pages; l1: the distance as shares; None if undefined. risen, fallen: the pages whose
    share has changed most. only_a, only_b: pages that one ranking alone has. gone, new: by states; None without them.
    """

    pages: Counts
    overlap: dict[int, float]
    tau: float | None
    l1: float | None
    risen: tuple[Mover, ...]
    fallen: tuple[Mover, ...]
    only_a: Alone
    only_b: Alone
    gone: Alone | None = None
    new: Alone | None = None

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"overlap": {str(k): share for k, share in self.overlap.items()}}


def compare(
    a: Mapping[str, float],
    b: Mapping[str, float],
    n: int,
    states: tuple[Mapping[str, str], Mapping[str, str]] | None = None,
) -> Comparison:
    """Compare two rankings, values by URL. n: most of risen pages, of fallen ones and of each one's own. states: of the
    pages of A and of B by URL."""
    urls = sorted(a.keys() | b.keys())
    found = differences(_column(a, urls), _column(b, urls))
    only_a, only_b = found.only_before().tolist(), found.only_after().tolist()
    before, after = found.shares_before.tolist(), found.shares_after.tolist()

    def mover(page: int) -> Mover:
        ranks = int(found.before[page]), int(found.after[page])
        factor = after[page] / before[page] if before[page] else None
        return Mover(urls[page], *ranks, before[page], after[page], factor)

    def alone(ranking: Mapping[str, float], pages: list[int], ranks: npt.NDArray[np.int64]) -> Alone:
        total = math.fsum(ranking.values()) or 1.0
        best = ((urls[page], int(ranks[page])) for page in pages[:n])
        return Alone(len(pages), tuple(Placed(url, rank, ranking[url] / total) for url, rank in best))

    def lost(ranks: npt.NDArray[np.int64], before: Mapping[str, str], after: Mapping[str, str]) -> list[int]:
        """Pages of a ranking that could be opened, and cannot be any more, the best first."""
        known = ((page, urls[page]) for page in np.argsort(ranks, kind="stable").tolist() if ranks[page])
        opened = ((page, url) for page, url in known if before.get(url) == State.FETCHED)
        return [page for page, url in opened if after.get(url) not in (State.FETCHED, State.WAITING)]

    gone = new = None
    if states is not None:
        gone = alone(a, lost(found.before, *states), found.before)
        new = alone(b, lost(found.after, *states[::-1]), found.after)
    return Comparison(
        pages=Counts(len(a), len(b), found.common),
        overlap=found.overlaps,
        tau=_number(found.tau),
        l1=_number(found.l1),
        risen=tuple(map(mover, found.risen(n).tolist())),
        fallen=tuple(map(mover, found.fallen(n).tolist())),
        only_a=alone(a, only_a, found.before),
        only_b=alone(b, only_b, found.after),
        gone=gone,
        new=new,
    )


def _column(values: Mapping[str, float], urls: list[str]) -> FloatArray:
    return np.array([values.get(url, math.nan) for url in urls], dtype=np.float64)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
