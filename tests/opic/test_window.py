"""The interpolated window on numbers worked out by hand, and against a diary of all visits."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from support.opic_webs import csr, pages, random_web

from minicrawl.opic import Book
from minicrawl.opic.units import all_interpolated, interpolated

CASES = [
    pytest.param(100, 10, 0, 100, 110.0, id="nothing-elapsed"),
    pytest.param(100, 10, 25, 100, 85.0, id="a-quarter-of-the-past-falls-out"),
    pytest.param(100, 10, 99, 100, 11.0, id="almost-all"),
    pytest.param(100, 10, 100, 100, 10.0, id="exactly-the-window"),
    pytest.param(100, 10, 400, 100, 2.5, id="cash-gathered-over-four-windows"),
    pytest.param(0, 10, 30, 100, 10.0, id="no-past"),
    pytest.param(100, 0, 25, 100, 75.0, id="no-cash"),
    pytest.param(100, -10, 25, 100, 65.0, id="cash-taken-back"),
]


@pytest.mark.parametrize(("past", "cash", "elapsed", "size", "expected"), CASES)
def test_interpolation_on_hand_computed_numbers(past: int, cash: int, elapsed: int, size: int, expected: float) -> None:
    """h (T - elapsed) / T + c within the window, c T / elapsed beyond it."""
    assert interpolated(past, cash, elapsed, size) == pytest.approx(expected, rel=1e-15)
    at_once = all_interpolated(np.array([past, past]), np.array([cash, cash]), np.array([elapsed, elapsed]), size)
    assert at_once == pytest.approx([expected, expected], rel=1e-15)


def test_interpolation_is_continuous_where_the_window_ends() -> None:
    just_before = interpolated(77.0, 5.0, math.nextafter(100, 0), 100.0)
    assert just_before == pytest.approx(interpolated(77.0, 5.0, 100.0, 100.0), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_history_of_a_book_is_that_of_a_diary(seed: int) -> None:
    """Visits one by one, with links that vanish, and many at once: each enters with what it spent, or took back."""
    draw = random.Random(seed)
    n = 12
    web, book = random_web(draw, n, 0.3), Book()
    book.discover(n)
    history, last, clock = [Fraction(0)] * n, [Fraction(0)] * n, Fraction(0)
    window = Fraction(8 * n * 2**24)

    def note(spent: dict[int, int]) -> None:
        nonlocal clock
        for page, cash in spent.items():
            elapsed = clock - last[page]
            past = history[page] * (window - elapsed) / window + cash
            history[page] = max(past if elapsed < window else cash * window / elapsed, Fraction(0))
        clock += sum(max(cash, 0) for cash in spent.values())
        last.__setitem__(slice(None), [clock if page in spent else at for page, at in enumerate(last)])

    links: dict[int, list[int]] = {}
    for step in range(300):
        if step % 10 == 9 and links:
            read = sorted(links)
            note(dict(zip(read, book.cash_of(pages(read)).tolist(), strict=True)))
            book.visit_many(pages(read), *csr([links[page] for page in read]))
            continue
        page = draw.randrange(n)
        now = web[page] if draw.random() < 0.7 else draw.sample([other for other in range(n) if other != page], 3)
        note({page: int(book.cash_of(pages([page]))[0])})
        book.visit(page, pages(now), old=pages(links.get(page, [])))
        links[page] = list(now)
    assert book.clock == float(clock)
    assert book.history[:n] == pytest.approx([float(one) for one in history], abs=300)
