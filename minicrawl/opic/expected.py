"""Expected importance: importance once the pages that are known, but not visited yet, have been read.

`pagerank` of the known graph treats unvisited pages as pages without links, so sites read completely rank above sites
just begun. Here an unvisited page is expected to link like the visited pages of its site: its importance is passed on
along their links.

n           known pages; aliases are folded into the page they stand for
x           expected importance, shape (n,), sum 1
p           distribution of a walker's jumps, sum 1
M           M[j, i]: chance to go to j from i, of a visited page with links
level       a division of all pages into groups: sites, their hosts, their folders ...; each refines the one before
n_g, u_g    visited pages of group g; importance that unvisited pages send along links of these
lambda_g    n_g / (n_g + 5): weight of a group's own average, the rest is that of the group above it; of a site
            n_g / (n_g + 0.5), as no group is above it: the rest is jumps
v_i         share of x_i that an unvisited page i sends like its site, see `site_votes`

    u_g = sum over unvisited pages i of g of v_i * x_i                               on the finest level
    u_g = sum over the groups h of the next level in g of (1 - lambda_h) * u_h       above it
    e_i = sum over the levels, g the group of i, of lambda_g * u_g / n_g             of a visited page i, else 0

    x = damping * M @ (x_visited + e) + the rest of 1 * p

No average is ever written out: the average page of a group sends 1 / n_g along the links of each of its pages, so
visited pages send more. With all pages visited this is `pagerank` of their graph. Needs no SciPy, as a crawl has none.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple  # Any: arrays

import numpy as np
import numpy.typing as npt

from minicrawl.opic.sites.trust import fixed_point

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.integer[Any]]
Flags = npt.NDArray[np.bool_]

OWN = 5.0
"""Visited pages of a group from which on its own average counts for more than half."""
SITE_OWN = 0.5
"""The number for a site, whose first page read is usually the front page, the page least like the rest."""
MOST_VOTES = 10.0
"""Bound on the votes of a site's unvisited pages, as a multiple of the site's share among visited pages."""
HELD_OUT = 0.5
"""Share of the answers left out to measure the change they made."""
_AT_ONCE = 2**18
"""Links processed together, at 24 bytes each."""


class Rows(NamedTuple):
    """Some rows of a link table: sources[k] links to targets[indptr[k] : indptr[k + 1]], all its links.

    weights: of the links, not negative, shape (links,); None: 1 each.
    """

    sources: IntArray
    indptr: IntArray
    targets: IntArray
    weights: FloatArray | None = None


Links = Callable[[], Iterable[Rows]]
"""Returns the links of all visited pages, in parts, anew at each call."""


@dataclass(frozen=True, eq=False)
class KnownPages:
    """Known pages apart from their links; every array has shape (n,).

    visited: a page had its turn, so its links, if it has any, are known; a forbidden or gone one has none.
    jump: weight of jumps to a page, of any positive sum; 0 of a gone page. stands_for: the page itself, or the target
    of an alias; None: there are no aliases. levels: the group of each page, numbered from 0, the coarsest first.
    """

    visited: Flags
    jump: FloatArray
    levels: Sequence[IntArray] = ()
    stands_for: IntArray | None = None

    @property
    def size(self) -> int:
        return len(self.visited)

    def folded(self, values: FloatArray) -> FloatArray:
        """Values of pages, with those of aliases added to their targets."""
        if self.stands_for is None:
            return values
        return _sums(self.stands_for, values, self.size)

    def stands_for_itself(self) -> Flags:
        """Pages that are no aliases."""
        if self.stands_for is None:
            return np.ones(self.size, dtype=np.bool_)
        itself: Flags = self.stands_for == np.arange(self.size)
        return itself

    def examples(self) -> Flags:
        """Visited pages that are no aliases: the model for unvisited pages."""
        return self.visited & self.stands_for_itself()


def expected_importance(  # noqa: PLR0913 - parameters of the method, with defaults
    links: Links,
    pages: KnownPages,
    votes: FloatArray | None = None,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    start: FloatArray | None = None,
    links_at_once: int = _AT_ONCE,
) -> FloatArray:
    """Expected importance of every page, float64, shape (n,), sum 1; aliases 0.

    votes: v, see `site_votes`; None: 1. tolerance: the result is within that L1 distance of the exact one, but for
    rounding, by the proof in `pagerank`: columns of M, and shares that unvisited pages send, are distributions.
    start: initial values, such as the previous result, of any positive sum; None: p. Without levels, or with
    votes of 0, unvisited pages count as pages without links, and the result is the importance of the known graph.

    Takes n * 14 numbers and `links_at_once` * 24 bytes beside the arguments. Raises ValueError.
    """
    _check(pages, damping, tolerance)
    if pages.size == 0:
        return np.zeros(0)
    p = _distribution(pages.folded(pages.jump))
    sending = _Sending(pages, np.ones(pages.size) if votes is None else votes)

    def step(x: FloatArray) -> FloatArray:
        y = pages.folded(_passed_on(links, sending.of(x), links_at_once))
        y *= damping
        y += (1.0 - y.sum()) * p
        return y

    x = p if start is None else _distribution(pages.folded(start))
    return fixed_point(step, x, tolerance * (1.0 - damping) / damping if damping else math.inf)


def from_unvisited(  # noqa: PLR0913 - what the expected importance was worked out of
    links: Links,
    pages: KnownPages,
    votes: FloatArray,
    expected: FloatArray,
    *,
    damping: float = 0.85,
    links_at_once: int = _AT_ONCE,
) -> FloatArray:
    """Part of the expected importance of pages from the links expected of unvisited pages: damping * M @ e,
    shape (n,); the rest is from links found, and from jumps."""
    sent = _Sending(pages, votes).of(expected)
    sent[pages.visited] -= expected[pages.visited]
    part: FloatArray = damping * pages.folded(_passed_on(links, sent, links_at_once))
    return part


def site_votes(pages: KnownPages, importance: FloatArray, most: float = MOST_VOTES) -> FloatArray:
    """Share of their importance that unvisited pages send like their site, shape (n,); the rest is jumps.

    importance: of the known graph, in which unvisited pages send nothing, so such votes add to none.
    R_s, U_s: importance of the visited, the unvisited pages of site s; R, U: of all

        v_i = min(1, most * U * (R_s / R) / U_s)

    So the votes of s are at most `most` * R_s / R of U; a site cannot gain more by linking to many pages of its own.
    """
    if not len(pages.levels):
        return np.zeros(pages.size)
    site, unvisited = pages.levels[0], ~pages.visited
    read = np.bincount(site, np.where(pages.visited, importance, 0.0))
    unread = np.bincount(site, np.where(unvisited, importance, 0.0))
    allowed = most * float(unread.sum()) * read / max(float(read.sum()), 1e-300)
    shares = np.minimum(1.0, np.divide(allowed, unread, out=np.ones(len(read)), where=unread > 0.0))
    of_pages: FloatArray = np.where(unvisited, shares[site], 0.0)
    return of_pages


def estimated_stays(stayed: float, visited: float) -> float:
    """Estimated share of today's hundred best pages that stay among them once all known pages are visited.

    visited: q, visited share of the known pages. stayed: o, share of today's hundred best, among the pages known
    before the last HELD_OUT of the answers, that were among the first hundred of these pages then

        stays = 1 - (1 - o)**(3/4) * (1 - q)**(1/4)

    The exponents were found by trying: `minicrawl lab expected` measures the error on a crawl.
    """
    return 1.0 - float((1.0 - stayed) ** 0.75 * (1.0 - visited) ** 0.25)


def followed(stands_for: IntArray) -> IntArray:
    """Ends of chains of aliases, from one step of each; aliases in a circle stand for themselves."""
    end = stands_for
    for _ in range(len(stands_for).bit_length()):  # each pass halves the chains
        end = end[end]
    return np.where(end[end] == end, end, np.arange(len(end)))


class _Sending:
    """Importance sent by every page along its links: x_visited + e."""

    def __init__(self, pages: KnownPages, votes: FloatArray) -> None:
        examples = pages.examples()
        self._unvisited = np.flatnonzero(~pages.visited)
        self._votes = votes[self._unvisited]
        self._examples = np.flatnonzero(examples)
        coarser = (None, *pages.levels)
        self._levels = [_Level.of(group, above, examples) for group, above in zip(pages.levels, coarser, strict=False)]
        self._finest = pages.levels[-1][self._unvisited] if len(pages.levels) else None

    def of(self, x: FloatArray) -> FloatArray:
        sent = x.copy()
        sent[self._unvisited] = 0.0
        if self._finest is None or not len(self._examples):
            return sent
        waiting = np.bincount(self._finest, self._votes * x[self._unvisited], minlength=len(self._levels[-1].own))
        more = np.zeros(len(self._examples))
        for level in reversed(self._levels):
            more += (level.own * waiting)[level.of_examples]
            waiting = np.bincount(level.above, level.rest * waiting)
        sent[self._examples] += more
        return sent


class _Level(NamedTuple):
    """A level's groups. own: lambda_g / n_g; rest: 1 - lambda_g; above: the parent group of each."""

    own: FloatArray
    rest: FloatArray
    above: IntArray
    of_examples: IntArray

    @classmethod
    def of(cls, group: IntArray, coarser: IntArray | None, examples: Flags) -> "_Level":
        count = int(group.max(initial=-1)) + 1
        above = np.zeros(count, dtype=np.int64)
        visited = np.bincount(group[examples], minlength=count).astype(np.float64)
        share = visited / (visited + (SITE_OWN if coarser is None else OWN))
        if coarser is not None:
            above[group] = coarser
        own = np.divide(share, visited, out=np.zeros(count), where=visited > 0.0)
        return cls(own, 1.0 - share, above, group[examples])


def _passed_on(links: Links, sent: FloatArray, at_once: int) -> FloatArray:
    """Importance that each page receives along links, from the amount sent by each page along all of its own."""
    y = np.zeros(len(sent))
    for rows in _cut(links(), at_once):
        y += np.bincount(rows.targets, _along(rows, sent), minlength=len(sent))
    return y


def _cut(links: Iterable[Rows], at_most: int) -> Iterator[Rows]:
    """Split rows into parts of at most `at_most` links, or of one page."""
    for rows in links:
        first = 0
        while first < len(rows.sources):
            last = int(np.searchsorted(rows.indptr, rows.indptr[first] + at_most, side="right")) - 1
            last = min(max(last, first + 1), len(rows.sources))
            kept = slice(int(rows.indptr[first]), int(rows.indptr[last]))
            weights = None if rows.weights is None else rows.weights[kept]
            indptr = rows.indptr[first : last + 1] - rows.indptr[first]
            yield Rows(rows.sources[first:last], indptr, rows.targets[kept], weights)
            first = last


def _along(rows: Rows, sent: FloatArray) -> FloatArray:
    """Amount sent along each link, shape (links,)."""
    outdegrees = np.diff(rows.indptr)
    if rows.weights is None:
        return np.repeat(sent[rows.sources] / np.maximum(outdegrees, 1), outdegrees)
    total = np.zeros(len(outdegrees))
    has_links = outdegrees > 0
    if len(rows.targets):
        total[has_links] = np.add.reduceat(rows.weights, rows.indptr[:-1][has_links], dtype=np.float64)
    each = np.divide(sent[rows.sources], total, out=np.zeros(len(total)), where=total > 0.0)
    return np.repeat(each, outdegrees) * rows.weights


def _sums(groups: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Sum of the values of every group."""
    return np.bincount(groups, values, minlength=count).astype(np.float64, copy=False)


def _distribution(weights: FloatArray) -> FloatArray:
    total = float(weights.sum())
    if not (weights >= 0.0).all() or not 0.0 < total < math.inf:
        raise ValueError(f"jump and start must be numbers per page, none negative, not all 0; the sum is {total}")
    return weights / total


def _check(pages: KnownPages, damping: float, tolerance: float) -> None:
    if not 0.0 <= damping < 1.0:
        raise ValueError(f"damping must be at least 0 and below 1, not {damping}")
    if not tolerance > 0.0:
        raise ValueError(f"tolerance must be more than 0, not {tolerance}")
    arrays = [pages.jump, *pages.levels, *([] if pages.stands_for is None else [pages.stands_for])]
    if any(array.shape != pages.visited.shape for array in arrays):
        raise ValueError(f"there must be {pages.size} numbers in every array, one per page")
