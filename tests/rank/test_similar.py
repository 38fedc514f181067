"""Similarity by links, against sets."""

import numpy as np
import pytest

from minicrawl.rank import Graph
from minicrawl.rank.similar import similarities


def jaccard(a: set[int], b: set[int]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_similarity_is_that_of_sets(seed: int) -> None:
    """With links listed several times, links to oneself, and pages without any."""
    rng = np.random.default_rng(seed)
    links = [rng.integers(0, 30, rng.integers(0, 7)).tolist() for _ in range(30)]
    out = [set(targets) for targets in links]
    into = [{page for page in range(30) if target in out[page]} for target in range(30)]
    pages = rng.choice(30, 7, replace=False)
    vicinity = [out[page] | {~source for source in into[page]} for page in range(30)]
    expected = [[jaccard(vicinity[p], vicinity[q]) for q in range(30)] for p in pages]
    assert similarities(Graph.from_links(links), pages) == pytest.approx(np.array(expected), abs=1e-15)


def test_page_without_links_is_like_no_page() -> None:
    assert similarities(Graph.from_links([[1], [], []]), np.array([2])).tolist() == [[0.0, 0.0, 0.0]]
