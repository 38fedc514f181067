"""Where a step of power iteration leads to itself, found in fewer steps than it takes by repeating it."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Step = Callable[[FloatArray], FloatArray]

_REMEMBERED = 6
"""Steps that are combined into the next."""


def fixed_point(step: Step, x: FloatArray, least: float) -> FloatArray:
    """x at which step(x) is x, from an x of sum 1 on; the sum of what a step moves there is at most `least`.

    With f_k = step(x_k) - x_k of the last steps, the next is the mean of the step(x_k), with weights of sum 1 that make
    the mean of the f_k least: for a linear step that is GMRES (D. Anderson, "Iterative Procedures for Nonlinear
    Integral Equations", JACM 1965; H. Walker, P. Ni, "Anderson Acceleration for Fixed-Point Iterations", SIAM J.
    Numerical Analysis 2011). Ends also when what moves has not fallen by a tenth in as many steps as are remembered and
    it is tiny: then it is rounding that moves.
    """
    steps: list[FloatArray] = []
    moves: list[FloatArray] = []
    best, stale = math.inf, 0
    while True:
        after = step(x)
        moved = after - x
        change = float(np.abs(moved).sum())
        stale = 0 if change < 0.9 * best else stale + 1
        best = min(best, change)
        if change <= least or (stale > _REMEMBERED and change < 1e-10):
            break
        if stale > _REMEMBERED:
            steps, moves, stale = [], [], 0
        steps, moves = [*steps[1 - _REMEMBERED :], after], [*moves[1 - _REMEMBERED :], moved]
        x = _mean(steps, moves)
    after = np.maximum(after, 0.0)
    shares: FloatArray = after / after.sum()
    return shares


def _mean(steps: Sequence[FloatArray], moves: Sequence[FloatArray]) -> FloatArray:
    """The mean of `steps` with the weights of sum 1 that make the same mean of `moves` least in L2."""
    last = moves[-1]
    if len(moves) == 1:
        return steps[-1]
    apart = np.array([last - move for move in moves[:-1]])
    weights = np.linalg.lstsq(apart @ apart.T, apart @ last, rcond=1e-12)[0]
    x = steps[-1].copy()
    for weight, before in zip(weights, steps[:-1], strict=True):
        x += weight * (before - steps[-1])
    return x
