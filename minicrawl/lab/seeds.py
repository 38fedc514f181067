"""The experiments of S. Daneshpajouh, M. Nasiri, M. Ghodsi, "A fast community based algorithm for generating web
crawler seeds set" (WEBIST 2008), with the axes of its figures, on a drawn web of communities or on a graph with URLs.

Seeds are taken as the paper does: several a host, cores of density 100, 60 steps of HITS. Random seeds are the mean of
SETS sets. Depth 1 of the figures are the seeds. Logarithms are natural in figures 7 to 10, else of base 10.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.opic.arrays import FloatArray, IntArray, Pages
from minicrawl.rank import Core, Graph, extract_seeds, pagerank
from minicrawl.rank.distances import distances_from, links_of
from minicrawl.rank.graph_stats import degree_distribution
from minicrawl.rank.seeds import core_distances, links_between, reach

SETS = 20
_SEEDS, _CORES, _OLD_SEEDS = 10, 54, 100
_DEPTHS = 12
_ALIVE = 0.11
"""Chance of a page to be there in the newer web."""
_FAR = 20
"""Iterations between cores that are found far apart in time."""


@dataclass(frozen=True, eq=False)
class Study:
    """A web, and what is drawn for its experiments. hosts: a number per page, shape (size,)."""

    graph: Graph
    hosts: Pages
    seed: int = 0

    @cached_property
    def cores(self) -> list[Core]:
        """The first 100, the best first; fewer if links between hosts run out."""
        return extract_seeds(self.graph, self.hosts, _OLD_SEEDS, one_per_host=False)

    def at_random(self, count: int) -> list[IntArray]:
        """Sets of so many pages."""
        rng = np.random.default_rng(self.seed)
        return [rng.choice(self.graph.size, count, replace=False) for _ in range(SETS)]

    def newer(self) -> tuple[Graph, IntArray]:
        """The web some years later, and those of the first 100 seeds that are left.

        A page stays with chance .11. The links of the others are dealt out again among their successors on the host.
        """
        rng = np.random.default_rng(self.seed)
        is_left = rng.random(self.graph.size) < _ALIVE
        gone = np.flatnonzero(~is_left)
        taken = np.arange(self.graph.size)
        taken[gone[np.argsort(self.hosts[gone], kind="stable")]] = gone[
            np.lexsort((rng.random(len(gone)), self.hosts[gone]))
        ]
        sources = np.repeat(np.arange(self.graph.size), self.graph.outdegrees()[taken])
        newer = Graph.from_edges(sources, links_of(self.graph, taken), self.graph.size)
        seeds = np.array([core.seed for core in self.cores])
        return newer, seeds[is_left[seeds]]


def figures_7_8(study: Study) -> Result:
    """Degree distributions: logarithms of the number of pages against those of the degree."""
    panels, claims, rows = [], [], []
    indegrees = np.bincount(study.graph.targets, minlength=study.graph.size)
    for name, degrees in (("In-Degree", indegrees), ("Out-Degree", study.graph.outdegrees())):
        found = degree_distribution(degrees)
        is_some = found.values > 0
        values, counts = found.values[is_some], found.counts[is_some]
        rows += [(name, int(value), int(count)) for value, count in zip(values, counts, strict=True)]
        curve = Curve(name, np.log(values).tolist(), np.log(counts).tolist())
        panels.append(Panel(name, f"log({name})", "log(pages)", [curve]))
        law = found.law
        fit = "no tail to fit" if law is None else f"x^-{law.alpha:.3g} from {law.xmin} on, {law.distance:.2g} off (KS)"
        claims.append(
            Claim(f"{name.lower()}s follow a power law (within .05)", law is not None and law.distance <= 0.05, fit)
        )
    return Result("seeds7", "Figures 7 and 8: degrees", ("direction", "degree", "pages"), rows, panels, claims)


def figure_11(study: Study) -> Result:
    """Sizes of the cores, in the order in which they are found."""
    cores = study.cores[:_SEEDS]
    sizes = {"HUB": [len(core.hubs) for core in cores], "Authority": [len(core.authorities) for core in cores]}
    larger = sum(a > b for a, b in zip(*sizes.values(), strict=True))
    places = range(1, len(cores) + 1)
    started = time.process_time()
    extract_seeds(study.graph, study.hosts, _SEEDS, one_per_host=False)
    took = time.process_time() - started
    claims = [
        Claim(
            "all cores are complete",
            all(core.density == 100.0 for core in study.cores),
            f"{len(study.cores)} cores, density {min(core.density for core in study.cores):g} at least",
        ),
        Claim(
            "cores normally have more hubs than authorities",
            larger > len(cores) / 2,
            f"{larger} of {len(cores)}; hubs {sizes['HUB']}, authorities {sizes['Authority']}",
        ),
        Claim(
            "extraction takes seconds, in proportion to the links between hosts",
            took < 60.0,
            f"{took:.2g} s for {_SEEDS} seeds of {study.graph.size:,} pages, "
            f"{len(links_between(study.graph, study.hosts)[0]):,} links between hosts of {len(study.graph.targets):,}",
        ),
    ]
    curves = [Curve(name, places, np.log10(some).tolist()) for name, some in sizes.items()]
    rows = [(at, *both) for at, both in enumerate(zip(*sizes.values(), strict=True), start=1)]
    panel = Panel("sizes of cores", "iteration", "log(size)", curves)
    return Result("seeds11", "Figure 11: sizes of cores", ("iteration", "hubs", "authorities"), rows, [panel], claims)


def figure_13(study: Study) -> Result:
    """Links between cores, against the iterations between the times at which they were found."""
    cores = study.cores[:_CORES]
    links = core_distances(study.graph, [core.pages() for core in cores])
    apart = np.abs(np.subtract.outer(np.arange(len(cores)), np.arange(len(cores))))
    ways = links[(apart > 0) & (links >= 0)]
    depths = np.concatenate([distances_from(study.graph, page) for page in study.at_random(1)])
    mean, of_web = float(ways.mean()), float(depths[depths > 0].mean())
    by_gap = [links[(apart == gap) & (links >= 0)] for gap in range(1, len(cores))]
    close = np.concatenate(by_gap[:_FAR])
    nearest = apart[(apart > 0) & (links == ways.min())]
    claims = [
        Claim(
            "cores are a reasonable distance apart (half the mean distance of the web at least)",
            mean >= 0.48 * of_web,
            f"{len(cores)} cores, {ways.min()} to {ways.max()} links, mean {mean:.2f}; mean distance of the web "
            f"{of_web:.2f}; no way between {1 - len(ways) / (apart > 0).sum():.0%} of the pairs",
        ),
        Claim(
            f"cores of close iterations (at most {_FAR} apart) are at least the mean distance apart",
            float(close.mean()) >= mean,
            f"{close.mean():.2f} links on average, {mean:.2f} of all pairs",
        ),
        Claim(
            "cores close to each other are found in far iterations",
            float(nearest.mean()) >= _FAR,
            f"those {ways.min()} links apart are {nearest.mean():.1f} iterations apart on average",
        ),
    ]
    found = [(gap, float(some.mean())) for gap, some in enumerate(by_gap, start=1) if len(some)]
    curve = Curve("mean of the pairs", [gap for gap, _ in found], [links for _, links in found])
    rows = [(a + 1, b + 1, int(links[a, b])) for a, b in np.argwhere(links > 0)]
    panel = Panel("distances of cores", "iterations between", "links between", [curve])
    return Result("seeds13", "Figure 13: distances of cores", ("core", "to core", "links"), rows, [panel], claims)


def figures_14_15(study: Study) -> Result:
    """PageRank and number of pages by depth, from 10 seeds of cores and from 10 random ones."""
    seeds = np.array([core.seed for core in study.cores[:_SEEDS]])
    return _by_depth("seeds14", "Figures 14 and 15: a crawl of the same web", study.graph, seeds,
                     study.at_random(len(seeds)), (2, 4), (1, _DEPTHS))  # fmt: skip


def figures_18_19(study: Study) -> Result:
    """The same in a newer web, of the seeds that are left there."""
    graph, seeds = study.newer()
    title = f"Figures 18 and 19: a crawl of a newer web, where {len(seeds)} of {len(study.cores)} seeds are left"
    return _by_depth("seeds18", title, graph, seeds, study.at_random(len(seeds)), (1, 3), (4, _DEPTHS))


_Span = tuple[int, int]


def _by_depth(  # noqa: PLR0913 - two crawls, and what is claimed of them
    name: str, title: str, graph: Graph, seeds: Pages, random: Sequence[Pages], better: _Span, more: _Span
) -> Result:
    """Breadth-first crawls side by side. better, more: first and last depth of more PageRank, and of more pages."""
    ranks = pagerank(graph)

    def read(sets: Sequence[Pages]) -> tuple[FloatArray, FloatArray]:
        pages, mass = np.mean([reach(graph, some, ranks, _DEPTHS - 1) for some in sets], axis=0)
        return pages, mass / np.maximum(pages, 1e-9)

    ours, others = read([seeds]), read(random)
    rows = [
        (depth + 1, who, float(pages[depth]), float(rank[depth]))
        for who, (pages, rank) in (("cores", ours), ("random", others))
        for depth in range(_DEPTHS)
        if pages[depth]
    ]

    def compared(place: int, span: _Span, factor: float = 1.0) -> tuple[bool, str]:
        depths = range(span[0], 1 + min(span[1], int((ours[0] > 0).sum())))
        pairs = [(depth, ours[place][depth - 1] * factor, others[place][depth - 1] * factor) for depth in depths]
        figures = ", ".join(f"{depth}: {a:,.3g} and {b:,.3g}" for depth, a, b in pairs)
        return all(a > b for _, a, b in pairs), f"cores and random by depth {figures}"

    first = compared(1, (1, 1), graph.size)
    claims = [
        Claim(
            f"pages have more PageRank than from random seeds at depth {better[0]} to {better[1]}",
            *compared(1, better, graph.size),
        ),
        Claim(f"more pages are read at depth {more[0]} to {more[1]}", *compared(0, more)),
    ]
    if better[0] > 1:
        claims.insert(0, Claim("at depth 1 they have less", not first[0], f"{first[1]} (times the mean)"))
    panels = []
    for label, place, change in (("PageRank", 1, np.asarray), ("log(traversed pages)", 0, np.log10)):
        curves = []
        for who, found in (("our method", ours), ("random", others)):
            depths = np.flatnonzero(found[0])
            curves.append(Curve(who, (depths + 1).tolist(), change(found[place][depths]).tolist()))
        panels.append(Panel(label, "iteration", label, curves))
    return Result(name, title, ("depth", "seeds", "pages", "mean PageRank"), rows, panels, claims)


FIGURES: dict[str, Callable[[Study], Result]] = {
    "7": figures_7_8,
    "11": figure_11,
    "13": figure_13,
    "14": figures_14_15,
    "18": figures_18_19,
}
"""The experiments by the first of their figures."""
