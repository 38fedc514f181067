"""Expected importance of the pages known so far, and how far it can be trusted."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.stored_forms import kept_surfer
from minicrawl.crawler.urls.groups import UrlGroups
from minicrawl.model import READ, State
from minicrawl.opic.arrays import Flags, IntArray
from minicrawl.opic.expected import (
    HELD_OUT,
    SITE_OWN,
    KnownPages,
    Links,
    Rows,
    estimated_stays,
    expected_importance,
    followed,
    from_unvisited,
    site_votes,
)
from minicrawl.opic.surfer import Surfer
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import Store
from minicrawl.store.rows import ExpectedOf, ExpectedSite

FloatArray = npt.NDArray[np.float64]

ROUGH, FINE = 1e-3, 1e-4
"""L1 distances: while a crawl runs and for comparisons, and at its end."""
_FIRST = 100


@dataclass(frozen=True, eq=False)
class PagesSoFar:
    """Flags and importance of all pages, shape (size,). is_read: an answer was taken in, see minicrawl.model.READ.

    late: pages whose first answers are the last half of all; None: their effect is not computed.
    """

    visited: Flags
    is_gone: Flags
    is_alias: Flags
    is_read: Flags
    importance: FloatArray
    groups: Sequence[IntArray]
    owners: Sequence[str]
    late: IntArray | None = None

    @property
    def size(self) -> int:
        return len(self.visited)


@dataclass(frozen=True, eq=False)
class Expectation:
    """Expected importance of every page, and the part by expected links of unread pages, (size,)."""

    shares: FloatArray
    unread: FloatArray
    sites: list[ExpectedSite]
    of: ExpectedOf


def expectation(
    so_far: PagesSoFar, links: Links, start: FloatArray | None = None, tolerance: float = FINE
) -> Expectation:
    """Compute it. links: of all visited pages. start: the shares computed before, of the first pages."""
    if so_far.visited.all():  # nothing is left to expect
        return _expectation(so_far, so_far.importance, np.zeros(so_far.size), [], None)
    jump = np.where(so_far.is_gone, 0.0, 1.0)
    pages = KnownPages(so_far.visited, jump, so_far.groups, _stands_for(so_far, links))
    votes = site_votes(pages, so_far.importance)
    shares = expected_importance(links, pages, votes, tolerance=tolerance, start=_begun(so_far.size, start))
    stays = None if so_far.late is None else _stays(so_far, pages, links, shares)
    unread = from_unvisited(links, pages, votes, shares)
    return _expectation(so_far, shares, unread, list(_sites(so_far, pages, votes, shares)), stays)


def _expectation(
    so_far: PagesSoFar, shares: FloatArray, unread: FloatArray, sites: list[ExpectedSite], stays: float | None
) -> Expectation:
    visited, read = (int(np.count_nonzero(flags)) for flags in (so_far.visited, so_far.is_read))
    coverage = min(1.0, float(shares[so_far.is_read].sum()))
    return Expectation(shares, unread, sites, ExpectedOf(visited, read, so_far.size, coverage, stays))


def _begun(size: int, start: FloatArray | None) -> FloatArray | None:
    """The shares to begin with: a new page gets the mean."""
    if start is None or not start.any():
        return None
    return np.concatenate([start[:size], np.full(max(0, size - len(start)), 1.0 / size)])


def _stands_for(so_far: PagesSoFar, links: Links) -> IntArray:
    """The target of each alias; any other page itself."""
    stands_for = np.arange(so_far.size)
    for rows in links():
        aliases = np.flatnonzero(so_far.is_alias[rows.sources] & (np.diff(rows.indptr) > 0))
        stands_for[rows.sources[aliases]] = rows.targets[rows.indptr[aliases]]
    return followed(stands_for).astype(np.int64, copy=False)


def _stays(so_far: PagesSoFar, pages: KnownPages, links: Links, shares: FloatArray) -> float:
    """Expected share of the first hundred pages that stay among them."""
    visited = so_far.visited.copy()
    visited[so_far.late] = False
    known = visited.copy()
    for rows in links():
        known[rows.targets[np.repeat(visited[rows.sources], np.diff(rows.indptr))]] = True
    jump = np.where(known, pages.jump, 0.0)
    if not jump.any():
        return 0.0
    before = KnownPages(visited, jump, pages.levels, pages.stands_for)
    votes = site_votes(before, np.where(known, so_far.importance, 0.0))
    then = expected_importance(links, before, votes, tolerance=ROUGH, start=_begun(so_far.size, shares * known))
    # Where chains of aliases have grown, today's targets were not known then.
    numbers = np.unique(np.flatnonzero(known) if pages.stands_for is None else pages.stands_for[known])
    first_then, first_now = (set(numbers[_best(values[numbers])].tolist()) for values in (then, shares))
    stayed = len(first_then & first_now) / len(first_now)
    return estimated_stays(stayed, float(np.count_nonzero(so_far.visited)) / so_far.size)


def _best(values: FloatArray) -> IntArray:
    return np.argsort(-values, kind="stable")[:_FIRST]


def _sites(so_far: PagesSoFar, pages: KnownPages, votes: FloatArray, shares: FloatArray) -> Iterator[ExpectedSite]:
    """The owners whose unread pages are expected to have links."""
    owner, count = so_far.groups[0], len(so_far.owners)
    visited = np.bincount(owner[pages.examples()], minlength=count)
    unvisited = np.bincount(owner[~so_far.visited], minlength=count)
    sends = np.bincount(owner, np.where(so_far.visited, 0.0, votes * shares), minlength=count)
    sends *= visited / (visited + SITE_OWN)
    for number in np.flatnonzero((visited > 0) & (unvisited > 0)).tolist():
        yield ExpectedSite(so_far.owners[number], int(visited[number]), int(unvisited[number]), float(sends[number]))


def as_rows(block: LinkGraph, surfer: Surfer) -> Rows:
    """Stored links, weighed by a surfer as in the ledger."""
    if block.places is None or surfer.is_uniform:
        return Rows(block.sources, block.indptr, block.targets)
    return Rows(block.sources, block.indptr, block.targets, surfer.weights.astype(np.float64)[block.places])


@contextmanager
def kept_rows(store: Store, surfer: Surfer) -> Iterator[Links]:
    """The links of a store, weighed: in memory if they are few, else read from disk on every use."""
    if store.link_table.count() <= store.sizes.links:
        rows = [as_rows(block, surfer) for block in store.link_table.blocks()]
        yield lambda: rows
        return
    with store.link_table.kept_blocks() as blocks:
        yield lambda: (as_rows(block, surfer) for block in blocks())


def expectation_of(store: Store, tolerance: float = FINE, *, with_stays: bool = True) -> Expectation:
    """Compute it from a store alone. with_stays: also how much will stay. Raises StoreError."""
    with store.snapshot():
        state, was_visited = zip(*store.page_table.states(), strict=True)
        states, visited = np.array(state), np.array(was_visited) != 0
        late = store.page_table.answered_late(HELD_OUT) if with_stays else None
        groups = UrlGroups()
        finest = np.fromiter(map(groups.of, store.page_table.urls()), dtype=np.int64)
        so_far = PagesSoFar(
            visited=visited,
            is_gone=states == State.GONE,
            is_alias=states == State.ALIAS,
            is_read=np.isin(states, list(READ)),
            importance=store.ranks.importance(),
            groups=groups.levels(finest),
            owners=groups.sites(),
            late=None if late is None else np.array(late, dtype=np.int64),
        )
        start = np.nan_to_num(store.expected.shares())
        with kept_rows(store, kept_surfer(store)) as links:
            return expectation(so_far, links, start, tolerance)
