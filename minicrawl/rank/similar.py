"""Pages that stand where another page stands: that link to what it links to, and are linked from where it is.

    s[q] = (J(out(p), out(q)) + J(in(p), in(q))) / 2        J(a, b) = |a & b| / |a | b|, 0 where both are empty

out(p), in(p): the pages that p links to, and those that link to p, each once; of a link of a page to itself it is as
of any other. Sources: M. Kessler, 1963 (bibliographic coupling), H. Small, 1973 (co-citation).
"""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.rank.graph import Graph
from minicrawl.rank.hits import adjacency
from minicrawl.rank.pagerank import FloatArray


def similarities(graph: Graph, pages: npt.NDArray[np.integer]) -> FloatArray:
    """s of each of `pages` with every page, 0 to 1, shape (len(pages), size)."""
    links = _distinct(graph)
    return (_jaccard(links, pages) + _jaccard(links.T.tocsr(), pages)) / 2.0


def _jaccard(rows: "sparse.csr_array[np.float64]", pages: npt.NDArray[np.integer]) -> FloatArray:
    """Of the sets that rows are, some with all."""
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
