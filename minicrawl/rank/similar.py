"""Pages similar to a page: they link to the same pages, and are linked from the same pages.

    s[q] = |v(p) & v(q)| / |v(p) | v(q)|        0 where both are empty

v(p): the vicinity of p as a vector of 0 and 1, the pages that p links to beside those that link to p, each once; links
of a page to itself count. Sources: M. Kessler, 1963 (bibliographic coupling), H. Small, 1973 (co-citation), R. Amsler,
1972 (both as one).
"""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.rank.graph import Graph
from minicrawl.rank.hits import adjacency
from minicrawl.rank.pagerank import FloatArray


def similarities(graph: Graph, pages: npt.NDArray[np.integer]) -> FloatArray:
    """Similarity s of each of `pages` with every page, 0 to 1, shape (len(pages), size)."""
    links = adjacency(graph)
    links.sum_duplicates()
    links.data[:] = 1.0
    vicinity = sparse.hstack([links, links.T], format="csr")
    common: FloatArray = (vicinity[pages] @ vicinity.T).toarray()
    sizes = np.diff(vicinity.indptr)
    union = sizes[pages][:, None] + sizes[None, :] - common
    shares: FloatArray = np.divide(common, union, out=np.zeros(common.shape), where=union > 0)
    return shares
