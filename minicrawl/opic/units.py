"""Cash passed along the links of a page, in whole units.

d     damping factor, 17/20 = .85: the share of its cash that a page passes along its links
h     cash a page has forwarded in all
o     number of counted outlinks
"""

from minicrawl.opic.arrays import IntArray

DAMPING = 0.85


def damped(cash: int) -> int:
    """floor(.85 cash), exact for any integer."""
    return 17 * cash // 20


def sigma(h: int, o: int) -> int:
    """Units that a page with `h` forwarded in all has sent along each of its `o` links.

    sigma(h, o) = floor(floor(.85 h) / o), 0 when o = 0

    The floor is taken of the sum, not of each payment: so after any number of visits a link has carried
    exactly sigma(h, o), and Lemma 2.3 of the paper holds in integers.
    """
    return damped(h) // o if o else 0


def dampeds(cash: IntArray) -> IntArray:
    """`damped` for arrays. 17 * cash could pass 2**63, so the multiple of 20 is taken out first."""
    twentieths = cash // 20
    return 17 * twentieths + 17 * (cash - 20 * twentieths) // 20
