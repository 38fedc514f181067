"""Importance beside agreement."""

import pytest
from table import each

from minicrawl.search.ranking import Scale, score


@each(("value", "place"), [(1e-6, 0.0), (1e-4, 0.5), (1e-2, 1.0), (0.0, 0.0), (1.0, 1.0)])
def test_place_is_by_the_logarithm(value, place):
    assert Scale(1e-6, 1e-2).place(value) == pytest.approx(place)


def test_where_all_are_alike_none_has_a_place():
    assert Scale(0.5, 0.5).place(0.5) == 0.0
    assert Scale(0.0, 0.0).place(0.5) == 0.0


def test_weight_divides_between_agreement_and_importance():
    assert score(0.5, 1.0, 0.9) == pytest.approx(0.55)
    assert score(0.5, 1.0, 1.0) == 0.5
    assert score(0.5, 0.25, 0.0) == 0.25
