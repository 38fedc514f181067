"""Curves of a few hundred points, whatever the number of pages."""

import numpy as np
import numpy.typing as npt

_POINTS = 200


def share_curve(shares: npt.NDArray[np.float64], n: int | None = None) -> list[tuple[int, float]]:
    """How much the first k of some shares come to, for k from 0 to n, or to all: points (k, sum), k rising."""
    sums = np.concatenate(([0.0], np.cumsum(shares[:n])))
    at = np.unique(np.linspace(0, len(sums) - 1, _POINTS).round().astype(np.int64))
    return list(zip(at.tolist(), sums[at].tolist(), strict=True))
