"""The web that `minicrawl graph stats` is about: pages, links and importance, from a crawl or a graph file.

Of a crawl: the pages known, aliases folded into the pages they stand for, and distinct links between two pages.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.folded_aliases import FloatArray, folded_store
from minicrawl.analysis.growth import MOST_PAGES, GrowthPoint, growth
from minicrawl.graphs.keys import distinct, graph_of_keys, keys_of
from minicrawl.graphs.loading import load_graph
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.components import subgraph
from minicrawl.store.reader import Store


@dataclass(frozen=True, eq=False)
class Web:
    """A graph with the importance of every page, sum 1.

    names: URL or title of page i is names[i]; None where the file has none. is_parsed: whether the links of a page are
    known, of a crawl; None for a file, which knows all. growth: how far apart pages were while a small crawl went on.
    """

    graph: Graph
    importance: FloatArray
    names: tuple[str, ...] | None = None
    is_parsed: npt.NDArray[np.bool_] | None = None
    growth: tuple[GrowthPoint, ...] = ()

    def never_read(self) -> int | None:
        """How many pages are without links because a crawl has not read them."""
        return None if self.is_parsed is None else int(np.count_nonzero(~self.is_parsed))


def web_of_store(store: Store) -> Web:
    """The web that a crawl knows, with the crawl's own importance. Raises StoreError when it has read nothing."""
    with store.snapshot():
        folded = folded_store(store)
        names, importance = list(store.page_table.urls()), store.ranks.arrays()["importance"]
        order = _read_order(store) if folded.size <= MOST_PAGES else np.zeros(0, dtype=np.int64)
    graph, pages = folded.graph, np.flatnonzero(~folded.is_alias)
    sources = graph.sources()
    keys = keys_of(sources, graph.targets)[sources != graph.targets]
    graph = subgraph(graph_of_keys(distinct(keys), graph.size), pages)
    number = np.cumsum(~folded.is_alias) - 1
    course = growth(graph, number[order[~folded.is_alias[order]]])
    return Web(graph, importance[pages], tuple(names[page] for page in pages), folded.is_parsed[pages], course)


def _read_order(store: Store) -> npt.NDArray[np.int64]:
    """The pages that were answered, in the order of their answers."""
    answers = [(turn.fetch, page) for page, turn in enumerate(store.page_table.turns()) if turn.fetch is not None]
    return np.array([page for _, page in sorted(answers)], dtype=np.int64)


def web_of_file(path: Path) -> Web:
    """The web in a graph file, with PageRank as importance. Raises SettingError."""
    loaded = load_graph(path)
    return Web(loaded.graph, pagerank(loaded.graph), loaded.names)
