"""Where nodes stand: in the picture, always at the same place, what is linked nearer than what is not."""

import numpy as np
import pytest

from minicrawl.dashboard.layout import laid_out


@pytest.mark.parametrize("n", [0, 1, 2, 60])
def test_all_nodes_stand_in_the_picture_and_stay_there(n: int) -> None:
    rng = np.random.default_rng(3)
    links = rng.integers(0, n, (2 * n, 2)) if n else np.empty((0, 2), np.int64)
    places = laid_out(n, links)
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
    assert ((places >= 0) & (places <= 1)).all()
    assert (laid_out(n, links) == places).all()


def test_two_groups_stand_apart() -> None:
    """Two rings of ten with all links within: each node is nearer to its own group's middle than to the other's."""
    within = [(group * 10 + a, group * 10 + b) for group in (0, 1) for a in range(10) for b in range(a)]
    places = laid_out(20, np.array([*within, (0, 10)]))
    middles = places.reshape(2, 10, 2).mean(axis=1)
    for node, place in enumerate(places):
        own, other = middles[node // 10], middles[1 - node // 10]
        assert np.linalg.norm(place - own) < np.linalg.norm(place - other)


def test_nodes_do_not_stand_on_one_another() -> None:
    places = laid_out(30, np.array([(0, node) for node in range(1, 30)]))
    apart = np.linalg.norm(places[:, None] - places[None, :], axis=2) + np.eye(30)
    assert apart.min() > 0.01
