"""URLs as the WHATWG standard reads them, in the one spelling minicrawl knows a page under."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minicrawl.crawl.urls import authority, base_url, hostname, normalise, origin, site

SPELLINGS = {
    "scheme-case": ("HTTP://h.test/", "http://h.test/"),
    "host-case": ("http://EXAMPLE.Test/Path", "http://example.test/Path"),
    "default-port-http": ("http://h.test:80/", "http://h.test/"),
    "default-port-https": ("https://h.test:443/", "https://h.test/"),
    "other-port": ("http://h.test:8080/", "http://h.test:8080/"),
    "other-scheme's-port": ("https://h.test:80/", "https://h.test:80/"),
    "port-with-zeros": ("http://h.test:00080/", "http://h.test/"),
    "empty-port": ("http://h.test:/", "http://h.test/"),
    "empty-path": ("http://h.test", "http://h.test/"),
    "empty-path-query": ("http://h.test?q", "http://h.test/?q"),
    "empty-query-kept": ("http://h.test/?", "http://h.test/?"),
    "dot-segments": ("http://h.test/a/../b/./c", "http://h.test/b/c"),
    "dot-segments-escaped": ("http://h.test/a/%2e%2E/b/%2e/c", "http://h.test/b/c"),
    "dot-segments-above-root": ("http://h.test/../../a", "http://h.test/a"),
    "empty-segments-kept": ("http://h.test/a//b/", "http://h.test/a//b/"),
    "fragment": ("http://h.test/a#b", "http://h.test/a"),
    "fragment-empty": ("http://h.test/a#", "http://h.test/a"),
    "fragment-with-question-mark": ("http://h.test/a#b?c", "http://h.test/a"),
    "credentials": ("http://user:pass@h.test/a", "http://h.test/a"),
    "credentials-name-only": ("https://user@h.test:8443/", "https://h.test:8443/"),
    "credentials-with-at": ("http://a@b:c@d@h.test/", "http://h.test/"),
    "credentials-empty": ("http://@h.test/", "http://h.test/"),
    "at-in-path-is-no-credential": ("http://h.test/@user", "http://h.test/@user"),
    "at-in-query-is-no-credential": ("http://h.test/?mail=a@b.test", "http://h.test/?mail=a@b.test"),
    "leading-spaces": ("  \t http://h.test/", "http://h.test/"),
    "trailing-spaces": ("http://h.test/a \n", "http://h.test/a"),
    "tabs-and-newlines-inside": ("ht\ttp://h.te\r\nst/a\nb", "http://h.test/ab"),
    "control-characters-around": ("\x00\x1fhttp://h.test/\x01", "http://h.test/"),
    "backslashes": ("http:\\\\h.test\\a\\b", "http://h.test/a/b"),
    "one-slash": ("http:/h.test/", "http://h.test/"),
    "three-slashes": ("http:///h.test/", "http://h.test/"),
    "space-in-path": ("http://h.test/a b", "http://h.test/a%20b"),
    "space-in-query": ("http://h.test/?a b", "http://h.test/?a%20b"),
    "non-ascii-path": ("http://h.test/ä/日", "http://h.test/%C3%A4/%E6%97%A5"),
    "non-ascii-query": ("http://h.test/?q=ü", "http://h.test/?q=%C3%BC"),
    "quote-in-query": ("http://h.test/?a='b\"", "http://h.test/?a=%27b%22"),
    "quote-in-path": ("http://h.test/a'b\"", "http://h.test/a'b%22"),
    "escapes-are-not-touched": ("http://h.test/%7Ea%2fb%41?%3d", "http://h.test/%7Ea%2fb%41?%3d"),
    "broken-escape-is-not-touched": ("http://h.test/%zz%", "http://h.test/%zz%"),
    "plus-is-not-a-space": ("http://h.test/a+b?c+d", "http://h.test/a+b?c+d"),
    "idna": ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    "idna-upper-case": ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
    "idna-full-width": ("http://ｅｘａｍｐｌｅ.test/", "http://example.test/"),
    "idna-ideographic-stop": ("http://a。test/", "http://a.test/"),
    "idna-sharp-s": ("http://faß.example/", "http://xn--fa-hia.example/"),
    "host-escaped": ("http://%68.test/", "http://h.test/"),
    "host-trailing-dot": ("http://h.test./", "http://h.test./"),
    "ipv6": ("http://[2001:DB8:0:0:0:0:0:1]:80/", "http://[2001:db8::1]/"),
    "ipv6-port": ("http://[::1]:8080/a", "http://[::1]:8080/a"),
    "ipv6-mapped": ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
    "ipv4-hexadecimal": ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
    "ipv4-octal": ("http://0177.0.0.01/", "http://127.0.0.1/"),
    "ipv4-one-number": ("http://2130706433/", "http://127.0.0.1/"),
    "ipv4-two-numbers": ("http://127.1/", "http://127.0.0.1/"),
    "ipv4-full-width": ("http://１２７.0.0.1/", "http://127.0.0.1/"),
    "ipv4-trailing-dot": ("http://127.0.0.1./", "http://127.0.0.1/"),
}

NO_PAGE = {
    "empty": "",
    "relative-without-base": "/a",
    "no-scheme": "h.test/a",
    "no-host": "http://",
    "credentials-without-host": "http://user@/",
    "space-in-host": "http://a b/",
    "forbidden-in-host": "http://a<b/",
    "percent-in-host": "http://a%25b/",
    "port-too-large": "http://h.test:65536/",
    "port-not-a-number": "http://h.test:8a/",
    "ipv4-too-large": "http://256.0.0.1/",
    "ipv4-too-many-parts": "http://1.2.3.4.5/",
    "ipv6-not-closed": "http://[::1/",
    "ipv6-nonsense": "http://[1:2]/",
    "mailto": "mailto:someone@h.test",
    "javascript": "javascript:void(0)",
    "data": "data:text/html,<a>",
    "ftp": "ftp://h.test/",
    "file": "file:///etc/passwd",
    "blob": "blob:http://h.test/1",
    "tel": "tel:+431234",
    "ws": "ws://h.test/",
    "about": "about:blank",
    "httpx": "httpx://h.test/",
}


@pytest.mark.parametrize(("url", "expected"), SPELLINGS.values(), ids=SPELLINGS.keys())
def test_every_spelling_has_one_normal_form(url, expected):
    assert normalise(url) == expected


@pytest.mark.parametrize("url", NO_PAGE.values(), ids=NO_PAGE.keys())
def test_what_is_no_http_url_is_no_page(url):
    assert normalise(url) is None


BASE = "http://a/b/c/d;p?q"  # RFC 3986 5.4
NORMAL = {
    "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
    "//g": "http://g/", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q",
    "g#s": "http://a/b/c/g", "g?y#s": "http://a/b/c/g?y", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y", "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/",
    "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/",
    "../../g": "http://a/g", "g:h": None,
}  # fmt: skip
ABNORMAL = {
    "../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g",
    "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
    "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y", "g?y/./x": "http://a/b/c/g?y/./x",
    "g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g", "g#s/../x": "http://a/b/c/g",
    "http:g": "http://a/b/c/g",  # WHATWG takes the backward-compatible reading
}  # fmt: skip


@pytest.mark.parametrize(("reference", "expected"), NORMAL.items(), ids=[f"5.4.1 {ref}" for ref in NORMAL])
def test_normal_references_resolve_as_in_rfc_3986(reference, expected):
    assert normalise(reference, BASE) == expected


@pytest.mark.parametrize(("reference", "expected"), ABNORMAL.items(), ids=[f"5.4.2 {ref}" for ref in ABNORMAL])
def test_abnormal_references_resolve_as_in_browsers(reference, expected):
    assert normalise(reference, BASE) == expected


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        pytest.param(" \n/a\tb ", "http://a/ab", id="white-space-in-href"),
        pytest.param("\\g", "http://a/g", id="backslash"),
        pytest.param("//user:pass@g/x", "http://g/x", id="credentials"),
        pytest.param("https:g", "https://g/", id="other-http-scheme-is-absolute"),
        pytest.param("//g:99999/", None, id="invalid"),
        pytest.param("javascript:go()", None, id="javascript"),
        pytest.param("mailto:a@b", None, id="mailto"),
    ],
)
def test_hrefs_are_read_as_browsers_read_them(reference, expected):
    assert normalise(reference, BASE) == expected


# WHATWG URL, 4.4, query state: percent-encode after encoding, in the page's encoding; what has no bytes there becomes
# a numeric character reference. Paths are always UTF-8.
QUERIES = {
    "one byte": ("koi8-r", "/ж?ж", "http://a/%D0%B6?%D6"),
    "windows-1252": ("cp1252", "?ü€", "http://a/b/c/d;p?%FC%80"),
    "bytes left open are controls": ("cp1252", "?\x81ü", "http://a/b/c/d;p?%81%FC"),
    "two bytes": ("cp949", "?한", "http://a/b/c/d;p?%C7%D1"),
    "second byte is ASCII": ("cp932", "?表", "http://a/b/c/d;p?%95\\"),
    "escape sequences": ("iso2022_jp", "?日x", "http://a/b/c/d;p?%1B$BF|%1B(Bx"),
    "second byte is a number sign": ("iso2022_jp", "?。", "http://a/b/c/d;p?%1B$B!%23%1B(B"),
    "no such character": ("koi8-r", "?ü", "http://a/b/c/d;p?%26%23252%3B"),
    "no such characters": ("koi8-r", "?üж😀", "http://a/b/c/d;p?%26%23252%3B%D6%26%23128512%3B"),
    "escapes and ampersands stay": ("koi8-r", "?a=%41&b=ж", "http://a/b/c/d;p?a=%41&b=%D6"),
    "space and quotes": ("koi8-r", "?ж '\"<", "http://a/b/c/d;p?%D6%20%27%22%3C"),
    "white space around": ("koi8-r", " ?ж\n", "http://a/b/c/d;p?%D6"),
    "fragment": ("koi8-r", "?ж#ж", "http://a/b/c/d;p?%D6"),
    "question mark in a fragment": ("koi8-r", "g#?ж", "http://a/b/c/g"),
    "two question marks": ("koi8-r", "?ж?ж", "http://a/b/c/d;p?%D6?%D6"),
    "other host": ("koi8-r", "//ж.test/?ж", "http://xn--f1a.test/?%D6"),
    "Unicode": (None, "?ж", "http://a/b/c/d;p?%D0%B6"),
}


@pytest.mark.parametrize(("encoding", "reference", "expected"), QUERIES.values(), ids=QUERIES.keys())
def test_queries_are_written_in_the_encoding_of_the_page(encoding, reference, expected):
    assert normalise(reference, BASE, encoding) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(None, BASE, id="no-element"),
        pytest.param("", BASE, id="empty"),
        pytest.param("x/", "http://a/b/c/x/", id="relative"),
        pytest.param("http://[", BASE, id="invalid"),
        pytest.param("data:text/html,x", BASE, id="data"),
        pytest.param("JavaScript:x", BASE, id="javascript"),
        pytest.param("file:///x", "file:///x", id="other-scheme"),
        pytest.param("?ж", "http://a/b/c/d;p?%D6", id="query-in-the-encoding"),
    ],
)
def test_base_is_that_of_the_element_if_it_is_a_base(said, expected):
    """WHATWG HTML, 4.2.3, set the frozen base URL."""
    assert base_url(said, BASE, "koi8-r") == expected


_pieces = st.sampled_from(
    [
        "http://",
        "https:",
        "//",
        "/",
        "\\",
        "@",
        ":",
        "?",
        "#",
        "%",
        "%2e",
        "%25",
        "..",
        ".",
        "[",
        "]",
        "::1",
        "0x7f",
        "80",
        "443",
        " ",
        "\t",
        "ä",
        "ß",
        "。",
        "a",
        "B",
        "xn--",
        "h.test",
        "'",
        '"',
        "|",
    ]
)
_wild = st.one_of(st.text(max_size=40), st.lists(_pieces, max_size=14).map("".join))


@settings(deadline=None, derandomize=True, max_examples=400)
@given(url=_wild, base=st.sampled_from([None, BASE, "https://h.test:8443/x?y"]))
@example(url="http://a@b@h.test/#x", base=None)
@example(url="http:a:b@h.test", base=None)
def test_normalising_twice_changes_nothing(url, base):
    """Nor is there ever a fragment, a credential or a character that does not belong into a request."""
    once = normalise(url, base)
    if once is None:
        return
    assert normalise(once) == once
    assert normalise(once, BASE) == once
    assert once.startswith(("http://", "https://"))
    assert "#" not in once
    assert "@" not in authority(once)
    assert hostname(once)
    assert once.isascii()
    assert not any(character <= " " for character in once)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(rest=_wild)
def test_anything_behind_a_good_origin_stays_on_it(rest):
    url = normalise("/x" + rest, "https://h.test:8443/")
    assert url is not None
    assert origin(url) == "https://h.test:8443"


@pytest.mark.parametrize(
    ("url", "host_and_port", "host", "scheme_host_port"),
    [
        ("http://h.test/a/b", "h.test", "h.test", "http://h.test"),
        ("https://h.test/", "h.test", "h.test", "https://h.test"),
        ("http://h.test:8080/a:b", "h.test:8080", "h.test", "http://h.test:8080"),
        ("http://127.0.0.1:81/", "127.0.0.1:81", "127.0.0.1", "http://127.0.0.1:81"),
        ("http://[::1]/", "[::1]", "[::1]", "http://[::1]"),
        ("http://[::1]:81/x", "[::1]:81", "[::1]", "http://[::1]:81"),
        ("http://h.test/?a=//b/c", "h.test", "h.test", "http://h.test"),
    ],
)
def test_parts_of_a_normalised_url(url, host_and_port, host, scheme_host_port):
    assert authority(url) == host_and_port
    assert hostname(url) == host
    assert origin(url) == scheme_host_port


@pytest.mark.parametrize(
    ("host", "registrable"),
    [
        ("www.example.com", "example.com"),
        ("example.com", "example.com"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a.b.test", "b.test"),
    ],
)
def test_site_is_the_registrable_domain_or_the_host_itself(host, registrable):
    assert site(host) == registrable
