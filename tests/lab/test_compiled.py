"""The compiled loops and the plain books do the same, to the unit and to the last bit."""

import numpy as np
import pytest

from minicrawl.lab.compiled import (
    LAB_TOTAL,
    full_heap,
    moved,
    paper_book,
    risen,
    settle_greedily,
    visit_greedily,
    visit_pages,
)
from minicrawl.opic import Adaptive, Book
from minicrawl.rank import Graph


@pytest.mark.parametrize("seed", range(5))
def test_any_sequence_of_moves_keeps_the_greatest_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pages = int(rng.integers(1, 40))
    heap = full_heap(rng.integers(0, 6, pages))  # few keys: many ties
    for _ in range(2000):
        page = int(rng.integers(pages))
        if rng.integers(2):
            heap.key[page] = rng.integers(0, 6)
            moved(heap, page)
        else:
            heap.key[page] += 1
            risen(heap, page)
        assert heap.heap[0] == max(range(pages), key=lambda page: (heap.key[page], -page))


pytestmark = pytest.mark.slow  # all of them wait for compiled loops


def random_graph(seed: int, size: int = 40) -> Graph:
    """Few links, so that many pages have none and many tie."""
    rng = np.random.default_rng(seed)
    return Graph.from_links(
        [[t for t in rng.permutation(size)[: rng.integers(0, 5)] if t != page] for page in range(size)]
    )


def links(graph: Graph, page: int) -> np.ndarray:
    return graph.targets[graph.indptr[page] : graph.indptr[page + 1]]


_WINDOW = ("history", "clock", "clock_of")


def state(book: Adaptive | Book) -> dict[str, object]:
    """Everything a book keeps, arrays as lists; without the window, which the lab's loops do not keep."""
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(book).items()
        if name not in ("window", "payees_are", "lump", "rule") and not (isinstance(book, Book) and name in _WINDOW)
    }


@pytest.mark.parametrize("seed", range(2))
def test_visits_in_a_given_order_are_those_of_the_book(seed: int) -> None:
    graph = random_graph(seed)
    pages = np.random.default_rng(seed).integers(0, graph.size, 500, dtype=np.int32)
    plain, fast = paper_book(graph), paper_book(graph)
    spent = [plain.visit(int(page), links(graph, page)) for page in pages]
    first, second = visit_pages(fast, graph, pages[:200]), visit_pages(fast, graph, pages[200:])
    assert state(fast) == state(plain)
    assert [*first[1], *second[1]] == spent
    assert int(fast.cashes().sum()) + fast.virtual == LAB_TOTAL


@pytest.mark.parametrize("seed", range(2))
def test_greedy_visits_are_those_of_the_book_to_its_richest_page(seed: int) -> None:
    graph = random_graph(seed)
    plain, fast = paper_book(graph), paper_book(graph)
    visited, spent = [], []
    for _ in range(500):
        page = int(np.argmax(plain.cashes()))
        visited.append(page)
        spent.append(plain.visit(page, links(graph, page)))
    logs = [visit_greedily(fast, graph, visits) for visits in (1, 199, 300)]
    assert np.concatenate([log[0] for log in logs]).tolist() == visited
    assert np.concatenate([log[1] for log in logs]).tolist() == spent
    assert state(fast) == state(plain)


class PlainLedger:
    """A ledger, and the links of every page as they were when it was last visited."""

    def __init__(self, size: int) -> None:
        self.ledger = Book()
        self.ledger.discover(size)
        self.old = [np.zeros(0, dtype=np.int32)] * size

    def visit(self, graph: Graph, page: int) -> None:
        self.ledger.visit(page, links(graph, page), self.old[page])
        self.old[page] = links(graph, page)

    def as_read(self) -> Graph:
        return Graph.from_links([row.tolist() for row in self.old])

    def most_restless(self) -> int:
        return int(np.argmax(np.abs(self.ledger.cash_of(slice(0, self.ledger.size)))))


@pytest.mark.parametrize("seed", range(2))
def test_ledger_visits_by_residual_while_links_change(seed: int) -> None:
    graphs = [random_graph(seed), random_graph(seed + 100), random_graph(seed + 200)]
    plain, fast = PlainLedger(graphs[0].size), PlainLedger(graphs[0].size).ledger
    for graph in graphs:
        before, seen = plain.as_read(), set()
        for _ in range(60):
            page = plain.most_restless()
            plain.visit(graph, page)
            seen.add(page)
        visited = settle_greedily(fast, graph, 60, before)
        assert state(fast) == state(plain.ledger)
        assert set(np.flatnonzero(visited)) == seen


def test_books_that_compiled_visits_cannot_move_are_refused() -> None:
    graph = random_graph(0)
    for book in (Adaptive(pay_out=("all", 0.0)), Adaptive(None, ("visited", 0.0)), Adaptive(None, ("all", 0.1))):
        with pytest.raises(TypeError, match="without a window, whose virtual page pays all"):
            visit_greedily(book, graph, 1)
    ledger = Book()
    ledger.discover(graph.size)
    ledger.alias[0] = True
    with pytest.raises(ValueError, match="aliases"):
        settle_greedily(ledger, graph, 1)
