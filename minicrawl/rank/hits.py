"""HITS: good hubs link to good authorities, good authorities are linked from good hubs; and weights of the links.

Source: J. Kleinberg, "Authoritative sources in a hyperlinked environment", JACM 1999. Weights of links after
K. Bharat, M. Henzinger, SIGIR 1998 (links between sites) and S. Chakrabarti et al., WWW 1998 (CLEVER: words).

h, a        hub and authority of every page, shape (size,)
W           W[i, j]: the weight of the links i -> j, 1 each by default

    a = W' h,   h = W a,   each divided by its norm; at first h = 1

Links are modified by one weight each, shape (links,), in the order of `Graph.targets`. Weights multiply:
    weights = within(graph, base_set(graph, root)) * intrinsic_weights(graph, sites) * (1 + n)
is HITS on the base set of `root`, without links inside a site, where n[k] words of the query stand near link k.
"""

from collections.abc import Sequence
from itertools import count as numbers
from typing import Any, NamedTuple  # Any: arrays

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import linalg

from minicrawl.opic.arrays import FloatArray, Pages
from minicrawl.rank.graph import Graph

_MOST_STEPS = 10_000
_ROUNDING = 1e-15
_NOISE = 1e-9
_DENSE = 100
_GOLDEN = 0.6180339887498949


class Hits(NamedTuple):
    """Hub and authority of every page, float64, shape (size,), none negative."""

    hubs: FloatArray
    authorities: FloatArray


def hits(
    graph: Graph, *, weights: FloatArray | None = None, tolerance: float = 1e-12, iterations: int | None = None
) -> Hits:
    """Hubs and authorities, each of sum 1.

    weights: one per link, none negative; 0 removes a link. A page without links that count has 0, so a graph without
    such links has only zeros. Links from a page to itself count, unless weights say otherwise.
    iterations: number of steps. None: until `tolerance`.

    W'W has no negative eigenvalue, so the steps never swing, and converge from any start that is not at right
    angles to the principal space; a start of ones cannot be. They shrink by the factor q = (s2 / s1)**2, of the
    largest two different singular values of W, which only the steps themselves tell: stops when a step that moved
    h by c (L1, h of sum 1) and was q of the one before has c * q / (1 - q) <= tolerance, the sum of all steps to
    come if q stays; or after 10,000 steps. An estimate, no bound, and rough for a tolerance that the first few
    steps meet.

    In a disconnected graph the component with the largest s1 takes all, the others end at 0: the tyranny of the
    majority. Components with the same s1 share by their part of the vector of ones, whatever the order of pages.
    """
    if not tolerance > 0.0:
        raise ValueError(f"tolerance must be more than 0, not {tolerance}")
    if iterations is not None and iterations < 1:
        raise ValueError(f"iterations must be at least 1, not {iterations}")
    w = adjacency(graph, weights)
    w_transposed = w.T.tocsr()
    h = np.ones(graph.size)
    change = 0.0
    for step in numbers(1):
        a = _scaled(w_transposed @ h)
        before, h = h, _scaled(w @ a)
        if step == iterations:
            break
        if iterations is None:
            last, change = change, float(np.abs(h - before).sum())
            q = change / last if last else 1.0
            if change <= max(tolerance * (1.0 - q) / max(q, _NOISE), _ROUNDING) or step == _MOST_STEPS:
                break
    return Hits(h, a)


def adjacency(graph: Graph, weights: FloatArray | None = None) -> "sparse.csr_array[np.float64]":
    """W, shape (size, size): the sum of the weights of the links i -> j; 1 each by default. Links of 0 are left out."""
    weights = graph.checked(np.ones(len(graph.targets)) if weights is None else weights)
    counts = weights > 0.0
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])[graph.indptr]
    shape = (graph.size, graph.size)
    return sparse.csr_array((weights[counts], graph.targets[counts], indptr), shape=shape)


# The pages of a topic


def base_set(graph: Graph, root: Pages, in_links_per_page: int = 50) -> npt.NDArray[np.int64]:
    """The pages of `root`, all they link to, and up to `in_links_per_page` that link to each of them; rising.

    Of more pages that link to a root page, those with the lowest numbers: in a crawl, the first that were known.
    """
    in_root = np.zeros(graph.size, dtype=np.bool_)
    in_root[root] = True
    sources = graph.sources()
    to_root = np.flatnonzero(in_root[graph.targets] & (sources != graph.targets))
    # Each once, by target; links are in the order of their sources.
    pairs = np.unique(graph.targets[to_root].astype(np.int64) * graph.size + sources[to_root])
    targets, linking = np.divmod(pairs, max(graph.size, 1))
    first = np.arange(len(targets)) - np.searchsorted(targets, targets) < in_links_per_page
    in_root[graph.targets[in_root[sources]]] = True
    in_root[linking[first]] = True
    return np.flatnonzero(in_root)


def within(graph: Graph, pages: Pages) -> FloatArray:
    """Weights that leave the links among `pages`, shape (links,)."""
    is_in = np.zeros(graph.size, dtype=np.bool_)
    is_in[pages] = True
    return (is_in[graph.sources()] & is_in[graph.targets]).astype(np.float64)


def with_self_links(graph: Graph, pages: Pages, weights: FloatArray) -> tuple[Graph, FloatArray]:
    """The graph with a link of weight 1 from each of `pages` to itself, K = W + I, and the weights of its links.

    Then pages that good authorities link to, or that link to them, are authorities, too: K' K = W' W + W + W' + I.
    Where all links are connected, every page has a share, so no part of a graph takes all.
    """
    sources = np.concatenate([graph.sources(), pages])
    order = np.argsort(sources, kind="stable")
    joined = Graph.from_edges(sources, np.concatenate([graph.targets, pages]), graph.size)
    return joined, np.concatenate([weights, np.ones(len(pages))])[order]


def balanced_weights(graph: Graph, weights: FloatArray) -> FloatArray:
    """Positive weights scaled so that the links of each page weigh 1 on average, shape (links,).

    PageRank divides by the weights of a page's links, HITS and inverse PageRank do not: a page whose links all stand in
    the text would count eight times one whose links all stand in navigation.
    """
    sources, outdegree = graph.sources(), graph.outdegrees()
    mean = np.bincount(sources, weights, minlength=graph.size) / np.maximum(outdegree, 1)
    balanced: FloatArray = weights / mean[sources]
    return balanced


# Links inside a site, and many links from one site, count less. sites: a number per page, shape (size,).


def intrinsic_weights(graph: Graph, sites: Pages, inside: float = 0.0) -> FloatArray:
    """1 for a link between sites, `inside` for one within a site, as those serve navigation."""
    return np.where(sites[graph.sources()] == sites[graph.targets], inside, 1.0)


def capped_weights(graph: Graph, sites: Pages, most: int = 6) -> FloatArray:
    """1 for the first `most` links of a site to a page, 0 for the rest (Kleinberg: 4 to 8), by number of their page."""
    voting = np.unique(sites, return_inverse=True)[1][graph.sources()]
    votes = graph.targets.astype(np.int64) * graph.size + voting
    order = np.argsort(votes, kind="stable")
    place = np.arange(len(order)) - np.searchsorted(votes[order], votes[order])
    weights = np.zeros(len(order))
    weights[order] = place < most
    return weights


# Communities beside the dominant one


def communities(graph: Graph, count: int, *, weights: FloatArray | None = None) -> list[Hits]:
    """Those of the first `count` singular vectors of W, largest first; each of sum 1.

    The first is that of `hits`. Any other pair of vectors u, v is positive on some pages and negative on others:
    two communities, which few links join (Kleinberg, section 5). First comes the end with the larger sum of v**2.
    An end without hubs or authorities is left out, so a component of its own is one community.

    If singular values are equal, their vectors are any basis of their space, so communities may be mixed.
    """
    w = adjacency(graph, weights)
    found = []
    for u, v in _singular_vectors(w, count):
        ends = [Hits(np.maximum(sign * u, 0.0), np.maximum(sign * v, 0.0)) for sign in (1.0, -1.0)]
        ends.sort(key=lambda end: -float(end.authorities @ end.authorities))
        found += [Hits(*map(_scaled, end)) for end in ends if min(scores.max() for scores in end) > 0.0]
    return found


def peeled_communities(graph: Graph, count: int, *, top: int = 10, weights: FloatArray | None = None) -> list[Hits]:
    """`hits`, and again without the links to the `top` best authorities, `count` times or until no link is left.

    Authorities that tie go by page number.
    """
    if weights is None:
        weights = np.ones(len(graph.targets))
    found: list[Hits] = []
    while len(found) < count and weights.any():
        found.append(hits(graph, weights=weights))
        best = np.argsort(-found[-1].authorities, kind="stable")[:top]
        weights = np.where(np.isin(graph.targets, best), 0.0, weights)
    return found


def bridges(graph: Graph, found: Sequence[Hits], *, weights: FloatArray | None = None) -> FloatArray:
    """Bridge score of every page, 0 to 1, shape (size,): leads to two communities alike; 1: as far as any page does.

    s[k, i] = (W a_k)[i] / max(W a_k)        bridge[i] = the second largest s[k, i]
    """
    if len(found) < 2:
        return np.zeros(graph.size)
    w = adjacency(graph, weights)
    leads = np.array([w @ community.authorities for community in found])
    leads /= np.maximum(leads.max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    second: FloatArray = np.sort(leads, axis=0)[-2]
    return second


def _singular_vectors(w: "sparse.csr_array[np.float64]", count: int) -> list[tuple[FloatArray, FloatArray]]:
    """Left and right vectors of the `count` largest non-zero singular values; values within rounding count as 0."""
    size = w.shape[0]
    if size <= max(_DENSE, count + 1):
        u, s, v = np.linalg.svd(w.toarray())
    else:
        # ARPACK needs a start: a fixed one, which favours no page and has no symmetry.
        u, s, v = linalg.svds(w, k=count, v0=0.5 + np.arange(1, size + 1) * _GOLDEN % 1.0)
    largest = np.argsort(-s, kind="stable")[:count]
    return [(_cleaned(u[:, k]), _cleaned(v[k])) for k in largest if s[k] > _NOISE * s.max()]


def _cleaned(vector: FloatArray) -> FloatArray:
    return np.where(np.abs(vector) > _NOISE * np.abs(vector).max(), vector, 0.0)


def _scaled(x: Any) -> FloatArray:
    total = x.sum()
    scaled: FloatArray = x / total if total > 0.0 else x
    return scaled
