"""When a growing graph is looked at."""

from minicrawl.lab.graphbench.measuring import checks_of, cpu_seconds, growing_steps


def test_steps_grow_by_a_half_and_end_with_all() -> None:
    assert growing_steps(200, 80) == [80, 121, 182, 200]
    assert growing_steps(50, 80) == [50]


def test_checks_are_evenly_apart_and_end_with_all() -> None:
    assert checks_of(16, 4) == [4, 8, 12, 16]
    assert checks_of(2, 8) == [1, 2]


def test_a_call_is_made_once() -> None:
    calls: list[int] = []
    assert cpu_seconds(lambda: calls.append(1)) >= 0.0
    assert calls == [1]
