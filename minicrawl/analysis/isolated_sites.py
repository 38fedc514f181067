"""Sites of crawls, each in isolation, with the pages that other sites link to held out as ground truth.

Pages are ranked by the links inside their site alone; links from other sites are independent of these, and so can judge
the ranking. A site here is an owner: a registrable domain, or one user of a shared domain, such as
project.readthedocs.io. Its pages are those that were read, without files.

Several crawls are joined by URL. A page read by one crawl counts as read; an alias found by one crawl is an alias if no
other has read it. The links of a page are those of the first crawl that has read it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import check_ends, folded_pages
from minicrawl.analysis.numbered_sites import numbered_sites
from minicrawl.analysis.rankable import rankable
from minicrawl.crawler.urls import keys
from minicrawl.rank import Graph
from minicrawl.rank.endorsement import EndorsedSite, IntArray, endorsements
from minicrawl.store.reader import Store

Places = npt.NDArray[np.uint8]


class Generated(NamedTuple):
    """A site with so many links to pages of another that they must be generated."""

    site: str
    links_to: str
    pages: int


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Sites, by falling number of pages. links: number of held-out links between them."""

    sites: tuple[EndorsedSite, ...]
    links: int
    generated: tuple[Generated, ...]


def held_out(stores: Sequence[Store], most: int = 100) -> HeldOut:
    """The sites with a page that was read. Raises StoreError.

    most: a site that links to more pages of another than this does not count as endorsing them.
    """
    numbers: dict[str, int] = {}
    names: dict[str, int] = {}
    web = _joined([_crawl(store, numbers, names) for store in stores], len(numbers))
    is_between = web.site[web.sources] != web.site[web.targets]
    found = endorsements(web.site[web.sources[is_between]], web.targets[is_between], web.site, most)
    fronts = np.array(sorted(web.fronts(numbers)), dtype=np.int64)
    called = _Names(list(names), list(numbers))
    return HeldOut(
        tuple(_apart(web.kept(~is_between), called, found.linking, fronts)),
        int(is_between.sum()),
        tuple(Generated(called.sites[a], called.sites[b], pages) for a, b, pages in found.generated.tolist()),
    )


class _Names(NamedTuple):
    """Names of sites and URLs of pages, by number."""

    sites: Sequence[str]
    urls: Sequence[str]


@dataclass(frozen=True, eq=False)
class _Crawl:
    """The contents of a store, with page numbers shared by all stores.

    pages, sites, is_read, stands_for: of every page of the store. stands_for: the page itself, or an alias's target.
    sources, targets, places: of every link from a page that was read. hosts: names of the store's hosts.
    """

    pages: IntArray
    sites: IntArray
    is_read: npt.NDArray[np.bool_]
    stands_for: IntArray
    sources: IntArray
    targets: IntArray
    places: Places
    hosts: frozenset[str]
    seeds: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Web:
    """The joined crawls: links between pages that were read. site, is_read, stands_for: of every page."""

    site: IntArray
    is_read: npt.NDArray[np.bool_]
    stands_for: IntArray
    sources: IntArray
    targets: IntArray
    places: Places
    hosts: frozenset[str]
    seeds: Mapping[str, Sequence[str]]

    def kept(self, links: npt.NDArray[np.bool_]) -> "_Web":
        """The web with these links only."""
        kept = {name: getattr(self, name)[links] for name in ("sources", "targets", "places")}
        return replace(self, **kept)

    def fronts(self, numbers: Mapping[str, int]) -> set[int]:
        """The root page of every host, or its seeds if that was not read."""
        fronts: set[int] = set()
        for host in self.hosts:
            roots = self._read((f"http://{host}/", f"https://{host}/"), numbers)
            fronts |= roots or self._read(self.seeds.get(host, ()), numbers)
        return fronts

    def _read(self, urls: Iterable[str], numbers: Mapping[str, int]) -> set[int]:
        """The pages read of these URLs, aliases resolved."""
        pages = {int(self.stands_for[numbers[url]]) for url in urls if url in numbers}
        return {page for page in pages if self.is_read[page]}


def _crawl(store: Store, numbers: dict[str, int], names: dict[str, int]) -> _Crawl:
    """Read a store, and number the URLs and sites that are new."""
    with store.snapshot():
        folded, links = folded_pages(store), store.links()
        pages = np.array([numbers.setdefault(url, len(numbers)) for url in store.page_table.urls()], dtype=np.int64)
        called, site = numbered_sites(store, folded.hosts, keys.site_of)
        files = np.array(store.page_table.with_reason("not-html"), dtype=np.int64)
        hosts, seeds = frozenset(host.name for host in store.hosts.all()), tuple(store.page_table.seeds())
    is_read = folded.is_parsed & ~folded.is_alias
    is_read[files] = False
    with rankable(store):
        check_ends(links)
    sources = links.link_sources()
    counts = is_read[sources]
    places = np.zeros(len(sources), dtype=np.uint8) if links.places is None else links.places
    return _Crawl(
        pages,
        np.array([names.setdefault(name, len(names)) for name in called], dtype=np.int64)[site],
        is_read,
        pages[folded.stands_for],
        pages[sources[counts]],
        pages[folded.stands_for[links.targets[counts]]],
        places[counts],
        hosts,
        seeds,
    )


def _joined(crawls: Sequence[_Crawl], size: int) -> _Web:
    site, is_read, stands_for = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.bool_), np.arange(size)
    for crawl in crawls:
        site[crawl.pages] = crawl.sites
        is_read[crawl.pages[crawl.is_read]] = True
    for crawl in reversed(crawls):
        leads = (crawl.stands_for != crawl.pages) & ~is_read[crawl.pages]
        stands_for[crawl.pages[leads]] = crawl.stands_for[leads]
    for _ in range(size.bit_length()):  # each time chains through several crawls are half as long
        stands_for = stands_for[stands_for]
    sources, targets, places = _joined_links(crawls, size)
    targets = stands_for[targets]
    counts = is_read[targets]
    seeds: dict[str, list[str]] = {}
    for seed in (seed for crawl in crawls for seed in crawl.seeds):
        seeds.setdefault(keys.authority(seed), []).append(seed)
    hosts = frozenset().union(*(crawl.hosts for crawl in crawls))
    return _Web(site, is_read, stands_for, sources[counts], targets[counts], places[counts], hosts, seeds)


def _joined_links(crawls: Sequence[_Crawl], size: int) -> tuple[IntArray, IntArray, Places]:
    """Sources, targets and places of the links; a page's links are from the first crawl that has read it."""
    is_taken = np.zeros(size, dtype=np.bool_)
    kept = []
    for crawl in crawls:
        counts = ~is_taken[crawl.sources]
        kept.append((crawl.sources[counts], crawl.targets[counts], crawl.places[counts]))
        is_taken[crawl.pages[crawl.is_read]] = True
    sources, targets, places = (np.concatenate(column) for column in zip(*kept, strict=True))
    return sources, targets, places


def _apart(web: _Web, names: _Names, linking: IntArray, fronts: IntArray) -> Iterator[EndorsedSite]:
    """Each site as a graph of its own, largest first, its pages renumbered. web: with links inside sites only."""
    pages = np.flatnonzero(web.is_read)
    pages = pages[np.argsort(web.site[pages], kind="stable")]
    position = np.zeros(len(web.site), dtype=np.int64)
    position[pages] = np.arange(len(pages))
    graph = Graph.from_edges(position[web.sources], position[web.targets], len(pages))
    places = web.places[np.argsort(position[web.sources], kind="stable")]
    fronts = np.sort(position[fronts])
    numbers, starts, counts = np.unique(web.site[pages], return_index=True, return_counts=True)
    for site in np.argsort(-counts, kind="stable").tolist():
        start, stop = int(starts[site]), int(starts[site] + counts[site])
        indptr = graph.indptr[start : stop + 1]
        links = slice(int(indptr[0]), int(indptr[-1]))
        yield EndorsedSite(
            names.sites[int(numbers[site])],
            tuple(names.urls[page] for page in pages[start:stop].tolist()),
            Graph(indptr - indptr[0], graph.targets[links] - np.int32(start)),
            places[links],
            linking[pages[start:stop]],
            fronts[(fronts >= start) & (fronts < stop)] - start,
        )
