"""Shares in whole units are those of integers without end."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic.units import damped, dampeds

FORWARDED = st.one_of(st.integers(0, 2**62), st.integers(0, 100), st.integers(2**62 - 100, 2**62))


@given(st.lists(FORWARDED, min_size=1))
def test_shares_are_exact_however_large(rows: list[int]) -> None:
    """floor(.85 h) in integers without end, also where 17 h would not fit into 64 bits."""
    expected = [85 * each // 100 for each in rows]
    assert [damped(each) for each in rows] == dampeds(np.array(rows, dtype=np.int64)).tolist() == expected
