"""The graph of `minicrawl graph stats`, from a crawl or a graph file.

From a crawl: the known pages, aliases folded into their targets, and distinct links between two pages.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import folded_store
from minicrawl.graphs.keys import graph_of_keys, keys_of
from minicrawl.rank import Graph
from minicrawl.rank.components import subgraph
from minicrawl.store.reader import Store


@dataclass(frozen=True, eq=False)
class Web:
    """A graph. is_parsed: True for pages with known links, in a crawl; None for a file, which has all."""

    graph: Graph
    is_parsed: npt.NDArray[np.bool_] | None = None

    def never_read(self) -> int | None:
        """Number of pages without links because the crawl has not read them; None for a file."""
        return None if self.is_parsed is None else int(np.count_nonzero(~self.is_parsed))


def web_of_store(store: Store) -> Web:
    """The known web of a crawl. Raises StoreError when it has read nothing."""
    with store.snapshot():
        folded = folded_store(store)
    graph, pages = folded.graph, np.flatnonzero(~folded.is_alias)
    sources = graph.sources()
    keys = keys_of(sources, graph.targets)[sources != graph.targets]
    graph = subgraph(graph_of_keys(np.unique(keys), graph.size), pages)
    return Web(graph, folded.is_parsed[pages])
