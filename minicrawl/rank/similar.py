"""Pages similar to a page: they link to the same pages, and are linked from the same pages.

    s[q] = (J(out(p), out(q)) + J(in(p), in(q))) / 2        J(a, b) = |a & b| / |a | b|, 0 where both are empty

out(p), in(p): the pages that p links to, and those that link to p, each once; links of a page to itself count.
Sources: M. Kessler, 1963 (bibliographic coupling), H. Small, 1973 (co-citation).
"""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.rank.graph import Graph
from minicrawl.rank.hits import adjacency
from minicrawl.rank.pagerank import FloatArray


def similarities(graph: Graph, pages: npt.NDArray[np.integer]) -> FloatArray:
    """Similarity s of each of `pages` with every page, 0 to 1, shape (len(pages), size)."""
    links = _distinct(graph)
    return (_jaccard(links, pages) + _jaccard(links.T.tocsr(), pages)) / 2.0


def _jaccard(rows: "sparse.csr_array[np.float64]", pages: npt.NDArray[np.integer]) -> FloatArray:
    """Jaccard similarity of the rows of `pages` with all rows, as sets."""
    common: FloatArray = (rows[pages] @ rows.T).toarray()
    sizes = np.diff(rows.indptr)
    union = sizes[pages][:, None] + sizes[None, :] - common
    shares: FloatArray = np.divide(common, union, out=np.zeros(common.shape), where=union > 0)
    return shares


def _distinct(graph: Graph) -> "sparse.csr_array[np.float64]":
    links = adjacency(graph)
    links.sum_duplicates()
    links.data[:] = 1.0
    return links
