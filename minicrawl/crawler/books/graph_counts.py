"""The crawled web in numbers, while it is crawled: links, pages without, strong components.

The links are on disk, not in memory, and one that merged two components may be gone when its page is read again.
So no count is updated link by link: each time the pages read have grown by a half, all links are read back and the
components are found anew. All looks of a crawl together cost three times the last one, at any size. Merging
components as links arrive would take as long or longer ('minicrawl lab graphbench').
"""

import math
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from minicrawl.model import GraphCounts
from minicrawl.sizes import STANDARD_SIZES
from minicrawl.store.links import LinkGraph

_MOST_LINKS = 4_000_000
"""Beyond, a look would need more than some 130 MB; 'minicrawl graph stats' has a process of its own."""
_GROWTH = 1.5


class LiveGraphCounts:
    """The numbers of the last look, and when the next one is due."""

    def __init__(self, fewest_read: int = STANDARD_SIZES.read, most_links: int = _MOST_LINKS) -> None:
        self.latest: GraphCounts | None = None
        self._due = fewest_read
        self._most_links = most_links

    def look(self, read: int, links: int, graph: Callable[[], LinkGraph]) -> GraphCounts | None:
        """The numbers of a crawl with `read` pages and `links`; those of `graph` if a look is due.

        Without SciPy, which only the extra 'analysis' installs, a crawl has none.
        """
        if read >= self._due and links <= self._most_links and find_spec("scipy") is not None:
            self._due = math.ceil(read * _GROWTH)
            self.latest = graph_counts(graph())
        return self.latest


def graph_counts(links: LinkGraph) -> GraphCounts:
    """The numbers of the stored links of all known pages."""
    # SciPy, which only this needs in a crawl, is loaded at the first look.
    from minicrawl.rank.components import strong_components
    from minicrawl.rank.graph import Graph

    outdegrees = np.zeros(links.size + 1, dtype=np.int64)
    outdegrees[links.sources + 1] = np.diff(links.indptr)
    strong = strong_components(Graph(np.cumsum(outdegrees), links.targets))
    return GraphCounts(
        read=len(links.sources),
        links=len(links.targets),
        dangling=int(np.count_nonzero(np.diff(links.indptr) == 0)),
        most_inlinks=int(np.bincount(links.targets, minlength=1).max()),
        components=strong.count,
        core=int(strong.sizes.max(initial=0)),
    )
