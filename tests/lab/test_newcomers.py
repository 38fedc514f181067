"""What can be said of pages that were found a short while ago."""

import numpy as np
import pytest

from minicrawl.lab.generate import power_law
from minicrawl.lab.newcomers import DEFAULT, NO_DEFAULT, OWN, errors_of_newcomers


@pytest.mark.slow
def test_own_past_is_the_worst_and_an_error_is_above_nothing() -> None:
    """A page spends cash in lumps: after one visit its rate may be anything."""
    errors = errors_of_newcomers(power_law(600, np.random.default_rng(0)), seed=0)
    assert set(errors) == {DEFAULT, NO_DEFAULT, OWN}
    assert errors[OWN] > errors[DEFAULT] > 0
    assert errors[NO_DEFAULT] < 100.0  # what starts from 0 only rises


@pytest.mark.slow
def test_same_seed_gives_the_same_errors() -> None:
    one, same = (errors_of_newcomers(power_law(200, np.random.default_rng(1)), seed=5, turns=1) for _ in range(2))
    assert one == same
