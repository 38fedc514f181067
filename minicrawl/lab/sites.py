"""A surfer who jumps to sites by their trust, and there to doors: agreement with people, and resistance to link farms.

`opic/sites/trust.py` has the jump. A completely known web is ranked with this jump and others:

agreement  half of all ordered pairs of sites lose their links; pages are ranked without these, and judged by them:
           a page gains log2(1 + other sites whose hidden links lead to it)
early      a crawl stops after a part of the pages: correct ones among the first 100 of those known by then
order      share of all importance on the pages read, in the order by cash that is paid out by the same jump
fronts     share of sites with an entrance page first, or among the first three
farm       importance of 5,000 pages on 200 domains that link to each other, with one honest link to them; and if each
           of the domains links back to the page with that link
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from minicrawl.errors import SettingError
from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.heap import Heap, add, compiled, empty_heap, pop, risen
from minicrawl.opic.arrays import Flags, FloatArray, IntArray
from minicrawl.opic.sites.trust import DOORS, KAPPA, door_weights, jump, site_trust, voice_counts
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.compare import overlap
from minicrawl.rank.components import subgraph
from minicrawl.rank.sites import site_links

_STOPS = (0.01, 0.02, 0.05, 0.1, 0.3)
_GROWTH, _FEWEST, _SWEEPS = 0.08, 20, 3
_DAMPING, _UNITS = 0.85, 2.0**60
_FARM_PAGES, _FARM_DOMAINS, _FARM_LINKS = 5000, 200, 11
_MOST = 100
_COLUMNS = ("question", "jump", "what", "value")


@dataclass(frozen=True, eq=False)
class Web:
    """A completely known web with links of equal weight.

    site: of every page, from 0 on. fronts: front pages of sites. seeds: first pages of a crawl.
    """

    graph: Graph
    site: IntArray
    fronts: Flags
    seeds: IntArray

    @cached_property
    def sites(self) -> int:
        return int(self.site.max(initial=-1)) + 1

    @cached_property
    def entrances(self) -> Flags:
        """Fronts and seeds."""
        entrances = self.fronts.copy()
        entrances[self.seeds] = True
        return entrances

    def reached(self) -> "Web":
        """The part reached from the seeds; other pages are unknown. Raises SettingError if the part is one page."""
        is_reached = np.zeros(self.graph.size, dtype=np.bool_)
        is_reached[self.seeds] = True
        new, m = is_reached, self.graph.transition()
        while new.any():
            new = (m @ new > 0.0) & ~is_reached
            is_reached |= new
        pages = np.flatnonzero(is_reached)
        if len(pages) < 2:
            raise SettingError("the seeds lead to no other page; draw others with --seed, or more of them with --seeds")
        number = np.cumsum(is_reached) - 1
        site = np.unique(self.site[pages], return_inverse=True)[1]
        return Web(subgraph(self.graph, pages), site, self.fronts[pages], number[self.seeds])

    def kept(self, links: Flags) -> "Web":
        """The web with a subset of its links."""
        sources, targets = self.graph.sources()[links], self.graph.targets[links]
        return replace(self, graph=Graph.from_edges(sources, targets, self.graph.size))

    def when(self, read: Flags) -> tuple["Web", Flags]:
        """The web with the links of read pages only, and flags of the pages known by these."""
        links = read[self.graph.sources()]
        known = read.copy()
        known[self.seeds] = True
        known[self.graph.targets[links]] = True
        return self.kept(links), known


@dataclass(frozen=True)
class Jump:
    """The jump of the surfer. doors: m; None: to all known pages alike. kappa: see `opic/sites/trust.py`."""

    doors: float | None = DOORS
    kappa: float = KAPPA

    def of(self, web: Web, known: Flags | None = None) -> FloatArray:
        """v of every page. known: possible targets of jumps; None: all."""
        standing = np.ones(web.graph.size, dtype=np.bool_) if known is None else known
        if self.doors is None:
            return standing / np.count_nonzero(standing)
        links = site_links(web.graph, web.site, web.sites)
        ends = links.graph.sources(), links.graph.targets.astype(np.int64)
        roots = np.zeros(web.sites, dtype=np.bool_)
        roots[web.site[web.seeds]] = True
        trust = site_trust(*ends, links.links.astype(np.int64), roots, web.sites, kappa=self.kappa)
        sources, targets = web.graph.sources(), web.graph.targets.astype(np.int64)
        doors = door_weights(voice_counts(web.site[sources], targets, web.site), web.entrances)
        return jump(trust, web.site, doors, standing, self.doors)


JUMPS = {
    "any page": Jump(doors=None),
    "trust": Jump(doors=0.0),
    "trust and doors": Jump(),
    "doors alone": Jump(doors=1.0),
    "trust without return": Jump(kappa=0.0),
}
_BEFORE, _NOW, _UNRETURNED = "any page", "trust and doors", "trust without return"


def agreement(web: Web, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """NDCG of the first 1,000 and the area, by jump, against the links of half of the pairs of sites."""
    sources, targets = web.graph.sources(), web.graph.targets.astype(np.int64)
    pair = web.site[sources] * web.sites + web.site[targets]
    is_across = web.site[sources] != web.site[targets]
    pairs, of_link = np.unique(pair, return_inverse=True)
    hidden = is_across & (rng.random(len(pairs)) < 0.5)[of_link]
    gains = np.log2(1.0 + _linking(web.site[sources[hidden]], targets[hidden], web.site))
    left = web.kept(~hidden)
    found = {name: pagerank(left.graph, preference=where.of(left), tolerance=1e-6) for name, where in JUMPS.items()}
    return {name: (_ndcg(values, gains, 1000), _area(values, gains > 0.0)) for name, values in found.items()}


def _linking(linking: IntArray, pages: IntArray, site: IntArray) -> IntArray:
    """Number of other sites that link to each page. A site with links to more than _MOST pages of another one
    generates them, and they do not count."""
    linking, pages = np.divmod(np.unique(linking * len(site) + pages), len(site))
    _, pair, linked = np.unique(linking * len(site) + site[pages], return_inverse=True, return_counts=True)
    return np.bincount(pages[linked[pair] <= _MOST], minlength=len(site))


def _area(values: FloatArray, is_good: Flags) -> float:
    """Chance that a good page stands above another one: the area under the ROC curve."""
    good, others = np.count_nonzero(is_good), np.count_nonzero(~is_good)
    return float((rankdata(values)[is_good].sum() - good * (good + 1) / 2) / (good * others))


def _ndcg(values: FloatArray, gains: FloatArray, first: int) -> float:
    """Normalised discounted cumulated gain of the first pages (Järvelin, Kekäläinen, 2002)."""
    weights = 1.0 / np.log2(2.0 + np.arange(min(first, len(gains))))
    found, best = (gains[order[:first]] @ weights for order in (np.argsort(-values), np.argsort(-gains)))
    return float(found / best)


class Course(NamedTuple):
    """A crawl at its stops: share of all importance that was read, and share of the first 100 that are correct."""

    read: list[float]
    right: list[float]


def course(web: Web, where: Jump, order: IntArray) -> Course:
    """Importance read and early ranking of a crawl in this order; the seeds reach all of the web."""
    final = pagerank(web.graph, preference=where.of(web), tolerance=1e-6)
    found = Course([], [])
    for stop in _STOPS:
        read = np.zeros(web.graph.size, dtype=np.bool_)
        read[order[: max(1, int(stop * web.graph.size))]] = True
        part, known = web.when(read)
        now = pagerank(part.graph, preference=where.of(part, known), tolerance=1e-6)
        found.read.append(float(final[read].sum()))
        found.right.append(overlap(now[known], final[known], 100))
    return found


def by_cash(web: Web, where: Jump, most: int) -> IntArray:
    """The first `most` pages of a crawl that reads the page with the most cash next.

    A read page shares its cash among its links; the jump's part is paid to all known pages by v of the known web.
    Whenever the crawl has grown by _GROWTH, v is recomputed, every page is paid its part of all jumps so far less
    earlier payments, and read pages share the cash received since.
    """
    m = web.graph.transition()
    shares = m.T.tocsr()
    state = _Cash(np.zeros(web.graph.size), np.zeros(web.graph.size, dtype=np.bool_), np.zeros(1))
    state.known[web.seeds] = True
    read, order = np.zeros(web.graph.size, dtype=np.bool_), np.zeros(0, dtype=np.int64)
    jumped, had = 1.0, np.zeros(web.graph.size)
    while len(order) < most and np.count_nonzero(state.known) > len(order):
        v = where.of(*web.when(read))
        jumped += state.pot[0]
        state.pot[0] = 0.0
        for sweep in range(_SWEEPS + 1):
            state.cash[:] += jumped * v - had
            had = jumped * v
            if sweep < _SWEEPS:
                sent = np.where(read, state.cash, 0.0)
                came = _DAMPING * (m @ sent)
                state.cash[:] += came - sent
                jumped += float(sent.sum() - came.sum())
        heap = empty_heap((state.cash * _UNITS).astype(np.int64))
        _wait(heap, np.flatnonzero(state.known & ~read))
        count = min(max(_FEWEST, int(_GROWTH * len(order))), most - len(order))
        pages = _visit(shares.indptr, shares.indices, shares.data, state, heap, count)
        read[pages] = True
        order = np.concatenate([order, pages])
    return order


class _Cash(NamedTuple):
    """pot: cash taken by jumps, shape (1,)."""

    cash: FloatArray
    known: Flags
    pot: FloatArray


@compiled
def _wait(heap: Heap, pages: IntArray) -> None:
    for page in pages:
        add(heap, page)


@compiled
def _visit(indptr, targets, shares, state, heap, count):  # type: ignore[no-untyped-def] # noqa: PLR0913 - of the web, and of the crawl
    """Read the next pages, at most `count`."""
    order = np.empty(count, dtype=np.int64)
    for number in range(count):
        if not heap.size[0]:
            return order[:number]
        page = pop(heap)
        order[number] = page
        cash, state.cash[page] = state.cash[page], 0.0
        left = cash
        for link in range(indptr[page], indptr[page + 1]):
            target, sent = targets[link], _DAMPING * cash * shares[link]
            state.cash[target] += sent
            left -= sent
            heap.key[target] = np.int64(state.cash[target] * _UNITS)
            if not state.known[target]:
                state.known[target] = True
                add(heap, target)
            elif heap.place[target] >= 0:
                risen(heap, target)
        state.pot[0] += left
    return order


def fronts_first(web: Web, values: FloatArray) -> tuple[float, float]:
    """Share of the sites with an entrance whose first page, or one of the first three, is an entrance."""
    order = np.lexsort((-values, web.site))
    starts = np.searchsorted(web.site[order], np.arange(web.sites))
    place = np.arange(web.graph.size) - starts[web.site[order]]
    best = np.full(web.sites, web.graph.size)
    np.minimum.at(best, web.site[order], np.where(web.entrances[order], place, web.graph.size))
    with_entrance = np.unique(web.site[web.entrances])
    return float((best[with_entrance] < 1).mean()), float((best[with_entrance] < 3).mean())


def with_farm(web: Web, honest: int, rng: np.random.Generator, *, links_back: bool) -> Web:
    """The web with a farm: its pages come last, first the target, which the honest page links to."""
    size = web.graph.size
    target, farm = size, np.arange(size, size + _FARM_PAGES)
    domain = np.concatenate([np.arange(_FARM_DOMAINS), rng.integers(0, _FARM_DOMAINS, _FARM_PAGES - _FARM_DOMAINS)])
    sources = [web.graph.sources(), np.repeat(farm, _FARM_LINKS), np.array([honest])]
    to = rng.integers(target + 1, size + _FARM_PAGES, (_FARM_PAGES, _FARM_LINKS))
    to[1:, 0] = target
    targets: list[IntArray] = [web.graph.targets.astype(np.int64), to.ravel(), np.array([target])]
    if links_back:
        sources.append(farm[:_FARM_DOMAINS])
        targets.append(np.full(_FARM_DOMAINS, honest))
    graph = Graph.from_edges(np.concatenate(sources), np.concatenate(targets), size + _FARM_PAGES)
    fronts = np.concatenate([web.fronts, np.arange(_FARM_PAGES) < _FARM_DOMAINS])
    return Web(graph, np.concatenate([web.site, web.sites + domain]), fronts, web.seeds)


def farm_share(web: Web, where: Jump, rng: np.random.Generator, *, links_back: bool) -> float:
    """The farm's share of importance, given one link from a page of a random site."""
    linking = np.flatnonzero(web.graph.outdegrees())
    site = rng.choice(np.unique(web.site[linking]))
    farmed = with_farm(web, int(rng.choice(linking[web.site[linking] == site])), rng, links_back=links_back)
    values = pagerank(farmed.graph, preference=where.of(farmed), tolerance=1e-6)
    return float(values[web.graph.size :].sum())


def small_sites(sites: int, rng: np.random.Generator) -> Web:
    """A web of small sites with few links between them; every front page is a seed.

    A site is a tree of 3 to 120 pages with links back to its front page and a few to others of it; one of two links to
    another site, drawn by a random popularity.
    """
    sizes = np.minimum(3 + (4 * rng.pareto(1.3, sites)).astype(np.int64), 120)
    fronts = np.cumsum(sizes) - sizes
    site = np.repeat(np.arange(sites), sizes)
    inner = np.setdiff1d(np.arange(len(site)), fronts)
    depth = inner - fronts[site[inner]]
    parents = fronts[site[inner]] + (rng.random(len(inner)) * depth).astype(np.int64)
    writers = rng.choice(inner, 2 * len(inner))
    within = fronts[site[writers]] + (rng.random(len(writers)) ** 2 * sizes[site[writers]]).astype(np.int64)
    popularity = 0.1 + rng.pareto(1.1, sites)
    linking = rng.integers(0, len(site), sites // 2)
    linked = rng.choice(sites, sites // 2, p=popularity / popularity.sum())
    across = fronts[linked] + np.where(rng.random(len(linked)) < 0.6, 0.0, rng.random(len(linked)) ** 2 * sizes[linked])
    sources = np.concatenate([parents, inner, writers, linking])
    targets = np.concatenate([inner, fronts[site[inner]], within, across.astype(np.int64)])
    keys = np.unique(sources * len(site) + targets)
    sources, targets = np.divmod(keys, len(site))
    apart = sources != targets
    is_front = np.zeros(len(site), dtype=np.bool_)
    is_front[fronts] = True
    return Web(Graph.from_edges(sources[apart], targets[apart], len(site)), site, is_front, fronts)


def web_of(
    graph: Graph, site: IntArray, urls: Sequence[str] | None, seeds: int | None, rng: np.random.Generator
) -> Web:
    """The web of a graph's pages with links, as far as reached from the front pages of `seeds` sites.

    A site's front page is its page with the shortest URL; without URLs, the first. seeds: None: of all sites.
    """
    linking = np.flatnonzero(graph.outdegrees())
    length = linking if urls is None else np.array([len(urls[page]) for page in linking.tolist()])
    sites, site = np.unique(site[linking], return_inverse=True)
    order = np.lexsort((length, site))
    fronts = order[np.searchsorted(site[order], np.arange(len(sites)))]
    is_front = np.zeros(len(linking), dtype=np.bool_)
    is_front[fronts] = True
    some = fronts if seeds is None else np.sort(rng.choice(fronts, min(seeds, len(fronts)), replace=False))
    return Web(subgraph(graph, linking), site, is_front, some).reached()


def experiment(web: Web, seed: int, draws: int = 4) -> Result:
    """Answer all five questions; random ones as means over `draws` draws."""
    rows: list[tuple[str, str, str, float]] = []
    if web.sites > 1:
        held = [agreement(web, np.random.default_rng(seed + draw)) for draw in range(draws)]
        for name in JUMPS:
            means = np.mean([one[name] for one in held], axis=0).tolist()
            rows += [("agreement", name, what, mean) for what, mean in zip(("NDCG@1,000", "area"), means, strict=True)]
    courses = {}
    for name in (_BEFORE, _NOW):
        where = JUMPS[name]
        values = pagerank(web.graph, preference=where.of(web), tolerance=1e-6)
        courses[name] = one = course(web, where, by_cash(web, where, int(_STOPS[-1] * web.graph.size) + 1))
        best = np.cumsum(np.sort(values)[::-1])
        for stop, read, right in zip(_STOPS, *one, strict=True):
            most = float(best[max(0, int(stop * web.graph.size) - 1)])
            rows += [("early", name, f"{stop:.0%}", right), ("order", name, f"{stop:.0%}", read)]
            rows.append(("order, best possible", name, f"{stop:.0%}", most))
        for what, share in zip(("first", "of the first three"), fronts_first(web, values), strict=True):
            rows.append(("fronts", name, what, share))
    for name in (_BEFORE, _UNRETURNED, _NOW):
        for what, back in (("closed", False), ("links back", True)):
            drawn = [np.random.default_rng(seed + draw) for draw in range(draws)]
            shares = [farm_share(web, JUMPS[name], rng, links_back=back) for rng in drawn]
            rows.append(("farm", name, what, float(np.mean(shares))))
    panel = Panel("crawl order", "share of the pages", "importance read", [
        Curve(name, _STOPS, one.read) for name, one in courses.items()
    ])  # fmt: skip
    title = f"Jumps to sites: {web.graph.size:,} pages, {web.sites:,} sites, {len(web.seeds):,} seeds"
    return Result("sites", title, _COLUMNS, rows, [panel], _claims({row[:3]: row[3] for row in rows}))


def _claims(found: dict[tuple[str, str, str], float]) -> list[Claim]:
    def compared(sentence: str, question: str, what: str, *, more: bool = True) -> Claim:
        now, before = found[question, _NOW, what], found[question, _BEFORE, what]
        return Claim(
            sentence, now > before if more else now < before, f"{now:.3f}, and {before:.3f} by jumps to any page"
        )

    claims = [
        compared("after a tenth more of the first 100 are right", "early", "10%"),
        compared("a tenth of the pages holds more importance", "order", "10%"),
        compared("more sites have their front page first", "fronts", "first"),
        compared("a farm gets less", "farm", "closed", more=False),
        compared("also one that links back does", "farm", "links back", more=False),
    ]
    if ("agreement", _NOW, "area") in found:
        claims.insert(0, compared("links between sites agree better", "agreement", "NDCG@1,000"))
    return claims
