"""How far, and how long it will yet take."""

import pytest

from minicrawl.crawler.loop.aims import Aim, aims


@pytest.mark.parametrize(
    ("limit", "done", "speed", "aim"),
    [
        (100, 40, 5.0, Aim("pages", 40, 100, 12.0)),
        (100, 40, 0.0, Aim("pages", 40, 100, None)),
        (100, 100, 0.0, Aim("pages", 100, 100, 0.0)),
        (100, 130, 5.0, Aim("pages", 130, 100, 0.0)),
    ],
)
def test_what_is_left_takes_as_long_as_at_this_speed(limit: float, done: float, speed: float, aim: Aim) -> None:
    assert list(aims({"pages": limit, "time": None}, {"pages": done}, {"pages": speed})) == [aim]


def test_nobody_can_tell_where_there_is_no_speed() -> None:
    assert list(aims({"until_coverage": 0.5}, {"until_coverage": 0.25}, {})) == [Aim("until_coverage", 0.25, 0.5, None)]
