"""The graph of `minicrawl graph stats`: pages, links and importance, from a crawl or a graph file.

From a crawl: the known pages, aliases folded into their targets, and distinct links between two pages.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import FloatArray, folded_store
from minicrawl.graphs.keys import graph_of_keys, keys_of
from minicrawl.graphs.loading import load_graph
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.components import subgraph
from minicrawl.store.reader import Store


@dataclass(frozen=True, eq=False)
class Web:
    """A graph with the importance of every page, sum 1.

    names: URL or title of page i is names[i]; None where the file has none. is_parsed: True for pages with known links,
    in a crawl; None for a file, which has all.
    """

    graph: Graph
    importance: FloatArray
    names: tuple[str, ...] | None = None
    is_parsed: npt.NDArray[np.bool_] | None = None

    def never_read(self) -> int | None:
        """Number of pages without links because the crawl has not read them; None for a file."""
        return None if self.is_parsed is None else int(np.count_nonzero(~self.is_parsed))


def web_of_store(store: Store) -> Web:
    """The known web of a crawl, with the crawl's own importance. Raises StoreError when it has read nothing."""
    with store.snapshot():
        folded = folded_store(store)
        names, importance = list(store.page_table.urls()), store.ranks.arrays()["importance"]
    graph, pages = folded.graph, np.flatnonzero(~folded.is_alias)
    sources = graph.sources()
    keys = keys_of(sources, graph.targets)[sources != graph.targets]
    graph = subgraph(graph_of_keys(np.unique(keys), graph.size), pages)
    return Web(graph, importance[pages], tuple(names[page] for page in pages), folded.is_parsed[pages])


def web_of_file(path: Path) -> Web:
    """The web in a graph file, with PageRank as importance. Raises SettingError."""
    loaded = load_graph(path)
    return Web(loaded.graph, pagerank(loaded.graph), loaded.names)
