"""Attacks on importance by `--jump sites`, on the web of a crawl's store: what each buys.

    python bench/attacks.py STORE [--seed N]

comments  on a page of each of 10, 30 and 60 honest sites, the smallest first, to one domain, also by others that
          redirect to it or name it as canonical, as these are one; or to as many domains that link to it. In the text
          of the page, and where its comments are known as such
expired   ten domains with honest links from six sites each, all of which link to one; with links back and without
farm      3, 200 and 2,000 domains that link to each other and to one, behind a link from the front page of each of ten
          sites in turn: the most that any buys
ring      120 domains, each linking to the next and all to one, behind one link
copy      one page with the links of the most important front page, behind one link
seed      one of ten seeds, the worst, that names 250 own domains on each of two pages, all of which link to one

Each row has the target's share of all importance and its place; the share of all pages of the attacker; and how many of
them are in the first tenth of the ranking, and would be asked for early.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.cli.lab import site_web
from minicrawl.lab.sites import SiteWeb, by_sites
from minicrawl.model import Place
from minicrawl.rank import Graph
from minicrawl.store.reader import open_store

Ints = npt.NDArray[np.int64]
Links = list[tuple[int, int, Place]]
"""Source, target and place; pages of the attacker are 0, the target, and -1, -2 and so on for the others."""
COMMENTS, FARMS, RING, EXPIRED, HONEST, SITES, NAMED = (10, 30, 60), (3, 200, 2_000), 120, 10, 6, 10, 250
_OF_PAGES = ("entrance", "is_read", "is_live")


class Attacker:
    """A web, and where honest links may come from."""

    def __init__(self, web: SiteWeb, seed: int) -> None:
        self.web = web
        self.importance = by_sites(web)
        self._draw = np.random.default_rng(seed)
        read = np.flatnonzero(web.is_read)
        sites, sizes = np.unique(web.site[read], return_counts=True)
        self.small_first: Ints = sites[np.argsort(sizes, kind="stable")]
        fronts = read[web.entrance[read]]
        self.fronts: Ints = fronts[np.argsort(-self.importance[fronts], kind="stable")]
        links = web.graph.sources()
        self._linking = np.bincount(links, minlength=web.graph.size) > 0

    def pages(self, count: int) -> list[int]:
        """A page with links of each of the smallest sites."""
        return [self._page(site) for site in self.small_first[:count].tolist()]

    def some_pages(self, count: int) -> list[int]:
        """A page with links of each of some sites."""
        return [self._page(site) for site in self._draw.choice(self.small_first, count, replace=False).tolist()]

    def _page(self, site: int) -> int:
        pages = np.flatnonzero(self.web.is_read & self._linking & (self.web.site == site))
        return int(self._draw.choice(pages if len(pages) else np.flatnonzero(self.web.site == site)))

    def after(self, domains: int, links: Links) -> SiteWeb:
        """The web with so many new sites of a page each, the target's first, and these links."""
        web, size = self.web, self.web.graph.size
        own = size + np.arange(domains)
        ends = np.array([[source, target] for source, target, _ in links]).reshape(-1, 2)
        # A page of the web is given by its number + domains, one of the attacker's by minus its own.
        ends = np.where(ends > 0, ends - 1, own[np.clip(-ends, 0, domains - 1)])
        sources = np.concatenate([web.graph.sources(), ends[:, 0]])
        targets = np.concatenate([web.graph.targets, ends[:, 1]])
        places = np.zeros(len(web.graph.targets), np.uint8) if web.places is None else web.places
        places = np.append(places, np.array([place for *_, place in links], np.uint8))
        order = np.argsort(sources, kind="stable")
        more = {name: np.append(getattr(web, name), np.ones(domains, dtype=np.bool_)) for name in _OF_PAGES}
        are_seeds = np.zeros(domains, dtype=np.bool_)
        return replace(
            web,
            graph=Graph.from_edges(sources[order], targets[order], size + domains),
            places=places[order],
            site=np.append(web.site, web.site.max() + 1 + np.arange(domains)),
            stands_for=np.append(web.stands_for, own),
            is_seed=np.append(web.is_seed, are_seeds),
            **more,
        )

    def bought(self, domains: int, links: Links) -> tuple[float, int, float, int]:
        """The target's share and place, the share of all pages of the attacker, and those in the first tenth."""
        found, size = by_sites(self.after(domains, links)), self.web.graph.size
        his, early = found[size:], np.partition(found, -len(found) // 10)[-len(found) // 10]
        return float(his[0]), int((found > his[0]).sum()) + 1, float(his.sum()), int((his > early).sum())


def honest(page: int) -> int:
    """A page of the web as an end of a link."""
    return page + 1


def attacks(of: Attacker) -> Iterator[tuple[str, list[tuple[int, Links]]]]:
    """Names, and the webs of which the worst counts: numbers of domains, and links."""
    text, lone = Place.TEXT, Place.LIST
    for place, where in ((text, "in the text"), (Place.NAVIGATION, "known as such")):
        for count in COMMENTS:
            pages = of.pages(count)
            to_one: Links = [(honest(page), 0, place) for page in pages]
            yield f"{len(pages)} comments, {where}, to one domain", [(1, to_one)]
            to_many: Links = [(honest(page), -at, place) for at, page in enumerate(pages, 1)]
            lifting: Links = [(-at, 0, lone) for at in range(1, len(pages) + 1)]
            yield f"{len(pages)} comments, {where}, to as many that link to it", [(len(pages) + 1, to_many + lifting)]
    for back in (False, True):
        links: Links = []
        for at in range(1, EXPIRED + 1):
            pages = of.some_pages(HONEST)
            links += [(honest(page), -at, text) for page in pages] + [(-at, 0, lone)]
            links += [(-at, honest(page), lone) for page in pages] if back else []
        yield f"ten expired domains, {'with' if back else 'without'} links back", [(EXPIRED + 1, links)]
    fronts = of.fronts[np.unique(of.web.site[of.fronts], return_index=True)[1]][:SITES].tolist()
    for size in FARMS:
        friends = [(-at, -(at * step % size) or -1, lone) for at in range(1, size) for step in (2, 3, 5)]
        farm: Links = [*((-at, 0, lone) for at in range(1, size)), *friends, (0, -1, lone)]
        yield f"farm of {size:,} domains", [(size, [(honest(front), 0, text), *farm]) for front in fronts]
    ring: Links = [link for at in range(1, RING) for link in ((-at, -(at % (RING - 1) + 1), lone), (-at, 0, lone))]
    yield f"ring of {RING} domains", [(RING, [(honest(front), 0, text), (0, -1, lone), *ring]) for front in fronts]
    roots, named = np.intersect1d(of.web.site[of.web.is_seed], of.small_first)[:SITES], range(1, NAMED + 1)
    pairs = [np.flatnonzero(of.web.is_read & (of.web.site == site))[:2].tolist() for site in roots]
    own: Links = [(-at, 0, lone) for at in named]
    seeds = [(NAMED + 1, [*((honest(page), -at, text) for page in pages for at in named), *own]) for pages in pairs]
    yield f"seed that names {NAMED} own domains", seeds
    best = int(of.fronts[0])
    row = of.web.graph.targets[of.web.graph.indptr[best] : of.web.graph.indptr[best + 1]].tolist()
    copied: Links = [(0, honest(target), lone) for target in row]
    yield "one-page copy of the first front", [(1, [(honest(front), 0, text), *copied]) for front in fronts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with open_store(options.store) as store:
        attacker = Attacker(site_web(store), options.seed)
    print(f"{int(attacker.web.is_read.sum()):,} pages read of {len(attacker.small_first):,} sites")
    print("target   place     all  early  attack")
    for name, webs in attacks(attacker):
        share, place, of_all, early = max(attacker.bought(domains, links) for domains, links in webs)
        print(f"{share:6.2%}  {place:6,}  {of_all:6.2%}  {early:5,}  {name}", flush=True)


if __name__ == "__main__":
    main()
