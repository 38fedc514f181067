"""Cash passed along the links of a page, in whole units, and the interpolated window.

d     damping factor, the share of its cash that a page passes along its links: 17/20 = .85 where walkers jump to all
      pages alike, 10/20 where they jump to sites (sites.py)
h     cash a page has forwarded in all
o     number of counted outlinks

**The window**: a page's history of the last T, in one number a page (paper, section 5).

h         history of a page in the window
c         cash that it passes on at this visit
G         the clock: all cash ever passed on, by all pages
elapsed   G now less G at the page's last visit: the stretch in which c gathered
T         size of the window on that clock

    h := h * (T - elapsed) / T + c   if elapsed < T,   else   c * T / elapsed

The clock of a growing crawl speeds up, so T is in *turnovers* of all cash.
"""

import numpy as np

from minicrawl.opic.arrays import FloatArray, IntArray

DAMPING = 0.85
TWENTIETHS = 17
"""20 d"""


def damped(cash: int, twentieths: int = TWENTIETHS) -> int:
    """floor(d cash), exact for any integer."""
    return twentieths * cash // 20


def dampeds(cash: IntArray, twentieths: int = TWENTIETHS) -> IntArray:
    """`damped` for arrays. 17 * cash could pass 2**63, so the multiple of 20 is taken out first."""
    whole = cash // 20
    return twentieths * whole + twentieths * (cash - 20 * whole) // 20


TURNOVERS = 8


def interpolated(past: float, cash: float, elapsed: float, size: float) -> float:
    """h after a visit, from `past` before it, in a window of `size`."""
    if elapsed < size:
        return past * (size - elapsed) / size + cash
    # No cash in hand and none spent since: no time has passed.
    return cash * size / elapsed if elapsed else past + cash


def all_interpolated(past: FloatArray, cash: IntArray, elapsed: FloatArray, size: float) -> FloatArray:
    """`interpolated` for pages visited at once, in a window of at least 1."""
    within = past * (size - elapsed) / size + cash
    return np.where(elapsed < size, within, cash * (size / np.maximum(elapsed, 1.0)))
