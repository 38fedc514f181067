"""Jumps to sites, by how far other sites trust them, and to the pages that other sites name; and the graph of sites.

site        number of each page's site, from 0 on: its owner, so an owner of many hosts is one site
c(a, b)     links from pages of a to pages of b, in their text or lists
f(a, b)     those in a page's frame, such as navigation, footers and comments
K(s), R(s)  pages of s that are known, as they were read or are linked to or are seeds; those that were read
root(s)     log2(1 + min(K(s), 32 R(s))) if s has a seed, else 0; as a share of the sum. A seed whose site has not
            answered counts as the median of those that have
u(a)        probability that a walk of at most three links of sites from a comes to a root
t(s)        trust of site s, sum 1
t-(s)       the same, of a site without a seed less the most that it has from one site
T           typical number of sites: how many there were if all had as much trust
most        voices that a site has in full: 2048 / T, but no more than 64
g(a)        how far the voice of site a counts, 0 to 1; less if it names more pages than that
e(p)        voices for page p
cited(p)    4 log2(1 + n), rounded, at most 60, of n links to p in the text of other pages of its site
C(s), F(s)  sum of 1 + cited over standing pages of s; its entrances, which are its seeds and the front pages of its
            hosts: those not read only while there are no others
m           share of a site's jumps to its entrances: 3/4 - 1/(4 T)

    w(a, b) = said(c(a, b)) + said(f(a, b)) / 8
    said(n) = 0 of none, 1/4 of 1, 1 of 2 or 3, else log2(1 + n)
    u(a) = d * sum over b of w(a, b) / (sum over b' of w(a, b')) * (root(b) > 0 ? 1 : u(b))
    x(a, b) = d w(a, b) / (2 + sum over b' of w(a, b'))
    t(b) = sum over a of t(a) x(a, b) u(a) / (u(a) + kappa) + (the rest of 1) * root(b)
    T = exp(- sum over s of t(s) ln t(s))
    g(a) = min(1, 2 T t-(a))^2 min(1, most / pages of others that a names, weighed as in e)
    e(p) = sum over other sites a that link to p of g(a), a quarter for one link, an eighth for links in frames alone
    v(p) ~ T t(s) ((1 - m) (1 + cited(p)) / C(s) + m entrance(p) / F(s)) + z e(p) / 2: the chance to jump to p of site s
    z = min(1, T^2 / sum of e(p) / 2)

Every typical site has one jump, to its entrances or any of its pages. Every voice has half a jump, to the page that it
names; but all together have at most one for each two typical sites, so that a crawl from one seed stays with its site.
Here d = .85; walkers on pages follow a link with probability 1/2 (SiteBirths).

A site without a way back to the roots, such as a farm, lifts no other. One that has its trust from one site is mute.
A link to an alias is one to the page that this stands for; an alias of a page of another site links to that as often as
pages link to it. A site whose pages all stand for pages of one other is a name of that, and no site speaks for itself
by any of its names.

Sources: L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank Citation Ranking", 1999; Z. Gyongyi, H. Garcia-Molina,
J. Pedersen, "Combating Web Spam with TrustRank", VLDB 2004; S. Kamvar and others, "Exploiting the Block Structure of
the Web for Computing PageRank", 2003; J. Wu, K. Aberer, "Using SiteRank for Decentralized Computation of Web Document
Ranking", 2004. The rest was found by experiment: minicrawl/lab/README.md.

**Birth cash**: starts of walkers, and their jumps when they follow no link. In whole units.

B_p          birth cash of page p; v(p) is in proportion to it

Births       walkers jump to all pages alike, as in the papers:          B_p = alike
SiteBirths   B_p = page_level(s) (1 + cited(p)) + entrance(p) entrance_level(s) + e(p) voice_level

A page that has gone has none. With SiteBirths an alias has no page_level; its target gets the rest. When pages, voices
or trust have changed, new levels change the birth cash of all pages at once. A page's pending cash may then be
negative; virtual visits settle it.

**The graph of sites**, kept exactly while links come and go:

voice  a site that links to a page of another site, however often

A page may gain or lose links at each of its turns, so the links of each voice are counted: a voice ends with its last.
"""

import math
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.opic.arrays import BLOCK, Flags, FloatArray, IntArray, Pages, flagged, grown, slices
from minicrawl.opic.surfer import Places
from minicrawl.opic.units import DAMPING, TWENTIETHS

Numbers = npt.NDArray[np.integer]

KAPPA = 0.5
"""The u at which a site passes on half of its trust."""
ONE_LINK, FEW_LINKS = 0.25, 3
"""w of a single link between two sites, and what it says for a page: it may be a comment. To so many links w is 1."""
KEPT = 2.0
"""Weight of what a site keeps besides its links: so one with few of them passes on less."""
ENTRANCES, OF_ONE = 0.75, 0.25
"""m where sites are many, and what it is less for one: the first pages of many are to be their fronts."""
CITED, MOST_CITED = 4.0, 60
"""What one link in a text brings its target, where a page without any has 1, and the most that many bring: with more,
births of a page that is back where all others have gone might overflow."""
VOUCHES = 0.04
"""Share of a typical site's trust from which on a site vouches in full for sites it links to."""
FRAME = 2**32
"""A link in a page's frame, in counts of links; one in its content is 1. So both counts are in one number."""
FRAMED = 8
"""A link in its content says as much as so many in a page's frame."""
GENERATED = 100
"""Links from one site to more pages of another are generated, and are not voices."""
PER_READ = 32
"""Known pages of a root that count for each that was read: before it answers, its links say little of its size."""
NAMED, IN_ALL = 64, 2048
"""Most voices that a site has in full, and those of all typical sites together: more share them, so who has bought a
trusted domain cannot name pages without end. Among few sites each has to name many, or their pages have no order."""
WALK = 3
"""Length in site links of the walks back to the roots; five would find the same."""
VOICE_UNIT = 256
"""Units of a voice that counts in full."""


def site_trust(
    sources: Numbers, targets: Numbers, links: Numbers, roots: FloatArray, size: int
) -> tuple[FloatArray, IntArray, float]:
    """Trust of every site, t: a PageRank of the graph of sites, whose jumps are to the roots; its voice, g, in
    VOICE_UNITs, both of shape (size,); and T.

    Trust that a site does not pass on, because it links to no other or because no walk leads back from it, goes to the
    roots.

    sources, targets, links: links[k] is c + f FRAME of the pair (sources[k], targets[k]), each pair once; links of a
    site to itself do not count. roots: part of the jumps for every site, none negative, not all 0. The result is
    within 1e-12 (L1), so near that every process rounds voices alike: each step brings it nearer by `DAMPING`.
    """
    p = t = roots / roots.sum()
    weights = _said(links % FRAME) + _said(links // FRAME) / FRAMED
    weights[sources == targets] = 0.0
    total = _sums(sources, weights, size)
    plain, u = weights * (DAMPING / np.where(total > 0.0, total, 1.0))[sources], np.zeros(size)
    for _ in range(WALK):
        u = _sums(sources, plain * np.where(p > 0.0, 1.0, u)[targets], size)
    shares = weights * (DAMPING / (KEPT + total) * u / (u + KAPPA))[sources]
    for _ in range(200):
        came = _sums(targets, t[sources] * shares, size)
        t, before = came + (1.0 - came.sum()) * p, t
        if np.abs(t - before).sum() <= 1e-12 * (1.0 - DAMPING) / DAMPING:
            break
    most, held = np.zeros(size), t[t > 0.0]
    np.maximum.at(most, targets, t[sources] * shares)
    typical = math.exp(-float((held * np.log(held)).sum()))
    g = np.minimum(2.0 * typical * np.where(p > 0.0, t, np.maximum(t - most, 0.0)), 1.0) ** 2
    return t, np.rint(VOICE_UNIT * g).astype(np.int64), typical


def _said(links: Numbers) -> FloatArray:
    return np.where(links > FEW_LINKS, np.log2(1.0 + links), np.where(links == 1, ONE_LINK, links > 0))


def _sixteenths(links: IntArray) -> IntArray:
    """How far voices of these links count, in sixteenths of one in full."""
    content = links % FRAME
    return np.where(content > 0, np.where(content > 1, 16, int(16 * ONE_LINK)), np.minimum(links // FRAME, 2))


def counts(places: Places | None, links: int) -> IntArray:
    """Links by their places, as `SiteGraph` counts them, shape (links,)."""
    return np.ones(links, np.int64) if places is None else np.where(places == _FRAME_PLACE, FRAME, 1)


def _sums(groups: Numbers, values: FloatArray | IntArray, count: int) -> FloatArray:
    """Sum of the values of every group, also of no values, for which bincount would return whole numbers."""
    return np.bincount(groups, values, minlength=count).astype(np.float64, copy=False)


UNIT = 2**24
"""Birth cash of a page where all are born alike, in units."""
ALL_BIRTHS = 2**56
"""Birth cash of all pages together where sites share it."""


class Births:
    """The rule for the birth cash of pages: `alike` for each that is not gone. gone, alias: the book's flags of the
    pages asked about."""

    twentieths = TWENTIETHS
    """20 d: how much of its cash a page passes on along its links; with the rest a walker jumps."""

    page_level: IntArray = np.ones(1, dtype=np.int64)
    """Units of every standing page that no text cites, by site: 1 if a site has no trust."""
    shared = sys.maxsize
    """Pages that have their share; those found since do not."""

    def __init__(self, alike: int | None = UNIT) -> None:
        """alike: B of every page that is not gone; None if pages differ."""
        self.alike = alike

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        """B of some pages, shape (pages,)."""
        return np.where(gone, 0, self.alike or 0)

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        """B of one page."""
        return 0 if gone else self.alike or 0

    def lower(self, by: int) -> None:
        """Divide the birth cash of all pages by a whole number. Pages born alike keep theirs: there are too few of
        them to matter."""

    def grow(self, size: int) -> None:
        """Make room for pages 0..size-1."""


class SiteBirths(Births):
    """Birth cash by the trust of a page's site and by its voices, as last shared out.

    Site 0 holds pages that became known since: each has one unit.
    """

    twentieths = 10

    def __init__(self) -> None:
        super().__init__(None)
        self.site: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """Number of the site of every page."""
        self.entrance: Flags = np.zeros(0, dtype=np.bool_)
        """Pages that are seeds or front pages."""
        self.voices: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """e of every page, in VOICE_UNITs."""
        self.cited: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self.entrance_level: IntArray = np.zeros(1, dtype=np.int64)
        """Units that an entrance has more, by site."""
        self.voice_level = 0
        """Units for every VOICE_UNIT."""

    def grow(self, size: int) -> None:
        self.site = grown(self.site, size)
        self.entrance = grown(self.entrance, size)
        self.voices = grown(self.voices, size)
        self.cited = grown(self.cited, size)

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        site = self.site[pages]
        births: IntArray = self.page_level[site] * (1 + self.cited[pages])
        births[alias] = 0
        births += self.entrance[pages] * self.entrance_level[site]
        births += self.voices[pages].astype(np.int64) * self.voice_level
        births[gone] = 0
        return births

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        if gone:
            return 0
        site = self.site.item(page)
        of_site = 0 if alias else self.page_level.item(site) * (1 + self.cited.item(page))
        as_entrance = self.entrance_level.item(site) if self.entrance.item(page) else 0
        return of_site + as_entrance + self.voices.item(page) * self.voice_level

    def cite(self, citations: IntArray) -> Pages:
        """Set `cited` by the number of links that cite each page. Returns the pages for which it has changed."""
        known, points = slice(0, len(citations)), np.rint(CITED * np.log2(1.0 + citations))
        found = np.minimum(points, MOST_CITED).astype(np.int8)
        changed = flagged(self.cited[known] != found)
        self.cited[known] = found
        return changed

    def share_out(self, shares: "SiteShares", standing: Flags, gone: Flags) -> None:
        """Recompute the levels from the current `site`, `entrance`, `voices` and `cited`.

        shares: those of site 0 are 0. standing: pages that have neither gone nor are aliases, shape (size,). A page has
        one unit at least, so it can pass on some; a site without entrances gives all to its pages, one without pages
        all to its entrances. All voices together have ALL_BIRTHS at most: more may be heard here than the shares know.
        """
        self.shared = len(standing)
        site, count = self.site[: self.shared], len(shares.trust)
        pages = np.bincount(site, standing * (1.0 + self.cited[: self.shared]), minlength=count)
        entrances = np.bincount(site, self.entrance[: self.shared] & ~gone, minlength=count)
        to_entrances = np.where(pages > 0, np.where(entrances > 0, shares.to_entrances, 0.0), 1.0)
        units = shares.homes * shares.trust
        self.page_level = np.maximum(units * (1.0 - to_entrances) / np.maximum(pages, 1.0), 1.0).astype(np.int64)
        self.entrance_level = (units * to_entrances / np.maximum(entrances, 1.0)).astype(np.int64)
        voices = int(self.voices[: self.shared].sum(dtype=np.int64))
        self.voice_level = min(shares.voice_level, ALL_BIRTHS // max(voices, 1))

    def lower(self, by: int) -> None:
        """Divide all levels by a whole number; a page keeps one unit at least."""
        self.page_level = np.maximum(self.page_level // by, 1)
        self.entrance_level = self.entrance_level // by
        self.voice_level //= by


_SITE_BITS, _TEXT_PLACE, _FRAME_PLACE = 31, 0, 2
_SITE = (1 << _SITE_BITS) - 1


class Voices(NamedTuple):
    """Voices, each once, by page and then by site; each field of shape (voices,). links: c + f FRAME."""

    page: IntArray
    site: IntArray
    links: IntArray


class SiteShares(NamedTuple):
    """What births are shared out by.

    trust: t of every site, shape (sites,). voice: g in VOICE_UNITs; vouchers: number of other sites that link to each
    one, in part where they have little trust; heard: roots, and sites that a voice names; same shape. homes: units that
    all sites share by their trust. voice_level: units for every VOICE_UNIT. whole: a number for every site, the same
    for names of one. to_entrances: m.
    """

    trust: FloatArray
    voice: IntArray
    vouchers: FloatArray
    heard: Flags
    homes: float
    voice_level: int
    whole: IntArray
    to_entrances: float = ENTRANCES

    def of(self, sites: IntArray) -> "SiteShares":
        """Those of some sites, in this order."""
        return self._replace(**{name: column[sites] for name, column in self._asdict().items() if np.ndim(column)})


class SiteLinks(NamedTuple):
    """Links between sites. names: of the sites, by number, from 0 on. By site: has_seed; known and read, K and R;
    leads_to: the one site that all its aliases lead to, its own number if there are none or several.

    The others have shape (pairs,): source, target, links: c + f FRAME of two sites. voices: how far the voices of the
    source for pages of the target count, in sixteenths; 0 if GENERATED.
    """

    names: list[str]
    has_seed: Flags
    known: IntArray
    read: IntArray
    leads_to: IntArray
    source: IntArray
    target: IntArray
    links: IntArray
    voices: IntArray

    def shares(self, total: int = ALL_BIRTHS) -> SiteShares:
        """The shares of all sites; without a root, all are roots."""
        whole, size = self._whole(), len(self.names)
        roots = self._roots(whole)
        source, target = whole[self.source], whole[self.target]
        columns = source << _SITE_BITS | target, self.links % FRAME, self.links // FRAME, self.voices
        pairs, content, frame, said = _merged(*(column[source != target] for column in columns), by=np.maximum)
        source, target = pairs >> _SITE_BITS, pairs & _SITE
        trust, voice, sites = site_trust(source, target, content + FRAME * frame, roots, size)
        named = _sums(source, said, size) / 16.0
        most = min(NAMED, IN_ALL / sites)
        voice = np.rint(voice * np.minimum(most / np.maximum(named, 1.0), 1.0)).astype(np.int64)
        voices = float(voice @ named) / VOICE_UNIT / 2.0
        part = min(1.0, sites**2 / voices) if voices else 1.0
        jump = total / (sites + part * voices)
        vouchers = _sums(target, np.minimum(sites * trust / VOUCHES, 1.0)[source], size)
        heard = (roots + _sums(target, voice[source], size) > 0.0)[whole]
        level, to_entrances = int(jump * part / 2.0 / VOICE_UNIT), ENTRANCES - OF_ONE / sites
        return SiteShares(trust, voice, vouchers, heard, jump * sites, level, whole, to_entrances)

    def _whole(self) -> IntArray:
        """The site that each is a name of, within 16 steps; or itself."""
        itself = np.arange(len(self.names))
        whole = np.where(self.read > 0, itself, self.leads_to)
        for _ in range(4):
            whole = whole[whole]
        return np.where(self.read[whole] > 0, whole, itself)

    def _roots(self, whole: IntArray) -> FloatArray:
        """root(s), not yet as a share; a site of which nothing stands is none."""
        columns = self.has_seed.astype(np.int64), self.known, self.read
        has_seed, known, read = (_sums(whole, column, len(whole)) for column in columns)
        is_root = (has_seed > 0.0) & (known > 0.0)
        roots = np.log2(1.0 + np.minimum(known, PER_READ * read))
        answered = roots[is_root & (read > 0.0)]
        roots = np.where(is_root, np.where(read > 0.0, roots, np.median(answered) if len(answered) else 1.0), 0.0)
        return roots if is_root.any() else np.ones(len(whole))


class SiteGraph:
    """Links between sites and pages of other sites, with their numbers."""

    def __init__(self) -> None:
        self._keys: IntArray = np.zeros(0, dtype=np.int64)
        self._links: IntArray = np.zeros(0, dtype=np.int64)
        self._added: list[tuple[IntArray, IntArray]] = []

    def add(self, voices: Voices) -> Voices:
        """Add links, or remove them with negative counts; a voice may be listed more than once. Returns the changed
        voices, each once, with the change."""
        keys, links = _merged((voices.page << _SITE_BITS) | voices.site, voices.links)
        changed = links != 0
        keys, links = keys[changed], links[changed]
        self._added.append((keys, links))
        if sum(len(some) for some, _ in self._added) > BLOCK:
            self._merge()
        return Voices(keys >> _SITE_BITS, keys & _SITE, links)

    def add_links(
        self, site_of: IntArray, sources: Pages, indptr: IntArray, targets: Pages, places: Places | None = None
    ) -> Voices:
        """Add the links of some pages, CSR, by their sites; links to pages without a site are left out. Returns the
        changed voices as `add` does."""
        linking, linked = np.repeat(site_of[sources], np.diff(indptr)), targets.astype(np.int64)
        across = linked < len(site_of)
        across[across] = linking[across] != site_of[linked[across]]
        return self.add(Voices(linked[across], linking[across], counts(places, len(linked))[across]))

    def voices(self) -> Voices:
        """All current voices."""
        self._merge()
        return Voices(self._keys >> _SITE_BITS, self._keys & _SITE, self._links)

    def voices_for(self, end: IntArray, voice: IntArray, whole: IntArray, most: int = GENERATED) -> IntArray:
        """e of every page, in VOICE_UNITs, shape (pages,), of a folded graph.

        end: as in `pairs`. voice, whole: as in `SiteShares`, of every site. The names of a site share the voices of
        that which has most; a site has none for itself.
        """
        self._merge()
        has_names, named = np.bincount(whole)[whole] > 1, np.zeros(len(whole), dtype=np.int64)
        for rows in slices(len(self._keys)):
            named += np.bincount(self._keys[rows] & _SITE, minlength=len(whole))
        # All other pairs have their voices in full.
        source, target, _, said = self.pairs(end, most, lambda a, b: (named > most)[a] | has_names[b] | (a == b))
        said[whole[source] == whole[target]] = 0
        some = has_names[target] | (said == 0)
        source, target, said = source[some], target[some], said[some]
        pairs, groups = source << _SITE_BITS | target, source << _SITE_BITS | whole[target]
        names, most_said = _merged(groups, said, by=np.maximum)
        at, sums = np.searchsorted(names, groups), np.maximum(_merged(groups, said)[1], 1)
        part, of_all = most_said[at] * (said > 0), sums[at]
        found = np.zeros(len(end), dtype=np.int64)
        for rows in slices(len(self._keys)):
            keys = self._keys[rows]
            units = voice[keys & _SITE] * _sixteenths(self._links[rows]) // 16
            own = self._pairs(rows, end)
            at = np.searchsorted(pairs, own)
            is_some = np.append(pairs, -1)[at] == own
            units[is_some] = units[is_some] * part[at[is_some]] // of_all[at[is_some]]
            page = keys >> _SITE_BITS
            first, last = page[0], page[-1]
            found[first : last + 1] += np.bincount(page - first, units).astype(np.int64)
        return found

    def pairs(
        self, end: IntArray, most: int = GENERATED, wanted: Callable[[IntArray, IntArray], Flags] | None = None
    ) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Source, target, links and voices of each pair of sites of a folded graph, see `SiteLinks`. end: the site of
        the page that each page stands for. wanted: flags of pairs by sources and targets; None: all. By slices: whole
        arrays of all voices would take much memory."""
        self._merge()
        each = [(self._keys[:0], *[self._links[:0]] * 3)]
        for rows in slices(len(self._keys)):
            pairs, links = self._pairs(rows, end), self._links[rows]
            if wanted is not None:
                some = wanted(pairs >> _SITE_BITS, pairs & _SITE)
                pairs, links = pairs[some], links[some]
            each.append(_merged(pairs, links, np.ones_like(links), _sixteenths(links)))
        columns = list(map(np.concatenate, zip(*each, strict=True)))
        each.clear()
        keys, links, pages, voices = _merged(*columns)
        return keys >> _SITE_BITS, keys & _SITE, links, np.where(pages > most, 0, voices)

    def _pairs(self, rows: slice, end: IntArray) -> IntArray:
        """The pairs of sites of some voices, as keys."""
        keys = self._keys[rows]
        pairs: IntArray = (keys & _SITE) << _SITE_BITS | end[keys >> _SITE_BITS]
        return pairs

    def _merge(self) -> None:
        """Put the voices added since the last call in their places among the others."""
        if not self._added:
            return
        keys, links = _merged(*map(np.concatenate, zip(*self._added, strict=True)))
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


class SitePages(NamedTuple):
    """What births are worked out from, by page, each of shape (pages,). site: its number, from 1 on. stands_for: the
    page that it stands for; end: the number of that one's site. seed; entrance: a seed or front page; read; inlinks:
    pages that link to it; alias, of this crawl or partition; gone.
    """

    site: IntArray
    stands_for: IntArray
    end: IntArray
    seed: Flags
    entrance: Flags
    read: Flags
    inlinks: IntArray
    alias: Flags
    gone: Flags

    def folded(self, graph: SiteGraph) -> SiteGraph:
        """The graph with links to pages that stand for none; the same graph if there are no aliases."""
        if not self.alias.any() and np.array_equal(self.stands_for, np.arange(len(self.stands_for))):
            return graph
        found, (page, site, links) = SiteGraph(), graph.voices()
        across = flagged(self.alias & (self.site != self.end))
        for each in ((page, site, links), (across, self.site[across], np.maximum(self.inlinks[across], 1) - 1)):
            found.add(Voices(self.stands_for[each[0]], *each[1:]))
        return found

    def links(self, names: list[str], folded: SiteGraph) -> SiteLinks:
        """The links between sites. names: of the sites from 1 on."""
        size = len(names) + 1
        first, last = np.full((2, size), [[size], [-1]])
        for ufunc, column in ((np.minimum, first), (np.maximum, last)):
            ufunc.at(column, self.site[self.alias], self.end[self.alias])
        leads_to = np.where(first == last, first, np.arange(size))
        is_known = ~(self.alias | self.gone) & (self.read | self.seed | (self.inlinks > 0))
        seeds, known, read = (np.bincount(self.site[some], minlength=size) for some in (self.seed, is_known, self.read))
        return SiteLinks(["", *names], seeds > 0, known, read, leads_to, *folded.pairs(self.end))

    def citations(self, sources: Pages, indptr: IntArray, targets: Pages, places: Places | None) -> IntArray:
        """The pages that some links, CSR, cite, each once for every link: those in the text of other pages of its site,
        to it or to an alias of it. Where the links of a page are all in one place, they count as in its text."""
        linking = np.repeat(sources, np.diff(indptr))
        if places is not None:
            linking, targets = linking[places == _TEXT_PLACE], targets[places == _TEXT_PLACE]
        ends = self.stands_for[targets]
        cites = (self.site[linking] == self.end[targets]) & ~self.alias[linking] & (linking != ends)
        found: IntArray = ends[cites]
        return found

    def births(self, sources: Pages, indptr: IntArray, targets: Pages, places: Places | None = None) -> SiteBirths:
        """The births of all pages by all links, CSR, where their sites and voices are all here."""
        births, size, graph = SiteBirths(), len(self.site), SiteGraph()
        graph.add_links(self.site, sources, indptr, targets, places)
        folded = self.folded(graph)
        shares = self.links([""] * int(self.site.max(initial=0)), folded).shares()
        births.grow(size)
        births.site[:size], births.entrance[:size] = self.site, self.entrance
        births.voices[:size] = folded.voices_for(self.end, shares.voice, shares.whole)
        births.cite(np.bincount(self.citations(sources, indptr, targets, places), minlength=size))
        births.share_out(shares, ~(self.gone | self.alias), self.gone)
        return births


def entrances(  # noqa: PLR0913 - what is known of the pages
    pages: Pages, stands_for: IntArray, site: IntArray, seed: Flags, read: Flags, gone: Flags
) -> Flags:
    """Flags of the entrances: seeds and front pages, or the pages of their sites that these stand for; but where some
    of a site were read, or are seeds that may be, only these: a front page that nobody has read is often another
    spelling of one that was.

    pages: seeds and front pages. All others: of every page.
    """
    sure = read | (seed & ~gone)
    found, ends = np.zeros(len(site), dtype=np.bool_), stands_for[pages]
    found[ends[site[ends] == site[pages]]] = True
    has_sure = np.bincount(site, found & sure) > 0.0
    return found & (sure | ~has_sure[site])


def _merged(keys: IntArray, *numbers: IntArray, by: np.ufunc = np.add) -> tuple[IntArray, ...]:
    """The distinct keys, rising, and the sums of each of some numbers, or the largest."""
    order = keys.argsort()
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1)) if len(keys) else order
    return keys[starts], *(by.reduceat(column[order], starts) if len(keys) else column for column in numbers)
