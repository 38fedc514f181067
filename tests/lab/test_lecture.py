"""Worked examples of a lecture on link analysis."""

import numpy as np
import pytest

from minicrawl.lab.lecture import Example, examples, result, rounds


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.title)
def test_every_figure_is_found(example: Example) -> None:
    assert example.agrees


def test_the_first_round_of_hits_is_counted_by_hand() -> None:
    """Links into q1, q2, q3, p1, p2, and what the pages that each leads to have of them."""
    into, out = np.array([1, 0, 0, 3, 2]), np.array([5, 3, 5, 1, 0])
    scores = [*into / np.sqrt(14), *out / np.sqrt(60)]
    assert examples()[0].found == pytest.approx(scores, abs=1e-12)


def test_a_figure_may_be_off_by_a_unit_of_its_last_digit_and_a_whole_number_by_nothing() -> None:
    found = np.array([0.3707, 2.0])
    assert Example("", "0.37 2", found).agrees
    assert not Example("", "0.3700 2", found).agrees
    assert not Example("", "0.37 3", found).agrees


def test_result_has_every_figure_beside_ours_and_all_but_one_claim_hold() -> None:
    found = result()
    assert found.title.endswith("9 of 9 examples agree")
    assert len(found.rows) == sum(len(example.stated) for example in examples())
    assert not found.panels
    (wrong,) = [claim for claim in found.claims if not claim.held]
    assert wrong == rounds()[-1]  # the eigenvalue is missing in the lecture
    assert "cosine 1.000000" in wrong.measured


def test_a_claim_is_not_held_by_another_figure() -> None:
    assert not Example("", "0.5", np.array([0.25])).claim().held
