"""The graph of `minicrawl graph stats`: pages, links and importance, from a crawl or a graph file.

From a crawl: the known pages, aliases folded into their targets, and distinct links between two pages.

For a small crawl, also the distances of its pages in the course of the crawl: exact after every page, by the links of
now. Pages are replayed in the order of their answers, each with all its links at once (`rank.growing_distances`), which
costs a table of all pairs per page; for larger crawls that would take seconds.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import FloatArray, folded_store
from minicrawl.graphs.keys import graph_of_keys, keys_of
from minicrawl.graphs.loading import load_graph
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.components import subgraph
from minicrawl.rank.growing_distances import GrowingDistances
from minicrawl.store.reader import Store

MOST_PAGES = 1000
"""Most known pages for distances over time: half a second."""
_POINTS = 100


class GrowthPoint(NamedTuple):
    """Distances after `read` pages. known: these and their link targets. pairs: ordered pairs of different pages with a
    path; average, longest: distance in links, 0 without pairs.
    """

    read: int
    known: int
    pairs: int
    average: float
    longest: int


def growth(graph: Graph, order: npt.NDArray[np.integer], points: int = _POINTS) -> tuple[GrowthPoint, ...]:
    """Distances after each hundredth (1 / `points`) of the pages in `order`; the last is after all."""
    if not len(order):
        return ()  # no needless table of all pairs: 4 GB for 46,000 pages
    looks = {len(order) * point // points for point in range(1, points + 1)} - {0}
    growing = GrowingDistances()
    growing.grow(graph.size)
    is_known = np.zeros(graph.size, dtype=np.bool_)
    found = []
    for read, page in enumerate(order.tolist(), start=1):
        targets = graph.targets[graph.indptr[page] : graph.indptr[page + 1]]
        growing.insert(page, targets)
        is_known[page] = is_known[targets] = True
        if read in looks:
            pairs = growing.pairs()[1:]
            total, links = int(pairs.sum()), int(np.arange(1, len(pairs) + 1) @ pairs)
            found.append(
                GrowthPoint(read, int(np.count_nonzero(is_known)), total, links / total if total else 0.0, len(pairs))
            )
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Web:
    """A graph with the importance of every page, sum 1.

    names: URL or title of page i is names[i]; None where the file has none. is_parsed: True for pages with known links,
    in a crawl; None for a file, which has all. growth: distances over time of a small crawl.
    """

    graph: Graph
    importance: FloatArray
    names: tuple[str, ...] | None = None
    is_parsed: npt.NDArray[np.bool_] | None = None
    growth: tuple[GrowthPoint, ...] = ()

    def never_read(self) -> int | None:
        """Number of pages without links because the crawl has not read them; None for a file."""
        return None if self.is_parsed is None else int(np.count_nonzero(~self.is_parsed))


def web_of_store(store: Store) -> Web:
    """The known web of a crawl, with the crawl's own importance. Raises StoreError when it has read nothing."""
    with store.snapshot():
        folded = folded_store(store)
        names, importance = list(store.page_table.urls()), store.ranks.arrays()["importance"]
        order = _read_order(store) if folded.size <= MOST_PAGES else np.zeros(0, dtype=np.int64)
    graph, pages = folded.graph, np.flatnonzero(~folded.is_alias)
    sources = graph.sources()
    keys = keys_of(sources, graph.targets)[sources != graph.targets]
    graph = subgraph(graph_of_keys(np.unique(keys), graph.size), pages)
    number = np.cumsum(~folded.is_alias) - 1
    course = growth(graph, number[order[~folded.is_alias[order]]])
    return Web(graph, importance[pages], tuple(names[page] for page in pages), folded.is_parsed[pages], course)


def _read_order(store: Store) -> npt.NDArray[np.int64]:
    """The pages that were answered, in the order of their answers."""
    return store.page_table.first_answers().page


def web_of_file(path: Path) -> Web:
    """The web in a graph file, with PageRank as importance. Raises SettingError."""
    loaded = load_graph(path)
    return Web(loaded.graph, pagerank(loaded.graph), loaded.names)
