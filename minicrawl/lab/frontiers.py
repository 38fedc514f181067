"""Which page next: the orders in which a crawl may visit a web, each a function from seeds to the pages in that order.

A crawl knows its seeds and the targets of what it has visited; it visits every known page once, until none is left. Of
pages that are equally good the one discovered first goes first, in every order: pages are numbered as they are
discovered, and the heap breaks ties by number. The crawl's own order is `compiled.crawl`.

A page of the graphs here does not link to itself, nor twice to another. seeds: distinct pages.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.lab import compiled as fast
from minicrawl.lab.heap import ABSENT, Heap, add, compiled, empty_heap, first, moved, pop, risen
from minicrawl.opic import GRANT
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.opic.units import DAMPING
from minicrawl.rank import Graph

PageArray = npt.NDArray[np.int32]

KNOWN, VISITED = range(2)
WINDOW = 0.2
"""Share of the waiting pages that `windowed_rank_mass` visits at once."""
_UNITS = 2.0**40


def breadth_first(graph: Graph, seeds: PageArray) -> PageArray:
    """The page known longest: no page is worth more than another."""
    return _by_worth(graph, seeds, np.zeros(graph.size, dtype=np.int64), per_link=0)


def by_inlinks(graph: Graph, seeds: PageArray) -> PageArray:
    """The page with most links from pages visited so far."""
    return _by_worth(graph, seeds, np.zeros(graph.size, dtype=np.int64), per_link=1)


def omniscient(graph: Graph, seeds: PageArray, importance: FloatArray) -> PageArray:
    """The most important page: no crawl knows that."""
    return _by_worth(graph, seeds, bits(importance), per_link=0)


def at_random(graph: Graph, seeds: PageArray, rng: np.random.Generator) -> PageArray:
    """Any waiting page, each as likely as the other."""
    crawl = start(graph, seeds)
    _at_random(crawl, rng.random(graph.size), np.zeros(graph.size, dtype=np.int32))
    return pages_visited(crawl)


def greedy(graph: Graph, seeds: PageArray, grant: int = GRANT) -> PageArray:
    """The page with most cash, as the crawl does; a page is granted cash when it is discovered."""
    return fast.crawl(graph, seeds, graph.size, grant=grant)[1].pages


def opic(graph: Graph, seeds: PageArray) -> PageArray:
    """The page with most cash, all of which comes from the seeds."""
    return fast.crawl(graph, seeds, graph.size, grant=0)[1].pages


def depth_first(graph: Graph, seeds: PageArray) -> PageArray:
    """The page discovered last."""
    crawl = start(graph, seeds)
    _newest_first(crawl, np.zeros(graph.size, dtype=np.int32))
    return pages_visited(crawl)


def by_distance(graph: Graph, seeds: PageArray) -> PageArray:
    """The page nearest to a seed; a link is as long as the logarithm of how many its page has (Bidoki, Yazdani,
    Ghodsnia: "FICA: A novel intelligent crawling algorithm", 2009)."""
    crawl = start(graph, seeds)
    _nearest_first(crawl, empty_heap(np.zeros(graph.size, dtype=np.int64)))
    return pages_visited(crawl)


def rank_mass(graph: Graph, seeds: PageArray) -> PageArray:
    """The page at which most walkers wait (Cho, Schonfeld: "RankMass Crawler", VLDB 2007).

    Walkers start at the seeds, and step on when their page is visited. Before a page is visited, the visited page with
    most walkers lets them step on once more, if it has more than any page that waits to be visited.
    """
    crawl = start(graph, seeds)
    walkers = np.zeros(graph.size)
    walkers[: len(seeds)] = 1.0 / len(seeds)
    _by_walkers(crawl, walkers, empty_heap(bits(walkers)), empty_heap(bits(walkers)))
    return pages_visited(crawl)


def windowed_rank_mass(graph: Graph, seeds: PageArray, window: float = WINDOW) -> PageArray:
    """So many pages at once at which most walkers wait (the cheaper crawler of the same paper).

    After each window of pages the walkers at all visited pages step on, a page after the other in the order of their
    visits. window: share of the waiting pages that is visited before that, at least one page.
    """
    crawl = start(graph, seeds)
    walkers = np.zeros(graph.size)
    walkers[: len(seeds)] = 1.0 / len(seeds)
    _by_windows(crawl, walkers, empty_heap(bits(walkers)), window)
    return pages_visited(crawl)


def larger_sites_first(graph: Graph, seeds: PageArray, hosts: IntArray) -> PageArray:
    """The page known longest of the host with most waiting pages.

    hosts: a number per page, shape (size,). Of hosts with equally many waiting pages, the one known longest.
    """
    crawl = start(graph, seeds)
    count = int(hosts.max()) + 1
    queues = _Queues(
        host_of=hosts,
        number_of=np.full(count, ABSENT, dtype=np.int32),
        size=np.zeros(1, dtype=np.int64),
        waiting=empty_heap(np.zeros(count, dtype=np.int64)),
        oldest=np.zeros(count, dtype=np.int32),
        newest=np.zeros(count, dtype=np.int32),
        following=np.zeros(graph.size, dtype=np.int32),
    )
    _by_host(crawl, queues)
    return pages_visited(crawl)


class Crawl(NamedTuple):
    """A crawl as compiled code sees it.

    page_of, number_of: int32, shape (size,), the page of a number and the number of a page, ABSENT when it is not
    known. order: the pages visited. sizes: how many are known, how many were visited. outlinks: room for one page's.
    """

    indptr: IntArray
    targets: PageArray
    page_of: PageArray
    number_of: PageArray
    order: PageArray
    sizes: IntArray
    outlinks: PageArray


class _Queues(NamedTuple):
    """Waiting pages, first in first out for each host; hosts are numbered as they are discovered.

    host_of: by page. number_of: by host. size: how many hosts are known. waiting: hosts, keyed by their waiting
    pages. oldest, newest: the ends of a host's queue. following: by number of a page, who is behind it.
    """

    host_of: IntArray
    number_of: PageArray
    size: IntArray
    waiting: Heap
    oldest: PageArray
    newest: PageArray
    following: PageArray


def start(graph: Graph, seeds: PageArray) -> Crawl:
    """Nothing is visited yet, and known are the seeds."""
    page_of, order = np.zeros(graph.size, dtype=np.int32), np.zeros(graph.size, dtype=np.int32)
    number_of = np.full(graph.size, ABSENT, dtype=np.int32)
    page_of[: len(seeds)], number_of[seeds] = seeds, np.arange(len(seeds))
    outlinks = np.zeros(int(graph.outdegrees().max()), dtype=np.int32)
    return Crawl(graph.indptr, graph.targets, page_of, number_of, order, np.array([len(seeds), 0]), outlinks)


def pages_visited(crawl: Crawl) -> PageArray:
    """In their order."""
    return crawl.order[: crawl.sizes[VISITED]]


def _by_worth(graph: Graph, seeds: PageArray, worth: IntArray, per_link: int) -> PageArray:
    crawl = start(graph, seeds)
    heap = empty_heap(np.zeros(graph.size, dtype=np.int64))
    _wait(crawl, heap, worth, 0)
    _best_first(crawl, heap, worth, per_link, graph.size)
    return pages_visited(crawl)


def bits(numbers: FloatArray) -> IntArray:
    """The numbers' bits, in place, as integers: those of floats that are not negative are in the same order."""
    return numbers.view(np.int64)


@compiled
def _outlinks(crawl, number):  # type: ignore[no-untyped-def]
    """Numbers of the pages that a page links to; those not known yet are discovered."""
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
def visit(crawl, number):  # type: ignore[no-untyped-def]
    """Visit a page; the numbers of its outlinks."""
    crawl.order[crawl.sizes[VISITED]] = crawl.page_of[number]
    crawl.sizes[VISITED] += 1
    return _outlinks(crawl, number)


@compiled
def _wait(crawl, heap, worth, start):  # type: ignore[no-untyped-def]
    """Let the pages from number `start` on wait, each keyed by its worth and what links have added to it."""
    for number in range(start, crawl.sizes[KNOWN]):
        heap.key[number] += worth[crawl.page_of[number]]
        add(heap, number)


@compiled
def _best_first(crawl, heap, worth, per_link, until):  # type: ignore[no-untyped-def]
    """Visit the page with the largest key until `until` pages were visited. per_link: what a link adds to a key."""
    while heap.size[0] and crawl.sizes[VISITED] < until:
        known = crawl.sizes[KNOWN]
        outlinks = visit(crawl, pop(heap))
        if per_link:
            for target in outlinks:
                heap.key[target] += per_link
                if heap.place[target] != ABSENT:
                    risen(heap, target)
        _wait(crawl, heap, worth, known)


@compiled
def _behind(crawl, waiting, size, known):  # type: ignore[no-untyped-def]
    """Put pages from number `known` on behind the `size` that wait; how many wait then, and are known."""
    for number in range(known, crawl.sizes[KNOWN]):
        waiting[size] = number
        size += 1
    return size, crawl.sizes[KNOWN]


@compiled
def _at_random(crawl, draws, waiting):  # type: ignore[no-untyped-def]
    """draws: a number from 0 to 1 for every fetch. waiting: room for the numbers of waiting pages."""
    size, known = 0, 0
    while True:
        size, known = _behind(crawl, waiting, size, known)
        if size == 0:
            break
        at = int(draws[crawl.sizes[VISITED]] * size)
        number = waiting[at]
        size -= 1
        waiting[at] = waiting[size]
        visit(crawl, number)


@compiled
def _newest_first(crawl, waiting):  # type: ignore[no-untyped-def]
    """waiting: room for the numbers of waiting pages."""
    size, known = 0, 0
    while True:
        size, known = _behind(crawl, waiting, size, known)
        if size == 0:
            break
        size -= 1
        visit(crawl, waiting[size])


@compiled
def _nearest_first(crawl, heap):  # type: ignore[no-untyped-def]
    """A key is the distance, below 0, in units of 2^-40."""
    for number in range(crawl.sizes[KNOWN]):
        add(heap, number)
    while heap.size[0]:
        number, known = pop(heap), crawl.sizes[KNOWN]
        outlinks = visit(crawl, number)
        key = heap.key[number] - int(_UNITS * np.log(max(1, len(outlinks))))
        for target in outlinks:
            if target >= known:
                heap.key[target] = key
                add(heap, target)
            elif heap.place[target] != ABSENT and key > heap.key[target]:
                heap.key[target] = key
                risen(heap, target)


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
        outlinks = visit(crawl, number)
        add(visited, number)
        _step_on(number, outlinks, walkers, never_visited, visited)
        for target in range(known, crawl.sizes[KNOWN]):
            add(never_visited, target)


@compiled
def _step_on(number, outlinks, walkers, never_visited, visited):  # type: ignore[no-untyped-def]
    """`Coverage.visit` of a page that is in the heap `visited`."""
    f = walkers[number]
    walkers[number] = 0.0
    moved(visited, number)
    for target in outlinks:
        walkers[target] += DAMPING * f / len(outlinks)
        if never_visited.place[target] != ABSENT:
            risen(never_visited, target)
        elif visited.place[target] != ABSENT:
            risen(visited, target)


@compiled
def _by_windows(crawl, walkers, never_visited, window):  # type: ignore[no-untyped-def]
    """never_visited: a heap over the bits of `walkers`."""
    known = 0
    while True:
        for number in range(known, crawl.sizes[KNOWN]):
            add(never_visited, number)
        known = crawl.sizes[KNOWN]
        if never_visited.size[0] == 0:
            break
        for _ in range(int(np.ceil(window * never_visited.size[0]))):
            visit(crawl, pop(never_visited))
        for page in crawl.order[: crawl.sizes[VISITED]]:
            number = crawl.number_of[page]
            f = walkers[number]
            if f == 0.0:
                continue
            walkers[number] = 0.0
            outlinks = _outlinks(crawl, number)
            for target in outlinks:
                walkers[target] += DAMPING * f / len(outlinks)
                if never_visited.place[target] != ABSENT:
                    risen(never_visited, target)


@compiled
def _by_host(crawl, queues):  # type: ignore[no-untyped-def]
    waiting = queues.waiting
    _queue_up(crawl, queues, 0)
    while waiting.size[0]:
        host = first(waiting)
        number = queues.oldest[host]
        queues.oldest[host] = queues.following[number]
        waiting.key[host] -= 1
        if waiting.key[host]:
            moved(waiting, host)
        else:
            pop(waiting)
        known = crawl.sizes[KNOWN]
        visit(crawl, number)
        _queue_up(crawl, queues, known)


@compiled
def _queue_up(crawl, queues, start):  # type: ignore[no-untyped-def]
    """Let the pages from number `start` on wait for their hosts."""
    waiting = queues.waiting
    for number in range(start, crawl.sizes[KNOWN]):
        name = queues.host_of[crawl.page_of[number]]
        if queues.number_of[name] == ABSENT:
            queues.number_of[name] = queues.size[0]
            queues.size[0] += 1
        host = queues.number_of[name]
        waiting.key[host] += 1
        if waiting.key[host] == 1:
            queues.oldest[host] = number
            add(waiting, host)
        else:
            queues.following[queues.newest[host]] = number
            risen(waiting, host)
        queues.newest[host] = number
