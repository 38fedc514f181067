"""The experiment says what it measured, and finds what scipy does."""

import numpy as np
import pytest

from minicrawl.lab.graphbench import experiment
from minicrawl.rank import Graph


def test_experiment_says_what_it_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "crawl_order", lambda web, rng: np.arange(web.size))  # quicker than to compile it
    web = Graph.from_links([[1, 2], [2, 3], [0], [4], [5, 3], [0, 6], []])
    result = experiment.experiment(0, web, cubic_sizes=[12], complete_sizes=[5], first_look=5)
    agree, is_cubic = result.claims[:2]
    assert agree.held
    assert is_cubic.held
    assert {row[0] for row in result.rows} == {"complete", "cubic", "sparse", "crawl"}
    assert all(len(row) == len(result.columns) for row in result.rows)
    assert [panel.title for panel in result.panels][2] == "components of a crawl"
