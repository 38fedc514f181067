"""The graph of sites, kept exactly while links come and go.

voice  a site that links to a page of another site, however often

Links are counted per voice, as a page may gain or lose some at each of its turns: with its last link a voice is gone.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from minicrawl.opic.arrays import BLOCK, Flags, FloatArray, IntArray, Pages, slices
from minicrawl.opic.sites.trust import GENERATED, site_trust

_SITE_BITS = 31
_SITE = (1 << _SITE_BITS) - 1


class Voices(NamedTuple):
    """Voices, each once, by page and then by site; each field of shape (voices,). links: number of links of each."""

    page: IntArray
    site: IntArray
    links: IntArray


class SitePairs(NamedTuple):
    """Pairs of sites, each of shape (pairs,): links: from pages of `source` to pages of `target`."""

    source: IntArray
    target: IntArray
    links: IntArray


class SiteLinks(NamedTuple):
    """Input of trust. names: of the sites, by number, from 0 on. roots: sites with a seed."""

    names: list[str]
    roots: Flags
    pairs: SitePairs

    def trust(self, start: FloatArray | None = None) -> FloatArray:
        """Trust of every site; without a root, all are roots. start: initial trust, such as the previous one."""
        if not self.names:
            return np.zeros(0)
        roots = self.roots if self.roots.any() else np.ones(len(self.names), dtype=np.bool_)
        return site_trust(*self.pairs, roots, len(self.names), start=start)


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

    def pairs(self, site_of: IntArray) -> SitePairs:
        """The links between sites. site_of: the site of every page, from 0 on."""
        keys, links = self._by_pair(site_of, lambda rows: self._links[rows])
        return SitePairs(keys >> _SITE_BITS, keys & _SITE, links)

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
