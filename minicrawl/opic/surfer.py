"""Steps of a walker from a page: along its links, each by the weight of its place.

place  of a link on its page: 0 in the text, 1 in a list, 2 in the page's frame, such as navigation
w      weight of a place, a whole number
W      sum of the weights of a page's links
K      cash that the page passes along its links in all: floor(.85 h), see units.py; of an alias h

    sigma = floor(K w / W)            along each link; the remainders go to the virtual page

Where all links are in one place, each carries floor(K w / (o w)) = floor(K / o) for any w: the places on such a page
need not be known, and it ranks others as for the papers' surfer. No link loses a unit or more.

Source: J. Dean, C. Anderson, A. Battle, "Ranking documents based on user behavior and/or feature data", US patent
7,716,225, filed 2004: the reasonable surfer, who takes some links rather than others.
"""

from operator import mul
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import IntArray

Places = npt.NDArray[np.uint8]
"""Places of some links."""


class Surfer(NamedTuple):
    """A walker with preferences among links: the weight of a link by its place."""

    text: int
    list: int
    navigation: int

    @property
    def weights(self) -> IntArray:
        """The weights by place, shape (3,)."""
        return np.array(self, dtype=np.int64)

    @property
    def is_uniform(self) -> bool:
        """True if all places have equal weight."""
        return self.text == self.list == self.navigation

    def sent(self, passed: int, links: int, places: Places | None = None) -> tuple[IntArray | int, int]:
        """Cash that a page sends, `passed` in all but for the remainders of the divisions: along each of its links, one
        number where all are equal, and in all.

        places: shape (links,); None: all alike.
        """
        if not links or not passed:
            return 0, 0
        if places is None or self.is_uniform:
            return passed // links, passed // links * links
        of_all = places.tobytes()
        counts = [of_all.count(place) for place in range(len(self))]
        whole = sum(map(mul, counts, self))
        # None in a place without links: the value there may exceed 64 bits.
        sigmas = [passed * weight // whole if count else 0 for count, weight in zip(counts, self, strict=True)]
        return np.array(sigmas, dtype=np.int64).take(places.astype(np.int64)), sum(map(mul, counts, sigmas))


UNIFORM = Surfer(1, 1, 1)
"""The surfer of the papers, who takes all links of a page alike."""
REASONABLE = Surfer(8, 2, 1)
"""The surfer who prefers links in the text to those that every page repeats."""


class Shares:
    """Division of the cash of many pages among their links, at once.

    All links in one place of a page carry the same, so there are three numbers a page and each link is given one of
    them. Dividing link by link takes four times as long.
    """

    def __init__(self, surfer: Surfer, indptr: IntArray, places: Places | None = None) -> None:
        """indptr: of the CSR of the links. places: shape (links,); None: all links of a page alike."""
        self._outdegree = np.diff(indptr)
        self._at: IntArray | None = None
        """Index of each link's sigma in the table of sigmas."""
        if places is None or surfer.is_uniform:
            self._weights = UNIFORM.weights[:1]
            self._counts = self._outdegree[:, np.newaxis]
        else:
            self._weights = surfer.weights
            size = len(self._outdegree) * len(self._weights)
            self._at = np.repeat(np.arange(0, size, len(self._weights)), self._outdegree)
            self._at += places
            self._counts = np.bincount(self._at, minlength=size).reshape(-1, len(self._weights))
        self._whole = np.maximum(self._counts @ self._weights, 1)[:, np.newaxis]

    def sigmas(self, passed: IntArray) -> IntArray:
        """Cash of each page along each link in each place, shape (rows, places). passed: none negative, (rows,).

        K w could pass 2**63, so the multiple of W is taken out first: floor(K / W) w + floor((K mod W) w / W).
        """
        of_weight_1 = passed[:, np.newaxis] // self._whole
        if self._at is None:
            return of_weight_1
        rest = (passed[:, np.newaxis] - of_weight_1 * self._whole) * self._weights
        # Below 2**52 a quotient of floats is never rounded up to a whole number, and it takes a fifth of the time.
        return of_weight_1 * self._weights + (rest / self._whole).astype(np.int64)

    def in_all(self, sigmas: IntArray) -> IntArray:
        """Cash sent by each page along all of its links, shape (rows,)."""
        sums: IntArray = (sigmas * self._counts).sum(axis=1)
        return sums

    def each(self, sigmas: IntArray) -> IntArray:
        """Cash sent along each link, shape (links,)."""
        return np.repeat(sigmas[:, 0], self._outdegree) if self._at is None else sigmas.ravel()[self._at]
