"""What the ledger gives beyond the paper."""

import numpy as np
import pytest

from minicrawl.lab.settling import figure
from minicrawl.lab.webs import power_law


@pytest.mark.slow
def test_figure_compares_three_methods_every_quarter() -> None:
    result = figure([power_law(2000, np.random.default_rng(1))], 0, turns=5)
    assert len(result.rows) == 4 * 5 * (3 + 1 + 1)
    assert all(len(panel.curves) == 3 for panel in result.panels)
