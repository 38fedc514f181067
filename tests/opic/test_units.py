"""Shares in whole units are those of integers without end."""

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.opic.units import damped, sigma

FORWARDED = st.one_of(st.integers(0, 2**62), st.integers(0, 100), st.integers(2**62 - 100, 2**62))


@given(st.lists(st.tuples(FORWARDED, st.integers(0, 10_000)), min_size=1))
def test_shares_are_exact_however_large(rows: list[tuple[int, int]]) -> None:
    """floor(floor(.85 h) / o) in integers without end, also where 17 h would not fit into 64 bits."""
    expected = [(85 * each // 100) // links if links else 0 for each, links in rows]
    assert [sigma(each, links) for each, links in rows] == expected
    assert [damped(each) for each, _ in rows] == [85 * each // 100 for each, _ in rows]
