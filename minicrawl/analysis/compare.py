"""Differences of two rankings, with pages matched by URL (`minicrawl compare`)."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

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
    """A page whose place in B differs from that in A."""

    url: str
    before: int
    after: int


@dataclass(frozen=True)
class Placed:
    """A page and its place."""

    url: str
    rank: int


@dataclass(frozen=True)
class Alone:
    """Number of pages in only one ranking, and the best of them."""

    pages: int
    best: tuple[Placed, ...]


@dataclass(frozen=True)
class Comparison:
    """Differences of A and B. overlap: by k, the share of the first k of one that are among the first k of the other.

    tau: Kendall's, of the common pages; l1: the distance as shares; None if undefined. movers: the pages that have
    moved most.
    """

    pages: Counts
    overlap: dict[int, float]
    tau: float | None
    l1: float | None
    movers: tuple[Mover, ...]
    only_a: Alone
    only_b: Alone

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"overlap": {str(k): share for k, share in self.overlap.items()}}


def compare(a: Mapping[str, float], b: Mapping[str, float], n: int) -> Comparison:
    """Compare two rankings, values by URL. n: most movers, and most pages of only one."""
    urls = sorted(a.keys() | b.keys())
    found = differences(_column(a, urls), _column(b, urls))
    only_a, only_b = found.only_before().tolist(), found.only_after().tolist()
    return Comparison(
        pages=Counts(len(a), len(b), found.common),
        overlap=found.overlaps,
        tau=_number(found.tau),
        l1=_number(found.l1),
        movers=tuple(
            Mover(urls[page], int(found.before[page]), int(found.after[page])) for page in found.movers(n).tolist()
        ),
        only_a=Alone(len(only_a), tuple(Placed(urls[page], int(found.before[page])) for page in only_a[:n])),
        only_b=Alone(len(only_b), tuple(Placed(urls[page], int(found.after[page])) for page in only_b[:n])),
    )


def _column(values: Mapping[str, float], urls: list[str]) -> FloatArray:
    return np.array([values.get(url, math.nan) for url in urls], dtype=np.float64)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
