"""What links carry by their places: against whole numbers of any size."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opic_webs import csr, pages
from table import each

from minicrawl.opic.surfer import HEAVIEST, REASONABLE, UNIFORM, Shares, Surfer, parse_surfer
from minicrawl.opic.units import sigma

TEXT, LIST, NAVIGATION = range(3)
surfers = st.builds(Surfer, *[st.integers(1, HEAVIEST)] * 3)
several_places = st.lists(st.integers(0, 2), max_size=30)
cash = st.one_of(st.integers(0, 1000), st.integers(0, 2**62))


def as_array(places: Sequence[int]) -> npt.NDArray[np.uint8]:
    return np.array(places, dtype=np.uint8)


def by_hand(surfer: Surfer, passed: int, places: Sequence[int]) -> list[int]:
    """floor(K w / W), in fractions."""
    weights = [(surfer.text, surfer.list, surfer.navigation)[place] for place in places]
    whole = sum(weights)
    return [int(Fraction(passed * weight, whole)) for weight in weights]


@given(surfers, cash, several_places)
@settings(deadline=None, derandomize=True)
def test_links_of_a_page_carry_what_their_places_weigh(surfer, passed, places):
    expected = by_hand(surfer, passed, places)
    sent = surfer.sent(passed, len(places), as_array(places))
    assert np.broadcast_to(sent.each, len(places)).tolist() == expected
    assert sent.in_all == sum(expected)
    assert passed - len(places) < sent.in_all <= passed or not places


@given(surfers, st.lists(st.tuples(cash, several_places), min_size=1, max_size=8))
@settings(deadline=None, derandomize=True)
def test_many_pages_at_once_share_as_each_alone_does(surfer, some):
    """Without an overflow, whatever they pass on."""
    indptr, places = csr([places for _, places in some])
    shares = Shares(surfer, indptr, places.astype(np.uint8))
    sigmas = shares.sigmas(pages(passed for passed, _ in some))
    expected = [by_hand(surfer, *one) for one in some]
    assert shares.each(sigmas).tolist() == [units for row in expected for units in row]
    assert shares.in_all(sigmas).tolist() == [sum(row) for row in expected]


def test_page_of_fifty_thousand_links_of_the_utmost_weights_shares_to_the_unit():
    surfer, places = Surfer(HEAVIEST, HEAVIEST - 1, 1), [at % 3 for at in range(50_000)]
    shares = Shares(surfer, np.array([0, 50_000]), as_array(places))
    for passed in (2**62, 2**62 - 1, 49_999, 33_333_333):
        expected = by_hand(surfer, passed, places)
        assert shares.each(shares.sigmas(pages([passed]))).tolist() == expected
        assert surfer.sent(passed, 50_000, as_array(places)).in_all == sum(expected)


@given(surfers, st.integers(0, 2**62), st.integers(1, 2000), st.integers(0, 2))
@settings(deadline=None, derandomize=True)
def test_links_that_all_stand_alike_carry_what_they_did_to_the_unit(surfer, h, links, place):
    """Wherever that is; and so do those of whose places nothing is known."""
    passed = 17 * h // 20
    alike = surfer.sent(passed, links, np.full(links, place, dtype=np.uint8))
    assert np.broadcast_to(alike.each, links).tolist() == [sigma(h, links)] * links
    assert surfer.sent(passed, links) == UNIFORM.sent(passed, links) == (sigma(h, links), links * sigma(h, links))


@each("text", ["reasonable", "uniform", "text=8,list=2,nav=1", "text=1000,list=1,nav=7", " text=3, list=3 ,nav=3"])
def test_surfer_is_read_and_written(text):
    surfer = parse_surfer(text)
    assert parse_surfer(str(surfer)) == surfer


def test_surfers_have_names():
    assert parse_surfer("reasonable") == parse_surfer("text=8,list=2,nav=1") == REASONABLE
    assert parse_surfer("uniform") == UNIFORM
    assert UNIFORM.is_uniform
    assert Surfer(7, 7, 7).is_uniform
    assert not REASONABLE.is_uniform


@each(
    "text",
    [
        *("", "casual", "text=8", "text=8,list=2", "text=0,list=1,nav=1", "text=1001,list=1,nav=1"),
        *("text=-1,list=1,nav=1", "text=1.5,list=1,nav=1", "list=2,text=8,nav=1", "text=8,list=2,nav=1,foot=1"),
    ],
)
def test_what_is_no_surfer_is_told_with_the_way_out(text):
    with pytest.raises(ValueError, match="is no surfer: say reasonable, uniform, or three whole weights from 1 to "):
        parse_surfer(text)
