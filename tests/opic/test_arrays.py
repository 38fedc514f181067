"""Columns grow, and are gone through in slices, as if they were one; units beside them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic.arrays import flagged, grown, slices
from minicrawl.opic.units import damped, dampeds


@pytest.mark.parametrize("size", [0, 1, 7, 8, 20])
def test_slices_are_all_rows_in_order(size: int) -> None:
    rows = [row for some in slices(size, 7) for row in range(size)[some]]
    assert rows == list(range(size))
    assert all(some.stop - some.start <= 7 for some in slices(size, 7))


def test_flagged_pages_are_those_with_a_flag() -> None:
    flags = np.random.default_rng(0).random(1000) < 0.3
    assert flagged(flags).tolist() == np.flatnonzero(flags).tolist()
    assert flagged(np.zeros(0, dtype=np.bool_)).tolist() == []


def test_column_grows_to_twice_its_length_and_keeps_what_it_has() -> None:
    column = np.arange(100)
    assert grown(column, 100) is column
    longer = grown(column, 101)
    assert len(longer) == 200
    assert longer[:100].tolist() == list(range(100))
    assert not longer[100:].any()
    assert len(grown(column, 1000)) == 1000


FORWARDED = st.one_of(st.integers(0, 2**62), st.integers(0, 100), st.integers(2**62 - 100, 2**62))


@given(st.lists(FORWARDED, min_size=1))
def test_shares_are_exact_however_large(rows: list[int]) -> None:
    """floor(.85 h) in integers without end, also where 17 h would not fit into 64 bits."""
    expected = [85 * each // 100 for each in rows]
    assert [damped(each) for each in rows] == dampeds(np.array(rows, dtype=np.int64)).tolist() == expected
