"""The order by anticipated cash (`opic.anticipated`), compiled, with the crawl's own cash book.

As in the live crawl the pages of a host wait in order by their cash; of the first pages of all hosts that one is next
whose key is largest.
"""

from typing import NamedTuple

import numpy as np

from minicrawl.lab.compiled import RESERVE, VisitLog, links_of, opened, spend
from minicrawl.lab.heap import ABSENT, Heap, add, compiled, empty_heap, first, moved, pop
from minicrawl.opic import GRANT, Adaptive, Basic, seed_grant
from minicrawl.opic import anticipated as rule
from minicrawl.opic.arrays import IntArray, Pages
from minicrawl.opic.strategy import Greedy
from minicrawl.rank import Graph

_rate, _key = compiled(rule.rate), compiled(rule.key)
_NEXT = 2**62


class _Known(NamedTuple):
    """What is known of pages, by number, and of hosts; letters as in `opic.anticipated`.

    page_of, number_of: the page of a number, and back. host_of, brought: by number, the latter is x. waiting, spent,
    foreign, visited: C_h, S_h, F_h and R_h. best: the page with which a host is among the hosts, or ABSENT. size: how
    many pages are known.
    """

    page_of: Pages
    number_of: Pages
    host_of: IntArray
    site_of: IntArray
    brought: IntArray
    waiting: IntArray
    spent: IntArray
    foreign: IntArray
    visited: IntArray
    best: IntArray
    size: IntArray


class _Queues(NamedTuple):
    """The pages that wait. slots: of all hosts, those of host h from start[h] on. tops: the best pages of the hosts."""

    key: IntArray
    slots: Pages
    place: Pages
    sizes: IntArray
    start: IntArray
    tops: Heap


def crawl(graph: Graph, seeds: Pages, hosts: IntArray, sites: IntArray | None = None) -> tuple[Adaptive, VisitLog]:
    """As `compiled.crawl`, in the order by anticipated cash. hosts: a number per page, shape (size,).

    sites: a number per host; None: each host is a site of its own.
    """
    book = Adaptive(Basic())
    book.discover([seed_grant(Greedy(), book, len(seeds))] * len(seeds))
    book.grow(graph.size)
    known = _start(graph, seeds, hosts, np.arange(int(hosts.max()) + 1) if sites is None else sites)
    for sums in (known.waiting, known.foreign):
        np.add.at(sums, hosts[seeds], book.standing[: len(seeds)])
    queues = _empty(graph.size, hosts)
    log = VisitLog(np.zeros(graph.size, dtype=np.int32), np.zeros(graph.size, dtype=np.int64))
    with opened(book, graph.size) as cash:
        visits = _crawl(cash, graph.indptr, graph.targets, hosts, known, queues, log.pages, log.cash)
    book.size = int(known.size[0])
    return book, VisitLog(log.pages[:visits], log.cash[:visits])


def _start(graph: Graph, seeds: Pages, hosts: IntArray, sites: IntArray) -> _Known:
    page_of, number_of = np.zeros(graph.size, dtype=np.int32), np.full(graph.size, ABSENT, dtype=np.int32)
    page_of[: len(seeds)], number_of[seeds] = seeds, np.arange(len(seeds))
    host_of, brought = np.zeros(graph.size, dtype=np.int64), np.zeros(graph.size, dtype=np.int64)
    host_of[: len(seeds)] = hosts[seeds]
    count = len(sites)
    waiting, spent, foreign, visited = (np.zeros(count, dtype=np.int64) for _ in range(4))
    best = np.full(count, ABSENT)
    size = np.array([len(seeds)])
    return _Known(page_of, number_of, host_of, sites, brought, waiting, spent, foreign, visited, best, size)


def _empty(size: int, hosts: IntArray) -> _Queues:
    start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.bincount(hosts))])
    slots, place = np.zeros(size, dtype=np.int32), np.full(size, ABSENT, dtype=np.int32)
    tops = empty_heap(np.zeros(size, dtype=np.int64))
    return _Queues(np.zeros(size, dtype=np.int64), slots, place, np.zeros(len(start) - 1, dtype=np.int64), start, tops)


@compiled
def _queue(queues, host):  # type: ignore[no-untyped-def]
    """The pages that wait on a host."""
    slots = queues.slots[queues.start[host] : queues.start[host + 1]]
    return Heap(queues.key, slots, queues.place, queues.sizes[host : host + 1])


@compiled
def _offer(cash, known, queues, host):  # type: ignore[no-untyped-def]
    """Let a host stand among the hosts with its best page, by its rate of now."""
    queue, tops = _queue(queues, host), queues.tops
    page = first(queue) if queue.size[0] else ABSENT
    if known.best[host] not in (ABSENT, page):
        tops.key[known.best[host]] = _NEXT
        moved(tops, known.best[host])
        pop(tops)
    known.best[host] = page
    if page == ABSENT:
        return
    rate = _rate(known.waiting[host], known.spent[host], known.foreign[host], known.visited[host])
    tops.key[page] = _key(cash.standing[page], known.brought[page], rate)
    if tops.place[page] == ABSENT:
        add(tops, page)
    else:
        moved(tops, page)


@compiled
def _discover(cash, known, page, host):  # type: ignore[no-untyped-def]
    number, till = known.size[0], cash.till
    granted = min(GRANT, till[RESERVE])
    till[RESERVE] -= granted
    cash.standing[number] = granted
    known.page_of[number], known.number_of[page] = page, number
    known.host_of[number] = host
    known.waiting[host] += granted
    known.size[0] += 1


@compiled
def _visit(cash, known, number, outlinks):  # type: ignore[no-untyped-def]
    """Spend the cash of a page; returns how much it was."""
    host = known.host_of[number]
    known.waiting[host] -= cash.standing[number]
    spent, share = spend(cash, number, len(outlinks))
    known.spent[host] += spent
    known.visited[host] += 1
    for target in outlinks:
        cash.standing[target] += share
        at = known.host_of[target]
        is_foreign = known.site_of[at] != known.site_of[host]
        if is_foreign:
            known.foreign[at] += share
        if not cash.visited[target]:
            known.waiting[at] += share
            if at != host:
                known.brought[target] += share * is_foreign
    return spent


@compiled
def _wait(cash, known, queues, number):  # type: ignore[no-untyped-def]
    """Let a page wait by the cash that it has now, be it new or not."""
    host = known.host_of[number]
    queue = _queue(queues, host)
    queue.key[number] = cash.standing[number]
    if queue.place[number] == ABSENT:
        add(queue, number)
    else:
        moved(queue, number)


@compiled
def _crawl(cash, indptr, targets, hosts, known, queues, pages, spent):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    """Returns how many pages were visited."""
    for number in range(known.size[0]):
        _wait(cash, known, queues, number)
        _offer(cash, known, queues, known.host_of[number])
    outlinks = np.zeros(np.diff(indptr).max(), dtype=np.int32)
    visits = 0
    while queues.tops.size[0]:
        number = pop(queues.tops)
        host = known.host_of[number]
        known.best[host] = ABSENT
        pop(_queue(queues, host))
        page, before, degree = known.page_of[number], known.size[0], 0
        for target in links_of(indptr, targets, page):
            if known.number_of[target] == ABSENT:
                _discover(cash, known, target, hosts[target])
            outlinks[degree] = known.number_of[target]
            degree += 1
        pages[visits], spent[visits] = page, _visit(cash, known, number, outlinks[:degree])
        visits += 1
        for target in outlinks[:degree]:
            if target >= before or queues.place[target] != ABSENT:
                _wait(cash, known, queues, target)
        _offer(cash, known, queues, host)
        for target in outlinks[:degree]:
            if known.host_of[target] != host:
                _offer(cash, known, queues, known.host_of[target])
    return visits
