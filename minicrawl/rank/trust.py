"""PageRank from chosen starts: trust that spreads from trusted pages, ranks for topics, far-reaching pages.

Sources: Z. Gyöngyi, H. Garcia-Molina, J. Pedersen, "Combating Web Spam with TrustRank", VLDB 2004 (`trustrank`,
`inverse_pagerank`); T. Haveliwala, "Topic-Sensitive PageRank", WWW 2002 (the topics).

p, x, M, damping      as in pagerank.py; x(p) the ranks with preference p
y(p)                  expected visits of a walker to each page, who starts by p and follows links until he would
                      jump, or until the page is dangling; A = damping * M

    y(p) = A @ y(p) + p        x(p) = y(p) / sum(y(p))

y is linear in p. x is not, where there are dangling pages: walkers from different starts meet them sooner or later.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.rank.graph import Graph
from minicrawl.rank.pagerank import FloatArray, check, distribution, pagerank

_STARTS = 100
"""Number of trusted pages when none are named."""


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


def trustrank(  # noqa: PLR0913 - parameters of the method, with defaults
    graph: Graph,
    trusted: Sequence[int] | npt.NDArray[np.int64] | None = None,
    damping: float = 0.85,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
    starts: int = _STARTS,
) -> FloatArray:
    """Trust of every page, spread from the trusted pages, float64, shape (size,), sum 1.

        t = damping * M @ t + (1 - sum(damping * M @ t)) * d        d[page] = 1 / len(trusted) if trusted, else 0

    Trust is split: a page that links to k pages gives each a k-th of its own. And it is attenuated: each link damps
    it, so it falls with the distance from a trusted page. A page that no trusted page leads to has none.

    trusted: distinct page numbers; a page listed twice counts once. None: the `starts` pages with most inverse
    PageRank (all, where there are fewer), from which trust goes far. The paper asks a person about each of them, and
    trusts the good ones only: without that, trust is merely nearness to far-reaching pages.
    tolerance: the result is within that L1 distance of the exact one. Raises ValueError.
    """
    if graph.size == 0:
        check(damping, tolerance)
        return np.zeros(0)
    if trusted is None:
        if starts < 1:
            raise ValueError(f"starts must be at least 1, not {starts}")
        reach = inverse_pagerank(graph, damping, tolerance=tolerance, weights=weights)
        trusted = np.argsort(-reach, kind="stable")[:starts]
    return pagerank(graph, damping, _start_at(trusted, graph.size, "trusted pages"), tolerance, weights=weights)


# Topics


def topic_walks(
    graph: Graph,
    topics: Sequence[Sequence[int]],
    damping: float = 0.85,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Walks y(v) of every topic, float64, shape (topics, size), from which `blend` makes ranks for any query.

        v[page] = 1 / len(topic) if the page is in the topic, else 0

    topics: page numbers of each, at least one; a page listed twice counts once. tolerance: L1, of y(v) / sum(y(v)).
    Raises ValueError.
    """
    check(damping, tolerance)
    if not len(topics):
        raise ValueError("topics must be at least one list of pages, not none")
    starts = [_start_at(topic, graph.size, f"pages of topic {k}") for k, topic in enumerate(topics)]
    return np.stack([_walk(graph, damping, start, tolerance, weights) for start in starts])


def blend(walks: FloatArray, shares: Sequence[float] | FloatArray) -> FloatArray:
    """The ranks for a mixture of topics, float64, shape (size,), sum 1. walks: of `topic_walks`.

        x(sum_k shares[k] * v_k) = sum_k shares[k] * y(v_k) / (the sum of that over all pages)

    shares: one per topic, not negative, of any positive sum. The paper blends x instead of y; that is the same only
    where no page is dangling. Raises ValueError.
    """
    parts = np.asarray(shares, dtype=np.float64)
    if parts.shape != walks.shape[:1] or not (parts >= 0.0).all() or not 0.0 < parts.sum() < np.inf:
        raise ValueError(f"shares must be {len(walks)} numbers, one per topic, none negative, not all 0")
    y = parts @ walks
    ranks: FloatArray = y / y.sum()
    return ranks


def topic_pagerank(  # noqa: PLR0913 - parameters of the method, with defaults
    graph: Graph,
    topics: Sequence[Sequence[int]],
    shares: Sequence[float] | FloatArray,
    damping: float = 0.85,
    tolerance: float = 1e-12,
    *,
    weights: FloatArray | None = None,
) -> FloatArray:
    """The ranks for a mixture of topics: `blend` of their `topic_walks`. Raises ValueError."""
    return blend(topic_walks(graph, topics, damping, tolerance, weights=weights), shares)


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
    totals = [sum(topic.values()) for topic in counts]
    return shares_by_counts(found, totals, len(set().union(*counts)) + 1, prior, smoothing)


def shares_by_counts(
    found: FloatArray,
    totals: Sequence[float],
    vocabulary: int,
    prior: Sequence[float] | FloatArray | None = None,
    smoothing: float = 1.0,
) -> FloatArray:
    """`topic_shares` where words were counted elsewhere. found: occurrences of each word of the query in the pages of
    each topic, shape (topics, words). totals: words in these pages. Raises ValueError."""
    if not 0.0 < smoothing < np.inf:
        raise ValueError(f"smoothing must be more than 0, not {smoothing}")
    before = np.ones(len(found)) if prior is None else np.asarray(prior, dtype=np.float64)
    if before.shape != (len(found),) or not (before >= 0.0).all() or not 0.0 < before.sum() < np.inf:
        raise ValueError(f"prior must be {len(found)} numbers, one per topic, none negative, not all 0")
    sizes = np.asarray(totals, dtype=np.float64) + smoothing * vocabulary
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


def _walk(
    graph: Graph, damping: float, start: FloatArray | None, tolerance: float, weights: FloatArray | None
) -> FloatArray:
    """y(start): x(start) times its sum, which is 1 / (1 - sum(A @ x)), as x = A @ x + (1 - sum(A @ x)) * p."""
    x = pagerank(graph, damping, start, tolerance, weights=weights)
    follows: FloatArray = graph.transition(weights).sum(axis=0)
    walk: FloatArray = x / (1.0 - damping * float(follows @ x))
    return walk
