"""Crawl orders that rank all pages a crawl knows, again and again, and visit the best until the next time.

In between, a page that was discovered since has what the pages that link to it would pass on of their ranks, or
nothing. All ranks are of the known graph: pages that are known and were not visited have no links yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from minicrawl.lab.frontiers import KNOWN, VISITED, Crawl, PageArray, pages_visited, start, visit
from minicrawl.lab.heap import ABSENT, Heap, add, compiled, empty_heap, pop, risen
from minicrawl.opic.arrays import Flags, FloatArray, IntArray
from minicrawl.opic.expected import KnownPages, Rows, expected_importance, site_votes
from minicrawl.rank import Graph
from minicrawl.rank.pagerank import power_steps

_UNITS = 2.0**61
_TOLERANCE = 0.02


@dataclass(frozen=True, eq=False)
class Known:
    """What a crawl knows. graph: with the links of visited pages only. found: when each page was discovered, as a
    number, or ABSENT. visited: shape (size,), like found."""

    graph: Graph
    found: PageArray
    visited: Flags

    @property
    def pages(self) -> Flags:
        """Which pages are known."""
        known: Flags = self.found != ABSENT
        return known


Ranks = Callable[[Known], FloatArray]
"""A rank for every known page, from 0 to 1, shape (size,)."""


def by_ranks(
    graph: Graph, seeds: PageArray, ranks: Ranks, stops: Sequence[int], *, passes_on: bool = True
) -> PageArray:
    """The page of the highest rank, worked out before the first visit and after so many visits as each stop says.

    passes_on: whether pages discovered since have what is passed on to them; otherwise they come last, in the order of
    their discovery.
    """
    crawl = start(graph, seeds)
    heap = empty_heap(np.zeros(graph.size, dtype=np.int64))
    for stop in (*stops, graph.size):
        known, visited = int(crawl.sizes[KNOWN]), int(crawl.sizes[VISITED])
        is_visited = np.zeros(graph.size, dtype=np.bool_)
        is_visited[crawl.order[:visited]] = True
        found = ranks(Known(links_of(graph, is_visited), crawl.number_of, is_visited))
        worth = np.zeros(graph.size, dtype=np.int64)
        worth[:known] = found[crawl.page_of[:known]] * _UNITS
        _wait_anew(crawl, heap, worth, is_visited)
        _best_first(crawl, heap, known, passes_on, stop)
        if not heap.size[0]:
            break
    return pages_visited(crawl)


def batch_pagerank(graph: Graph, seeds: PageArray, batch: int, steps: int = 15) -> PageArray:
    """By PageRank, worked out again whenever `batch` more pages were visited; new pages come last (Cho, Garcia-Molina,
    Page: "Efficient crawling through URL ordering", WWW 1998). Each time `steps` of power iteration go on from the last
    ranks."""
    return by_ranks(graph, seeds, PageRanks(steps), range(batch, graph.size, batch), passes_on=False)


def partial_pagerank(graph: Graph, seeds: PageArray, batch: int, steps: int = 15) -> PageArray:
    """The same; new pages have what those that link to them pass on (Baeza-Yates, Castillo, Marin, Rodriguez:
    "Crawling a country", WWW 2005)."""
    return by_ranks(graph, seeds, PageRanks(steps), range(batch, graph.size, batch))


def by_expected_importance(graph: Graph, seeds: PageArray, hosts: IntArray, batch: int) -> PageArray:
    """By importance as it is to be expected when all known pages were read (`opic.expected`), groups being hosts."""
    return by_ranks(graph, seeds, _Expected(hosts), range(batch, graph.size, batch))


class PageRanks:
    """PageRank of the known graph, so many steps on from that of the last time."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._last: FloatArray | None = None

    def __call__(self, known: Known) -> FloatArray:
        jump = known.pages.astype(np.float64)
        begin = jump / jump.sum() if self._last is None else self._last
        self._last = next(islice(power_steps(known.graph, preference=jump, start=begin), self._steps, None))
        return self._last


class _Expected:
    """Expected importance, about."""

    def __init__(self, hosts: IntArray) -> None:
        self._hosts = hosts
        self._importance = PageRanks(5)

    def __call__(self, known: Known) -> FloatArray:
        graph = known.graph
        rows = Rows(np.arange(graph.size), graph.indptr, graph.targets)
        pages = KnownPages(known.visited, known.pages.astype(np.float64), (self._hosts,))
        importance = self._importance(known)
        votes = site_votes(pages, importance)
        return expected_importance(lambda: [rows], pages, votes, tolerance=_TOLERANCE, start=importance)


def links_of(graph: Graph, pages: Flags) -> Graph:
    """The graph without the links of all other pages."""
    outdegree = graph.outdegrees()
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(outdegree * pages)])
    return Graph(indptr, graph.targets[np.repeat(pages, outdegree)])


def _wait_anew(crawl: Crawl, heap: Heap, worth: IntArray, is_visited: Flags) -> None:
    """Let all known pages wait that were not visited, by what they are worth now."""
    heap.key[:] = worth
    heap.place[:] = ABSENT
    heap.size[0] = 0
    waiting = np.flatnonzero(~is_visited[crawl.page_of[: crawl.sizes[KNOWN]]])
    _add_all(heap, waiting)


@compiled
def _add_all(heap, numbers):  # type: ignore[no-untyped-def]
    for number in numbers:
        add(heap, number)


@compiled
def _best_first(crawl, heap, ranked, passes_on, until):  # type: ignore[no-untyped-def]
    """Visit the page with the largest key until `until` pages were visited. ranked: how many pages have a rank."""
    while heap.size[0] and crawl.sizes[VISITED] < until:
        known, number = crawl.sizes[KNOWN], pop(heap)
        outlinks = visit(crawl, number)
        share = heap.key[number] // max(1, len(outlinks)) if passes_on else 0
        for target in outlinks:
            if target >= ranked and heap.place[target] != ABSENT:
                heap.key[target] += share
                risen(heap, target)
        for target in range(known, crawl.sizes[KNOWN]):
            heap.key[target] = share
            add(heap, target)
