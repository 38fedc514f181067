"""What Set-Cookie says: RFC 6265 5.1.1 and 5.2, its own examples among them."""

import calendar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.http.logins.set_cookie import LONGEST, SetCookie, parse_date, parse_set_cookie

NOW = 1_000_000.0
JUNE = float(calendar.timegm((2021, 6, 9, 10, 18, 14)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # RFC 6265 3.1
        ("SID=31d4d96e407aad42", SetCookie("SID", "31d4d96e407aad42")),
        ("SID=31d4; Path=/; Domain=example.com", SetCookie("SID", "31d4", None, "example.com", "/")),
        ("SID=31d4; Path=/; Secure; HttpOnly", SetCookie("SID", "31d4", None, "", "/", True, True)),
        ("lang=en-US; Path=/; Domain=example.com", SetCookie("lang", "en-US", None, "example.com", "/")),
        ("lang=en-US; Expires=Wed, 09 Jun 2021 10:18:14 GMT", SetCookie("lang", "en-US", JUNE)),
        ("lang=; Expires=Sun, 06 Nov 1994 08:49:37 GMT", SetCookie("lang", "", 784111777.0)),
        # 5.2
        ("  a  =  b  ; PATH = /x ; hTTponly", SetCookie("a", "b", None, "", "/x", False, True)),
        ("a=b=c", SetCookie("a", "b=c")),
        ('a="b"', SetCookie("a", '"b"')),
        ("a", None),
        ("=b", None),
        ("", None),
        # 5.2.1, 5.2.2, 5.3 3: Max-Age counts before Expires; what is no time is ignored
        ("a=b; Max-Age=60; Expires=Wed, 09 Jun 2021 10:18:14 GMT", SetCookie("a", "b", NOW + 60)),
        ("a=b; Max-Age=0", SetCookie("a", "b", 0.0)),
        ("a=b; Max-Age=-5", SetCookie("a", "b", 0.0)),
        ("a=b; Max-Age=1e3", SetCookie("a", "b")),
        ("a=b; Max-Age=6٣", SetCookie("a", "b")),
        ("a=b; Expires=never", SetCookie("a", "b")),
        ("a=b; Max-Age=" + "9" * 900, SetCookie("a", "b", 253402300799.0)),
        ("a=b; Max-Age=-" + "9" * 900, SetCookie("a", "b", 0.0)),
        # 5.2.3, 5.2.4, 5.3: the last attribute of a name counts, a leading dot does not
        ("a=b; Domain=.Example.COM", SetCookie("a", "b", None, "example.com")),
        ("a=b; Domain=x.test; Domain=", SetCookie("a", "b", None, "x.test")),
        ("a=b; Domain=x.test; Domain=y.test", SetCookie("a", "b", None, "y.test")),
        ("a=b; Path=/x; Path=y", SetCookie("a", "b", None, "", "y")),
        ("a=b; Unknown=1; SameSite=Strict; ; Secure=no", SetCookie("a", "b", None, "", "", True)),
        # 6265bis
        ("a=b\x00c", None),
        ("a=b; Path=/\r\nX: y", None),
        ("a=b\tc", SetCookie("a", "b\tc")),
        ("a=" + "b" * LONGEST, None),
        ("a=" + "b" * (LONGEST - 1), SetCookie("a", "b" * (LONGEST - 1))),
        ("a=b; Path=/" + "x" * 1024, SetCookie("a", "b")),
        ("__Secure-a=b", None),
        ("__secure-a=b; Secure", SetCookie("__secure-a", "b", None, "", "", True)),
        ("__Host-a=b; Secure; Path=/", SetCookie("__Host-a", "b", None, "", "/", True)),
        ("__Host-a=b; Secure", None),
        ("__Host-a=b; Secure; Path=/; Domain=a.test", None),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_field_is_read_as_the_rfc_says(text: str, expected: SetCookie | None) -> None:
    assert parse_set_cookie(text, NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Wed, 09 Jun 2021 10:18:14 GMT",
        "Wednesday, 09-Jun-21 10:18:14 GMT",
        "Wed Jun  9 10:18:14 2021",
        "09 Jun 2021 10:18:14 +0500",
        "2021 9 10:18:14 june".replace("2021 9", "9 2021"),
        "10:18:14 9 JUNI 21",
        "Wed;09_Jun_2021_10:18:14x".replace("_", "/"),
    ],
)
def test_a_date_is_read_in_any_form(text: str) -> None:
    assert parse_date(text) == JUNE


@pytest.mark.parametrize(
    "text",
    [
        *("", "Wed", "09 Jun 2021", "09 2021 10:18:14", "Jun 2021 10:18", "32 Jun 2021 10:18:14"),
        *("30 Feb 2021 10:18:14", "9 Jun 1600 10:18:14", "9 Jun 2021 24:00:00", "9 Jun 2021 10:60:00"),
        *("9 Jun 2021 10:18:60", "009 Jun 2021 1:1:1", "9 Jun 20211 10:18:14"),
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(("year", "meant"), [("69", 2069), ("70", 1970), ("99", 1999), ("00", 2000), ("1994", 1994)])
def test_years_of_two_digits_are_of_this_century_or_the_last(year: str, meant: int) -> None:
    assert parse_date(f"1 Jan {year} 00:00:00") == calendar.timegm((meant, 1, 1, 0, 0, 0))


@given(st.text(alphabet=st.characters(codec="latin-1"), max_size=80))
def test_nothing_that_comes_is_too_strange_to_be_read(text: str) -> None:
    cookie = parse_set_cookie(text, NOW)
    if cookie is not None:
        assert cookie.name
        assert ";" not in cookie.name + cookie.value
        assert "\n" not in cookie.name + cookie.value
