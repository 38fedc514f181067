"""What the lab's compiled visits cost, in time and memory.

    python bench/lab_speed.py [NODES]

Prints, for a drawn web of that many pages (default 1,000,000): microseconds per visit and per link of greedy visits
with the cash book and with the ledger, of sweeps, and of a crawl; and the most memory the process ever took.
"""

import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from minicrawl.lab.compiled import Sweep, crawl, paper_book, settle_by_sweeps, settle_greedily, visit_greedily
from minicrawl.lab.webs import power_law
from minicrawl.opic import Ledger
from minicrawl.rank import Graph

Visits = Callable[[int], object]
"""Makes so many visits."""


def greedy_cash(graph: Graph) -> Visits:
    book = paper_book(graph)
    return lambda visits: visit_greedily(book, graph, visits)


def sweeps(graph: Graph) -> Visits:
    ledger, sweep = ledger_of(graph.size), Sweep()
    return lambda visits: settle_by_sweeps(ledger, graph, visits, sweep)


def greedy_ledger(graph: Graph) -> Visits:
    ledger = ledger_of(graph.size)
    return lambda visits: settle_greedily(ledger, graph, visits)


def crawling(graph: Graph) -> Visits:
    seeds = np.arange(10, dtype=np.int32)
    return lambda visits: crawl(graph, seeds, visits)


WAYS = {
    "greedy, cash book": greedy_cash,
    "sweeps, ledger": sweeps,
    "greedy, ledger": greedy_ledger,
    "crawl": crawling,
}


def ledger_of(size: int) -> Ledger:
    ledger = Ledger()
    ledger.discover(size)
    return ledger


def memory() -> float:
    """The most memory the process ever took, in MB (a Linux kernel counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def measure(nodes: int) -> None:
    graph = power_law(nodes, np.random.default_rng(0))
    print(f"{graph.size:,} pages, {len(graph.targets):,} links, {memory():.0f} MB at most so far")
    for name, way in WAYS.items():
        visit = way(graph)
        started = time.perf_counter()
        visit(nodes)
        each = 1e6 * (time.perf_counter() - started) / nodes
        per_link = each * graph.size / len(graph.targets)
        print(f"{name:<20}{each:8.3f} us per visit, {per_link:7.3f} us per link, {memory():6.0f} MB at most so far")
        del visit


if __name__ == "__main__":
    small = power_law(1000, np.random.default_rng(0))
    for way in WAYS.values():
        way(small)(1)  # compiles what is measured
    measure(int(sys.argv[1]) if sys.argv[1:] else 1_000_000)
