"""PageRank from chosen starts: trust that spreads from trusted pages, ranks for topics, far-reaching pages.

Sources: Z. Gyöngyi, H. Garcia-Molina, J. Pedersen, "Combating Web Spam with TrustRank", VLDB 2004 (`trustrank`,
`inverse_pagerank`); T. Haveliwala, "Topic-Sensitive PageRank", WWW 2002 (the topics).

M, d, t     transition matrix, preference and ranks, as M, p, x in pagerank.py
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import FloatArray
from minicrawl.rank.graph import Graph
from minicrawl.rank.pagerank import check, distribution, pagerank


def inverse_pagerank(
    graph: Graph,
    damping: float = 0.85,
    preference: FloatArray | None = None,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Reach of a page: PageRank of the graph with its links reversed, float64, shape (size,), sum 1.

    Arguments and errors are those of `pagerank`; weights belong to the links as they are in `graph`.
    """
    reverse, reverse_weights = graph.reverse(weights)
    return pagerank(reverse, damping, preference, tolerance, weights=reverse_weights)


def trustrank(
    graph: Graph,
    trusted: Sequence[int] | npt.NDArray[np.int64],
    damping: float = 0.85,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Trust of every page, spread from the trusted pages, float64, shape (size,), sum 1.

        t = damping * M @ t + (1 - sum(damping * M @ t)) * d        d[page] = 1 / len(trusted) if trusted, else 0

    Trust is split: a page that links to k pages gives each a k-th of its own. And it is attenuated: each link damps
    it, so it falls with the distance from a trusted page. A page that no trusted page leads to has none.

    trusted: distinct page numbers; a page listed twice counts once. The paper asks a person about the pages with most
    inverse PageRank, from which trust goes far, and trusts the good ones only.
    tolerance: the result is within that L1 distance of the exact one. Raises ValueError.
    """
    if graph.size == 0:
        check(damping, tolerance)
        return np.zeros(0)
    return pagerank(graph, damping, _start_at(trusted, graph.size, "trusted pages"), tolerance, weights=weights)


# Topics


def topic_pagerank(  # noqa: PLR0913 - parameters of the method, with defaults
    graph: Graph,
    topics: Sequence[Sequence[int]],
    shares: Sequence[float] | FloatArray,
    damping: float = 0.85,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
) -> FloatArray:
    """The ranks for a mixture of topics, float64, shape (size,), sum 1: PageRank with the preference

        p = sum_k shares[k] * v_k        v_k[page] = 1 / len(topic k) if the page is in topic k, else 0

    topics: page numbers of each; a page listed twice counts once. shares: one per topic, not negative, of any positive
    sum. The paper blends the ranks of each topic; that is the same only where no page is dangling. Raises ValueError.
    """
    starts = [_start_at(topic, graph.size, f"pages of topic {k}") for k, topic in enumerate(topics)]
    parts = np.asarray(shares, dtype=np.float64)
    if parts.shape != (len(starts),) or not (parts >= 0.0).all() or not 0.0 < parts.sum() < np.inf:
        raise ValueError(f"shares must be {len(starts)} numbers, one per topic, none negative, not all 0")
    return pagerank(graph, damping, parts @ np.array(starts), tolerance, weights=weights)


def topic_shares(
    counts: Sequence[Mapping[str, int]],
    words: Sequence[str],
    prior: Sequence[float] | FloatArray | None = None,
    smoothing: float = 1.0,
) -> FloatArray:
    """P(topic | words of a query), float64, shape (topics,), sum 1: the shares with which to blend.

        P(k | words) ~ prior[k] * prod_w P(w | k)
        P(w | k)     = (counts[k][w] + smoothing) / (sum(counts[k]) + smoothing * vocabulary)

    counts: occurrences of every word in the pages of each topic. vocabulary: number of distinct words in all of them,
    and one for all that are in none. prior: of the topics, of any positive sum; None: uniform. A query without
    words leaves the prior. Raises ValueError.
    """
    if not len(counts):
        raise ValueError("counts must be those of at least one topic, not none")
    found = np.array([[topic.get(word, 0) for word in words] for topic in counts], dtype=np.float64)
    vocabulary = len(set().union(*counts)) + 1
    if not 0.0 < smoothing < np.inf:
        raise ValueError(f"smoothing must be more than 0, not {smoothing}")
    before = np.ones(len(found)) if prior is None else np.asarray(prior, dtype=np.float64)
    if before.shape != (len(found),) or not (before >= 0.0).all() or not 0.0 < before.sum() < np.inf:
        raise ValueError(f"prior must be {len(found)} numbers, one per topic, none negative, not all 0")
    sizes = np.array([sum(topic.values()) for topic in counts]) + smoothing * vocabulary
    logs = np.log((found + smoothing) / sizes[:, None]).sum(axis=1)
    logs = np.where(before > 0.0, logs, -np.inf)
    likely = before * np.exp(logs - logs.max())
    shares: FloatArray = likely / likely.sum()
    return shares


def _start_at(pages: Sequence[int] | npt.NDArray[np.int64], size: int, what: str) -> FloatArray:
    """The uniform preference over some pages."""
    numbers = np.asarray(pages)
    if not len(numbers) or numbers.dtype.kind not in "iu" or not 0 <= numbers.min() <= numbers.max() < size:
        raise ValueError(f"{what} must be at least one of 0 to {size - 1}")
    preference = np.zeros(size)
    preference[numbers] = 1.0
    return distribution(preference, size)
