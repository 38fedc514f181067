"""The document's figures have its graphs and its axes."""

import pytest

from minicrawl.lab.graphbench.figures import figure_9, figure_12, figure_14
from minicrawl.lab.graphbench.sequences import BENCHMARKS


def test_memory_of_the_closure_is_that_of_the_document() -> None:
    result = figure_12(0)
    assert all(claim.held for claim in result.claims)
    (panel,) = result.panels
    bits, bytes_ = panel.curves
    assert list(bits.x) == list(bytes_.x) == [2000, 50_000, 100_000, 150_000, 200_000, 250_000]
    assert bytes_.y[-1] == 62.5  # GB
    assert bits.y[-1] == pytest.approx(62.5 / 8, rel=0.001)


@pytest.mark.slow
@pytest.mark.parametrize(("figure", "algorithms"), [(figure_9, 2), (figure_14, 4)])
def test_times_are_of_the_six_graphs(figure, algorithms: int) -> None:  # type: ignore[no-untyped-def]
    result = figure(0, 1)
    (panel,) = result.panels
    assert panel.log
    assert len(panel.curves) == algorithms
    assert all(list(curve.x) == [1, 2, 3, 4, 5, 6] for curve in panel.curves)
    assert [row[1] for row in result.rows[::algorithms]] == list(BENCHMARKS)
