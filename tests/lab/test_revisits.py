"""A crawl that has asked for every page a second time."""

import numpy as np
import pytest

from minicrawl.lab.generate import power_law
from minicrawl.lab.revisits import ranking_after_revisits


@pytest.mark.slow  # waits for compiled loops
def test_pages_asked_for_twice_are_ranked_about_exactly() -> None:
    agreement = ranking_after_revisits(power_law(20_000, np.random.default_rng(1)), 0)
    assert agreement.tau >= 0.90
    assert agreement.top >= 0.88
