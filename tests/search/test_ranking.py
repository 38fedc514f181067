"""Importance beside agreement."""

import random
from collections.abc import Mapping, Sequence
from itertools import islice

import pytest

from minicrawl.search.ranking import Scale, by_score, score


@pytest.mark.parametrize(("value", "place"), [(1e-6, 0.0), (1e-4, 0.5), (1e-2, 1.0), (0.0, 0.0), (1.0, 1.0)])
def test_place_is_by_the_logarithm(value, place):
    assert Scale(1e-6, 1e-2).place(value) == pytest.approx(place)


def test_where_all_are_alike_none_has_a_place():
    assert Scale(0.5, 0.5).place(0.5) == 0.0
    assert Scale(0.0, 0.0).place(0.5) == 0.0


def test_weight_divides_between_agreement_and_importance():
    assert score(0.5, 1.0, 0.9) == pytest.approx(0.55)
    assert score(0.5, 1.0, 1.0) == 0.5
    assert score(0.5, 0.25, 0.0) == 0.25


@pytest.mark.parametrize("weight", [0.0, 0.5, 0.9, 1.0])
def test_pages_come_by_score_and_as_many_are_asked_for_as_it_takes(weight: float) -> None:
    draw = random.Random(7)
    similarity = {page: draw.random() ** 4 for page in range(2_000)}
    place = {page: draw.choice([0.0, 0.5, draw.random()]) for page in similarity if page % 3}
    asked: list[int] = []

    def places(pages: Sequence[int]) -> Mapping[int, float]:
        asked.extend(pages)
        return {page: place[page] for page in pages if page in place}

    slow = sorted((-score(similarity[page], place.get(page, 0.0), weight), page) for page in similarity)
    best = by_score(similarity, places, weight)
    assert [(-found, page) for page, found, _ in islice(best, 30)] == slow[:30]
    if weight >= 0.9:
        assert len(asked) < 600
    assert [page for page, _, _ in best] == [page for _, page in slow[30:]]
