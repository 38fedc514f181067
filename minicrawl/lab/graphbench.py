"""Graph algorithms that follow a graph as it grows, against finding everything anew: what a live shape could use.

The setting of SPAWC, a tool that watches web graphs grow: links are inserted one at a time, and distances of all
pairs and strong components are known after each.

n pages; m insertions; d[x, y] links on a shortest path; reach[x] pages that x reaches, a row of bits

distances
    matrix      inserting (u, v):  d[x, y] = min(d[x, y], d[x, u] + 1 + d[v, y]); n**2 a link that shortens anything
    trees       a tree of shortest paths per source; a link shortens paths in subtrees only. All insertions together
                take n**3 log n at most. G. Ausiello, G. Italiano, A. Marchetti-Spaccamela, U. Nanni, "Incremental
                algorithms for minimal length paths", Journal of Algorithms 12 (1991)
    anew        breadth-first search from every page (scipy), after each insertion
components
    closure     inserting (u, v):  reach[x] |= reach[v] for all x that reach u; those that then reach each other merge
    anew        Tarjan's algorithm (scipy, in Pearce's form), after each insertion
    schedule    the same, each time the links have grown by a half: the live crawl's way
    merging     links arrive in batches; components are found of the graph of components, whose inner links are dropped

What is done anew after each insertion is measured at some of them and multiplied; rows say at how many.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.lab.compiled import crawl
from minicrawl.lab.generate import generate
from minicrawl.lab.heap import compiled
from minicrawl.rank import Graph
from minicrawl.rank.components import strong_components
from minicrawl.rank.distances import links_of
from minicrawl.report import Claim, Curve, Panel, Result

Links = npt.NDArray[np.int32]
"""Insertions in their order, shape (m, 2): source and target."""
IntArray = npt.NDArray[np.int64]
Distances = npt.NDArray[np.int16]

FAR = 2**13
"""More than any distance, for pages without a path; the sum of two fits int16."""
_NOBODY = -1
_CHECKS = 8
_GROWTH = 1.5
_BATCH = 256
_CUBIC = (300, 900, 1500)
_COMPLETE = (100, 300)
_SEEDS = 10
_NODES = 100_000
_STEADY = 4096
_COLUMNS = ("sequence", "pages", "links", "question", "algorithm", "CPU seconds", "measured at", "updates", "agrees")


@dataclass(frozen=True, eq=False)
class Insertions:
    """Links among `size` pages, in the order they are inserted."""

    name: str
    size: int
    links: Links

    def graph(self, count: int) -> Graph:
        """The graph of the first `count` links."""
        sources, targets = self.links[:count].T
        return Graph.from_edges(sources, targets, self.size)


class Run(NamedTuple):
    """What one algorithm took for a whole sequence.

    measured: at how many insertions its time was taken. updates: pairs of pages brought closer, or components lost
    to mergers; None where that is not counted. agrees: with scipy, at every check.
    """

    question: str
    algorithm: str
    seconds: float
    measured: int
    updates: int | None
    agrees: bool


def experiment(
    seed: int = 0,
    web: Graph | None = None,
    cubic_sizes: Sequence[int] = _CUBIC,
    complete_sizes: Sequence[int] = _COMPLETE,
    nodes: int = _NODES,
    first_look: int = 1000,
) -> Result:
    """All algorithms on all sequences, and the components of `web` as a crawl reads it; None: one drawn of `nodes`.

    first_look: after so many pages the components are found for the first time.
    """
    rng = np.random.default_rng(seed)
    sequences = [
        *(complete(size, rng) for size in complete_sizes),
        *(cubic(size) for size in cubic_sizes),
        *(random_sparse(size, rng) for size in cubic_sizes),
    ]
    runs = [(sequence, [*distances(sequence), *components(sequence)]) for sequence in sequences]
    web = generate("power-law-out", nodes, rng) if web is None else web
    order = crawl_order(web, rng)
    read = arrivals(web, order, first_look)
    rows = [(sequence.name, sequence.size, len(sequence.links), *run) for sequence, several in runs for run in several]
    rows += [
        ("crawl", len(order), len(links_of(web, order)), "components", name, seconds[-1], len(seconds), None, True)
        for name, (_, seconds) in read.items()
    ]
    return Result(
        "graphbench",
        "Following a graph as it grows, against finding everything anew",
        _COLUMNS,
        [tuple("" if value is None else value for value in row) for row in rows],
        _panels(runs, read),
        [_agree(runs), _is_cubic(runs), _trees_win(runs), _following_wins(runs), _schedule_wins(read)],
    )


def quick(seed: int = 0, web: Graph | None = None) -> Result:
    """The same with a tenth of the pages."""
    return experiment(seed, web, [size // 10 for size in _CUBIC], [size // 10 for size in _COMPLETE], _NODES // 10)


# Sequences


def complete(size: int, rng: np.random.Generator) -> Insertions:
    """All links among some pages, in random order."""
    ends = np.divmod(rng.permutation(size * size), size)
    links = np.stack(ends, axis=1).astype(np.int32)
    return Insertions("complete", size, links[links[:, 0] != links[:, 1]])


def cubic(size: int) -> Insertions:
    """A sequence of some 4/3 n links that makes n**3 / 27 updates: after Ausiello et al.

    Three chains of k = n / 3 pages: x1 -> .. -> xk, y1 -> .. -> yk, z1 -> .. -> zk, and yk -> z1. Then the last x
    links to y1, to y2 and so on to yk: each brings the k * k pairs of an x and a z closer by one.
    """
    k = size // 3
    x, y, z = np.arange(k), k + np.arange(k), 2 * k + np.arange(k)
    chains = [np.stack([chain[:-1], chain[1:]], axis=1) for chain in (x, y, z)]
    shortcuts = np.stack([np.full(k, x[-1]), y], axis=1)
    links = np.concatenate([*chains, [[y[-1], z[0]]], shortcuts])
    return Insertions("cubic", 3 * k, links.astype(np.int32))


def random_sparse(size: int, rng: np.random.Generator, degree: int = 4) -> Insertions:
    """So many links a page between random pages, each drawn link once."""
    links = rng.integers(size, size=(degree * size, 2), dtype=np.int32)
    links = links[links[:, 0] != links[:, 1]]
    _, first = np.unique(links, axis=0, return_index=True)
    return Insertions("random", size, links[np.sort(first)])


# Distances of all pairs


def distances(sequence: Insertions) -> list[Run]:
    """Distances of all pairs after every insertion, by every algorithm."""
    size, links = sequence.size, sequence.links
    checks = _checks(len(links), _CHECKS)
    exact, anew = _timed_anew(checks, lambda count: exact_distances(sequence.graph(count)))

    by_matrix = no_links(size)
    matrix, agrees = _followed(
        checks, lambda start, stop: insert_by_matrix(by_matrix, links[start:stop]), by_matrix, exact
    )
    trees = Trees.of(size)
    insert_by_trees(trees, links[:0])  # compile it
    updates = 0

    def insert(start: int, stop: int) -> None:
        nonlocal updates
        updates += insert_by_trees(trees, links[start:stop])

    tree_seconds, trees_agree = _followed(checks, insert, trees.distance, exact)
    return [
        Run("distances", "matrix", matrix, len(links), None, agrees),
        Run("distances", "trees", tree_seconds, len(links), updates, trees_agree),
        Run("distances", "anew", anew * len(links), len(checks), None, True),
    ]


def exact_distances(graph: Graph) -> Distances:
    """d by breadth-first search from every page, shape (size, size)."""
    ones = np.ones(len(graph.targets))
    matrix = sparse.csr_array((ones, graph.targets, graph.indptr), shape=(graph.size, graph.size))
    return np.minimum(sparse.csgraph.shortest_path(matrix, unweighted=True), FAR).astype(np.int16)


def no_links(size: int) -> Distances:
    """d of pages without links."""
    distance = np.full((size, size), FAR, dtype=np.int16)
    np.fill_diagonal(distance, 0)
    return distance


def insert_by_matrix(distance: Distances, links: Links) -> None:
    """Insert links, in place. Only rows of pages that come closer to v by way of u -> v can change."""
    for u, v in links.tolist():
        rows = np.flatnonzero(distance[:, u] + 1 < distance[:, v])
        if len(rows):
            distance[rows] = np.minimum(distance[rows], distance[rows, u][:, None] + 1 + distance[v])


class Trees(NamedTuple):
    """Shortest paths from every source x, as a tree; int16, shape (size, size), row x being that of x.

    distance: d. parent[x, y]: the page before y on the path. child[x, y]: the first of those after it; before, after:
    its neighbours among the children of its parent.
    """

    distance: Distances
    parent: Distances
    child: Distances
    before: Distances
    after: Distances

    @classmethod
    def of(cls, size: int) -> "Trees":
        """Trees of pages without links."""
        return cls(no_links(size), *(np.full((size, size), _NOBODY, dtype=np.int16) for _ in range(4)))


def insert_by_trees(trees: Trees, links: Links) -> int:
    """Insert links, in place; returns how many pairs came closer."""
    return int(_insert_by_trees(*trees, links, np.zeros(len(trees.distance), dtype=np.int16)))


@compiled
def _insert_by_trees(distance, parent, child, before, after, links, waiting):  # type: ignore[no-untyped-def]
    updates = 0
    for insertion in range(len(links)):
        u, v = links[insertion, 0], links[insertion, 1]
        if distance[u, v] <= 1:
            continue
        for x in range(len(distance)):
            if distance[x, u] + 1 >= distance[x, v]:
                continue
            # Where a page does not come closer to x, nothing behind it in the tree of v does.
            waiting[0], waits = v, 1
            while waits:
                waits -= 1
                y = waiting[waits]
                shorter = distance[x, u] + 1 + distance[v, y]
                if shorter < distance[x, y]:
                    distance[x, y] = shorter
                    updates += 1
                    _hang(parent, child, before, after, x, y, u if y == v else parent[v, y])
                    follower = child[v, y]
                    while follower != _NOBODY:
                        waiting[waits] = follower
                        waits += 1
                        follower = after[v, follower]
    return updates


@compiled
def _hang(parent, child, before, after, x, y, new_parent):  # type: ignore[no-untyped-def]
    """Take y from its parent in the tree of x, with all that hangs off it, and hang it to another one."""
    old, left, right = parent[x, y], before[x, y], after[x, y]
    if old != _NOBODY:
        if left == _NOBODY:
            child[x, old] = right
        else:
            after[x, left] = right
        if right != _NOBODY:
            before[x, right] = left
    first = child[x, new_parent]
    parent[x, y], before[x, y], after[x, y] = new_parent, _NOBODY, first
    if first != _NOBODY:
        before[x, first] = y
    child[x, new_parent] = y


# Strong components. A component is known by its lowest page.


def components(sequence: Insertions) -> list[Run]:
    """Strong components after every insertion, by every algorithm."""
    links = sequence.links
    checks = _checks(len(links), _CHECKS)
    exact, anew = _timed_anew(checks, lambda count: exact_components(sequence.graph(count)))
    closure = Closure(sequence.size)
    by_closure, agrees = _followed(checks, lambda start, stop: closure.insert(links[start:stop]), closure.lowest, exact)
    looks = growing_steps(len(links), sequence.size)
    _, a_look = _timed_anew(looks, lambda count: exact_components(sequence.graph(count)))
    merged = Merged(sequence.size)
    merging = 0.0
    for start in range(0, len(links), _BATCH):
        merging += _seconds(lambda: merged.insert(*links[start : start + _BATCH].T))  # noqa: B023
    last = exact[-1]
    return [
        Run("components", "closure", by_closure, len(links), closure.mergers, agrees),
        Run("components", "anew", anew * len(links), len(checks), None, True),
        Run("components", "schedule", a_look * len(looks), len(looks), None, True),
        Run("components", "merging", merging, len(links), None, bool(np.array_equal(merged.lowest(), last))),
    ]


def exact_components(graph: Graph) -> IntArray:
    """The lowest page of every page's strong component."""
    return _lowest(strong_components(graph).of)


def _lowest(of: npt.NDArray[np.integer]) -> IntArray:
    _, first, number = np.unique(of, return_index=True, return_inverse=True)
    lowest: IntArray = first[number]
    return lowest


class Closure:
    """Who reaches whom, a bit a pair.

    Invariant: bit y of reach[x] says whether x reaches y; lowest[x] is the lowest page that x reaches and is reached
    from.
    """

    def __init__(self, size: int) -> None:
        pages = np.arange(size)
        self._reach = np.zeros((size, -(-size // 64)), dtype=np.uint64)
        self._word, self._bit = pages // 64, np.uint64(1) << (pages % 64).astype(np.uint64)
        self._reach[pages, self._word] = self._bit
        self.lowest: IntArray = pages.copy()
        self.mergers = 0

    def insert(self, links: Links) -> None:
        """Insert links; counts the components that are lost to others."""
        for u, v in links.tolist():
            reaches_v = self._reaching(v)
            if reaches_v[u]:
                continue
            reaches_u = self._reaching(u)
            self._reach[reaches_u & ~reaches_v] |= self._reach[v]
            if reaches_u[v]:
                after_v = self._reach[v, self._word] & self._bit != 0
                merged = np.flatnonzero(after_v & reaches_u)
                self.mergers += len(np.unique(self.lowest[merged])) - 1
                self.lowest[merged] = self.lowest[merged].min()

    def _reaching(self, page: int) -> npt.NDArray[np.bool_]:
        """Which pages reach it."""
        reaching: npt.NDArray[np.bool_] = self._reach[:, self._word[page]] & self._bit[page] != 0
        return reaching


class Merged:
    """Strong components of a graph that only grows, without its links: those within a component are dropped.

    Invariant: the links kept, between components, have the components' graph.
    """

    def __init__(self, size: int) -> None:
        self.of: IntArray = np.arange(size)
        self.count = size
        self._links = np.zeros((2, 0), dtype=np.int64)

    def insert(self, sources: npt.NDArray[np.integer], targets: npt.NDArray[np.integer]) -> None:
        """Insert a batch of links."""
        ends = np.concatenate([self._links, [self.of[sources], self.of[targets]]], axis=1)
        between_sources, between_targets = _between(ends)
        found = strong_components(Graph.from_edges(between_sources, between_targets, self.count))
        self._links = _between(found.of[ends].astype(np.int64))
        self.of, self.count = found.of[self.of].astype(np.int64), found.count

    def lowest(self) -> IntArray:
        """The lowest page of every page's component."""
        return _lowest(self.of)


def _between(ends: IntArray) -> IntArray:
    """Links between two components, each once; rows sources and targets."""
    ends = ends[:, ends[0] != ends[1]]
    keys = np.unique(ends[0] << 32 | ends[1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF])


def growing_steps(count: int, first: int, growth: float = _GROWTH) -> list[int]:
    """first, first * growth and so on, and `count` last."""
    steps: list[int] = []
    while first < count:
        steps.append(first)
        first = int(first * growth) + 1
    return [*steps, count]


_T = TypeVar("_T")
Course = tuple[list[int], list[float]]
"""Pages read, and CPU seconds so far, at every look."""


def crawl_order(web: Graph, rng: np.random.Generator) -> IntArray:
    """The pages in the order of a crawl by cash that starts at some pages of the core."""
    core = strong_components(web).largest()
    seeds = rng.choice(core, min(_SEEDS, len(core)), replace=False).astype(np.int32)
    _, log = crawl(web, seeds, web.size)
    return log.pages.astype(np.int64)


def arrivals(web: Graph, order: IntArray, first_look: int) -> dict[str, Course]:
    """Strong components while pages arrive with their links.

    Anew and by merging, each at the first look and whenever the pages read have grown by a half since, and every 4096
    pages.
    """
    looks = growing_steps(len(order), first_look)
    steady = [*range(_STEADY, len(order), _STEADY), len(order)]

    def anew(_: int, stop: int) -> float:
        graph = _read(web, order[:stop])
        return _seconds(lambda: strong_components(graph))

    def by_merging(merged: Merged) -> Callable[[int, int], float]:
        def look(start: int, stop: int) -> float:
            pages = order[start:stop]
            sources, targets = np.repeat(pages, web.outdegrees()[pages]), links_of(web, pages)
            return _seconds(lambda: merged.insert(sources, targets))

        return look

    courses: dict[str, Course] = {}
    for name, steps, look in (
        ("schedule", looks, anew),
        ("merging", looks, by_merging(Merged(web.size))),
        (f"merging, every {_STEADY} pages", steady, by_merging(Merged(web.size))),
        (f"anew, every {_STEADY} pages", steady, anew),
    ):
        seconds = np.cumsum([look(start, stop) for start, stop in pairwise([0, *steps])])
        courses[name] = steps, seconds.tolist()
    return courses


def _read(web: Graph, pages: IntArray) -> Graph:
    """The graph of the links of some pages."""
    outdegrees = np.zeros(web.size + 1, dtype=np.int64)
    outdegrees[pages + 1] = web.outdegrees()[pages]
    return Graph(np.cumsum(outdegrees), links_of(web, np.sort(pages)))


# Timing


def _checks(count: int, most: int) -> list[int]:
    """Numbers of insertions, evenly apart, the last being all."""
    return sorted({count * check // most for check in range(1, most + 1)} - {0})


def _seconds(call: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def _timed_anew(checks: Sequence[int], find: Callable[[int], _T]) -> tuple[list[_T], float]:
    """What is found after each number of insertions, and the mean CPU seconds that takes."""
    started = time.process_time()
    found = [find(count) for count in checks]
    return found, (time.process_time() - started) / len(checks)


def _followed(
    checks: Sequence[int],
    insert: Callable[[int, int], None],
    state: npt.NDArray[np.integer],
    exact: Sequence[npt.NDArray[np.integer]],
) -> tuple[float, bool]:
    """CPU seconds to insert all links, and whether `state` is what it should be after each of `checks`."""
    seconds, agrees = 0.0, True
    for (start, stop), right in zip(pairwise([0, *checks]), exact, strict=True):
        seconds += _seconds(lambda: insert(start, stop))  # noqa: B023
        agrees = agrees and bool(np.array_equal(state, right))
    return seconds, agrees


# What is said


Runs = Sequence[tuple[Insertions, list[Run]]]


def _by_name(several: Sequence[Run], question: str) -> dict[str, Run]:
    return {run.algorithm: run for run in several if run.question == question}


def _panels(runs: Runs, read: dict[str, Course]) -> list[Panel]:
    cubics = [(sequence, several) for sequence, several in runs if sequence.name == "cubic"]
    sizes = [sequence.size for sequence, _ in cubics]
    panels = [
        Panel(
            f"{question}, cubic sequences",
            "pages",
            "CPU seconds for all insertions",
            [
                Curve(name, sizes, [_by_name(several, question)[name].seconds for _, several in cubics])
                for name in _by_name(cubics[0][1], question)
            ],
            log=True,
        )
        for question in ("distances", "components")
    ]
    curves = [Curve(name, *course) for name, course in read.items()]
    return [*panels, Panel("components of a crawl", "pages read", "CPU seconds so far", curves, log=True)]


def _agree(runs: Runs) -> Claim:
    every = [run for _, several in runs for run in several]
    checks = sum(len(_checks(len(sequence.links), _CHECKS)) for sequence, _ in runs)
    return Claim(
        "every algorithm finds what scipy does",
        all(run.agrees for run in every),
        f"{sum(run.agrees for run in every)} of {len(every)} runs, at {checks} checks of {len(runs)} sequences",
    )


def _is_cubic(runs: Runs) -> Claim:
    updates = {
        sequence.size: _by_name(several, "distances")["trees"].updates or 0
        for sequence, several in runs
        if sequence.name == "cubic"
    }
    return Claim(
        "the cubic sequences bring at least n^3 / 27 pairs closer",
        all(count >= size**3 / 27 for size, count in updates.items()),
        ", ".join(f"{count:,} at n = {size:,}, n^3 / {size**3 / max(count, 1):.1f}" for size, count in updates.items()),
    )


def _trees_win(runs: Runs) -> Claim:
    seconds = []
    for sequence, several in runs:
        by_name = _by_name(several, "distances")
        seconds.append((sequence, by_name["trees"].seconds, by_name["matrix"].seconds))
    return Claim(
        "trees, which look only at pairs that come closer and at those behind them, are faster than whole rows",
        all(trees < matrix for _, trees, matrix in seconds),
        ", ".join(f"{each.name} {each.size:,}: {trees:.2g} and {matrix:.2g} s" for each, trees, matrix in seconds),
    )


def _following_wins(runs: Runs) -> Claim:
    pairs = [("distances", "trees"), ("distances", "matrix"), ("components", "closure")]
    ratios = {
        name: [
            _by_name(several, question)["anew"].seconds / max(_by_name(several, question)[name].seconds, 1e-9)
            for _, several in runs
        ]
        for question, name in pairs
    }
    return Claim(
        "following every insertion is faster than finding everything anew after each",
        all(ratio > 1.0 for each in ratios.values() for ratio in each),
        ", ".join(f"{name} {min(each):,.1f} to {max(each):,.0f} times" for name, each in ratios.items()),
    )


def _schedule_wins(read: dict[str, Course]) -> Claim:
    last = {name: seconds[-1] for name, (_, seconds) in read.items()}
    return Claim(
        "components of a crawl: looking anew whenever it has grown by a half is faster than merging",
        last["schedule"] < min(seconds for name, seconds in last.items() if name.startswith("merging")),
        ", ".join(f"{name} {seconds:.2g} s with {len(read[name][0])} looks" for name, seconds in last.items()),
    )
