"""What a waiting page can be expected to get."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic import TOTAL
from minicrawl.opic.anticipated import ACROSS, UNSEEN, anticipated, has_fallen

amounts = st.integers(0, TOTAL // 8)


def test_page_gets_of_what_waits_on_its_host_as_it_got_of_what_was_spent_there() -> None:
    visits = 2 * UNSEEN
    assert anticipated(10, 25, 0, 310, 100, visits) == 10 + 300 * 25 // 100 * 2 // 3


def test_what_other_hosts_sent_is_expected_again() -> None:
    assert anticipated(10, 0, 7, 10, 0, 0) == 10 + ACROSS * 7


@given(cash=amounts, own=amounts, others=amounts, rest=amounts, visits=st.integers(1, 10**9))
def test_key_is_never_below_the_cash_nor_above_what_there_is_to_get(
    cash: int, own: int, others: int, rest: int, visits: int
) -> None:
    key = anticipated(cash, own, others, cash + rest, max(own, 1), visits)
    certain = cash + ACROSS * others
    assert 0 <= key - certain <= rest * (1 + 1e-9) + 1


@given(key=st.integers(1, TOTAL))
def test_page_has_fallen_only_by_more_than_half_a_percent(key: int) -> None:
    assert not has_fallen(key, key)
    assert not has_fallen(key - key // 200, key)
    assert has_fallen(key - key // 200 - 1, key)
