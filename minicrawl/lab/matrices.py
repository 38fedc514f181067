"""Importance by other matrices, on line: cash sent along each, against power iteration of the same matrix.

K           K[p, q] = 1 if page p links to page q
links       K: the random surfer
undirected  1 between two pages if either links to the other
sites       K, links between sites weighing ELSEWHERE each
authorities K'K: a visit of p pays all pages that pages with links to p link to, p included, once per such page
hubs        KK': all pages with links to pages that p links to

A visit passes on d = .85 of the cash, in proportion to the page's row, and the virtual page has the rest. So matrices
whose walks swing or fall apart, as those of undirected links and of K'K do, have one fixpoint as well: PageRank with
the rows divided by their sums. Products are never formed: a visit takes all paths of two links, there and back. Of a
matrix with more than MOST_PATHS there is the fixpoint only.

Cash cannot grow, so the vectors of HITS, of rows as they are, are not among the fixpoints; agreement is measured.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.graphs.graph_files import graph_of_keys, keys_of
from minicrawl.lab.convergence import EXACT, H_BY_G, X
from minicrawl.lab.visits import Links, links_of, paper_book
from minicrawl.opic import UNIT, Book
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.units import DAMPING
from minicrawl.rank import Graph, hits, mean_error, overlap
from minicrawl.rank.hits import adjacency

ELSEWHERE = 8
"""Weight of a link to another site in terms of one inside: a link of weight w is w links."""
TURNS = (2, 5, 10)
"""Visits a page, after which errors are measured."""
MOST_PATHS = 10**8
"""Paths that visits of all pages, one each, may take."""
_COLUMNS = ("matrix", "visits a page", "estimate", "error of all pages in %", "error of the top tenth in %")
_BOOK, _HITS, _CLOSE = "book", ("authorities", "hubs"), 1.0


class Matrix(NamedTuple):
    """Its entries are the numbers of links, or of paths of two links, the first in `via`, the second in `links`."""

    links: Graph
    via: Graph | None = None

    def paths(self) -> int:
        """The sum of all entries."""
        return len(self.links.targets) if self.via is None else int(self.links.outdegrees()[self.via.targets].sum())


def matrices(graph: Graph, site: npt.NDArray[np.int64] | None = None) -> dict[str, Matrix]:
    """The matrices of a graph. site: of every page, shape (pages,); None: unknown, and no matrix `sites`."""
    ends, back = (graph.sources(), graph.targets), graph.reverse()[0]
    both = np.unique(np.concatenate([keys_of(*ends), keys_of(*ends[::-1])]))
    found = {"links": Matrix(graph), "undirected": Matrix(graph_of_keys(both, graph.size))}
    if site is not None:
        times = np.where(site[ends[0]] == site[ends[1]], 1, ELSEWHERE)
        found["sites"] = Matrix(Graph.from_edges(np.repeat(ends[0], times), np.repeat(ends[1], times), graph.size))
    return {**found, "authorities": Matrix(graph, back), "hubs": Matrix(back, graph)}


def fixpoint(matrix: Matrix) -> FloatArray:
    """Importance off line, by power iteration, to an L1 error of EXACT. Shape (pages,), sum 1.

    x = d R' x + (1 - d |R' x|) / N    R: the matrix, each row divided by its sum; a row of 0 pays nothing
    """
    size, last = matrix.links.size, adjacency(matrix.links)
    steps = [last] if matrix.via is None else [adjacency(matrix.via), last]
    sums: FloatArray = np.ones(size)
    for step in reversed(steps):
        sums = np.asarray(step @ sums)
    x: FloatArray = np.full(size, 1.0 / size)
    while True:
        before, x = x, DAMPING * x / np.maximum(sums, 1.0) * (sums > 0.0)
        for step in steps:
            x = np.asarray(step.T @ x)
        x += (1.0 - x.sum()) / size
        if np.abs(x - before).sum() * DAMPING <= max(EXACT, size * 1e-18) * (1.0 - DAMPING):
            return x


def estimates(matrix: Matrix, turns: Sequence[int] = TURNS) -> dict[int, dict[str, FloatArray]]:
    """Importance on line after each of `turns` greedy visits a page, by the paper's cash and by the book."""
    size, done, found = matrix.links.size, 0, {}
    cash_book, book = paper_book(size), Book()
    initial = cash_book.cashes()
    book.discover(size)
    ends = _ends(matrix)
    for turn in turns:
        for _ in range((turn - done) * size):
            # A visit may pay most pages, so to look at all of them is quicker than a heap.
            page = int(cash_book.standing[:size].argmax())
            cash_book.visit(page, ends(page))
            page = int(np.abs(book.cash[:size] + UNIT).argmax())
            targets = ends(page)
            book.visit_many(np.array([page]), np.array([0, len(targets)]), targets)  # some of them more than once
        by_cash, done = cash_book.estimates(initial), turn
        found[turn] = {H_BY_G: by_cash[H_BY_G], X: by_cash[X], _BOOK: book.importance()}
    return found


def _ends(matrix: Matrix) -> Links:
    """Ends of the paths from a page, a page as often as paths lead there."""
    links = links_of(matrix.links)
    if matrix.via is None:
        return links
    middles = links_of(matrix.via)
    return lambda page: np.concatenate([middles(page)[:0], *map(links, middles(page).tolist())])


def experiment(graph: Graph, site: npt.NDArray[np.int64] | None = None) -> Result:
    """Errors on line after TURNS visits a page, by every matrix of a graph. site: see `matrices`."""
    rows: list[tuple[str | int | float, ...]] = []
    claims, truths = [], {}
    for name, matrix in matrices(graph, site).items():
        truth = truths[name] = fixpoint(matrix)
        if matrix.paths() > MOST_PATHS:
            claims.append(Claim(f"'{name}' can be visited", False, f"{matrix.paths():,} paths, {MOST_PATHS:,} at most"))
            continue
        found = {
            (turn, by): mean_error(x, truth) for turn, every in estimates(matrix).items() for by, x in every.items()
        }
        rows += [(name, turn, by, error.all, error.top) for (turn, by), error in found.items()]
        last = {by: error.all for (turn, by), error in found.items() if turn == TURNS[-1]}
        claims.append(
            Claim(
                f"'{name}': after {TURNS[-1]} visits a page the book is within {_CLOSE:g} % of the fixpoint",
                last[_BOOK] <= _CLOSE,
                ", ".join(f"{by} {error:.2g} %" for by, error in last.items()),
            )
        )
    title = f"On line by other matrices: {graph.size:,} pages, {len(graph.targets):,} links"
    return Result("matrices", title, _COLUMNS, rows, [_panel(rows)], [*claims, _like_hits(graph, truths)])


def _like_hits(graph: Graph, truths: Mapping[str, FloatArray]) -> Claim:
    vectors = dict(zip(_HITS, reversed(hits(graph)), strict=True))
    shared = {name: overlap(truths[name], vectors[name], 100) for name in _HITS}
    return Claim(
        "half of the first 100 are those of HITS",
        min(shared.values()) >= 0.5,
        ", ".join(f"{name} {share:.0%}" for name, share in shared.items()),
    )


def _panel(rows: list[tuple[str | int | float, ...]]) -> Panel:
    names = list(dict.fromkeys((row[0], row[2]) for row in rows if row[2] != H_BY_G))
    curves = [Curve(f"{name}, {by}", TURNS, [float(row[3]) for row in rows if (row[0], row[2]) == (name, by)])
              for name, by in names]  # fmt: skip
    return Panel("all pages", "visits a page", "mean relative error in %", curves, log=True)
