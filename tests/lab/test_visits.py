"""The order of greedy visits against the slow way: the largest of all."""

import numpy as np
import pytest

from minicrawl.lab.visits import greedy, links_of, paper_book, settling
from minicrawl.opic import Book
from minicrawl.opic.arrays import Pages
from minicrawl.opic.book import add_sent
from minicrawl.rank import Graph


def random_graph(seed: int, size: int = 40) -> Graph:
    """Few links, so that many pages have none and many tie."""
    rng = np.random.default_rng(seed)
    return Graph.from_links(
        [[t for t in rng.permutation(size)[: rng.integers(0, 5)] if t != page] for page in range(size)]
    )


@pytest.mark.parametrize("seed", range(2))
def test_richest_page_is_next(seed: int) -> None:
    graph = random_graph(seed)
    book = paper_book(graph.size)
    visits = greedy(book, links_of(graph))
    for _ in range(500):
        richest = int(np.argmax(book.cashes()))
        assert next(visits) == richest


@pytest.mark.parametrize("seed", range(2))
def test_page_that_has_or_owes_most_is_next_while_links_change(seed: int) -> None:
    graph, book = random_graph(seed), Book()
    book.discover(graph.size)
    as_read: list[Pages] = [graph.targets[:0]] * graph.size

    def links(page: int) -> Pages:
        return links_of(graph)(page)

    visits = settling(book, links, as_read)
    for change in range(3):
        graph = random_graph(seed + 100 * change)
        for _ in range(60):
            most = int(np.argmax(np.abs(book.cash_of(slice(0, book.size)))))
            assert next(visits) == most
            assert as_read[most].tolist() == links(most).tolist()
    read, received = Graph.from_links([links.tolist() for links in as_read]), np.zeros(graph.size, dtype=np.int64)
    add_sent(received, book, np.arange(graph.size), read.indptr, read.targets)
    assert book.received(slice(0, graph.size)).tolist() == received.tolist()
