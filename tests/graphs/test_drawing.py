"""Pictures of a graph: the same graph is the same file, and a bad place is one sentence."""

from pathlib import Path

import numpy as np
import pytest

from minicrawl.graphs.drawing import draw_graph_stats, importance_curve
from minicrawl.rank import Graph, graph_stats, pagerank

WEB = Graph.from_links([[1, 2], [2], [0], [0, 1]])


def test_same_graph_is_the_same_file(tmp_path: Path) -> None:
    stats = graph_stats(WEB, np.random.default_rng(0))
    for name in ("one.svg", "other.svg"):
        draw_graph_stats(stats, pagerank(WEB), tmp_path / name)
    one, other = (tmp_path / "one.svg").read_text(), (tmp_path / "other.svg").read_text()
    assert one == other
    assert all(title in one for title in ("in-links", "out-links", "bow tie", "spread of importance"))


def test_curve_holds_the_largest_importance_first() -> None:
    shares, held = importance_curve(np.array([0.1, 0.6, 0.3, 0.0]))
    assert shares.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert held.tolist() == pytest.approx([0.6, 0.9, 1.0, 1.0])
