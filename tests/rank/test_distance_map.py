"""Places on a map lie as far apart as they should."""

import numpy as np
import pytest

from minicrawl.rank.distance_map import distance_map


def apart(places: np.ndarray) -> np.ndarray:
    return np.linalg.norm(places[:, None] - places[None], axis=2)


def test_points_of_the_plane_are_found_again() -> None:
    """Points of a grid with whole distances: a rectangle of 3 by 4, whose diagonals are 5."""
    links = np.array([[0, 3, 5, 4], [3, 0, 4, 5], [5, 4, 0, 3], [4, 5, 3, 0]])
    assert apart(distance_map(links)) == pytest.approx(links, abs=1e-9)


def test_points_of_a_line_are_found_again() -> None:
    links = np.abs(np.arange(7)[:, None] - np.arange(7)[None])
    places = distance_map(links)
    assert apart(places) == pytest.approx(links, abs=1e-6)
    assert np.ptp(places[:, 1]) == pytest.approx(0.0, abs=1e-6)
    assert places.mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-6)


def test_the_shorter_way_counts_and_no_way_is_far() -> None:
    links = np.array([[0, 2, -1], [8, 0, -1], [-1, -1, 0]])
    assert apart(distance_map(links)) == pytest.approx(np.array([[0, 2, 3], [2, 0, 3], [3, 3, 0]]), abs=1e-9)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_few_things_have_a_map(size: int) -> None:
    links = np.full((size, size), 4) - 4 * np.eye(size, dtype=int)
    assert apart(distance_map(links)) == pytest.approx(links, abs=1e-9)


def test_things_without_a_way_between_them_are_apart() -> None:
    assert apart(distance_map(np.array([[0, -1], [-1, 0]]))) == pytest.approx(np.array([[0, 1.5], [1.5, 0]]), abs=1e-9)
