"""Links inside a site and between sites: which of them find pages, and which pages?

A crawl by cash reads all pages that it can reach; a page is found by the first link to it that is read. Section 6 of
Abiteboul, Preda, Cobena (WWW 2003) has it that links between sites help discovery more than those within one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.lab.compiled import crawl
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.components import strong_components
from minicrawl.rank.distances import links_of
from minicrawl.report import Claim, Curve, Panel, Result

INTERNAL, EXTERNAL = "internal", "external"
_SHARES = (0.01, 0.05, 0.1, 0.3, 1.0)
_COLUMNS = ("seed set", "pages read", "links", "followed", "pages found", "found per 100 links",
            "mean PageRank x N of those", "new sites per 100 links")  # fmt: skip


@dataclass(frozen=True)
class Yield:
    """What the links of a kind have brought when so many pages had been read. followed: how many there were.

    pages, sites: found first by one of them. importance: mean PageRank of these pages, times the number of all.
    """

    read: int
    kind: str
    followed: int
    pages: int
    importance: float
    sites: int

    def per_hundred(self, found: int) -> float:
        return 100.0 * found / max(self.followed, 1)


def yields(graph: Graph, hosts: IntArray, order: npt.NDArray[np.integer], importance: FloatArray) -> list[Yield]:
    """What both kinds have brought, at some shares of a crawl. order: the pages as they were read, the seeds first.

    A page that is read and was found by no link before it is a seed.
    """
    sources, targets = np.repeat(order, graph.outdegrees()[order]), links_of(graph, order)
    when = np.repeat(np.arange(len(order)), graph.outdegrees()[order])
    is_external = hosts[sources] != hosts[targets]
    turn = np.full(graph.size, len(order))
    turn[order] = np.arange(len(order))
    finds = _first(targets) & (turn[targets] > when)
    first_of_site = finds & is_external & _first(np.where(finds, hosts[targets], -1))
    first_of_site &= ~np.isin(hosts[targets], hosts[order[:1]])
    found = []
    for share in _SHARES:
        read = max(1, round(share * len(order)))
        for kind, of_kind in ((INTERNAL, ~is_external), (EXTERNAL, is_external)):
            some = of_kind & (when < read)
            pages = targets[some & finds]
            mean = float(importance[pages].mean()) * graph.size if len(pages) else 0.0
            sites = int(np.count_nonzero(some & first_of_site))
            found.append(Yield(read, kind, int(np.count_nonzero(some)), len(pages), mean, sites))
    return found


def _first(values: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Where a value stands for the first time."""
    is_first = np.zeros(len(values), dtype=np.bool_)
    is_first[np.unique(values, return_index=True)[1]] = True
    return is_first


def experiment(graph: Graph, hosts: IntArray, seed: int, seed_sets: int = 5, seeds: int = 10) -> Result:
    """Several crawls, each from pages of the core that are drawn. Raises SettingError where there is one site only."""
    sites = len(np.unique(hosts))
    if sites < 2:
        raise SettingError("all pages of this graph are of one site; take a graph with links between sites")
    rng, importance = np.random.default_rng(seed), pagerank(graph)
    core = strong_components(graph).largest()
    found: list[tuple[int, Yield]] = []
    for number in range(1, seed_sets + 1):
        some = rng.choice(core, min(seeds, len(core)), replace=False).astype(np.int32)
        _, log = crawl(graph, some, graph.size)
        found += [(number, one) for one in yields(graph, hosts, log.pages, importance)]
    rows = [
        (number, one.read, one.kind, one.followed, one.pages, one.per_hundred(one.pages), one.importance,
         one.per_hundred(one.sites))
        for number, one in found
    ]  # fmt: skip
    panel = Panel(
        "pages found",
        "share of the pages read",
        "pages found per 100 links",
        [Curve(kind, _SHARES, _means(found, kind, seed_sets)) for kind in (INTERNAL, EXTERNAL)],
    )
    title = f"Links inside {sites:,} sites and between them, as {graph.size:,} pages are read"
    return Result("links", title, _COLUMNS, rows, [panel], _claims([one for _, one in found]))


def _means(found: Sequence[tuple[int, Yield]], kind: str, sets: int) -> list[float]:
    each = [one.per_hundred(one.pages) for _, one in found if one.kind == kind]
    return np.array(each).reshape(sets, len(_SHARES)).mean(axis=0).tolist()  # type: ignore[no-any-return]


def _claims(found: Sequence[Yield]) -> list[Claim]:
    early = [one for one in found if one.read < max(other.read for other in found)]
    pairs = list(zip(early[::2], early[1::2], strict=True))
    inside = [one.per_hundred(one.pages) for one, _ in pairs]
    across = [other.per_hundred(other.pages) for _, other in pairs]
    importance = [(one.importance, other.importance) for one, other in pairs if one.pages and other.pages]
    return [
        Claim(
            "a link between sites finds a new page more often than one within a site",
            all(b > a for a, b in zip(inside, across, strict=True)),
            f"per 100 links {np.mean(across):.1f} and {np.mean(inside):.1f}, more often in "
            f"{sum(b > a for a, b in zip(inside, across, strict=True))} of {len(pairs)} looks before the end",
        ),
        Claim(
            "pages found by links between sites are more important",
            bool(importance) and all(b > a for a, b in importance),
            f"mean PageRank x N {np.mean([b for _, b in importance] or [0]):.2f} and "
            f"{np.mean([a for a, _ in importance] or [0]):.2f}, more in {sum(b > a for a, b in importance)} of "
            f"{len(importance)} looks",
        ),
    ]
