"""Crawls with a target share of discoveries, by several methods, on the cash book of the live crawl.

q    the target share                       v       the virtual page: every visit pays it a part of its cash
p    part of v's income that goes to pages never visited; the rest goes to visited ones

A crawl knows its seeds and finds other pages by links, while links change and pages are added. It starts like the live
crawl: seeds and new pages are granted cash, the page with the most cash is next; ties go to the one known longest.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.opic import Adaptive, DiscoveryBudget, PageQueue
from minicrawl.opic.adaptive import PayOut
from minicrawl.opic.arrays import IntArray
from minicrawl.opic.strategy import packed, unpacked
from minicrawl.rank import Graph

TOTAL = 2**58
"""Total cash."""
GRANT = 2**24
"""Cash granted to a page at its birth by the virtual page."""
SEED_GRANTS = 1000
"""Factor by which a seed's grant is larger."""
LEVER_GAIN = 0.01
"""Largest movement of the lever in one fetch."""
_ABSENT = -1


@dataclass(frozen=True)
class Method:
    """A way to hold a share.

    pay_out: the pages that v pays. has_account: a `DiscoveryBudget` chooses the kind of the next page. steers: v
    pays pages never visited the part p of its income, where p is a lever u, from 0 to 1:

        u := u + gain (q - 1 if it was a discovery, else q) after a fetch that could have been of either kind

    reach: range of the lever beyond 0 and 1, where v takes a toll: so much of a page's cash, before its links get any.
    """

    name: str
    pay_out: PayOut
    has_account: bool = False
    steers: bool = False
    reach: float = 0.0


_WHEN_ASKED = PayOut("visited", lump=math.inf)
NO_CONTROL = Method("no control", PayOut("all"))
"""v pays all known pages alike."""
PAY_OUTS = Method("pay-outs", _WHEN_ASKED, steers=True)
"""v pays pages never visited the part p of its income, and visited ones the rest."""
SMALL_EDGES = Method("pay-outs and small edges", _WHEN_ASKED, steers=True, reach=0.9)
"""Like PAY_OUTS; if that does not suffice, more of the cash passes through v."""
CREDIT = Method("credit", PayOut("visited"), has_account=True)
"""A `DiscoveryBudget` chooses the kind of the next page; v pays visited pages."""
METHODS = (NO_CONTROL, PAY_OUTS, SMALL_EDGES, CREDIT)


class Log(NamedTuple):
    """Fetches in order, each array of shape (fetches,).

    pages: their numbers in the graph. discovers: the page had never been visited. contested: pages of both kinds were
    on offer.
    """

    pages: npt.NDArray[np.int32]
    discovers: npt.NDArray[np.bool_]
    contested: npt.NDArray[np.bool_]

    @classmethod
    def joined(cls, logs: Sequence["Log"]) -> "Log":
        return cls(*(np.concatenate(columns) for columns in zip(*logs, strict=True)))


class SteeredCrawl:
    """A crawl with a target share of discoveries. Pages are numbered in order of discovery.

    Invariant: total cash never changes: the cash of all pages and of the virtual page is always `TOTAL`.
    """

    def __init__(
        self,
        method: Method,
        share: float,
        seeds: npt.NDArray[np.int32],
        room: int,
        gain: float = LEVER_GAIN,
    ) -> None:
        """room: maximum number of pages of a graph. gain: of the lever."""
        self._method, self._share = method, share
        self._book = Adaptive(None, method.pay_out, total=TOTAL)
        self._budget = DiscoveryBudget(share)
        self._lever, self._gain = 0.5, gain
        self._level = 0  # what each page never visited was paid, as its standing lacks it
        self._page_of: npt.NDArray[np.int32] = np.zeros(room, dtype=np.int32)
        self._number_of: npt.NDArray[np.int32] = np.full(room, _ABSENT, dtype=np.int32)
        self._book.grow(room)
        self._never_visited = PageQueue(lambda entry: self._is_current(entry, visited=False))
        self._visited = PageQueue(lambda entry: self._is_current(entry, visited=True))
        self._discover(seeds, SEED_GRANTS * GRANT)
        for number in range(len(seeds)):
            self._never_visited.add(self._entry(number))

    @property
    def virtual(self) -> int:
        """Cash of the virtual page."""
        return self._book.virtual

    def cashes(self) -> IntArray:
        """Cash of every known page, in order of discovery."""
        cashes: IntArray = self._book.cashes() + self._level * ~self._book.visited[: self._book.size]
        return cashes

    def fetch(self, graph: Graph, fetches: int) -> Log:
        """Make `fetches` further fetches, or fewer if nothing is left, on a web with the links of `graph`."""
        pages: list[int] = []
        discovers: list[bool] = []
        contested: list[bool] = []
        while len(pages) < fetches and (discovery := self._choice()) is not None:
            contested.append(self._is_contested())
            discovers.append(discovery)
            pages.append(self._turn(graph, discovery))
            self._steer(discovery, contested[-1])
        return Log(np.array(pages, np.int32), np.array(discovers, np.bool_), np.array(contested, np.bool_))

    def _choice(self) -> bool | None:
        """The kind of the next page. True: never visited; False: visited; None: nothing to fetch."""
        if self._method.has_account:
            return self._budget.discovers(self._never_visited.waiting > 0, self._visited.waiting > 0)
        if not self._is_contested():
            return self._never_visited.waiting > 0 or (False if self._visited.waiting else None)
        lead = self._lead()
        return lead < 0 or (lead == 0 and self._first(self._never_visited) < self._first(self._visited))

    def _is_contested(self) -> bool:
        return self._never_visited.waiting > 0 and self._visited.waiting > 0

    def _lead(self) -> int:
        """Cash of the best visited page minus that of the best one never visited."""
        best, other = self._first(self._visited), self._first(self._never_visited)
        return self._book.cash(best) - self._book.cash(other) - self._level

    def _turn(self, graph: Graph, discovers: bool) -> int:
        """Fetch the best page of a kind, and spend its cash. Returns the page."""
        book = self._book
        number = (self._never_visited if discovers else self._visited).pop()
        assert number is not None
        known = book.size
        outlinks = self._outlinks(graph, int(self._page_of[number]))
        if discovers:
            book.standing[number] += self._level
        toll = int(max(0.0, -self._lever, self._lever - 1.0) * book.cash(number))
        book.standing[number] -= toll
        book.income += toll
        book.visit(number, outlinks)
        self._visited.add(self._entry(number))
        for target in outlinks.tolist():
            if target < known and not book.visited[target]:
                self._never_visited.rise(self._entry(target))
            elif target < known:
                self._visited.rise(self._entry(target))
        for target in range(known, book.size):
            self._never_visited.add(self._entry(target))
        return int(self._page_of[number])

    def _outlinks(self, graph: Graph, page: int) -> npt.NDArray[np.int32]:
        """Numbers of a page's targets; new ones are discovered."""
        targets = graph.targets[graph.indptr[page] : graph.indptr[page + 1]]
        new = targets[self._number_of[targets] == _ABSENT]
        if len(new):
            self._discover(new, GRANT)
        return self._number_of[targets]

    def _discover(self, pages: npt.NDArray[np.int32], grant: int) -> None:
        born = self._book.discover([grant] * len(pages))
        self._book.standing[born.start : born.stop] -= self._level
        self._page_of[born.start : born.stop] = pages
        self._number_of[pages] = born

    def _steer(self, discovers: bool, contested: bool) -> None:
        """Report a fetch to the method, and let v pay the amounts that wait for that."""
        if self._method.has_account:
            self._budget.charge(discovers=discovers)
        if self._method.steers:
            if contested:
                moved = self._lever + self._gain * (self._share - discovers)
                self._lever = min(max(moved, -self._method.reach), 1.0 + self._method.reach)
            self._pay_never_visited()
            self._book.pay()

    def _pay_never_visited(self) -> None:
        book = self._book
        payees = book.size - book.payees
        each = int(min(max(self._lever, 0.0), 1.0) * book.income) // payees if payees else 0
        self._level += each
        book.income -= each * payees

    def _first(self, queue: PageQueue) -> int:
        entry = queue.peek()
        assert entry is not None
        return unpacked(entry)

    def _entry(self, number: int) -> int:
        # Within a kind standing is in the order of cash.
        return packed(number, self._book.standing.item(number))

    def _is_current(self, entry: int, *, visited: bool) -> bool:
        number = unpacked(entry)
        return bool(self._book.visited[number]) is visited and self._entry(number) == entry
