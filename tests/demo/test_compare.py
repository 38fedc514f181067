"""How well a crawl did, in numbers that can be counted on one hand."""

import random

from minicrawl.demo.web import mass_curve, masses, pages_until_mass


def test_pages_until_mass_is_the_first_prefix_that_holds_the_share() -> None:
    """In sixteenths, which add up exactly. A page counts once, and what is not a page of the web holds nothing."""
    draw = random.Random(5)
    for _ in range(50):
        truth = {f"page {number}": draw.randrange(4) / 16 for number in range(8)}
        order = draw.choices([*truth, "no page"], k=draw.randrange(12))
        share = draw.randrange(1, 20) / 16
        distinct = list(dict.fromkeys(order))
        held = [sum(truth.get(url, 0.0) for url in distinct[:count]) for count in range(len(distinct) + 1)]
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
