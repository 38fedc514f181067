"""Grades by importance: answers that can be derived."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.rank.grades import agreement, as_distributed, in_equal_parts, reference

NONE = float("nan")


def test_the_reference_is_the_rounded_mean_of_those_who_have_graded() -> None:
    votes = np.array([[1, 2, NONE], [4, 4, 3], [2, NONE, NONE], [NONE, NONE, NONE], [1, 2, 2]], dtype=np.float64)
    assert reference(votes).tolist() == [2, 4, 2, 0, 2]


@given(st.lists(st.floats(1e-12, 1.0), min_size=1, max_size=60), st.integers(2, 6))
def test_equal_parts_are_equal_and_rise_with_importance(importance: list[float], grades: int) -> None:
    found = in_equal_parts(np.array(importance), grades)
    counts = np.bincount(found, minlength=grades + 1)[1:]
    assert counts.max() - counts.min() <= 1
    by_importance = found[np.argsort(importance, kind="stable")]
    assert (np.diff(by_importance) >= 0).all()


@pytest.mark.parametrize("sizes", [[3, 3, 3, 3], [10, 5, 2, 1], [0, 4, 0, 4]])
def test_grades_that_importance_tells_apart_are_all_hit(sizes: list[int]) -> None:
    """Sites of a grade are a thousandth apart, those of two grades a thousandfold: no cut can fall among the first.

    But a site that is alone with its grade: by the others nobody has that grade, and it gets a neighbouring one.
    """
    known = np.repeat(np.arange(1, 5), sizes)
    importance = 1000.0**known * (1 + np.arange(len(known)) / 1000)
    found = as_distributed(importance, known, 4)
    alone = [grade for grade, size in enumerate(sizes, 1) if size == 1]
    assert found[~np.isin(known, alone)].tolist() == known[~np.isin(known, alone)].tolist()
    assert all(abs(one - grade) == 1 for one, grade in zip(found, known, strict=True) if grade in alone)


def test_one_site_in_the_wrong_place_is_missed_and_moves_one_other() -> None:
    """Four of grade 1, four of grade 2, and the first of them is the most important of all.

    It is graded 2. By its leaving grade 1 the others of that lie below the cut, which for each of grade 2 has moved up
    by one place: it lies between the least two of them, so that the least one is graded 1.
    """
    known = np.array([1, 1, 1, 1, 2, 2, 2, 2])
    importance = np.array([100.0, 1.1, 1.2, 1.3, 10.0, 11.0, 12.0, 13.0])
    found = as_distributed(importance, known, 2)
    assert found.tolist() == [2, 1, 1, 1, 1, 2, 2, 2]
    assert agreement(found.astype(np.float64), known) == 6 / 8


@given(st.lists(st.tuples(st.floats(1e-9, 1.0), st.integers(1, 4)), min_size=2, max_size=25))
def test_grades_are_those_of_the_obvious_method(sites: list[tuple[float, int]]) -> None:
    importance, known = np.array([one for one, _ in sites]), np.array([grade for _, grade in sites])
    for site, found in enumerate(as_distributed(importance, known, 4)):
        others = sorted((one, number) for number, one in enumerate(importance) if number != site)
        expected = 1
        for grade in (1, 2, 3):
            at_most = sum(known[number] <= grade for _, number in others)
            if at_most == 0:
                expected += 1
            elif at_most < len(others):
                expected += (
                    float(np.log(importance[site])) > (np.log(others[at_most - 1][0]) + np.log(others[at_most][0])) / 2
                )
        assert found == expected


def test_agreement_is_of_what_is_graded() -> None:
    assert agreement(np.array([1, NONE, 3, 4]), np.array([1, 2, 2, 0])) == 0.5
    assert np.isnan(agreement(np.array([NONE]), np.array([1])))
