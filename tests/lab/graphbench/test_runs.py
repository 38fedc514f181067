"""When a growing graph is looked at."""

from minicrawl.lab.graphbench.runs import checks_of, growing_steps


def test_steps_grow_by_a_half_and_end_with_all() -> None:
    assert growing_steps(200, 80) == [80, 121, 182, 200]
    assert growing_steps(50, 80) == [50]


def test_checks_are_evenly_apart_and_end_with_all() -> None:
    assert checks_of(16, 4) == [4, 8, 12, 16]
    assert checks_of(2, 8) == [1, 2]
