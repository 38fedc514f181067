"""Expected importance: what importance will be when the pages that are known, but not visited yet, have been read.

`pagerank` of the known graph takes pages that were not visited for pages without links, so sites that were read whole
stand above sites that were just begun. Here a page that was not visited links, as is to be expected, like the visited
pages of its site: what it would pass on goes along their links.

n           known pages; aliases are folded into the page they stand for
x           expected importance, shape (n,), sum 1
p           where a walker jumps, sum 1
M           M[j, i]: chance to go to j from i, of a visited page with links
level       a division of all pages into groups: sites, their hosts, their folders ...; each refines the one before
n_g, u_g    visited pages of group g; what unvisited pages send along the links of these
lambda_g    n_g / (n_g + 5): how far a group's own average counts, the rest is that of the group above it; of a site
            n_g / (n_g + 0.5), as nothing is above it: the rest is jumps
v_i         share of x_i that an unvisited page i sends like its site, see `site_votes`

    u_g = sum over unvisited pages i of g of v_i * x_i                               on the finest level
    u_g = sum over the groups h of the next level in g of (1 - lambda_h) * u_h       above it
    e_i = sum over the levels, g the group of i, of lambda_g * u_g / n_g             of a visited page i, else 0

    x = damping * M @ (x_visited + e) + the rest of 1 * p

As the average page of a group sends 1 / n_g of what each of its pages does, no average is ever written out: visited
pages send more. When all pages were visited this is `pagerank` of their graph. It needs no SciPy, as a crawl has none.
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
"""The same of a site. What is read of it first is its front page as a rule, and no page is less like the rest."""
MOST_VOTES = 10.0
"""Unvisited pages of a site vote with at most so many times the site's share of all that visited pages have."""
HELD_OUT = 0.5
"""Share of the answers that are left out to see what they have changed."""
_AT_ONCE = 2**18
"""Links that are worked on together, at 24 bytes each."""


class Rows(NamedTuple):
    """Some rows of a link table: sources[k] links to targets[indptr[k] : indptr[k + 1]], all its links.

    weights: of the links, not negative, shape (links,); None: 1 each.
    """

    sources: IntArray
    indptr: IntArray
    targets: IntArray
    weights: FloatArray | None = None


Links = Callable[[], Iterable[Rows]]
"""The links of all visited pages, a part at a time, as often as it is called."""


@dataclass(frozen=True, eq=False)
class KnownPages:
    """What is known of pages beside their links; every array has shape (n,).

    visited: a page had its turn, so its links, if it has any, are known; one that is forbidden or gone has none.
    jump: where walkers jump to, of any positive sum; 0 of a page that has gone. stands_for: the page itself, or the one
    it is an alias of; None: there are no aliases. levels: the group of each page, numbered from 0, the coarsest first.
    """

    visited: Flags
    jump: FloatArray
    levels: Sequence[IntArray] = ()
    stands_for: IntArray | None = None

    @property
    def size(self) -> int:
        return len(self.visited)

    def folded(self, values: FloatArray) -> FloatArray:
        """Values of pages, those of aliases added to the page they stand for."""
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
        """Visited pages that are no aliases: what unvisited pages are expected to be like."""
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
    rounding, for the reason that `pagerank` gives: columns of M, and what unvisited pages send, are distributions.
    start: where to begin, such as the result of the last time, of any positive sum; None: p. Without levels, or with
    votes of 0, unvisited pages count as pages without links, and the result is the importance of the known graph.

    Takes n * 14 numbers and `links_at_once` * 24 bytes beside what comes in. Raises ValueError.
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
    """What part of their expected importance pages have by the links that unvisited pages are expected to have:
    damping * M @ e, shape (n,); what is left is by links found, and by jumps."""
    sent = _Sending(pages, votes).of(expected)
    sent[pages.visited] -= expected[pages.visited]
    part: FloatArray = damping * pages.folded(_passed_on(links, sent, links_at_once))
    return part


def site_votes(pages: KnownPages, importance: FloatArray, most: float = MOST_VOTES) -> FloatArray:
    """What share of their importance unvisited pages send like their site, shape (n,); the rest is jumps.

    importance: of the known graph, in which unvisited pages send nothing, so that nobody has any by such votes.
    R_s, U_s: importance of the visited, the unvisited pages of site s; R, U: of all

        v_i = min(1, most * U * (R_s / R) / U_s)

    So the pages of s that were not visited vote with at most `most` times its share R_s / R of what visited pages have,
    taken of all that the unvisited have; a site cannot buy more by linking to many pages of its own.
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
    """What share of the hundred best pages will be among these when all known pages have been visited.

    visited: q, share of the known pages that were. stayed: o, share of the hundred that are best now, of the pages
    known when HELD_OUT of the answers had not come, that were among the first hundred of these then

        stays = 1 - (1 - o)**(3/4) * (1 - q)**(1/4)

    The exponents were found by trying: `minicrawl lab expected` tells how far off it is on a crawl.
    """
    return 1.0 - float((1.0 - stayed) ** 0.75 * (1.0 - visited) ** 0.25)


def followed(stands_for: IntArray) -> IntArray:
    """Where chains of aliases end, from one step of each; those that stand for each other stand for themselves."""
    end = stands_for
    for _ in range(len(stands_for).bit_length()):  # each time chains are half as long
        end = end[end]
    return np.where(end[end] == end, end, np.arange(len(end)))


class _Sending:
    """What every page sends along its links: x_visited + e."""

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
    """A level's groups. own: lambda_g / n_g; rest: 1 - lambda_g; above: the group that each is a part of."""

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
    """What comes to each page along links, of what each page sends along all of its own."""
    y = np.zeros(len(sent))
    for rows in _cut(links(), at_once):
        y += np.bincount(rows.targets, _along(rows, sent), minlength=len(sent))
    return y


def _cut(links: Iterable[Rows], at_most: int) -> Iterator[Rows]:
    """The same rows, in parts of at most so many links, or of one page."""
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
    """What goes along each link, shape (links,)."""
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
    """The sum of the values of every group."""
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
