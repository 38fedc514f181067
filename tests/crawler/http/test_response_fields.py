"""Fields of an answer that say something of its body and its page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.http.response_fields import LONGEST_VALIDATOR, ResponseFields, http_date


def test_fields_of_one_name_are_one_list_in_their_order() -> None:
    head = ResponseFields([(b"X-Robots-Tag", b"a"), (b"Other", b"x"), (b"x-robots-tag", b"b\xe9")])
    assert head.joined(b"x-robots-tag", "\n") == "a\nbé"
    assert head.joined(b"missing") is None


def test_location_that_is_said_twice_and_differently_is_none() -> None:
    assert ResponseFields([(b"Location", b"/a"), (b"location", b"/a")]).location == "/a"
    assert ResponseFields([(b"Location", b"/a"), (b"location", b"/b")]).location is None
    assert ResponseFields([(b"Location", "/ü".encode()), (b"X", b"\xff")]).location == "/ü"
    assert ResponseFields([(b"Location", b"/\xfc")]).location == "/%FC"


def test_validator_goes_back_byte_for_byte() -> None:
    head = ResponseFields([(b"ETag", b'"\xff"'), (b"Last-Modified", b"x" * (LONGEST_VALIDATOR + 1))])
    found = head.validator(b"etag")
    assert found is not None
    assert found.encode("latin-1") == b'"\xff"'
    assert head.validator(b"last-modified") is None


def test_body_of_no_type_is_text_where_sniffing_is_forbidden() -> None:
    forbidden = (b"X-Content-Type-Options", b"nosniff")
    assert ResponseFields([forbidden]).content_type == "text/plain"
    assert ResponseFields([forbidden, (b"Content-Type", b"text/html")]).content_type == "text/html"
    assert ResponseFields([]).content_type is None


NOON = 1_795_176_000.0
"""2026-11-20 12:00 UTC, in Unix seconds."""

DATES = {
    "Fri, 20 Nov 2026 12:00:00 GMT": NOON,
    "Friday, 20-Nov-26 12:00:00 GMT": NOON,
    "Fri Nov 20 12:00:00 2026": NOON,
    "2026-11-20T12:00:00Z": None,
    "Fri, 20 Nov 99999999999 12:00:00 GMT": None,
    "0": None,
    "": None,
}


@pytest.mark.parametrize(("text", "seconds"), DATES.items(), ids=DATES.keys())
def test_a_date_is_read(text: str, seconds: float | None) -> None:
    assert http_date(text) == seconds


@given(st.text())
def test_anything_may_stand_where_a_date_should(text: str) -> None:
    found = http_date(text)
    assert found is None or isinstance(found, float)
