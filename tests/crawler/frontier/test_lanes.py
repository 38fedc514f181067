"""The best of what is on offer, replaced and withdrawn at any time."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.frontier.lanes import Offers

STEPS = st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 9)), max_size=400)


@given(STEPS)
def test_best_is_the_least_entry_on_offer(steps: list[tuple[int, int | None]]) -> None:
    offers, expected = Offers(), dict[int, int]()
    for number, entry in steps:
        if entry is None:
            offers.withdraw(number)
            expected.pop(number, None)
        else:
            offers.put(number, entry)
            expected[number] = entry
        best = offers.best()
        assert best == min(((entry, number) for number, entry in expected.items()), default=None)


def test_what_was_replaced_takes_little_room() -> None:
    offers = Offers()
    for entry in range(10_000, 0, -1):
        offers.put(1, entry)
    assert offers.best() == (1, 1)
    assert len(offers) <= 100
