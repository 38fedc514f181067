"""A map of things of which only the distances are known: places in the plane that lie as far apart, as near as can be.

d        distances between n things, the shorter way of the two; where there is none, half as far again as the longest
J        I - 1/n

    B = -1/2 J d^2 J        x = the two first eigenvectors of B, each times the root of its eigenvalue

Of distances that are those of points in the plane the places are these points, turned or mirrored. Source: W.
Torgerson, "Multidimensional scaling: I. Theory and method", Psychometrika 17 (1952).
"""

import numpy as np
import numpy.typing as npt

from minicrawl.rank.pagerank import FloatArray

_NO_WAY = 1.5


def distance_map(links: npt.NDArray[np.integer]) -> FloatArray:
    """Places, shape (n, 2), the mean of which is 0. links: shape (n, n), below 0 where no way leads."""
    size = len(links)
    d = np.where(links < 0, np.inf, links).astype(np.float64)
    d = np.minimum(d, d.T)
    known = d[np.isfinite(d)]
    d[~np.isfinite(d)] = _NO_WAY * max(known.max(initial=0.0), 1.0)
    centring = np.eye(size) - 1.0 / max(size, 1)
    values, vectors = np.linalg.eigh(-0.5 * centring @ d**2 @ centring)
    places = np.zeros((size, 2))
    for axis in range(min(size, 2)):
        vector = vectors[:, -1 - axis]
        # An eigenvector may point either way: the same distances are to give the same map.
        sign = 1.0 if vector[np.argmax(np.abs(vector) > 1e-9)] > 0 else -1.0
        places[:, axis] = sign * vector * np.sqrt(max(values[-1 - axis], 0.0))
    return places
