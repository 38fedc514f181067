"""Importance by other matrices, on line, against dense eigenvectors."""

import numpy as np
import pytest

from minicrawl.lab.matrices import ELSEWHERE, TURNS, estimates, experiment, fixpoint, matrices
from minicrawl.lab.webs import power_law
from minicrawl.rank import Graph, mean_error, pagerank

D = 0.85


def drawn(seed: int, size: int = 30) -> tuple[Graph, np.ndarray]:
    """A graph in which some pages have no links, and the site of every page."""
    rng = np.random.default_rng(seed)
    k = np.triu(rng.random((size, size)) < 0.06, 1) | np.tril(rng.random((size, size)) < 0.06, -1)
    sources, targets = np.nonzero(k)
    return Graph.from_edges(sources, targets, size), rng.integers(0, 4, size)


def dense(name: str, graph: Graph, site: np.ndarray) -> np.ndarray:
    """The matrix by its definition."""
    k = np.zeros((graph.size, graph.size))
    k[graph.sources(), graph.targets] = 1.0
    return {
        "links": k,
        "undirected": np.maximum(k, k.T),
        "sites": k * np.where(site[:, None] == site[None, :], 1, ELSEWHERE),
        "authorities": k.T @ k,
        "hubs": k @ k.T,
    }[name]


def eigenvector(matrix: np.ndarray) -> np.ndarray:
    """The eigenvector of the walk that follows `matrix` with probability D, and jumps else, and from rows of 0."""
    size, sums = len(matrix), matrix.sum(axis=1, keepdims=True)
    walk = np.where(sums > 0, D * matrix / np.maximum(sums, 1.0), 0.0)
    walk += (1.0 - walk.sum(axis=1, keepdims=True)) / size
    values, vectors = np.linalg.eig(walk.T)
    first = np.abs(vectors[:, np.argmax(values.real)].real)
    return np.asarray(first / first.sum())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["links", "undirected", "sites", "authorities", "hubs"])
@pytest.mark.parametrize("seed", range(1))
def test_every_matrix_has_its_eigenvector_off_line_and_on_line(name: str, seed: int) -> None:
    graph, site = drawn(seed)
    matrix, exact = matrices(graph, site)[name], eigenvector(dense(name, graph, site))
    assert fixpoint(matrix) == pytest.approx(exact, abs=1e-12)
    early, late = estimates(matrix, (2, 200)).values()
    assert mean_error(late["book"], exact).all < 1e-3
    assert mean_error(late["X"], exact).all < min(1.0, mean_error(early["X"], exact).all)


def test_links_are_those_of_pagerank() -> None:
    graph = power_law(500, np.random.default_rng(0))
    assert fixpoint(matrices(graph)["links"]) == pytest.approx(pagerank(graph), abs=1e-11)


def test_result_has_a_row_per_matrix_turn_and_estimate() -> None:
    graph, site = drawn(1)
    with_sites, without = experiment(graph, site), experiment(graph)
    assert len(with_sites.rows) == 5 * len(TURNS) * 3
    assert {row[0] for row in with_sites.rows} - {row[0] for row in without.rows} == {"sites"}
    assert [claim.held for claim in with_sites.claims[:3]] == [True] * 3


def test_matrix_with_too_many_paths_is_not_visited() -> None:
    """Each of 500 pages links to the same 500: 500**3 paths to authorities and back."""
    sources, targets = np.divmod(np.arange(500 * 500), 500)
    result = experiment(Graph.from_edges(sources, targets + 500, 1000))
    assert {row[0] for row in result.rows} == {"links", "undirected"}
    assert [claim.measured for claim in result.claims if "can be visited" in claim.sentence] == [
        "125,000,000 paths, 100,000,000 at most"
    ] * 2
