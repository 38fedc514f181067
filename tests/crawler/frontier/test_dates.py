"""Dates of servers: how they are read, and how far they are believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.frontier.dates import BELIEVED, after_proof, read_last_modified, read_lastmod

NOON = 1_795_176_000.0
"""2026-11-20 12:00 UTC, in Unix seconds."""

LASTMODS = {
    "2026-11-20T12:00:00Z": NOON,
    "2026-11-20T12:00:00+00:00": NOON,
    "2026-11-20T13:00:00+01:00": NOON,
    "2026-11-20T12:00Z": NOON,
    "2026-11-20T12:00:00.25Z": NOON + 0.25,
    "2026-11-20T12:00:00": NOON,
    "2026-11-20": NOON - 43_200.0,
    " 2026-11-20 ": NOON - 43_200.0,
    "2026": None,
    "2026-11": None,
    "2026-11-31": None,
    "yesterday": None,
    "Fri, 20 Nov 2026 12:00:00 GMT": None,
    "0001-01-01T00:00:00+23:00": -62_135_679_600.0,
    "20261120T12": NOON,
    "": None,
}
LAST_MODIFIED = {
    "Fri, 20 Nov 2026 12:00:00 GMT": NOON,
    "Friday, 20-Nov-26 12:00:00 GMT": NOON,
    "Fri Nov 20 12:00:00 2026": NOON,
    "2026-11-20T12:00:00Z": None,
    "Fri, 20 Nov 99999999999 12:00:00 GMT": None,
    "0": None,
    "": None,
}


@pytest.mark.parametrize(("text", "seconds"), LASTMODS.items(), ids=LASTMODS.keys())
def test_lastmod_is_read(text: str, seconds: float | None) -> None:
    assert read_lastmod(text) == seconds


@pytest.mark.parametrize(("text", "seconds"), LAST_MODIFIED.items(), ids=LAST_MODIFIED.keys())
def test_last_modified_is_read(text: str, seconds: float | None) -> None:
    assert read_last_modified(text) == seconds


@given(st.text())
def test_anything_may_stand_where_a_date_should(text: str) -> None:
    for read in (read_lastmod, read_last_modified):
        found = read(text)
        assert found is None or isinstance(found, float)


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
