"""Worked examples of link analysis."""

import networkx
import numpy as np
import pytest

from minicrawl.lab.lecture import BY_HAND, LECTURE, Example, examples


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.title)
def test_every_figure_is_found(example: Example) -> None:
    assert example.agrees
    assert len(example.stated) == len(example.found)


def test_graphs_of_the_lecture_are_the_ones_that_networkx_finds_the_figures_of() -> None:
    found = [example for example in examples() if example.source == LECTURE]
    for links, example in zip(([[1], [2, 3], [0], [0]], [[1, 2], [2], [0]]), found, strict=True):
        graph = networkx.DiGraph([(page, target) for page, targets in enumerate(links) for target in targets])
        ranks = networkx.pagerank(graph, alpha=0.8, tol=1e-14, max_iter=1000)
        vector = np.array([ranks[page] for page in range(len(links))])
        assert example.found == pytest.approx(vector / np.linalg.norm(vector), abs=1e-10)


def test_a_figure_may_be_off_by_a_unit_of_the_last_digit_that_was_printed() -> None:
    found = np.array([0.3707, 0.5])
    assert Example("", LECTURE, [0.37, 0.5], found, [1e-2, 1e-1]).agrees
    assert not Example("", LECTURE, [0.37, 0.5], found, [1e-4, 1e-1]).agrees
    assert not Example("", BY_HAND, [0.37, 0.5], found).agrees
    assert Example("", BY_HAND, [0.37, 0.5], found).error == pytest.approx(7e-4)
