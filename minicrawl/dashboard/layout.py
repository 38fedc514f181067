"""Where the nodes of a graph stand so that one can see what belongs together (Fruchterman and Reingold 1991).

All nodes push each other away, by d^2 / r at a distance r; nodes that are linked pull each other, by r^2 / d; and all
are pulled to the middle a little, so that what is linked to nothing does not leave. Each step is shorter than the last.
`n` nodes; `d` the distance at which two linked nodes are at rest.
"""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
_STEPS = 150
_TO_THE_MIDDLE = 0.6


def laid_out(n: int, links: npt.NDArray[np.int64]) -> FloatArray:
    """Positions from 0 to 1, shape (n, 2). links: of shape (links, 2). The same for the same graph."""
    rng = np.random.default_rng(0)
    at = rng.random((n, 2)) - 0.5
    d = 1.0 / np.sqrt(max(n, 1))
    for step in range(_STEPS):
        apart = at[:, None, :] - at[None, :, :]
        squared = np.maximum((apart**2).sum(axis=2), 1e-9)
        push = (apart * (d**2 / squared)[:, :, None]).sum(axis=1)
        along = at[links[:, 1]] - at[links[:, 0]]
        pull = along * (np.sqrt((along**2).sum(axis=1)) / d)[:, None]
        force = push - _TO_THE_MIDDLE * at
        np.add.at(force, links[:, 0], pull)
        np.add.at(force, links[:, 1], -pull)
        length = np.maximum(np.sqrt((force**2).sum(axis=1)), 1e-9)
        most = 0.1 * (1.0 - step / _STEPS)
        at = at + force * (np.minimum(length, most) / length)[:, None]
    low, high = at.min(axis=0, initial=0.0), at.max(axis=0, initial=0.0)
    places: FloatArray = (at - low) / np.maximum(high - low, 1e-9)
    return places
