"""The next page: the order of every strategy, and the queue against max()."""

import os
import random
import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.opic_webs import pages

from minicrawl.opic import STRATEGIES, Book, PageQueue
from minicrawl.opic.strategy import Greedy, Random, Strategy, packed, unpacked
from minicrawl.settings.options import STRATEGY_NAMES

NO_JUMPS = np.zeros(0, dtype=np.float32)


class Waiting:
    """Pages that wait with a priority: a queue of them, and the slow way to say whose turn is next."""

    def __init__(self, *, has_cold: bool = False, cold: dict[int, int] | None = None) -> None:
        """has_cold: keep entries of the best pages only; cold: pages that wait from the start, with priorities."""
        self.priorities: dict[int, int] = cold or {}
        self.asked = 0
        numbers = None if cold is None else np.array(list(cold), dtype=np.int64)
        self.queue = PageQueue(self._priority_of, self._waiting_of if has_cold else None, numbers)

    def _waiting_of(self, numbers: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        self.asked += len(numbers)
        waiting = [page for page in numbers.tolist() if page in self.priorities]
        return np.array(waiting, dtype=np.int64), np.array([self.priorities[page] for page in waiting], dtype=np.int64)

    def _priority_of(self, page: int) -> int | None:
        self.asked += 1
        return self.priorities.get(page)

    def add(self, page: int, priority: int) -> None:
        self.priorities[page] = priority
        self.queue.add(page)

    def rise(self, page: int, by: int) -> None:
        self.priorities[page] += by
        self.queue.rise(page, self.priorities[page])

    def rise_together(self, by: dict[int, int]) -> None:
        """As a visit does it: all priorities change first, and pages that stay cold are not moved."""
        for page, amount in by.items():
            self.priorities[page] += amount
        for page in by:
            if self.priorities[page] >= self.queue.least:
                self.queue.rise(page, self.priorities[page])

    def next(self) -> int | None:
        return max(self.priorities, key=lambda page: (self.priorities[page], -page), default=None)

    def pop(self) -> int | None:
        page = self.queue.pop()
        if page is not None:
            self.priorities.pop(page, None)
        return page


def order(strategy: Strategy, book: Book) -> list[int | None]:
    """All pages of a book in the order in which a strategy asks for them."""
    jumps = np.zeros(book.size, dtype=np.float32)
    queue = PageQueue(lambda page: strategy.priority(page, book, jumps))
    each = [strategy.priority(page, book, jumps) for page in range(book.size)]
    assert strategy.priorities(np.arange(book.size), book, jumps).tolist() == each
    for page in range(book.size):
        queue.add(page)
    return [queue.pop() for _ in range(book.size)]


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(-(2**63), 2**62))))
def test_packed_entries_sort_by_falling_priority_then_rising_page(waiting: list[tuple[int, int]]) -> None:
    """One integer is compared in place of a pair, for any priority, and holds the page."""
    entries = sorted(packed(page, priority) for page, priority in waiting)
    assert [unpacked(entry) for entry in entries] == [
        page for page, _ in sorted(waiting, key=lambda each: (-each[1], each[0]))
    ]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spread", [3, 10**15], ids=["many-ties", "no-ties"])
@pytest.mark.parametrize("loaded", [None, 0, 400], ids=["all-hot", "cold", "loaded"])
def test_queue_agrees_with_max(seed: int, spread: int, loaded: int | None) -> None:
    """However pages are added and rise, the next one is max() of those that wait; ties by page number."""
    draw = random.Random(seed)
    pages = 80 if loaded is None else 400
    cold = {page: draw.randrange(-spread, spread) for page in range(loaded)} if loaded else None
    waiting = Waiting(has_cold=loaded is not None, cold=cold)
    for _ in range(1500):
        deed = draw.random()
        if deed < (0.25 if loaded is None else 0.4):
            page = draw.randrange(pages)
            if page not in waiting.priorities:
                waiting.add(page, draw.randrange(-spread, spread))
        elif deed < 0.7 and waiting.priorities:
            waiting.rise(draw.choice(sorted(waiting.priorities)), draw.randrange(0, spread))
        elif deed < 0.75 and waiting.priorities:
            some = draw.choices(sorted(waiting.priorities), k=20)
            waiting.rise_together({page: draw.randrange(0, spread) for page in some})
        else:
            expected = waiting.next()
            peeked = waiting.queue.peek()
            assert (None if peeked is None else unpacked(peeked)) == expected
            assert waiting.pop() == expected
        assert waiting.queue.waiting == len(waiting.priorities)
    while waiting.priorities:
        expected = waiting.next()
        assert waiting.pop() == expected
    assert waiting.pop() is None


def test_queue_keeps_few_entries_and_looks_at_a_page_few_times_however_many_wait() -> None:
    waiting = Waiting(has_cold=True, cold=dict.fromkeys(range(4000), 7))
    draw = random.Random(0)
    longest = coldest = 0
    for page in range(4000, 12_000):
        waiting.add(page, draw.randrange(20))
        waiting.rise(draw.choice((page, page // 2)), 1) if page // 2 in waiting.priorities else None
        waiting.pop()
        longest = max(longest, len(waiting.queue._entries))
        coldest = max(coldest, len(waiting.queue._cold))
    assert longest <= 32 + 2 * 4000 // 16 + 1
    assert coldest <= 32 + 2 * 4001
    assert waiting.asked <= 30 * 8000


def test_pages_that_rise_together_are_not_lost_when_the_queue_is_cut_on_the_way() -> None:
    """Some are not told of yet then, so that no entry of theirs holds."""
    waiting = Waiting(has_cold=True)
    for page in range(30):
        waiting.add(page, 1000)
    for page in range(30, 48):
        waiting.add(page, 1)
    waiting.rise_together(dict.fromkeys(range(30, 48), 1))
    assert [waiting.pop() for _ in range(49)] == [*range(48), None]


def test_names_are_those_a_user_may_ask_for() -> None:
    assert tuple(STRATEGIES) == STRATEGY_NAMES


def known(n: int) -> Book:
    book = Book()
    book.discover(n)
    return book


def test_greedy_counts_what_the_virtual_page_would_pay() -> None:
    book = known(3)
    book.visit(0, pages([1]))
    jumps = np.array([0, 0, 2**30], dtype=np.float32)
    assert Greedy().priorities(np.arange(3), book, jumps).argmax() == 2
    assert Greedy().priority(2, book, jumps) == 2**30


def test_greedy_follows_a_credit() -> None:
    """Cash received moves a page up, cash taken back moves it down."""
    book = known(4)
    book.visit(0, pages([2]))
    assert order(Greedy(), book)[:1] == [2]
    book.visit(0, pages([3]), old=pages([2]))
    assert order(Greedy(), book)[:1] == [3]


def test_breadth_first_asks_for_the_page_known_longest() -> None:
    book = known(3)
    book.visit(0, pages([2]))
    assert order(Strategy(), book) == [0, 1, 2]


def test_only_greedy_strategies_follow_cash() -> None:
    """A page of another strategy keeps its place when it is given cash."""
    jumps = np.zeros(3, dtype=np.float32)
    assert {name for name, strategy in STRATEGIES.items() if strategy.follows_cash} == {"greedy"}
    for name in ("random", "cycle", "breadth-first"):
        book = known(3)
        before = [STRATEGIES[name].priority(page, book, jumps) for page in (1, 2)]
        book.visit(0, pages([1, 2]))
        assert [STRATEGIES[name].priority(page, book, jumps) for page in (1, 2)] == before


def test_random_draws_the_same_in_another_process() -> None:
    """A restarted crawl goes on with the same order, whatever hashing of strings that process uses."""
    script = (
        "from minicrawl.opic import Book, STRATEGIES as s\n"
        "b = Book(); b.discover(20)\n"
        "import sys; sys.stdout.write(str([s['random'].priority(p, b, None) for p in range(20)]))"
    )
    drawn = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert drawn == str([Random().priority(page, known(20), NO_JUMPS) for page in range(20)])


def test_random_favours_no_page() -> None:
    """Over 4000 seeds each of 8 pages is first 500 times, give or take five standard deviations."""
    book = known(8)
    first = [max(range(8), key=lambda page: Random(seed).priority(page, book, NO_JUMPS)) for seed in range(4000)]
    counts = np.bincount(first, minlength=8)
    assert np.all(np.abs(counts - 500) < 5 * np.sqrt(4000 * (1 / 8) * (7 / 8)))
