"""Seeds for a next crawl from a crawl's store, and measures of their quality.

The paper (Daneshpajouh, Nasiri, Ghodsi 2008) finds that a crawl from seeds of HITS cores reads more pages at each depth
than one from random seeds, and pages of more PageRank at its depths 2 to 4, but not at depth 1; and that
its cores are 7.15 links apart on average, half the mean distance of the web. Measured here beside random seeds, with
distances of random pages; whether it holds depends on the web.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.page_links import numbered_sites
from minicrawl.analysis.sites import DIVISIONS
from minicrawl.errors import counted
from minicrawl.experiment import Claim
from minicrawl.model import State
from minicrawl.opic.arrays import FloatArray, Pages
from minicrawl.opic.surfer import REASONABLE
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.seeds import Core, core_distances, extract_seeds, links_between, reach
from minicrawl.store.reader import Store

Division = Literal["site", "host"]
Reach = tuple[FloatArray, FloatArray]
"""Pages that a crawl reads at each depth, and the sum of their ranks."""
Apart = tuple[float, float]
"""Mean number of links from each set of pages to each other that is reached, and the share of the others."""

DEPTHS = 4


@dataclass(frozen=True, slots=True)
class SeedCore:
    """A core by its URLs. places: the sites (or hosts) of its hubs, by falling number of hubs."""

    seed: str
    hubs: tuple[str, ...]
    authorities: tuple[str, ...]
    places: tuple[str, ...]
    density: float


@dataclass(frozen=True, slots=True)
class Seeding:
    """Cores of a crawl's web, the best first. `per`: links within a site (or host) do not count.

    fetched: number of pages that can be seeds. links: of these pages; counted: distinct links between sites (or hosts).
    places: number of sites (or hosts) of the fetched pages.
    """

    asked: int
    per: Division
    fetched: int
    links: int
    counted: int
    places: int
    cores: tuple[SeedCore, ...]
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, eq=False)
class CrawledWeb:
    """The web of a store: the links of its fetched pages, aliases folded into their targets.

    places: number of the site (or host) of every page, shape (size,); names: by that number. fetched: pages that can be
    seeds. jump: the jump distribution, see `FoldedPages`. weights: of every link; None: all alike.
    damping: that of the crawl.
    """

    graph: Graph
    per: Division
    places: Pages
    names: tuple[str, ...]
    fetched: Pages
    jump: FloatArray
    weights: FloatArray | None
    damping: float

    def ranks(self) -> FloatArray:
        """PageRank of every page, times the number of pages with jumps."""
        return pagerank(self.graph, self.damping, self.jump, weights=self.weights) * np.count_nonzero(self.jump)


def crawled_web(store: Store, per: Division = "site") -> CrawledWeb:
    """The web of a store. Raises StoreError."""
    folded = folded_store(store)
    weights = folded.weights(REASONABLE)
    names, places = numbered_sites(store, folded.hosts, DIVISIONS[per])
    is_fetched = folded.states == State.FETCHED
    return CrawledWeb(
        graph=_links_of(folded.graph, is_fetched),
        weights=None if weights is None else weights[is_fetched[folded.graph.sources()]],
        per=per,
        places=places,
        names=tuple(names),
        fetched=np.flatnonzero(is_fetched),
        jump=folded.jump,
        damping=folded.damping,
    )


def find_seeds(  # noqa: PLR0913 - parameters of the method, with defaults
    web: CrawledWeb,
    url: Callable[[int], str],
    count: int,
    *,
    density: float = 100.0,
    size: tuple[int, int] | None = None,
    one_per_place: bool = True,
    random_sets: int = 0,
) -> Seeding:
    """Up to `count` seeds, each a fetched page on another site (or host); none without links between these.

    url: gives the URL of a page. density, size: of cores, see `extract_seeds`. one_per_place: False as in the paper,
    where a site (or host) may have several seeds. random_sets: number of random sets to measure the seeds
    against; 0: do not measure.
    """
    cores = extract_seeds(
        web.graph, web.places, count, density=density, size=size, weights=web.weights, one_per_host=one_per_place
    )
    found: list[Claim] = []
    if random_sets and cores:
        rng = np.random.default_rng(0)
        found = claims(web, cores, [rng.choice(web.fetched, len(cores), replace=False) for _ in range(random_sets)])
    return Seeding(
        asked=count,
        per=web.per,
        fetched=len(web.fetched),
        links=len(web.graph.targets),
        counted=len(links_between(web.graph, web.places)[0]),
        places=len(np.unique(web.places[web.fetched])),
        cores=tuple(_named(core, web, url) for core in cores),
        claims=tuple(found),
    )


def seed_file(seeding: Seeding) -> str:
    """The seeds as a seed file: for each core a comment, then its seed."""
    title = counted(len(seeding.cores), "seed")
    if len(seeding.cores) < seeding.asked:
        title += f" (no links are left for the other {seeding.asked - len(seeding.cores):,})"
    lines = [f"# {title}: the best hub of each core of the links between {seeding.per}s; best core first"]
    for number, core in enumerate(seeding.cores, start=1):
        lines += [f"# core {number}: {summary(core, seeding.per)}", core.seed]
    return "\n".join(lines) + "\n"


def summary(core: SeedCore, per: Division) -> str:
    """ "3 hubs on 2 sites, 4 authorities, density 100 %"."""
    hubs, places, count = counted(len(core.hubs), "hub"), counted(len(core.places), per), len(core.authorities)
    return f"{hubs} on {places}, {count:,} authorit{'y' if count == 1 else 'ies'}, density {core.density:.0f} %"


def _links_of(graph: Graph, is_source: npt.NDArray[np.bool_]) -> Graph:
    """The graph with the links of these sources only."""
    outdegrees = graph.outdegrees()
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(outdegrees * is_source)])
    return Graph(indptr, graph.targets[np.repeat(is_source, outdegrees)])


def _named(core: Core, web: CrawledWeb, url: Callable[[int], str]) -> SeedCore:
    places = Counter(web.places[core.hubs].tolist())
    return SeedCore(
        seed=url(core.seed),
        hubs=tuple(map(url, core.hubs.tolist())),
        authorities=tuple(map(url, core.authorities.tolist())),
        places=tuple(web.names[place] for place, _ in places.most_common()),
        density=core.density,
    )


def reached(graph: Graph, ranks: FloatArray, sets: Sequence[Pages]) -> Reach:
    """What breadth-first crawls read at each depth from 0 to DEPTHS, as the mean of some sets of seeds."""
    found = [reach(graph, seeds, ranks, DEPTHS) for seeds in sets]
    pages, mass = (np.mean(each, axis=0) for each in zip(*found, strict=True))
    return pages, mass


def _apart(graph: Graph, sets: Sequence[Pages]) -> Apart:
    links = core_distances(graph, sets)
    pairs = links[~np.eye(len(sets), dtype=np.bool_)]
    ways = pairs[pairs >= 0]
    return float(ways.mean()) if len(ways) else 0.0, 1.0 - len(ways) / max(len(pairs), 1)


def claims(web: CrawledWeb, cores: Sequence[Core], drawn: Sequence[Pages]) -> list[Claim]:
    """Claims about the seeds of cores, and whether they hold here. drawn: sets of random seeds."""
    ranks, seeds = web.ranks(), np.array([core.seed for core in cores])
    near = _apart(web.graph, [core.pages() for core in cores])
    far = _apart(web.graph, [np.array([page]) for page in drawn[0]])
    return decided(reached(web.graph, ranks, [seeds]), reached(web.graph, ranks, drawn), float(ranks.sum()), near, far)


def decided(
    ours: Reach, others: Reach, whole: float, near: tuple[float, float], far: tuple[float, float]
) -> list[Claim]:
    """The claims by what was measured of cores (ours, near) and at random (others, far). whole: sum of all ranks."""
    pages = list(zip(ours[0][1:].tolist(), others[0][1:].tolist(), strict=True))
    means = [(mass / np.maximum(read, 1e-9))[1:].tolist() for read, mass in (ours, others)]
    importance = list(zip(*means, strict=True))
    order = f"from cores and at random, at depth 1 to {DEPTHS}"
    held, at_random = (float(mass.sum()) / whole for _, mass in (ours, others))
    return [
        Claim(
            "seeds from cores reach more pages at each depth than random ones",
            all(a > b for a, b in pages),
            f"{', '.join(f'{a:,.0f} {b:,.0f}' for a, b in pages)} {order}",
        ),
        Claim(
            "the pages that they reach have more PageRank at each depth",
            all(a > b for a, b in importance),
            f"{', '.join(f'{a:.3g} {b:.3g}' for a, b in importance)} times the mean, {order}",
        ),
        Claim(
            "cores are as far apart as random pages",
            near[0] >= far[0] and near[1] < 1.0,
            f"{near[0]:.3g} and {far[0]:.3g} links on average, with no way between {near[1]:.0%} "
            f"and {far[1]:.0%} of the pairs",
        ),
        Claim(
            f"within {DEPTHS} links they hold more PageRank in all",
            held > at_random,
            f"{held:.2%} and {at_random:.2%} of all",
        ),
    ]
