"""Jumps of walkers: to a site, by its trust from other sites, and there to a door.

site        number of each page's site, from 0 on: its owner, so an owner of many hosts is one site
t(s)        trust of site s, sum 1
w(a, b)     share of site b in the links of site a
c(a, b)     links from pages of a to pages of b
goals       the sites that hold the first half of the trust on its first three links, all of it being passed on
u(a)        probability that a walk of at most three links of sites from a comes to a goal
kappa       the u at which a site that is no goal passes on half of its trust
N(s), E(s)  standing pages of s, and the sum of their door weights
e(p)        door weight of page p: its weight as an entrance for visitors

    w(a, b) = log2(1 + c(a, b)) / sum over sites b' of log2(1 + c(a, b'))
    u(a) = damping * sum over b of w(a, b) max(goal(b), u(b))
    t(b) = damping * sum over a of w(a, b) t(a) u(a) / (u(a) + kappa) + (the rest of 1) * root(b) / (roots)
    e(p) = log2(1 + other sites that link to p) + 1 where p is a seed or a front page
    v(p) = t(s) * ((1 - m) / N(s) + m e(p) / E(s)),    s the site of p: the chance to jump to p

A trusted site gains nothing by more pages, and little by more links from the sites that link to it already. A site
without a way back to the roots, such as a farm, passes on nothing: it can lift no other.

Sources: L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking", 1999, for jumps that are not to all
pages alike; Z. Gyongyi, H. Garcia-Molina, J. Pedersen, "Combating Web Spam with TrustRank", VLDB 2004, for trust that
begins at known sites; S. Kamvar, T. Haveliwala, C. Manning, G. Golub, "Exploiting the Block Structure of the Web for
Computing PageRank", 2003, and J. Wu, K. Aberer, "Using SiteRank for Decentralized Computation of Web Document Ranking",
2004, for sites ranked before their pages.
"""

import math

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import Flags, FloatArray

Numbers = npt.NDArray[np.integer]

DAMPING = 0.85
"""Probability that a walker on the graph of sites follows a link to another site."""
KAPPA = 0.2
DOORS = 0.5
"""m: the share of a site's jumps that go to its doors; the rest goes to all of its pages alike."""
GENERATED = 100
"""Links from one site to more pages of another are generated, and open no door there."""
VOUCHES = 0.25
"""Share of a typical site's trust from which on a site vouches in full for sites it links to."""
WALK = 3
"""Length in site links of the walks of trust that find the goals, and of those back; five would find the same."""
_ROUNDED = 1e-9
"""Largest rounding error of a sum of trust, as a share of it."""


def site_trust(  # noqa: PLR0913 - the links of sites as columns
    sources: Numbers,
    targets: Numbers,
    links: Numbers,
    roots: FloatArray | Flags,
    size: int,
    *,
    kappa: float = KAPPA,
    start: FloatArray | None = None,
    tolerance: float = 1e-6,
) -> FloatArray:
    """Trust of every site, t, shape (size,), sum 1: a PageRank of the graph of sites, whose jumps are to the roots.

        t(b) = damping * sum over a of w(a, b) t(a) u(a) / (u(a) + kappa) + (the rest of 1) * root(b) / (roots)

    Trust that a site does not pass on, as it links to no other or as no walk leads back from it, goes to the roots.

    sources, targets, links: links[k] is c of the pair (sources[k], targets[k]), each pair once; links of a site to
    itself do not count. roots: part of the jumps for every site, none negative, not all 0. kappa: 0 passes everything
    on. start: initial trust, such as the previous one. Each step brings t nearer to the exact one by `damping`; the
    result is within `tolerance` (L1) of it.
    """
    p = roots / roots.sum()
    shares = DAMPING * link_shares(sources, targets, links, size)

    def step(t: FloatArray) -> FloatArray:
        came = _sums(targets, t[sources] * shares, size)
        after: FloatArray = came + (1.0 - came.sum()) * p
        return after

    if kappa:
        begun = [p]
        for _ in range(WALK):
            begun.append(step(begun[-1]))
        u = returns(sources, targets, shares, first_half(np.mean(begun, axis=0)))
        shares *= (u / (u + kappa))[sources]
    least = tolerance * (1.0 - DAMPING) / DAMPING
    t: FloatArray = p if start is None else start / start.sum()
    for _ in range(math.ceil(math.log(least / 2.0) / math.log(DAMPING))):
        t, before = step(t), t
        if np.abs(t - before).sum() <= least:
            break
    return t


def vouchers(trust: FloatArray) -> FloatArray:
    """Vouching weight of each site, 0 to 1: full from a quarter of a typical site's trust on.

        min(1, t / (VOUCHES typical))      typical = exp(sum of t log t), which is t where all sites have as much

    Any number of made-up sites together vouch for no more than by their share of the trust.
    """
    held = trust[trust > 0.0]
    typical = math.exp(float((held * np.log(held)).sum()))
    weights: FloatArray = np.minimum(trust / (VOUCHES * typical), 1.0)
    return weights


def first_half(trust: FloatArray) -> Flags:
    """The sites that hold the first half of the trust, the most trusted first, with all ties of the last: the result
    depends neither on the numbers of sites nor on rounding."""
    falling = -np.sort(-trust)
    last = falling[np.searchsorted(np.cumsum(falling), 0.5 - _ROUNDED)]
    goals: Flags = trust >= last * (1.0 - _ROUNDED)
    return goals


def link_shares(sources: Numbers, targets: Numbers, links: Numbers, size: int) -> FloatArray:
    """w of every pair of sites: log2(1 + c) as a share of its sum over all that the source links to; 0 to itself."""
    weights: FloatArray = np.log2(1.0 + links)
    weights[sources == targets] = 0.0
    total = _sums(sources, weights, size)
    weights /= np.where(total > 0.0, total, 1.0)[sources]
    return weights


def returns(sources: Numbers, targets: Numbers, shares: FloatArray, goals: Flags, walk: int = WALK) -> FloatArray:
    """u of every site, shape (sites,): probability that a walk of at most `walk` links comes to one of the goals.

        u(a) = damping * sum over b of w(a, b) max(goal(b), u(b))

    shares: damping * w of every pair, see `link_shares`. From a goal, too, the walk must come back to one.
    """
    u = np.zeros(len(goals))
    for _ in range(walk):
        u = _sums(sources, shares * np.where(goals, 1.0, u)[targets], len(goals))
    return u


def door_weights(voices: Numbers, entrances: Flags) -> FloatArray:
    """Door weight of every page, shape (pages,): e(p) = log2(1 + other sites that link to p), + 1 for an entrance.

    voices: number of these sites, see `SiteGraph.voice_counts`. entrances: pages that are seeds or front pages.
    """
    weights: FloatArray = np.log2(1.0 + voices) + entrances
    return weights


def _sums(groups: Numbers, values: FloatArray, count: int) -> FloatArray:
    """Sum of the values of every group, also of no values, for which bincount would return whole numbers."""
    return np.bincount(groups, values, minlength=count).astype(np.float64, copy=False)
