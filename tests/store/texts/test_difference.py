"""Differences of texts, against a slow and obvious method, and of hostile texts."""

import random
from collections import Counter
from itertools import combinations

import pytest
from support.effort import growth

from minicrawl.store.texts.difference import CAME, MOVED, WENT, Line, difference


def signed(lines: list[Line], sign: str) -> list[str]:
    return [line.text for line in lines if line.sign == sign]


def fewest_moves(before: list[str], after: list[str]) -> int:
    """The least number of blocks to take out of both so that the others have the same order."""
    common = [block for block in before if block in after]
    for moved in range(len(common) + 1):
        for stay in combinations(common, len(common) - moved):
            if [block for block in after if block in stay] == list(stay):
                return moved
    raise AssertionError


def test_blocks_that_differ_turn_one_text_into_the_other() -> None:
    rng = random.Random(7)
    for _ in range(400):
        before, after = ([rng.choice("abcdefgh") for _ in range(rng.randrange(9))] for _ in range(2))
        lines = difference(before, after)
        came, went = (Counter(signed(lines, sign)) for sign in (CAME, WENT))
        assert Counter(before) - went + came == Counter(after)
        assert not went & came


def test_as_few_blocks_as_possible_have_moved() -> None:
    rng = random.Random(8)
    for _ in range(200):
        before, after = (rng.sample("abcdefg", rng.randrange(8)) for _ in range(2))
        assert len(signed(difference(before, after), MOVED)) == fewest_moves(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["x"] * 100_000, ["x"] * 50_000 + ["y"] + ["x"] * 50_000),
        ([str(number) for number in range(100_000)], [str(number) for number in reversed(range(100_000))]),
        ([f"a b c {number}" for number in range(50_000)], [f"a b c d{number}" for number in range(50_000)]),
        ([" ".join(f"{number % 7} a" for number in range(99))] * 5_000, ["b a " * 99] * 5_000),
    ],
    ids=["equal", "reversed", "edited", "long"],
)
def test_hostile_texts_take_a_bounded_time(before: list[str], after: list[str]) -> None:
    """Of the first 10,000 blocks, n log n for n of them."""
    assert len(difference(before, after)) <= 20_000
    assert growth(lambda blocks: difference(before[:blocks], after[:blocks]), len(before[:10_000]) // 10) < 1.5
