"""The graph of sites, kept exactly while links come and go.

voice  a site that links to a page of another site, however often

Links are counted per voice, as a page may gain or lose some at each of its turns: with its last link a voice is gone.
"""

from typing import NamedTuple

import numpy as np

from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages
from minicrawl.opic.sites.trust import site_trust

_SITE_BITS = 31


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
        keys, where = np.unique((voices.page << _SITE_BITS) | voices.site, return_inverse=True)
        links = np.bincount(where, voices.links, minlength=len(keys)).astype(np.int64)
        changed = links != 0
        keys, links = keys[changed], links[changed]
        self._added.append((keys, links))
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
        voices = self.voices()
        sites = int(max(site_of.max(initial=0), voices.site.max(initial=0))) + 1
        keys, where = np.unique(voices.site * sites + site_of[voices.page], return_inverse=True)
        links = np.bincount(where, voices.links, minlength=len(keys)).astype(np.int64)
        return SitePairs(*np.divmod(keys, sites), links)

    def _merge(self) -> None:
        if not self._added:
            return
        keys = np.concatenate([self._keys, *(keys for keys, _ in self._added)])
        links = np.concatenate([self._links, *(links for _, links in self._added)])
        self._added.clear()
        keys, where = np.unique(keys, return_inverse=True)
        links = np.bincount(where, links, minlength=len(keys)).astype(np.int64)
        there = links != 0
        self._keys, self._links = keys[there], links[there]


def _voices(keys: IntArray, links: IntArray) -> Voices:
    return Voices(keys >> _SITE_BITS, keys & ((1 << _SITE_BITS) - 1), links)
