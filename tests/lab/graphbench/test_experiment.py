"""The experiment says what it measured, and finds what scipy does."""

import numpy as np
import pytest

from minicrawl.lab.graphbench import experiment
from minicrawl.rank import Graph
from minicrawl.report import Stage


def test_experiment_says_what_it_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "crawl_order", lambda web, rng: np.arange(web.size))  # quicker than to compile it
    web = Graph.from_links([[1, 2], [2, 3], [0], [4], [5, 3], [0, 6], []])
    stages: list[Stage] = []
    result = experiment.experiment(0, web, cubic_sizes=[12], complete_sizes=[5], first_look=5, tell=stages.append)
    assert [stage.what for stage in stages] == [
        "sequence 1 of 3, complete, 5 pages",
        "sequence 2 of 3, cubic, 12 pages",
        "sequence 3 of 3, sparse, 12 pages",
        "components of a crawl",
    ]
    agree, is_cubic = result.claims[:2]
    assert agree.held
    assert is_cubic.held
    assert {row[0] for row in result.rows} == {"complete", "cubic", "sparse", "crawl"}
    assert all(len(row) == len(result.columns) for row in result.rows)
    assert [panel.title for panel in result.panels][2] == "components of a crawl"
