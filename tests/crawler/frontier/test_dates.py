"""Dates of servers: how far they are believed."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.frontier.dates import BELIEVED, after_proof


def test_who_is_wrong_every_other_time_is_never_believed_and_who_is_right_is_soon() -> None:
    belief = 0
    for number in range(100):
        belief = after_proof(belief, is_true=number % 2 == 0)
        assert belief < BELIEVED
    for _ in range(BELIEVED):
        belief = after_proof(belief, is_true=True)
    assert belief >= BELIEVED


@given(st.lists(st.booleans()))
def test_whatever_was_before_a_few_wrong_dates_end_belief_and_a_few_right_ones_bring_it_back(
    proofs: list[bool],
) -> None:
    belief = 0
    for is_true in proofs:
        belief = after_proof(belief, is_true=is_true)
    for _ in range(3):
        belief = after_proof(belief, is_true=False)
    assert belief < BELIEVED
    for _ in range(3):
        belief = after_proof(belief, is_true=True)
    assert belief >= BELIEVED
