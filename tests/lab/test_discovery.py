"""The discovery experiment says honestly what the steered crawls hold."""

import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.lab.discovery import SHARES, experiment, largest_deviation
from minicrawl.lab.steering import METHODS, Log


def log_of(text: str) -> Log:
    """A log in which d is a discovery, r a refresh; in capitals when the other kind was not on offer."""
    letters = np.array(list(text), dtype=np.str_)
    contested = np.char.islower(letters)
    return Log(np.zeros(len(text), np.int32), np.char.lower(letters) == "d", contested)


@pytest.mark.parametrize(
    ("log", "share", "deviation"),
    [
        ("drdr", 0.5, 0.5),
        ("ddrr", 0.5, 1.0),
        ("rrrrd", 0.2, 0.8),
        ("DDDDdr", 0.5, 0.5),  # what had to be discovered does not count
        ("rrDrr", 0.5, 1.0),  # two stretches of two
        ("rrrr", 0.5, 2.0),
        ("DRDR", 0.5, 0.0),
        ("", 0.5, 0.0),
    ],
)
def test_deviation_is_the_largest_in_any_stretch(log: str, share: float, deviation: float) -> None:
    assert largest_deviation(log_of(log), share) == pytest.approx(deviation)


@pytest.mark.slow
def test_experiment_says_what_it_measured() -> None:
    result = experiment(8000, seed=1)
    asked = [(share, method.name) for share in SHARES for method in METHODS]
    assert [(row[0], row[1]) for row in result.rows] == asked
    assert all(type(value) in {float, str} for row in result.rows for value in row)
    assert {len(row) for row in result.rows} == {len(result.columns)}
    by_name = {row[:2]: row[2:] for row in result.rows}
    for share in SHARES:
        reached, sd, deviation, mass = by_name[share, "credit"]
        assert reached == pytest.approx(share, abs=0.01)
        assert sd < 0.05
        assert deviation <= 2
        assert 0 < mass < 1
        assert by_name[share, "no control"][0] == by_name[0.2, "no control"][0]
    assert [len(panel.curves) for panel in result.panels] == [len(METHODS)] * 3
    assert [claim.held for claim in result.claims[:2]] == [True, True]
    assert result == experiment(8000, seed=1, fetches=4000)


@pytest.mark.parametrize(
    ("nodes", "fetches", "needed"), [(8000, 999, "1000 fetches, not 999"), (99, 1000, "100 nodes, not 99")]
)
def test_experiment_refuses_too_little(nodes: int, fetches: int, needed: str) -> None:
    with pytest.raises(SettingError, match=f"needs at least {needed}"):
        experiment(nodes, seed=1, fetches=fetches)
