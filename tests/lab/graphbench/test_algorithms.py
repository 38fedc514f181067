"""Algorithms are found by name, by problem, and in modules of one's own."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.lab.graphbench.algorithms import (
    ALGORITHMS,
    BITS,
    DISTANCES,
    PROBLEMS,
    algorithms_of,
    all_answers,
    exact_answers,
)
from minicrawl.lab.graphbench.bench import Setup, bench
from minicrawl.lab.graphbench.distances import exact_distances
from minicrawl.lab.graphbench.sequences import Follower, Insertions, random_sparse
from minicrawl.rank.growing_distances import far

OF_DISTANCES = [name for name, one in ALGORITHMS.items() if one.problem == DISTANCES]


@pytest.mark.parametrize("name", OF_DISTANCES)
def test_distances_are_right_after_every_batch(sequence: Insertions, name: str) -> None:
    follower = ALGORITHMS[name].start(sequence, np.int16)
    for start in range(0, len(sequence.links), 7):
        follower.insert(sequence.links[start : start + 7])
        exact = exact_distances(sequence.graph(start + 7), np.int16)
        assert (all_answers(follower, sequence.size) == np.where(exact == far(exact), -1, exact)).all()


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", ["even-gazit", "pages"])
def test_a_distance_takes_so_many_bits(name: str, bits: int) -> None:
    sequence = random_sparse(20, np.random.default_rng(0))
    follower = ALGORITHMS[name].start(sequence, BITS[bits])
    follower.insert(sequence.links)
    assert follower.memory == 20 * 20 * bits // 8
    exact = exact_answers(DISTANCES, sequence.graph(len(sequence.links)))
    assert (all_answers(follower, 20) == exact).all()


def test_a_problem_stands_for_all_its_algorithms() -> None:
    assert list(algorithms_of("strong, bfs,strong")) == ["tarjan", "warshall", "closure", "merging", "bfs"]
    assert set(algorithms_of(",".join(PROBLEMS))) == set(ALGORITHMS)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module with the example of the docs, and classes that lack something."""
    text = (Path(__file__).parents[3] / "docs/graphs.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(class Sets:.*?)```", text, re.DOTALL)
    lacking = (
        "class Idle:\n    problem = 'weak'\n    def insert(self, links): ...\nclass Vague:\n    problem = 'colour'\n"
    )
    (tmp_path / "own_sets.py").write_text(example + lacking, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_sets", raising=False)
    return "own_sets"


def test_example_of_the_docs_finds_what_is_right(own: str) -> None:
    setup = Setup(algorithms_of(f"{own}:Sets,unions"), trials=2, batch=5, validate=True, queries=0.5)
    _, trials = bench("web", lambda trial: random_sparse(30, np.random.default_rng(trial), 1), setup)
    assert [(trial.algorithm, trial.agrees) for trial in trials] == [(f"{own}:Sets", True), ("unions", True)] * 2
    assert trials[0].digest == trials[1].digest != trials[2].digest == trials[3].digest


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nowhere:Sets", "--algorithms nowhere:Sets: No module named 'nowhere'; its folder must be in PYTHONPATH"),
        ("own_sets:Fast", "--algorithms own_sets:Fast: module own_sets has no class 'Fast'; name one of its own"),
        ("own_sets:Idle", "--algorithms own_sets:Idle: it has no method answer; give it one"),
        ("own_sets:Vague", "--algorithms own_sets:Vague: its problem must be one of distances, strong, weak, "
         "biconnected, not 'colour'"),
    ],
)  # fmt: skip
def test_own_algorithm_that_lacks_something_gets_one_sentence(own: str, words: str, message: str) -> None:
    with pytest.raises(SettingError, match=f"^{re.escape(message)}$"):
        algorithms_of(words)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("def __init__(self, size): 1 / 0", "ZeroDivisionError: division by zero, {file}:3"),
        ("def insert(self, links): raise KeyError(3)", "KeyError: 3, {file}:3"),
        ("def insert(self, links): return 'many'", "ValueError: invalid literal for int() with base 10: 'many'"),
        ("def answer(self, some, others): return ['x'] * len(some)", "ValueError: invalid literal for int()"),
        ("def answer(self, some, others): return [10**30] * len(some)", "OverflowError: "),
        ("memory = 'much'", "ValueError: invalid literal for int() with base 10: 'much'"),
        ("1 / 0", "ZeroDivisionError: division by zero, {file}:3"),
        ("def (", "SyntaxError: invalid syntax (failing.py, line 3)"),
    ],
)
def test_own_algorithm_that_fails_gets_one_sentence(own: str, tmp_path: Path, wrong: str, message: str) -> None:
    (tmp_path / "failing.py").write_text(
        f"from {own} import Sets\nclass Failing(Sets):\n    {wrong}\n", encoding="utf-8"
    )
    sys.modules.pop("failing", None)
    importlib.invalidate_caches()
    told = "--algorithms failing:Failing: " + message.format(file=tmp_path / "failing.py")
    with pytest.raises(SettingError, match=re.escape(told)):
        setup = Setup(algorithms_of("failing:Failing"), trials=1)
        bench("web", lambda trial: random_sparse(9, np.random.default_rng(trial), 1), setup)


def test_answers_must_be_as_many_as_the_questions() -> None:
    with pytest.raises(SettingError, match=re.escape("a number for each two pages, shape (3,), not (3, 1)")):
        all_answers(Follower(len, lambda some, others: np.zeros((3, 1)), 0), 3)
