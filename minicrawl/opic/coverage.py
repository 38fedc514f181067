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
"""

import numpy as np

from minicrawl.opic.shares import DAMPING, FloatArray, IntArray, Pages, grown


class Coverage:
    """Walkers per page, and how many steps they have certainly made to read pages.

    Invariant: what waits is what was put in, less what started again; the bound never exceeds the truth.
    """

    def __init__(self) -> None:
        self.walkers: FloatArray = np.zeros(0)
        self.waiting = 0.0
        self.stepped = 0.0

    def grow(self, size: int) -> None:
        self.walkers = grown(self.walkers, size)

    def seed(self, pages: Pages) -> None:
        """Start one unit of walkers, in equal parts, at `pages`."""
        self.walkers[pages] += 1.0 / len(pages)
        self.waiting += 1.0

    def visit(self, page: int, outlinks: Pages, *, alias: bool = False) -> None:
        """Let the walkers at `page` step on along `outlinks` (distinct). An alias only hands them over."""
        f = float(self.walkers[page])
        if f == 0.0:
            return
        self.walkers[page] = 0.0
        if alias:
            self.walkers[outlinks] += f
            return
        self.stepped += f
        self.waiting -= f
        if len(outlinks):
            self.walkers[outlinks] += DAMPING * f / len(outlinks)
            self.waiting += DAMPING * f

    def visit_many(self, pages: Pages, indptr: IntArray, targets: Pages, aliases: FloatArray) -> None:
        """`visit` for distinct `pages` at once.

        indptr, targets: CSR of their outlinks; aliases: 1.0 where a page is an alias, else 0.0.
        """
        f = self.walkers[pages]
        self.walkers[pages] = 0.0
        outdegree = np.diff(indptr)
        passed = np.where(outdegree > 0, f * np.where(aliases > 0, 1.0, DAMPING), 0.0)
        np.add.at(self.walkers, targets, np.repeat(passed / np.maximum(outdegree, 1), outdegree))
        self.stepped += float(np.sum(f * (1.0 - aliases)))
        self.waiting += float(np.sum(passed - f))

    def bound(self) -> float:
        """Share of all importance, 0 to 1, that the pages read so far have at least."""
        if self.stepped == 0.0:
            return 0.0
        return self.stepped / (self.stepped + max(self.waiting, 0.0) / (1.0 - DAMPING))
