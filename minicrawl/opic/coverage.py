"""How much of all importance the crawl has certainly collected: a bound from below.

After RankMass (Cho, Schonfeld: "RankMass Crawler", VLDB 2007). Importance here is that of a walker who
starts at the seeds, follows links with probability d and otherwise, or at a page without links, starts
again. Every visit lets the walkers that have gathered at a page step on:

f    walkers at a page that have not stepped on yet (all together 1)
K    sum of the f of all visits: how often, certainly, a walker is at a page that was read
m    sum of f over all pages: walkers still waiting; each makes at most 1/(1-d) further steps

A walker makes K + (at most m/(1-d)) steps before it starts again, so of its time at least

    coverage = K / (K + m / (1 - d))

goes to read pages. Where every page has links this is RankMass's (1-d) * K.

All are counted in whole units. What a division leaves over waits at no page and steps no further, but is part of m.
"""

import numpy as np

from minicrawl.opic.shares import DAMPING, Flags, IntArray, Pages, damped, grown

WALKERS = 2**48
"""Walkers that start together, in units."""


class Coverage:
    """Walkers per page, and how many steps they have certainly made to read pages.

    Invariant: what waits is what was put in, less what started again; the bound never exceeds the truth.
    """

    def __init__(self) -> None:
        self.walkers: IntArray = np.zeros(0, dtype=np.int64)
        self.waiting = 0
        self.stepped = 0

    def grow(self, size: int) -> None:
        self.walkers = grown(self.walkers, size)

    def seed(self, pages: Pages) -> None:
        """Let walkers start, in equal parts, at `pages`."""
        self.walkers[pages] += WALKERS // len(pages)
        self.waiting += WALKERS

    def visit(self, page: int, outlinks: Pages, *, alias: bool = False) -> None:
        """Let the walkers at `page` step on along `outlinks` (distinct). An alias only hands them over."""
        f = int(self.walkers[page])
        if not f:
            return
        self.walkers[page] = 0
        if alias:
            self.walkers[outlinks] += f
            return
        self.stepped += f
        self.waiting -= f
        if len(outlinks):
            self.walkers[outlinks] += damped(f) // len(outlinks)
            self.waiting += damped(f)

    def visit_many(self, pages: Pages, indptr: IntArray, targets: Pages, aliases: Flags) -> None:
        """`visit` for distinct `pages` at once.

        indptr, targets: CSR of their outlinks; aliases: which of them are aliases.
        """
        f = self.walkers[pages]
        self.walkers[pages] = 0
        outdegree = np.diff(indptr)
        passed = np.where(outdegree > 0, np.where(aliases, f, 17 * f // 20), 0)
        np.add.at(self.walkers, targets, np.repeat(passed // np.maximum(outdegree, 1), outdegree))
        self.stepped += int(f.sum(where=~aliases))
        self.waiting += int(passed.sum()) - int(f.sum())

    def bound(self) -> float:
        """Share of all importance, 0 to 1, that the pages read so far have at least."""
        if not self.stepped:
            return 0.0
        return self.stepped / (self.stepped + self.waiting / (1.0 - DAMPING))
