"""Jumps to a site, by its trust from other sites, and there to one of its doors; and the graph of sites.

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

**Birth cash**: starts of walkers, and their jumps when they follow no link. In whole units.

B_p          birth cash of page p; v(p) is in proportion to it

Births       walkers jump to all pages alike, as in the papers:          B_p = alike
KnownBirths  as a store has them
SiteBirths   they jump to a site s, and there to a door:                 B_p = page_level(s) + e(p) door_level(s)

A page that has gone has none. With SiteBirths an alias has only the part by its door weight, which its target gets.
Levels are two numbers a site, for any number of pages: when pages, doors or trust have changed, new levels change the
birth cash of all its pages at once. A page's pending cash may then be negative; virtual visits settle it.

**The graph of sites**, kept exactly while links come and go:

voice  a site that links to a page of another site, however often

Links are counted per voice, as a page may gain or lose some at each of its turns: with its last link a voice is gone.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import BLOCK, Flags, FloatArray, IntArray, Pages, grown, slices

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


UNIT = 2**24
"""Birth cash of a page where all are born alike, in units."""
ALL_BIRTHS = 2**56
"""Birth cash of all pages together where sites share it."""
DOOR_UNIT = 256
"""Units for door weight 1."""


class Births:
    """The rule for the birth cash of pages: `alike` for each that is not gone. gone, alias: the book's flags of the
    pages asked about."""

    def __init__(self, alike: int | None = UNIT) -> None:
        """alike: B of every page that is not gone; None where pages differ."""
        self.alike = alike

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        """B of some pages, shape (pages,)."""
        return np.where(gone, 0, self.alike or 0)

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        """B of one page."""
        return 0 if gone else self.alike or 0

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1."""


class KnownBirths(Births):
    """Birth cash as given, in units."""

    def __init__(self, units: IntArray) -> None:
        super().__init__(None)
        self._units = units

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        return np.where(gone, 0, self._units[pages])

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        return 0 if gone else self._units.item(page)


class SiteBirths(Births):
    """Birth cash by the trust of a page's site, as last shared out.

    Site 0 holds pages that became known since: each has one unit.
    """

    def __init__(self, total: int = ALL_BIRTHS) -> None:
        super().__init__(None)
        self._total = total
        self.site: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """Number of the site of every page."""
        self.door: npt.NDArray[np.uint16] = np.zeros(0, dtype=np.uint16)
        """Door weight of every page, in DOOR_UNITs."""
        self.page_level: IntArray = np.ones(1, dtype=np.int64)
        """Units of every standing page, by site."""
        self.door_level: IntArray = np.zeros(1, dtype=np.int64)
        """Units for every DOOR_UNIT of a page's door weight, by site."""

    def grow(self, size: int) -> None:
        self.site = grown(self.site, size)
        self.door = grown(self.door, size)

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        site = self.site[pages]
        births: IntArray = self.page_level[site]
        births[alias] = 0
        births += self.door[pages] * self.door_level[site]
        births[gone] = 0
        return births

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        if gone:
            return 0
        site = self.site.item(page)
        of_site = 0 if alias else self.page_level.item(site)
        return of_site + self.door.item(page) * self.door_level.item(site)

    def share_out(self, trust: FloatArray, standing: Flags, gone: Flags) -> None:
        """Recompute the levels from the current `site` and `door`.

            page_level(s) = total t(s) (1 - m) / N(s)      door_level(s) = total t(s) m / E(s)

        trust: t by site, that of site 0 is 0. standing: pages that have neither gone nor are aliases, shape (size,). A
        page has one unit at least, so it can pass on some; a site without doors gives all to its pages,
        one without pages all to its doors.
        """
        site = self.site[: len(standing)]
        pages = np.bincount(site, standing, minlength=len(trust))
        doors = np.bincount(site, np.where(gone, 0, self.door[: len(standing)]), minlength=len(trust))
        to_doors = np.where(doors > 0, np.where(pages > 0, DOORS, 1.0), 0.0)
        units = self._total * trust
        self.page_level = np.maximum(units * (1.0 - to_doors) / np.maximum(pages, 1.0), 1.0).astype(np.int64)
        self.door_level = (units * to_doors / np.maximum(doors, 1.0)).astype(np.int64)


def counted_doors(weights: FloatArray) -> npt.NDArray[np.uint16]:
    """Door weights as whole numbers of DOOR_UNITs."""
    return np.minimum(np.rint(DOOR_UNIT * weights), np.iinfo(np.uint16).max).astype(np.uint16)


_SITE_BITS = 31
_SITE = (1 << _SITE_BITS) - 1


class Voices(NamedTuple):
    """Voices, each once, by page and then by site; each field of shape (voices,). links: number of links of each."""

    page: IntArray
    site: IntArray
    links: IntArray


class SiteLinks(NamedTuple):
    """Input of trust. names: of the sites, by number, from 0 on. roots: sites with a seed. source, target, links:
    number of links between pages of two sites, each of shape (pairs,)."""

    names: list[str]
    roots: Flags
    source: IntArray
    target: IntArray
    links: IntArray

    def trust(self, start: FloatArray | None = None) -> FloatArray:
        """Trust of every site; without a root, all are roots. start: initial trust, such as the previous one."""
        if not self.names:
            return np.zeros(0)
        roots = self.roots if self.roots.any() else np.ones(len(self.names), dtype=np.bool_)
        return site_trust(*self[2:], roots, len(self.names), start=start)


class SiteGraph:
    """Links between sites and pages of other sites, with their numbers."""

    def __init__(self) -> None:
        self._keys: IntArray = np.zeros(0, dtype=np.int64)
        self._links: IntArray = np.zeros(0, dtype=np.int64)
        self._added: list[tuple[IntArray, IntArray]] = []

    def __len__(self) -> int:
        """Number of voices."""
        self._merge()
        return len(self._keys)

    def add(self, voices: Voices) -> Voices:
        """Add links, or remove them with negative counts; a voice may be listed more than once. Returns the changed
        voices, each once, with the change."""
        keys, links = _summed((voices.page << _SITE_BITS) | voices.site, voices.links)
        changed = links != 0
        keys, links = keys[changed], links[changed]
        self._added.append((keys, links))
        if sum(len(some) for some, _ in self._added) > BLOCK:
            self._merge()
        return _voices(keys, links)

    def add_links(self, site_of: IntArray, sources: Pages, indptr: IntArray, targets: Pages) -> Voices:
        """Add the links of some pages, CSR, by their sites; links to pages without a site are left out. Returns the
        changed voices as `add` does."""
        linking, linked = np.repeat(site_of[sources], np.diff(indptr)), targets.astype(np.int64)
        across = linked < len(site_of)
        across[across] = linking[across] != site_of[linked[across]]
        return self.add(Voices(linked[across], linking[across], np.ones(np.count_nonzero(across), dtype=np.int64)))

    def voices(self) -> Voices:
        """All current voices."""
        self._merge()
        return _voices(self._keys, self._links)

    def pairs(self, site_of: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Source, target and number of links of each pair of sites. site_of: the site of every page, from 0 on."""
        keys, links = self._by_pair(site_of, lambda rows: self._links[rows])
        return keys >> _SITE_BITS, keys & _SITE, links

    def voice_counts(self, site_of: IntArray, most: int = GENERATED) -> IntArray:
        """Number of other sites that link to each page, shape (pages,); see `trust.voice_counts`."""
        pairs, pages = self._by_pair(site_of, lambda rows: np.ones(rows.stop - rows.start, dtype=np.int64))
        generated = pairs[pages > most]
        counts = np.zeros(len(site_of), dtype=np.int64)
        for rows in slices(len(self._keys)):
            page = self._keys[rows] >> _SITE_BITS
            if len(generated):
                page = page[~np.isin(self._pairs(rows, site_of), generated)]
            if len(page):
                first, last = page[0], page[-1]
                counts[first : last + 1] += np.bincount(page - first)
        return counts

    def _by_pair(self, site_of: IntArray, numbers: Callable[[slice], IntArray]) -> tuple[IntArray, IntArray]:
        """Pairs of sites as keys, rising, with sums over their voices. numbers: of the voices of a slice.

        Slice by slice: whole arrays of all voices would take more memory than all else that is known of sites.
        """
        self._merge()
        sums = [_summed(self._pairs(rows, site_of), numbers(rows)) for rows in slices(len(self._keys))]
        keys, numbers_in_all = zip(*sums, strict=True) if sums else ((self._keys,), (self._links,))
        return _summed(np.concatenate(keys), np.concatenate(numbers_in_all))

    def _pairs(self, rows: slice, site_of: IntArray) -> IntArray:
        """The pairs of sites of some voices, as keys."""
        keys = self._keys[rows]
        pairs: IntArray = (keys & _SITE) << _SITE_BITS | site_of[keys >> _SITE_BITS]
        return pairs

    def _merge(self) -> None:
        """Put the voices added since the last call in their places among the others."""
        if not self._added:
            return
        keys, links = _summed(*map(np.concatenate, zip(*self._added, strict=True)))
        self._added.clear()
        at = np.searchsorted(self._keys, keys)
        is_known = np.append(self._keys, -1)[at] == keys
        self._links[at[is_known]] += links[is_known]
        is_new = ~is_known & (links != 0)
        self._keys = np.insert(self._keys, at[is_new], keys[is_new])
        self._links = np.insert(self._links, at[is_new], links[is_new])
        if not self._links.all():
            there = self._links != 0
            self._keys, self._links = self._keys[there], self._links[there]


def _summed(keys: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct keys, rising, each with the sum of its numbers."""
    order = keys.argsort()
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1)) if len(keys) else order
    return keys[starts], np.add.reduceat(numbers[order], starts) if len(keys) else numbers


def _voices(keys: IntArray, links: IntArray) -> Voices:
    return Voices(keys >> _SITE_BITS, keys & _SITE, links)
