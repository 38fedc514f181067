"""How well a crawl did, in numbers that can be counted on one hand."""

import random

import pytest

from minicrawl.demo.compare import mass_curve, masses, pages_until_mass

TRUTH = {"a": 0.5, "b": 0.25, "c": 0.125, "d": 0.125}


@pytest.mark.parametrize(
    ("order", "share", "needed"),
    [
        ("abcd", 0.5, 1),
        ("abcd", 0.51, 2),
        ("dcba", 0.51, 4),
        ("bcd", 0.5, 3),
        ("bcd", 0.51, None),  # it never held as much
        ("bbba", 0.5, 2),  # a page that was asked for twice counts once
        ("xa", 0.5, 2),  # what is no page of the web takes a turn, and holds nothing
        ("", 0.1, None),
    ],
)
def test_pages_until_mass(order: str, share: float, needed: int | None) -> None:
    assert pages_until_mass(order, TRUTH, share) == needed


def test_pages_until_mass_is_the_first_prefix_that_holds_the_share() -> None:
    """In sixteenths, which add up exactly."""
    draw = random.Random(5)
    for _ in range(50):
        truth = {f"page {number}": draw.randrange(4) / 16 for number in range(8)}
        order = draw.choices(list(truth), k=draw.randrange(12))
        share = draw.randrange(1, 20) / 16
        distinct = list(dict.fromkeys(order))
        held = [sum(truth[url] for url in distinct[:count]) for count in range(len(distinct) + 1)]
        assert pages_until_mass(order, truth, share) == next((n for n, mass in enumerate(held) if mass >= share), None)


def test_all_that_was_fetched_is_needed_for_all_that_it_holds() -> None:
    """To the last digit: tenths do not add up exactly, and in another order to something else."""
    draw = random.Random(5)
    for _ in range(50):
        truth = {f"page {number}": draw.random() for number in range(30)}
        order = draw.sample(list(truth), k=20)
        held = masses(order, truth)
        assert len(held) == 21
        assert pages_until_mass(order, truth, held[-1]) == 20
        assert mass_curve(order, truth, [0.0, 20 / 30, 21 / 30]) == [0.0, held[-1], None]
