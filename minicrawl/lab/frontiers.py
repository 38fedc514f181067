"""Crawl orders: functions from seeds to the pages they reach, in the order of their visits.

A crawl knows its seeds and the targets of visited pages, and visits every known page once. Ties go to the page
discovered first: pages are numbered as they are discovered, and the heap breaks ties by number. Graphs have no loops
and no double links; seeds are distinct pages. The crawl's own order is `compiled.crawl`.
"""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.lab import compiled as fast
from minicrawl.lab.heap import ABSENT, Heap, add, compiled, empty_heap, first, moved, pop, risen
from minicrawl.opic import GRANT
from minicrawl.opic.arrays import Flags, FloatArray, IntArray
from minicrawl.opic.units import DAMPING
from minicrawl.rank import Graph
from minicrawl.rank.pagerank import power_steps

PageArray = npt.NDArray[np.int32]

KNOWN, VISITED = range(2)
_RANK_UNITS = 2.0**61


def breadth_first(graph: Graph, seeds: PageArray) -> PageArray:
    """Breadth-first: the page known longest first."""
    return _by_worth(graph, seeds, np.zeros(graph.size, dtype=np.int64), per_link=0)


def by_inlinks(graph: Graph, seeds: PageArray) -> PageArray:
    """The page with the most links from visited pages first."""
    return _by_worth(graph, seeds, np.zeros(graph.size, dtype=np.int64), per_link=1)


def omniscient(graph: Graph, seeds: PageArray, importance: FloatArray) -> PageArray:
    """The most important page first, by importance that no crawl knows."""
    return _by_worth(graph, seeds, _bits(importance), per_link=0)


def at_random(graph: Graph, seeds: PageArray, rng: np.random.Generator) -> PageArray:
    """Any waiting page, all with equal probability."""
    crawl = _start(graph, seeds)
    _at_random(crawl, rng.random(graph.size), np.zeros(graph.size, dtype=np.int32))
    return _pages_visited(crawl)


def greedy(graph: Graph, seeds: PageArray, grant: int = GRANT) -> PageArray:
    """The page with the most cash first, as in the crawl; pages are granted cash when they are discovered."""
    return fast.crawl(graph, seeds, graph.size, grant=grant)[1].pages


def opic(graph: Graph, seeds: PageArray) -> PageArray:
    """The page with the most cash first; all cash comes from the seeds."""
    return fast.crawl(graph, seeds, graph.size, grant=0)[1].pages


def rank_mass(graph: Graph, seeds: PageArray) -> PageArray:
    """The page with the most walkers first (Cho, Schonfeld: "RankMass Crawler", VLDB 2007).

    Walkers start at the seeds and step on when their page is visited. Before each visit, the visited page with the most
    walkers passes them on again if it has more than every waiting page.
    """
    crawl = _start(graph, seeds)
    walkers = np.zeros(graph.size)
    walkers[: len(seeds)] = 1.0 / len(seeds)
    _by_walkers(crawl, walkers, empty_heap(_bits(walkers)), empty_heap(_bits(walkers)))
    return _pages_visited(crawl)


def batch_pagerank(graph: Graph, seeds: PageArray, batch: int, steps: int = 15) -> PageArray:
    """The page with the highest PageRank first, recomputed after every `batch` visits; new pages come last.

    Each time `steps` of power iteration on the known graph continue from the last ranks; unvisited pages have no links
    (Cho, Garcia-Molina, Page: "Efficient crawling through URL ordering", WWW 1998).
    """
    crawl = _start(graph, seeds)
    heap = empty_heap(np.zeros(graph.size, dtype=np.int64))
    ranks: FloatArray | None = None
    for stop in (*range(batch, graph.size, batch), graph.size):
        known, visited = int(crawl.sizes[KNOWN]), int(crawl.sizes[VISITED])
        is_visited = np.zeros(graph.size, dtype=np.bool_)
        is_visited[crawl.order[:visited]] = True
        jump = (crawl.number_of != ABSENT).astype(np.float64)
        start = jump / jump.sum() if ranks is None else ranks
        power = power_steps(_links_of(graph, is_visited), preference=jump, start=start)
        ranks = next(islice(power, steps, None))
        worth = np.zeros(graph.size, dtype=np.int64)
        worth[:known] = ranks[crawl.page_of[:known]] * _RANK_UNITS
        _wait_again(crawl, heap, worth, is_visited)
        _best_first(crawl, heap, np.zeros(graph.size, dtype=np.int64), 0, stop)
        if not heap.size[0]:
            break
    return _pages_visited(crawl)


class _Crawl(NamedTuple):
    """A crawl in compiled code.

    page_of, number_of: int32, shape (size,), page by number and number by page, ABSENT if unknown. order: the visited
    pages. sizes: the numbers of known and of visited pages. outlinks: buffer for one page's.
    """

    indptr: IntArray
    targets: PageArray
    page_of: PageArray
    number_of: PageArray
    order: PageArray
    sizes: IntArray
    outlinks: PageArray


def _start(graph: Graph, seeds: PageArray) -> _Crawl:
    page_of, order = np.zeros(graph.size, dtype=np.int32), np.zeros(graph.size, dtype=np.int32)
    number_of = np.full(graph.size, ABSENT, dtype=np.int32)
    page_of[: len(seeds)], number_of[seeds] = seeds, np.arange(len(seeds))
    outlinks = np.zeros(int(graph.outdegrees().max()), dtype=np.int32)
    return _Crawl(graph.indptr, graph.targets, page_of, number_of, order, np.array([len(seeds), 0]), outlinks)


def _pages_visited(crawl: _Crawl) -> PageArray:
    return crawl.order[: crawl.sizes[VISITED]]


def _by_worth(graph: Graph, seeds: PageArray, worth: IntArray, per_link: int) -> PageArray:
    crawl = _start(graph, seeds)
    heap = empty_heap(np.zeros(graph.size, dtype=np.int64))
    _wait(crawl, heap, worth, 0)
    _best_first(crawl, heap, worth, per_link, graph.size)
    return _pages_visited(crawl)


def _bits(numbers: FloatArray) -> IntArray:
    """A view of non-negative floats as integers in the same order."""
    return numbers.view(np.int64)


def _links_of(graph: Graph, pages: Flags) -> Graph:
    """The graph with only the links of `pages`."""
    outdegree = graph.outdegrees()
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(outdegree * pages)])
    return Graph(indptr, graph.targets[np.repeat(pages, outdegree)])


def _wait_again(crawl: _Crawl, heap: Heap, worth: IntArray, is_visited: Flags) -> None:
    """Refill the heap with all known unvisited pages, keyed by `worth`."""
    heap.key[:] = worth
    heap.place[:] = ABSENT
    heap.size[0] = 0
    _add_all(heap, np.flatnonzero(~is_visited[crawl.page_of[: crawl.sizes[KNOWN]]]))


@compiled
def _add_all(heap: Heap, numbers: Sequence[int]) -> None:
    for number in numbers:
        add(heap, number)


@compiled
def _outlinks(crawl, number):  # type: ignore[no-untyped-def]
    """Numbers of a page's targets; new ones are discovered."""
    page = crawl.page_of[number]
    degree = 0
    for target in crawl.targets[crawl.indptr[page] : crawl.indptr[page + 1]]:
        if crawl.number_of[target] == ABSENT:
            crawl.number_of[target] = crawl.sizes[KNOWN]
            crawl.page_of[crawl.sizes[KNOWN]] = target
            crawl.sizes[KNOWN] += 1
        crawl.outlinks[degree] = crawl.number_of[target]
        degree += 1
    return crawl.outlinks[:degree]


@compiled
def _visit(crawl, number):  # type: ignore[no-untyped-def]
    """Visit a page; returns the numbers of its outlinks."""
    crawl.order[crawl.sizes[VISITED]] = crawl.page_of[number]
    crawl.sizes[VISITED] += 1
    return _outlinks(crawl, number)


@compiled
def _wait(crawl, heap, worth, start):  # type: ignore[no-untyped-def]
    """Add the pages from number `start` on to the heap, keyed by worth plus earlier links."""
    for number in range(start, crawl.sizes[KNOWN]):
        heap.key[number] += worth[crawl.page_of[number]]
        add(heap, number)


@compiled
def _best_first(crawl, heap, worth, per_link, until):  # type: ignore[no-untyped-def]
    """Visit the page with the largest key until `until` pages are visited. per_link: added to a key by each link."""
    while heap.size[0] and crawl.sizes[VISITED] < until:
        known = crawl.sizes[KNOWN]
        outlinks = _visit(crawl, pop(heap))
        if per_link:
            for target in outlinks:
                heap.key[target] += per_link
                if heap.place[target] != ABSENT:
                    risen(heap, target)
        _wait(crawl, heap, worth, known)


@compiled
def _at_random(crawl, draws, waiting):  # type: ignore[no-untyped-def]
    """draws: a number from 0 to 1 for every fetch. waiting: room for the numbers of waiting pages."""
    size, known = 0, 0
    while True:
        for number in range(known, crawl.sizes[KNOWN]):
            waiting[size] = number
            size += 1
        known = crawl.sizes[KNOWN]
        if size == 0:
            break
        at = int(draws[crawl.sizes[VISITED]] * size)
        number = waiting[at]
        size -= 1
        waiting[at] = waiting[size]
        _visit(crawl, number)


@compiled
def _by_walkers(crawl, walkers, never_visited, visited):  # type: ignore[no-untyped-def]
    """never_visited, visited: heaps over the bits of `walkers`."""
    for number in range(crawl.sizes[KNOWN]):
        add(never_visited, number)
    while never_visited.size[0]:
        if visited.size[0] and walkers[first(visited)] > walkers[first(never_visited)]:
            number = first(visited)
            _step_on(number, _outlinks(crawl, number), walkers, never_visited, visited)
        number, known = pop(never_visited), crawl.sizes[KNOWN]
        outlinks = _visit(crawl, number)
        add(visited, number)
        _step_on(number, outlinks, walkers, never_visited, visited)
        for target in range(known, crawl.sizes[KNOWN]):
            add(never_visited, target)


@compiled
def _step_on(number, outlinks, walkers, never_visited, visited):  # type: ignore[no-untyped-def]
    """Move the walkers of a page in the heap `visited` on along its links."""
    f = walkers[number]
    walkers[number] = 0.0
    moved(visited, number)
    for target in outlinks:
        walkers[target] += DAMPING * f / len(outlinks)
        if never_visited.place[target] != ABSENT:
            risen(never_visited, target)
        elif visited.place[target] != ABSENT:
            risen(visited, target)
