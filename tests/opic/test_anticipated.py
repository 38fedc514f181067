"""Cash that a waiting page can be expected to get."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic import GRANT, TOTAL
from minicrawl.opic.anticipated import ACROSS, TRUST, UNSEEN, key, rate

amounts = st.integers(0, TOTAL // 16)


def test_page_gets_of_what_waits_on_its_host_as_it_got_of_what_was_spent_there() -> None:
    share = rate(300, 100, 100, 2 * UNSEEN)
    assert share == 3.0 * 2 / 3
    assert key(GRANT + 10, 0, share) == GRANT + 10 + 20


def test_what_other_sites_sent_is_expected_again_and_no_part_of_what_the_own_one_sent() -> None:
    assert key(GRANT + 10, 7, 2.0) == GRANT + 10 + 2 * 3 + ACROSS * 7


def test_host_is_trusted_by_the_part_of_what_it_spent_that_came_from_elsewhere() -> None:
    spent = 1000 * TRUST
    trusted = rate(8, spent, 1000, 50)
    assert rate(8, spent, 500, 50) == trusted / 2
    assert rate(8, spent, 0, 50) == 0.0
    assert rate(8, spent, spent, 50) == trusted


def test_host_that_has_spent_nothing_is_expected_to_send_nothing() -> None:
    assert rate(8, 0, 8, 0) == 0.0


@given(cash=amounts, brought=amounts, rates=st.floats(0, 1e30))
def test_key_is_never_below_what_is_certain_and_fits_64_bits(cash: int, brought: int, rates: float) -> None:
    found = key(cash, brought, rates)
    assert cash + ACROSS * brought <= found < 2**63
