"""A web that changes while it is crawled: in-degrees halve and double, pages come and go.

The change model is that of Abiteboul, Preda, Cobena: Adaptive On-Line Page Importance Computation (WWW 2003),
section 6. A call costs time in proportion to all links (milliseconds for 400,000), so change many pages at once.
"""

import numpy as np
import numpy.typing as npt

from minicrawl.graphs.keys import distinct, graph_of_keys, keys_of, sources_of, targets_of
from minicrawl.lab.generate import FEWEST_NODES, IN_EXPONENT, Law, power_law_numbers
from minicrawl.rank import Graph


class Evolving:
    """A graph, and what happens to it.

    Invariant: links are distinct, none leads from a page to itself, and both ends of every link live.
    Page numbers only grow: a page that went keeps its number, without links.

    alive: bool, shape (pages ever,): which pages live now. A later call makes a new array.
    """

    def __init__(self, graph: Graph, rng: np.random.Generator) -> None:
        """All pages of `graph` live; links it lists twice or from a page to itself are dropped."""
        self.alive: npt.NDArray[np.bool_] = np.ones(graph.size, dtype=np.bool_)
        self._living = np.arange(graph.size)
        sources = np.repeat(self._living, graph.outdegrees())
        self._keys = distinct(keys_of(sources, graph.targets)[sources != graph.targets])
        self._rng = rng

    @property
    def size(self) -> int:
        """Number of pages that ever lived."""
        return len(self.alive)

    def graph(self) -> Graph:
        """The links of now, among `size` pages; the rows are sorted."""
        return graph_of_keys(self._keys, self.size)

    def change(self, count: int) -> npt.NDArray[np.int64]:
        """Halve or double, by the toss of a coin, the in-degrees of `count` living pages drawn uniformly.

        A page may be drawn more than once. Halved, a page loses a random half of its inlinks; of an odd number the
        one in the middle goes with probability 1/2, so that the half is exact in the mean, also of one. Doubled,
        it gets as many again from living pages that do not link to it yet, each as likely; all of these, when they
        are fewer. One change multiplies an in-degree by 1.25 on average, so that a web with many changes grows
        denser.

        Returns the pages in the order of their changes.
        """
        if not count or not len(self._living):
            return np.zeros(0, dtype=np.int64)
        pages = self._rng.choice(self._living, count)
        is_doubled = self._rng.random(count) < 0.5
        places, inlinks = self._inlinks(np.unique(pages))
        for page, doubled in zip(pages.tolist(), is_doubled.tolist(), strict=True):
            inlinks[page] = self._doubled(page, inlinks[page]) if doubled else self._halved(inlinks[page])
        self._keys = np.delete(self._keys, places)
        self._insert([keys_of(sources, page) for page, sources in inlinks.items()])
        return pages

    def come(self, count: int, indegrees: Law | None = None) -> npt.NDArray[np.int64]:
        """Let `count` new pages be born, and return their numbers, rising from the old `size`.

        indegrees: the law of their in-degrees, by default that of `generate.power_law` for as many pages as
        live. The inlinks come from, and the outlinks lead to, uniformly drawn pages that lived before; links
        drawn twice are dropped. A new page's out-degree is Poisson with the mean of the living. Each so
        brings twice the mean of links, as many as a page takes with it when it goes.
        """
        born = np.arange(self.size, self.size + count)
        if len(self._living):
            law = indegrees or power_law_numbers(IN_EXPONENT, max(len(self._living), FEWEST_NODES) // 10)
            indegree = np.minimum(law(count, self._rng), len(self._living))
            outdegree = self._rng.poisson(len(self._keys) / len(self._living), count)
            sources = self._rng.choice(self._living, indegree.sum())
            targets = self._rng.choice(self._living, outdegree.sum())
            self._insert([keys_of(sources, np.repeat(born, indegree)), keys_of(np.repeat(born, outdegree), targets)])
        self.alive = np.append(self.alive, np.ones(count, dtype=np.bool_))
        self._living = np.append(self._living, born)
        return born

    def go(self, count: int) -> npt.NDArray[np.int64]:
        """Let `count` living pages disappear (all, when fewer live), and return their numbers, rising.

        Their links and all links to them vanish at once: on the web a link to a page that is gone stays until
        its own page is edited, which the change model does not tell apart.
        """
        gone = np.sort(self._rng.choice(self._living, min(count, len(self._living)), replace=False))
        self.alive = self.alive.copy()
        self.alive[gone] = False
        self._living = np.flatnonzero(self.alive)
        self._keys = self._keys[self.alive[sources_of(self._keys)] & self.alive[targets_of(self._keys)]]
        return gone

    def _inlinks(self, pages: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], dict[int, npt.NDArray[np.int64]]]:
        """Where the keys of all links to `pages` (rising) stand, and each page's sources."""
        is_wanted = np.zeros(self.size, dtype=np.bool_)
        is_wanted[pages] = True
        places = np.flatnonzero(is_wanted[targets_of(self._keys)])
        found = self._keys[places]
        targets = targets_of(found)
        order = np.argsort(targets, kind="stable")
        cuts = np.searchsorted(targets[order], pages[1:])
        return places, dict(zip(pages.tolist(), np.split(sources_of(found[order]), cuts), strict=True))

    def _halved(self, sources: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        half = len(sources) // 2 + (len(sources) % 2 and int(self._rng.random() < 0.5))
        kept: npt.NDArray[np.int64] = self._rng.choice(sources, half, replace=False)
        return kept

    def _doubled(self, page: int, sources: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        goal = min(2 * len(sources), len(self._living) - 1)
        taken = np.append(sources, page)
        if 2 * goal > len(self._living):
            # Crowded: drawing blindly would mostly hit what is taken.
            strangers = np.setdiff1d(self._living, taken)
            return np.append(sources, self._rng.choice(strangers, goal - len(sources), replace=False))
        while missing := goal + 1 - len(taken):
            taken = np.union1d(taken, self._rng.choice(self._living, missing))
        return np.setdiff1d(taken, page)

    def _insert(self, keys: list[npt.NDArray[np.int64]]) -> None:
        """Add links that are not there yet; among themselves they may repeat."""
        new = distinct(np.concatenate(keys))
        self._keys = np.insert(self._keys, np.searchsorted(self._keys, new), new)
