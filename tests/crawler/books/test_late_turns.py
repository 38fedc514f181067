"""What late turns say of the pages that are left."""

import math

import pytest

from minicrawl.crawler.books.late_turns import LateTurns


def turns(*found: int, none: int = 0) -> LateTurns:
    """Turns that found so many pages each, the last ones none and no page there."""
    late, size = LateTurns(), 0
    for number, pages in enumerate(found):
        size += pages
        late.note(size, found_none=number >= len(found) - none)
    return late


def test_pages_left_lead_to_as_many_as_late_ones_and_a_few_more() -> None:
    """Each turn that finds one has a mean of squares of one: the spread is that of t and of `left` pages."""
    each, lost = turns(*[1] * 90).prospects(900)
    assert each == pytest.approx(1 + math.sqrt(9 / 5 / 90 + 1 / 900))
    assert lost == 0.0


def test_a_page_that_is_left_alone_may_be_the_next_list_of_many() -> None:
    lists = [10, *[0] * 9] * 5
    several, many = turns(*lists).prospects(1)[0], turns(*lists).prospects(1_000)[0]
    assert 2 * many < several


def test_what_was_found_early_counts_less_and_less() -> None:
    early, late = turns(500, *[0] * 100), turns(*[0] * 100, 500)
    assert 20 * early.prospects(50)[0] < late.prospects(50)[0]


def test_pages_are_lost_as_often_as_late_ones_were() -> None:
    assert 0.4 < turns(*[1] * 80, *[0] * 20, none=20).prospects(100)[1] < 0.7
    assert turns(*[0] * 20, none=20).prospects(9) == (0.0, 1.0)
