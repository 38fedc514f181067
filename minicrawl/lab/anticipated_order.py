"""The order by anticipated cash (`opic.anticipated`), compiled, with the crawl's own cash book.

The key of a page is worked out when the page is discovered, when it is linked to, when it comes up, and whenever twice
as many pages have been visited. Between these it may be out of date: to work out all keys at every visit costs as many
times more as pages wait.
"""

from typing import NamedTuple

import numpy as np

from minicrawl.lab.compiled import RESERVE, VisitLog, links_of, opened, spend
from minicrawl.lab.heap import ABSENT, add, compiled, empty_heap, first, moved, pop
from minicrawl.opic import GRANT, Adaptive, Basic, seed_grant
from minicrawl.opic import anticipated as rule
from minicrawl.opic.arrays import IntArray, Pages
from minicrawl.opic.strategy import Greedy
from minicrawl.rank import Graph

_anticipated, _has_fallen = compiled(rule.anticipated), compiled(rule.has_fallen)


class _Known(NamedTuple):
    """What is known of pages, by number, and of hosts; letters as in `opic.anticipated`.

    page_of, number_of: the page of a number, and back. host_of: by number. own, others: y and x. host_cash,
    host_spent, host_visited: C_h, S_h and R_h. size: how many pages are known.
    """

    page_of: Pages
    number_of: Pages
    host_of: IntArray
    own: IntArray
    others: IntArray
    host_cash: IntArray
    host_spent: IntArray
    host_visited: IntArray
    size: IntArray


def crawl(graph: Graph, seeds: Pages, hosts: IntArray) -> tuple[Adaptive, VisitLog]:
    """As `compiled.crawl`, in the order by anticipated cash. hosts: a number per page, shape (size,)."""
    book = Adaptive(Basic())
    book.discover([seed_grant(Greedy(), book, len(seeds))] * len(seeds))
    book.grow(graph.size)
    known = _start(graph, seeds, hosts)
    np.add.at(known.host_cash, hosts[seeds], book.standing[: len(seeds)])
    heap = empty_heap(np.zeros(graph.size, dtype=np.int64))
    log = VisitLog(np.zeros(graph.size, dtype=np.int32), np.zeros(graph.size, dtype=np.int64))
    with opened(book, graph.size) as cash:
        visits = _crawl(cash, graph.indptr, graph.targets, hosts, known, heap, log.pages, log.cash)
    book.size = int(known.size[0])
    return book, VisitLog(log.pages[:visits], log.cash[:visits])


def _start(graph: Graph, seeds: Pages, hosts: IntArray) -> _Known:
    page_of, number_of = np.zeros(graph.size, dtype=np.int32), np.full(graph.size, ABSENT, dtype=np.int32)
    page_of[: len(seeds)], number_of[seeds] = seeds, np.arange(len(seeds))
    host_of, own, others = (np.zeros(graph.size, dtype=np.int64) for _ in range(3))
    host_of[: len(seeds)] = hosts[seeds]
    cash, spent, visited = (np.zeros(int(hosts.max()) + 1, dtype=np.int64) for _ in range(3))
    return _Known(page_of, number_of, host_of, own, others, cash, spent, visited, np.array([len(seeds)]))


@compiled
def _key(cash, known, number):  # type: ignore[no-untyped-def]
    host = known.host_of[number]
    return _anticipated(
        cash.standing[number],
        known.own[number],
        known.others[number],
        known.host_cash[host],
        known.host_spent[host],
        known.host_visited[host],
    )


@compiled
def _next(cash, known, heap):  # type: ignore[no-untyped-def]
    """Take out the page that is next. A page that comes up and has fallen goes back."""
    while True:
        number = first(heap)
        key = _key(cash, known, number)
        if not _has_fallen(key, heap.key[number]):
            return pop(heap)
        heap.key[number] = key
        moved(heap, number)


@compiled
def _discover(cash, known, page, host):  # type: ignore[no-untyped-def]
    number, till = known.size[0], cash.till
    granted = min(GRANT, till[RESERVE])
    till[RESERVE] -= granted
    cash.standing[number] = granted
    known.page_of[number], known.number_of[page] = page, number
    known.host_of[number] = host
    known.host_cash[host] += granted
    known.size[0] += 1


@compiled
def _visit(cash, known, number, outlinks):  # type: ignore[no-untyped-def]
    """Spend the cash of a page; returns how much it was."""
    host = known.host_of[number]
    known.host_cash[host] -= cash.standing[number]
    spent, share = spend(cash, number, len(outlinks))
    known.host_spent[host] += spent
    known.host_visited[host] += 1
    for target in outlinks:
        cash.standing[target] += share
        if cash.visited[target]:
            continue
        at = known.host_of[target]
        known.host_cash[at] += share
        if at == host:
            known.own[target] += share
        else:
            known.others[target] += share
    return spent


@compiled
def _key_anew(cash, known, heap):  # type: ignore[no-untyped-def]
    waiting, heap.size[0] = heap.size[0], 0
    for at in range(waiting):
        number = heap.heap[at]
        heap.key[number] = _key(cash, known, number)
        add(heap, number)


@compiled
def _crawl(cash, indptr, targets, hosts, known, heap, pages, spent):  # type: ignore[no-untyped-def]  # noqa: PLR0913 - numba compiles functions of plain arrays
    """Returns how many pages were visited."""
    for number in range(known.size[0]):
        heap.key[number] = _key(cash, known, number)
        add(heap, number)
    outlinks = np.zeros(np.diff(indptr).max(), dtype=np.int32)
    visits, keyed_at = 0, 1
    while heap.size[0]:
        number = _next(cash, known, heap)
        page, before, degree = known.page_of[number], known.size[0], 0
        for target in links_of(indptr, targets, page):
            if known.number_of[target] == ABSENT:
                _discover(cash, known, target, hosts[target])
            outlinks[degree] = known.number_of[target]
            degree += 1
        pages[visits], spent[visits] = page, _visit(cash, known, number, outlinks[:degree])
        visits += 1
        for target in outlinks[:degree]:
            if target < before and heap.place[target] != ABSENT:
                heap.key[target] = _key(cash, known, target)
                moved(heap, target)
        for target in range(before, known.size[0]):
            heap.key[target] = _key(cash, known, target)
            add(heap, target)
        if visits >= 2 * keyed_at:
            keyed_at = visits
            _key_anew(cash, known, heap)
    return visits
