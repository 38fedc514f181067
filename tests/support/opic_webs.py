"""Slow, obvious answers the tests of minicrawl.opic compare with. Webs are lists of link lists."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

D = 0.85


class Rows(NamedTuple):
    sources: npt.NDArray[np.int64]
    indptr: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    places: npt.NDArray[np.uint8]


def pages(numbers: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.array(list(numbers), dtype=np.int64)


def csr(rows: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(indptr, targets) of link lists."""
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return indptr, pages(target for row in rows for target in row)


def final(page: int, links: Sequence[Sequence[int]] | Mapping[int, Sequence[int]], aliases: Iterable[int]) -> int:
    """The page that `page` stands for in the end: itself unless it is an alias."""
    aliases = set(aliases)
    while page in aliases:
        page = links[page][0]
    return page


def settled(read: float, sites: int) -> tuple[float, float, float]:
    """Least, likely and largest coverage of a settled ranking, with nothing left to find. read: sum of the importance
    of the pages read. sites: that share the jumps, with d = .5; 0: walkers jump to all pages alike."""
    kept = read / (read + (1.0 - read) / (0.5 if sites else 1.0 - D))
    shown = read and read + (1.0 - read) * max(1.0 - read, 0.5)
    return kept * (1.0 - (1.0 - kept) * (1.0 - 1.0 / max(sites, 1))), read, shown


def exact_importance(  # noqa: PLR0913 - all that a ranking depends on
    links: Sequence[Sequence[int]],
    teleport: Sequence[float],
    aliases: Iterable[int] = (),
    weights: Sequence[Sequence[float]] | None = None,
    damping: float = D,
    gone: Iterable[int] = (),
) -> npt.NDArray[np.float64]:
    """PageRank by powers of the whole matrix, each alias folded into the page it stands for.

    weights: of the links; None: all alike. gone: pages that hold nothing, and whose walkers jump.
    From a page without links, and else with probability 1 - `damping`, the walker jumps to a page drawn by
    `teleport`. Links to an alias and jumps to it are links and jumps to what it stands for.
    """
    aliases = set(aliases)
    n = len(links)
    jump = np.zeros(n)
    for page in range(n):
        jump[final(page, links, aliases)] += teleport[page]
    jump /= jump.sum()
    step = np.zeros((n, n))
    for page in range(n):
        if page in aliases or not links[page]:
            step[:, page] = jump
            continue
        step[:, page] = (1 - damping) * jump
        chances = weights[page] if weights is not None else [1.0] * len(links[page])
        for target, chance in zip(links[page], chances, strict=True):
            step[final(target, links, aliases), page] += damping * chance / sum(chances)
    importance: npt.NDArray[np.float64] = np.linalg.matrix_power(step, 512) @ jump
    importance[list(gone)] = 0.0
    importance /= max(importance.sum(), 1e-300)
    return importance


def random_web(draw: random.Random, n: int, density: float, dangling: float = 0.2) -> list[list[int]]:
    """Link lists without self-links; about a share `dangling` of the pages has none."""
    return [
        []
        if draw.random() < dangling
        else [target for target in range(n) if target != page and draw.random() < density]
        for page in range(n)
    ]
