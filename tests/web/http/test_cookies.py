"""Cookies: RFC 6265 5.1 to 5.4 with its own examples, and the public suffix list."""

import calendar
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.web.http.cookies import LONGEST, Cookie, CookieJar, parse_set_cookie
from minicrawl.web.urls.keys import is_public_suffix, site_of

PARSED_AT = 1_000_000.0
JUNE = float(calendar.timegm((2021, 6, 9, 10, 18, 14)))


def set_cookie(  # noqa: PLR0913 - the attributes of a cookie
    name: str,
    value: str,
    expires: float | None = None,
    domain: str = "",
    path: str = "",
    secure: bool = False,
    http_only: bool = False,
) -> Cookie:
    return Cookie(domain, path, name, value, not domain, secure, http_only, expires, PARSED_AT, PARSED_AT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # RFC 6265 3.1
        ("SID=31d4d96e407aad42", set_cookie("SID", "31d4d96e407aad42")),
        ("SID=31d4; Path=/; Domain=example.com", set_cookie("SID", "31d4", None, "example.com", "/")),
        ("SID=31d4; Path=/; Secure; HttpOnly", set_cookie("SID", "31d4", None, "", "/", True, True)),
        ("lang=en-US; Path=/; Domain=example.com", set_cookie("lang", "en-US", None, "example.com", "/")),
        ("lang=en-US; Expires=Wed, 09 Jun 2021 10:18:14 GMT", set_cookie("lang", "en-US", JUNE)),
        ("lang=; Expires=Sun, 06 Nov 1994 08:49:37 GMT", set_cookie("lang", "", 784111777.0)),
        # 5.2
        ("  a  =  b  ; PATH = /x ; hTTponly", set_cookie("a", "b", None, "", "/x", False, True)),
        ("a=b=c", set_cookie("a", "b=c")),
        ('a="b"', set_cookie("a", '"b"')),
        ("a", None),
        ("=b", None),
        ("", None),
        # 5.2.1, 5.2.2, 5.3 3: Max-Age counts before Expires; what is no time is ignored
        ("a=b; Max-Age=60; Expires=Wed, 09 Jun 2021 10:18:14 GMT", set_cookie("a", "b", PARSED_AT + 60)),
        ("a=b; Max-Age=0", set_cookie("a", "b", 0.0)),
        ("a=b; Max-Age=-5", set_cookie("a", "b", 0.0)),
        ("a=b; Max-Age=1e3", set_cookie("a", "b")),
        ("a=b; Max-Age=6٣", set_cookie("a", "b")),
        ("a=b; Expires=never", set_cookie("a", "b")),
        ("a=b; Max-Age=" + "9" * 900, set_cookie("a", "b", 253402300799.0)),
        ("a=b; Max-Age=-" + "9" * 900, set_cookie("a", "b", 0.0)),
        # 5.2.3, 5.2.4, 5.3: the last attribute of a name counts, a leading dot does not
        ("a=b; Domain=.Example.COM", set_cookie("a", "b", None, "example.com")),
        ("a=b; Domain=x.test; Domain=", set_cookie("a", "b", None, "x.test")),
        ("a=b; Domain=x.test; Domain=y.test", set_cookie("a", "b", None, "y.test")),
        ("a=b; Path=/x; Path=y", set_cookie("a", "b", None, "", "y")),
        ("a=b; Unknown=1; SameSite=Strict; ; Secure=no", set_cookie("a", "b", None, "", "", True)),
        # 6265bis
        ("a=b\x00c", None),
        ("a=b; Path=/\r\nX: y", None),
        ("a=b\tc", set_cookie("a", "b\tc")),
        ("a=" + "b" * LONGEST, None),
        ("a=" + "b" * (LONGEST - 1), set_cookie("a", "b" * (LONGEST - 1))),
        ("a=b; Path=/" + "x" * 1024, set_cookie("a", "b")),
        ("__Secure-a=b", None),
        ("__secure-a=b; Secure", set_cookie("__secure-a", "b", None, "", "", True)),
        ("__Host-a=b; Secure; Path=/", set_cookie("__Host-a", "b", None, "", "/", True)),
        ("__Host-a=b; Secure", None),
        ("__Host-a=b; Secure; Path=/; Domain=a.test", None),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_field_is_read_as_the_rfc_says(text: str, expected: Cookie | None) -> None:
    assert parse_set_cookie(text, PARSED_AT) == expected


@pytest.mark.parametrize("date", [
    "Wed, 09 Jun 2021 10:18:14 GMT", "Wednesday, 09-Jun-21 10:18:14 GMT", "Wed Jun  9 10:18:14 2021",
    "Wed, 09-Jun-2021 10:18:14 GMT", "09 Jun 2021 10:18:14", "Wed",
])  # fmt: skip
def test_a_cookie_ends_at_a_date_as_servers_write_it(date: str) -> None:
    cookie = parse_set_cookie(f"a=b; Expires={date}", PARSED_AT)
    assert cookie is not None
    assert cookie.expires == (None if date == "Wed" else 1623233894)


@given(st.text(alphabet=st.characters(codec="latin-1"), max_size=80))
def test_nothing_that_comes_is_too_strange_to_be_read(text: str) -> None:
    cookie = parse_set_cookie(text, PARSED_AT)
    if cookie is not None:
        assert cookie.name
        assert ";" not in cookie.name + cookie.value
        assert "\n" not in cookie.name + cookie.value


NOW = 2_000_000_000.0
HOME = "https://example.com/"


def jar_of(*answers: tuple[str, str]) -> CookieJar:
    """A jar that took in these fields of these URLs, a second apart."""
    jar = CookieJar()
    for number, (url, field) in enumerate(answers):
        jar.take(url, [field], NOW + number)
    return jar


def test_the_examples_of_the_rfc() -> None:
    """RFC 6265 3.1."""
    jar = jar_of(("http://www.example.com/", "SID=31d4"))
    assert jar.header("http://www.example.com/", NOW) == "SID=31d4"
    assert jar.header("http://example.com/", NOW) is None

    jar = jar_of(("http://www.example.com/", "SID=31d4; Path=/; Domain=example.com"))
    assert jar.header("http://www.example.com/x", NOW) == jar.header("http://example.com/", NOW) == "SID=31d4"

    secure = ("SID=31d4; Path=/; Secure; HttpOnly", "lang=en-US; Path=/; Domain=example.com")
    jar = jar_of(*(("https://www.example.com/", field) for field in secure))
    assert jar.header("https://www.example.com/", NOW) == "SID=31d4; lang=en-US"
    assert jar.header("http://www.example.com/", NOW) == jar.header("http://example.com/", NOW) == "lang=en-US"

    jar.take("https://www.example.com/", ["lang=; Expires=Sun, 06 Nov 1994 08:49:37 GMT"], NOW)
    assert jar.header("https://www.example.com/", NOW) == "SID=31d4; lang=en-US"  # of another domain
    jar.take("https://www.example.com/", ["lang=; Domain=example.com; Expires=Sun, 06 Nov 1994 08:49:37 GMT"], NOW)
    assert jar.header("https://www.example.com/", NOW) == "SID=31d4"


# Who sets it, how, and whether it goes to whom.
GOES = {
    "host-only": ("https://a.test/", "", {"https://a.test/": 1, "https://b.a.test/": 0, "https://test/": 0}),
    "a port is no other host": ("https://a.test:444/", "", {"https://a.test/": 1, "http://a.test:81/": 1}),
    "domain": (
        "https://b.a.test/",
        "Domain=a.test",
        {"https://a.test/": 1, "https://c.b.a.test/": 1, "https://xa.test/": 0, "https://a.test.evil.test/": 0},
    ),
    "a leading dot": ("https://a.test/", "Domain=.a.test", {"https://b.a.test/": 1}),
    "below": ("https://a.test/", "Domain=b.a.test", {"https://a.test/": 0, "https://b.a.test/": 0}),
    "beside": ("https://b.a.test/", "Domain=c.a.test", {"https://b.a.test/": 0, "https://c.a.test/": 0}),
    "elsewhere": ("https://evil.test/", "Domain=a.test", {"https://a.test/": 0, "https://evil.test/": 0}),
    "secure": ("https://a.test/", "Secure", {"https://a.test/": 1, "https://a.test:444/": 1, "http://a.test/": 0}),
    "secure in the clear": ("http://a.test/", "Secure", {"https://a.test/": 0, "http://a.test/": 0}),
    "http-only": ("https://a.test/", "HttpOnly", {"https://a.test/": 1}),
    "path": (
        "https://a.test/",
        "Path=/x",
        {"https://a.test/x": 1, "https://a.test/x/y": 1, "https://a.test/x?y": 1, "https://a.test/xy": 0},
    ),
    "path with a slash": ("https://a.test/", "Path=/x/", {"https://a.test/x/y": 1, "https://a.test/x": 0}),
    "default path": ("https://a.test/x/y?/z/", "", {"https://a.test/x/z": 1, "https://a.test/": 0}),
    "path that is none": ("https://a.test/x/y", "Path=y", {"https://a.test/x/z": 1, "https://a.test/y": 0}),
    "address": ("http://127.0.0.1/", "", {"http://127.0.0.1:81/": 1, "http://1.127.0.0.1.test/": 0}),
    "address as domain": ("http://127.0.0.1/", "Domain=0.0.1", {"http://127.0.0.1/": 0}),
    "its own address": ("http://[::1]/", "Domain=[::1]", {"http://[::1]/": 1}),
    "a name in capitals": ("https://a.test/", "Domain=A.TEST", {"https://b.a.test/": 1}),
    "a name beyond ASCII": ("https://xn--bcher-kva.test/", "Domain=bücher.test", {"https://a.xn--bcher-kva.test/": 1}),
    "a name that is none": ("https://a.test/", "Domain=a%.test", {"https://a.test/": 0}),
    # Public suffixes: 5.3 5. They are listed, private, wildcards, exceptions, or the last label.
    "suffix": ("https://a.co.uk/", "Domain=co.uk", {"https://a.co.uk/": 0, "https://b.co.uk/": 0}),
    "top": ("https://example.com/", "Domain=com", {"https://example.com/": 0, "https://evil.com/": 0}),
    "private suffix": ("https://me.github.io/", "Domain=github.io", {"https://you.github.io/": 0}),
    "below a private suffix": (
        "https://x.me.github.io/",
        "Domain=me.github.io",
        {"https://me.github.io/": 1, "https://you.github.io/": 0},
    ),
    "a suffix": ("https://github.io/", "Domain=github.io", {"https://github.io/": 1, "https://me.github.io/": 0}),
    "wildcard": ("https://a.b.ck/", "Domain=b.ck", {"https://a.b.ck/": 0}),
    "exception": ("https://a.www.ck/", "Domain=www.ck", {"https://www.ck/": 1}),
    "listed by nobody": ("https://a.test/", "Domain=test", {"https://a.test/": 0, "https://b.test/": 0}),
    "one label": ("http://localhost/", "Domain=localhost", {"http://localhost:81/": 1, "http://a.localhost/": 0}),
    "with a dot behind": ("https://a.test./", "Domain=a.test", {"https://a.test./": 0, "https://a.test/": 0}),
}


@pytest.mark.parametrize("case", GOES)
def test_a_cookie_goes_to_whom_it_is_for_and_to_nobody_else(case: str) -> None:
    url, attributes, whom = GOES[case]
    field = "a=b; " + attributes.encode().decode("latin-1" if attributes.isascii() else "utf-8")
    jar = jar_of((url, field))
    assert {to: int(jar.header(to, NOW) == "a=b") for to in whom} == whom
    assert {to: jar.header(to, NOW) for to, goes in whom.items() if not goes} == {
        to: None for to, goes in whom.items() if not goes
    }


def test_longer_paths_come_first_then_older_cookies() -> None:
    """RFC 6265 5.4, 2; an update keeps the age of a cookie, 5.3, 11.3."""
    url = "https://a.test/x/y"
    jar = jar_of(*((url, field) for field in ("a=1; Path=/", "b=2; Path=/x", "c=3; Path=/", "a=4; Path=/")))
    assert jar.header(url, NOW) == "b=2; a=4; c=3"


def test_a_cookie_ends_when_it_says_and_is_deleted_by_a_date_that_is_over() -> None:
    jar = jar_of((HOME, "a=1; Max-Age=10"), (HOME, "b=2"))
    assert jar.header(HOME, NOW + 9) == "a=1; b=2"
    assert jar.header(HOME, NOW + 10) == "b=2"
    assert [cookie.name for cookie in jar] == ["b"]
    jar.take(HOME, ["b=; Max-Age=0"], NOW)
    assert jar.header(HOME, NOW) is None
    assert jar.touched == {("example.com", "/", "a"), ("example.com", "/", "b")}


def test_what_comes_in_the_clear_takes_the_place_of_nothing_secure() -> None:
    """6265bis: who can change what comes in the clear must not log us in as somebody else."""
    jar = jar_of(("https://a.test/", "id=mine; Secure; Domain=a.test"))
    for url, field in [
        ("http://a.test/", "id=evil"),
        ("http://b.a.test/", "id=evil; Domain=a.test"),
        ("http://b.a.test/", "id=evil"),
        ("http://a.test/x/", "id=evil; Path=/x"),
        ("http://a.test/", "id=; Max-Age=0; Domain=a.test"),
    ]:
        jar.take(url, [field], NOW)
    assert jar.header("https://b.a.test/x/y", NOW) == "id=mine"
    assert jar.header("http://b.a.test/x/y", NOW) is None


def test_a_site_cannot_fill_the_jar() -> None:
    jar = CookieJar(most_of_a_site=5, most_characters=200)
    for number in range(20):
        jar.take(HOME, [f"c{number}=1"], NOW + number)
    assert jar.header(HOME, NOW) == "c15=1; c16=1; c17=1; c18=1; c19=1"
    for number in range(10):
        jar.take(f"https://h{number}.test/", ["a=" + "b" * 40], NOW)
    names = [cookie.domain for cookie in jar]
    assert names == ["h6.test", "h7.test", "h8.test", "h9.test"]
    for number in range(6):
        assert jar.header(f"https://h{number}.test/", NOW) is None
    assert jar.header("https://h9.test/", NOW) == "a=" + "b" * 40


def test_no_cookie_leaves_its_registrable_domain() -> None:
    """Whatever hosts set: compared with a look at every cookie, one by one."""
    rng = random.Random(7)
    hosts = ["a.test", "b.a.test", "c.b.a.test", "test", "a.co.uk", "b.co.uk", "co.uk", "me.github.io", "github.io"]
    jar = CookieJar()
    for number in range(400):
        url = f"{rng.choice(['http', 'https'])}://{rng.choice(hosts)}/{rng.choice(['', 'x/', 'x/y'])}"
        attributes = rng.sample([f"Domain={rng.choice(hosts)}", "Secure", f"Path=/{rng.choice(['', 'x'])}"], 2)
        jar.take(url, ["; ".join([f"n{rng.randrange(4)}={site_of(url.split('/')[2])}", *attributes])], NOW + number)
    for cookie in jar:
        assert cookie.host_only or not is_public_suffix(cookie.domain)
    for host in hosts:
        for url in (f"http://{host}/x/", f"https://{host}/x/y"):
            sent = jar.header(url, NOW + 400)
            by_hand = sorted((c for c in jar if c.is_for(url, host)), key=lambda c: (-len(c.path), c.created))
            assert (sent or "") == "; ".join(f"{cookie.name}={cookie.value}" for cookie in by_hand)
            assert {pair.partition("=")[2] for pair in (sent or "").split("; ") if pair} <= {site_of(host)}
