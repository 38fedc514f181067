"""Fields of an answer that say something of its body and its page.

Retry-After: RFC 9110 10.2.3, dates in the three forms of 5.6.7.
"""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.model import Fetched
from minicrawl.web.http.response_fields import (
    LONGEST_REST,
    LONGEST_VALIDATOR,
    SNIFFED,
    ResponseFields,
    Validators,
    asked_rest,
    http_date,
    media_type,
    type_inside,
    type_sniffed,
    unpacked,
)


def test_fields_of_one_name_are_one_list_in_their_order() -> None:
    head = ResponseFields([(b"X-Robots-Tag", b"a"), (b"Other", b"x"), (b"x-robots-tag", b"b\xe9")])
    assert head.joined(b"x-robots-tag", "\n") == "a\nbé"
    assert head.joined(b"missing") is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([(b"Content-Type", b"text/html")], None),
        ([(b"CONTENT-USAGE", b"train-ai=n")], "Content-Usage: train-ai=n"),
        ([(b"content-usage", b"a"), (b"x", b""), (b"Content-Usage", b"b")], "Content-Usage: a, b"),
        (
            [(b"content-signal", b"a=no"), (b"x", b"1"), (b"content-usage", b"b=n")],
            "Content-Usage: b=n\nContent-Signal: a=no",
        ),
        ([(b"Content-Usage", b"")], None),
        ([(b"Content-Usage", b"n" * 1_000)], "Content-Usage: " + "n" * 1_000),
        ([(b"Content-Usage", b"n" * 1_001)], None),
        ([(b"Content-Usage", b"n" * 999), (b"content-usage", b"n")], None),
        ([(b"Content-Usage", b"\xe9\0")], "Content-Usage: é\0"),
    ],
)
def test_fields_on_the_use_of_a_page(fields: list[tuple[bytes, bytes]], expected: str | None) -> None:
    assert ResponseFields(fields).on_use == expected


def test_validator_goes_back_byte_for_byte() -> None:
    head = ResponseFields([(b"ETag", b'"\xff"'), (b"Last-Modified", b"x" * (LONGEST_VALIDATOR + 1))])
    found = head.validator(b"etag")
    assert found is not None
    assert found.encode("latin-1") == b'"\xff"'
    assert head.validator(b"last-modified") is None


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


NOW = 784111777.0  # the moment of the RFC's own example, Sun, 06 Nov 1994 08:49:37 GMT
DAY = 24 * 3600


def rest(retry_after: str | None, status: int | None = 503) -> float:
    return asked_rest(Fetched("http://h.test/", status=status, retry_after=retry_after), NOW)


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        pytest.param("120", 120.0, id="seconds"),
        pytest.param(" 120 ", 120.0, id="white space"),
        pytest.param("007", 7.0, id="leading zeros"),
        pytest.param(str(DAY), DAY, id="a day"),
        pytest.param(str(7 * DAY), 7 * DAY, id="a week"),
        pytest.param(str(7 * DAY + 1), 0.0, id="more than a week"),
        pytest.param(str(8 * DAY), 0.0, id="eight days"),
        pytest.param("Mon, 07 Nov 1994 08:49:37 GMT", DAY, id="IMF-fixdate in a day"),
        pytest.param("Monday, 07-Nov-94 08:49:37 GMT", DAY, id="RFC 850 date in a day"),
        pytest.param("Mon Nov  7 08:49:37 1994", DAY, id="asctime date in a day"),
        pytest.param("Mon, 14 Nov 1994 08:49:37 GMT", 0.0, id="date in eight days"),
        pytest.param("Sun, 06 Nov 1994 08:51:37 GMT", 120.0, id="IMF-fixdate"),
        pytest.param("Sun, 06 Nov 1994 09:51:37 +0100", 120.0, id="another time zone"),
        pytest.param(None, 0.0, id="none"),
        pytest.param("", 0.0, id="empty"),
        pytest.param("0", 0.0, id="zero"),
        pytest.param("1.5", 0.0, id="fraction"),
        pytest.param("-5", 0.0, id="negative"),
        pytest.param("3, 5", 0.0, id="two numbers"),
        pytest.param("²", 0.0, id="superscript"),
        pytest.param("٣", 0.0, id="other digits"),
        pytest.param(str(31 * DAY), 0.0, id="absurd"),
        pytest.param("9" * 10_000, 0.0, id="beyond an int"),
        pytest.param("Sun, 06 Nov 1994 08:49:37 GMT", 0.0, id="now"),
        pytest.param("Sun, 06 Nov 1994 08:49:36 GMT", 0.0, id="date that is over"),
        pytest.param("Fri, 31 Dec 9999 23:59:59 GMT", 0.0, id="absurd date"),
        pytest.param("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", 0.0, id="year beyond any calendar"),
        pytest.param("Mon, 01 Jan 2020 00:00:00 +999999999999999999", 0.0, id="zone beyond any clock"),
        pytest.param("Sun, 31 Feb 1995 08:49:37 GMT", 0.0, id="date that does not exist"),
    ],
)
@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_rest_is_what_is_asked_for_up_to_a_week(status: int, retry_after: str | None, seconds: float) -> None:
    assert rest(retry_after, status) == seconds


@pytest.mark.parametrize("status", [*range(400, 404), *range(405, 410), *range(411, 600), 999])
def test_a_host_may_ask_for_a_rest_with_any_failure(status: int) -> None:
    assert rest("120", status) == 120.0


@pytest.mark.parametrize("status", [None, 200, 202, 301, 304, 404, 410])
def test_what_is_there_elsewhere_or_not_at_all_asks_for_no_rest(status: int | None) -> None:
    assert rest("120", status) == 0.0


@pytest.mark.parametrize(
    ("values", "seconds"),
    [(["120"], 120.0), (["120"] * 2, 120.0), (["Sun, 06 Nov 1994 08:51:37 GMT"] * 2, 120.0), (["3", "5"], 0.0)],
)
def test_several_fields_that_ask_for_a_rest_have_to_agree(values: list[str], seconds: float) -> None:
    assert rest(ResponseFields([(b"Retry-After", value.encode()) for value in values]).retry_after) == seconds


EIGHT, TEN = (f"Sun, 06 Nov 1994 {hour}:49:37 GMT" for hour in ("08", "10"))


@pytest.mark.parametrize(
    ("retry_after", "told", "seconds"),
    [
        pytest.param("Sun, 06 Nov 1994 10:50:37 GMT", TEN, 60.0, id="clock two hours ahead"),
        pytest.param("Sun, 06 Nov 1994 07:00:00 GMT", "Sun Nov  6 06:30:00 1994", 1800.0, id="clock behind"),
        pytest.param(TEN, TEN, 0.0, id="now"),
        pytest.param(EIGHT, TEN, 0.0, id="over"),
        pytest.param("120", TEN, 120.0, id="seconds need no clock"),
        pytest.param("Sun, 06 Nov 1994 08:51:37 GMT", None, 120.0, id="no Date"),
        pytest.param("Sun, 06 Nov 1994 08:51:37 GMT", "today", 120.0, id="no date in Date"),
        pytest.param("Sun, 06 Nov 1994 10:51:37 GMT", f"{TEN}, {TEN}", 120.0, id="the same Date twice"),
    ],
)
def test_a_date_is_read_by_the_clock_that_has_told_it(retry_after: str, told: str | None, seconds: float) -> None:
    fields = [(b"Retry-After", retry_after.encode()), *([(b"Date", told.encode())] if told else [])]
    assert rest(ResponseFields(fields).retry_after) == seconds
    assert ResponseFields(fields[1:]).retry_after is None


@given(st.floats(min_value=1, max_value=LONGEST_REST))
def test_a_date_and_a_number_ask_for_the_same(seconds: float) -> None:
    assert rest(formatdate(NOW + int(seconds), usegmt=True)) == rest(str(int(seconds))) == int(seconds)


PIECES = ["Sun", ", ", "06", " ", "Nov", "-", "1994", "94", "08:51:37", "GMT", "+9999", "(", "9" * 20, "Jan", "\0", "é"]


@given(st.text(max_size=30) | st.lists(st.sampled_from(PIECES), max_size=10).map("".join))
def test_nothing_is_too_strange_to_be_read(retry_after: str) -> None:
    assert 0.0 <= rest(retry_after) <= LONGEST_REST


# Validators come out of their packed form byte for byte, whatever they are.


DATE = "Sat, 21 Nov 2026 08:00:00 GMT"

any_text = st.text(st.characters(min_codepoint=1, max_codepoint=0xFF), min_size=1, max_size=LONGEST_VALIDATOR)


@given(st.none() | any_text, st.none() | any_text)
def test_validators_are_unpacked_as_they_came(etag: str | None, last_modified: str | None) -> None:
    validators = Validators(etag, last_modified)
    packed = validators.packed()
    assert unpacked(packed) == validators
    assert (packed is None) == (validators == Validators())


def test_only_a_complete_page_has_any_and_what_no_server_can_have_sent_is_dropped() -> None:
    page = Fetched("http://a.test/", status=200, etag='"v"', last_modified="")
    assert Validators.of(page) == Validators('"v"', None)
    assert Validators.of(page._replace(truncated=True)) == Validators()
    assert Validators.of(page._replace(status=301)) == Validators()
    assert Validators('"\u20ac"', DATE).packed() is None


# The type of a body by its header or first bytes. In requests: test_replies.py.


def test_header_without_type_is_html() -> None:
    assert media_type(None) == media_type("Text/HTML ; charset=x") == "text/html"


def test_no_byte_further_on_is_looked_at() -> None:
    assert type_sniffed(b"x" * (SNIFFED - 1) + b"\0") == "application/octet-stream"
    assert type_sniffed(b"x" * SNIFFED + b"\0") == "text/plain"
    assert type_sniffed(b"\n<TITLE>") == "text/html"
    assert type_sniffed(b"<titles>") == "text/plain"
    assert type_sniffed(b"%PDF-1.4\n\0") == "application/pdf"
    assert type_sniffed(b" %PDF-1.4") == "text/plain"


XHTML = b'<html lang="en" xmlns="http://www.w3.org/1999/xhtml">'
DOCTYPE = (
    b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
)


@pytest.mark.parametrize(
    "before", [b"", b"\xef\xbb\xbf", b"<?xml version='1.0'?>\n", b"<?xml version='1.0'?><!-- <rss> -->" + DOCTYPE]
)
@pytest.mark.parametrize("kind", ["text/xml", "application/xml", "Application/XML; charset=koi8-r"])
def test_xml_with_a_root_of_xhtml_is_xhtml(before: bytes, kind: str) -> None:
    _, semicolon, parameters = kind.partition(";")
    assert type_inside(kind, before + XHTML) == f"application/xhtml+xml{semicolon}{parameters}"


@pytest.mark.parametrize("body", [b"<rss>", b"<html>", b"<!--" + XHTML + b"--><rss>", b" " * SNIFFED + XHTML])
def test_other_xml_stays_what_it_is(body: bytes) -> None:
    assert type_inside("text/xml", body) == "text/xml"


def test_xml_that_is_not_declared_is_sniffed() -> None:
    assert type_inside(None, b"<?xml version='1.0'?>" + XHTML) == "application/xhtml+xml"
    assert type_inside(None, b"<?xml version='1.0'?><rss>") == "text/xml"
