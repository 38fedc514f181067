"""Pages that were found a short while ago: what can be said of their importance?

The paper starts a new page with the mean history of pages introduced recently, its default. N: pages at first.

default    the cash book with that, interpolation over 4 turnovers            no default   the same, starting from 0
own        (cash spent since it was found, and in hand) / what the clock moved since
ledger     see `settling.newcomers`, on the very same web
"""

import numpy as np
import numpy.typing as npt

from minicrawl.lab.compiled import LAB_TOTAL
from minicrawl.lab.convergence import EXACT
from minicrawl.lab.evolve import Evolving
from minicrawl.opic import Adaptive, Basic, Interpolation, PayOut
from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph, pagerank

DEFAULT, NO_DEFAULT, OWN = "default", "no default", "own"
_TURNOVERS = 4.0
_BEFORE = 5


class _Crawl:
    """A crawl that visits all pages it knows in turn, with one book after another of the same visits.

    Pages have the numbers of the books, in the order in which they were found. born: the clock when that was.
    """

    def __init__(self, size: int) -> None:
        pay_all = PayOut("all")
        window = Interpolation(_TURNOVERS)
        self._books = {
            DEFAULT: Adaptive(window, pay_all, grant=0, total=LAB_TOTAL),
            NO_DEFAULT: Adaptive(window, pay_all, grant=0, total=LAB_TOTAL),
            OWN: Adaptive(Basic(), pay_all, grant=0, total=LAB_TOTAL),
        }
        for book in self._books.values():
            book.discover(np.full(size, LAB_TOTAL // size))
        self.page_of: list[int] = list(range(size))
        self._number_of: dict[int, int] = {page: page for page in range(size)}
        self._born: list[int] = [0] * size
        self._next = 0

    def visit(self, graph: Graph, visits: int) -> None:
        """So many visits, one page after the other."""
        for _ in range(visits):
            number = self._next
            page = self.page_of[number]
            targets = graph.targets[graph.indptr[page] : graph.indptr[page + 1]].tolist()
            new = [target for target in targets if target not in self._number_of]
            self._discover(new)
            outlinks = np.array([self._number_of[target] for target in targets], dtype=np.int32)
            for book in self._books.values():
                book.visit(number, outlinks)
            self._next = (number + 1) % len(self.page_of)

    def _discover(self, pages: list[int]) -> None:
        for page in pages:
            self._number_of[page] = len(self.page_of)
            self.page_of.append(page)
            self._born.append(self._books[OWN].clock)
        if pages:
            self._books[NO_DEFAULT].newcomer_history = 0.0
            for book in self._books.values():
                book.discover([0] * len(pages))

    def estimates(self) -> dict[str, FloatArray]:
        """Importance of every page known, by each of them."""
        own = self._books[OWN]
        since = np.maximum(own.clock - np.array(self._born, dtype=np.float64), 1.0)
        rate = (own.history[: own.size] + own.cashes()) / since
        return {DEFAULT: self._books[DEFAULT].shares(), NO_DEFAULT: self._books[NO_DEFAULT].shares(), OWN: rate}


def errors_of_newcomers(
    graph: Graph, seed: int, rate: float = 0.05, turns: int = 4, steps: int = 20
) -> dict[str, float]:
    """Mean relative error in percent of the pages that came within the last N visits and were found since.

    Before any page comes there are 5 N visits; then in each of `turns` N visits rate * N pages come, in so many steps.
    """
    web = Evolving(graph, np.random.default_rng(seed))
    crawl, size = _Crawl(graph.size), graph.size
    crawl.visit(graph, _BEFORE * size)
    born: list[int] = []
    for _ in range(turns * steps):
        born.append(int(web.come(max(1, round(rate * size / steps)))[0]))
        now = web.graph()
        crawl.visit(now, size // steps)
    pages = np.array(crawl.page_of)
    is_new = pages >= born[-steps]
    exact = pagerank(now, tolerance=EXACT)[pages]
    return {name: _error(estimate, exact, is_new) for name, estimate in crawl.estimates().items()}


def _error(estimate: FloatArray, exact: FloatArray, counts: npt.NDArray[np.bool_]) -> float:
    """Mean relative error of some pages in percent, both as shares of all that are known."""
    off = np.abs(estimate / estimate.sum() - exact / exact.sum()) / (exact / exact.sum())
    return 100.0 * float(off[counts].mean())
