"""An order learnt from the very graph it is tried on: how much of importance can be told from what a crawl knows.

No crawl can follow it: the trees have seen what pages with such numbers turned out to be worth. What they do not reach,
no formula of these numbers will.

Of a page that waits are known: links from visited pages of its own and of other hosts, and what parts of their links
these are; its PageRank in the known graph; when it was found; and of its host how many pages are known, how many were
visited, and what PageRank these have in the mean.
"""

import numpy as np

from minicrawl.lab import frontiers
from minicrawl.lab.batches import Known, PageRanks, by_ranks, links_of
from minicrawl.lab.frontiers import PageArray
from minicrawl.lab.heap import ABSENT
from minicrawl.lab.trees import Trees, fitted
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.rank import Graph

_LEARNT_AT = (0.03, 0.1, 0.2, 0.35, 0.55)
_PAGES = 6000
_STEPS = 8
_FEATURES = 10
_STOPS = 100


def by_trees(graph: Graph, seeds: PageArray, hosts: IntArray, trees: Trees) -> PageArray:
    """The page of which the trees predict most, worked out again after every hundredth of the crawl, and more often
    in the first one."""
    ranks = PageRanks(_STEPS)

    def predicted(known: Known) -> FloatArray:
        waiting = np.flatnonzero(known.pages & ~known.visited)
        worth = np.zeros(graph.size)
        worth[waiting] = np.exp(trees.predicted(features(known, hosts, ranks(known))[waiting]))
        return worth / max(1.0, float(worth.max()))

    every = max(1, len(frontiers.breadth_first(graph, seeds)) // _STOPS)
    early = [stop for stop in (2**power for power in range(20)) if stop < every]
    return by_ranks(graph, seeds, predicted, [*early, *range(every, graph.size, every)])


def learnt(graph: Graph, hosts: IntArray, importance: FloatArray, crawls: list[PageArray]) -> Trees:
    """Trees that tell the logarithm of the importance of pages that waited in some crawls, given as their orders."""
    rows, wanted = [np.zeros((1, _FEATURES))], [np.zeros(1)]  # one that says nothing, as there may be no other
    draw = np.random.default_rng(0)
    for order in crawls:
        for share in _LEARNT_AT:
            known = _known(graph, order, max(1, int(share * len(order))))
            waiting = np.flatnonzero(known.pages & ~known.visited)
            some = draw.permutation(waiting)[:_PAGES]
            rows.append(features(known, hosts, PageRanks(2 * _STEPS)(known))[some])
            wanted.append(np.log(importance[some]))
    return fitted(np.concatenate(rows), np.concatenate(wanted))


def features(known: Known, hosts: IntArray, ranks: FloatArray) -> FloatArray:
    """What is known of every page, shape (size, features). ranks: PageRank of the known graph."""
    graph, size = known.graph, known.graph.size
    outdegrees = graph.outdegrees()
    parts = np.repeat(1.0 / np.maximum(outdegrees, 1), outdegrees)
    is_own = hosts[graph.sources()] == hosts[graph.targets]
    links, own_links = (np.bincount(some, minlength=size) for some in (graph.targets, graph.targets[is_own]))
    all_parts = np.bincount(graph.targets, parts, minlength=size)
    own_parts = np.bincount(graph.targets[is_own], parts[is_own], minlength=size)
    count = int(known.pages.sum())
    of_host = np.bincount(hosts, known.pages)[hosts]
    visited = np.bincount(hosts, known.visited)
    mean = np.bincount(hosts, ranks * known.visited) / np.maximum(visited, 1)
    return np.stack(
        [
            links.astype(np.float64),
            (links - own_links).astype(np.float64),
            own_parts,
            all_parts - own_parts,
            ranks * count,
            known.found / count,
            of_host,
            visited[hosts].astype(np.float64),
            mean[hosts] * count,
            ranks / np.maximum(mean[hosts], 1e-300),
        ],
        axis=1,
    )


def _known(graph: Graph, order: PageArray, visits: int) -> Known:
    """What a crawl knows after so many visits. Pages are found in the order of the links of who links to them first."""
    visited = np.zeros(graph.size, dtype=np.bool_)
    visited[order[:visits]] = True
    targets = [graph.targets[graph.indptr[page] : graph.indptr[page + 1]] for page in order[:visits].tolist()]
    seen = np.concatenate([order[:1], *targets, order[:visits]])
    pages, first = np.unique(seen, return_index=True)
    found = np.full(graph.size, ABSENT, dtype=np.int32)
    found[pages[np.argsort(first)]] = np.arange(len(pages))
    return Known(links_of(graph, visited), found, visited)
