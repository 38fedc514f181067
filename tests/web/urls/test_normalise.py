"""Normalised URLs, as the WHATWG standard has them; rules for single hosts."""

import re
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minicrawl.web.urls.keys import authority, hostname, origin_of, politeness_key
from minicrawl.web.urls.normalise import base_url, by_host, normalise, normalise_route, percent_encoded, resolved

SPELLINGS = {
    "scheme-case": ("HTTP://h.test/", "http://h.test/"),
    "host-case": ("http://EXAMPLE.Test/Path", "http://example.test/Path"),
    "default-port-http": ("http://h.test:80/", "http://h.test/"),
    "default-port-https": ("https://h.test:443/", "https://h.test/"),
    "other-port": ("http://h.test:8080/", "http://h.test:8080/"),
    "empty-path": ("http://h.test", "http://h.test/"),
    "empty-query-kept": ("http://h.test/?", "http://h.test/?"),
    "dot-segments": ("http://h.test/a/../b/./c", "http://h.test/b/c"),
    "dot-segments-escaped": ("http://h.test/a/%2e%2E/b/%2e/c", "http://h.test/b/c"),
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
    "tabs-and-newlines-inside": ("ht\ttp://h.te\r\nst/a\nb", "http://h.test/ab"),
    "backslashes": ("http:\\\\h.test\\a\\b", "http://h.test/a/b"),
    "space-in-path": ("http://h.test/a b", "http://h.test/a%20b"),
    "non-ascii-path": ("http://h.test/ä/日", "http://h.test/%C3%A4/%E6%97%A5"),
    "quote-in-query": ("http://h.test/?a='b\"", "http://h.test/?a=%27b%22"),
    "escapes-are-not-touched": ("http://h.test/%7Ea%2fb%41?%3d", "http://h.test/%7Ea%2fb%41?%3d"),
    "broken-escape-is-not-touched": ("http://h.test/%zz%", "http://h.test/%zz%"),
    "idna": ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    "host-trailing-dot": ("http://h.test./", "http://h.test./"),
    "ipv6": ("http://[2001:DB8:0:0:0:0:0:1]:80/", "http://[2001:db8::1]/"),
    "ipv4-hexadecimal": ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
}

NO_PAGE = {
    "empty": "",
    "relative-without-base": "/a",
    "no-scheme": "h.test/a",
    "no-host": "http://",
    "space-in-host": "http://a b/",
    "port-too-large": "http://h.test:65536/",
    "ipv4-too-large": "http://256.0.0.1/",
    "ipv6-not-closed": "http://[::1/",
    "mailto": "mailto:someone@h.test",
    "ftp": "ftp://h.test/",
    "file": "file:///etc/passwd",
    "blob": "blob:http://h.test/1",
    "ws": "ws://h.test/",
    "httpx": "httpx://h.test/",
}


@pytest.mark.parametrize(("url", "expected"), SPELLINGS.values(), ids=SPELLINGS.keys())
def test_every_spelling_has_one_normal_form(url: str, expected: str) -> None:
    assert normalise(url) == expected


@pytest.mark.parametrize("url", NO_PAGE.values(), ids=NO_PAGE.keys())
def test_what_is_no_http_url_is_no_page(url: str) -> None:
    assert normalise(url) is None


# Corners of the WHATWG's test data, in our own words: (URL, base, what it is).
CORNERS = {
    "lone surrogates are no characters": ("http://h.test/\ud800a?\udfff", None, None),
    "NUL": ("http://h.test/a\0b?\0c", None, "http://h.test/a%00b?%00c"),
    "emoji": ("http://☃.test/", None, "http://xn--n3h.test/"),
    "invalid Punycode of ASCII is a host": ("http://XN--a.test/", None, "http://xn--a.test/"),  # since June 2026
    "credentials with a slash": ("http://user:pa/ss@h.test/", None, None),
    "at signs and colons": ("http://::@c@d:2", None, "http://d:2/"),
    "base with credentials": ("/x", "http://user:pass@h.test/y", "http://h.test/x"),
    "other special base": ("//h.test/x", "ftp://f.test/", None),
    "base of a file": ("http:/h.test/x", "file:///c:/y", "http://h.test/x"),
    "base that is none": ("http://h.test/", "mailto:x@y", "http://h.test/"),
    "relative to a base that is none": ("x", "mailto:x@y", None),
    "invalid base spoils all": ("http://h.test/", "http://[", None),
    "many slashes": ("/\\/\\//x/../y", "http://h.test/", "http://x/y"),
    "scheme without slashes, other scheme": ("http:h.test/x", "https://b.test/y/", "http://h.test/x"),
    "white space that is none": ("\u3000http://h.test/", None, None),
    "query with its own mark": ("?a?b#c?d", "http://h.test/x?y", "http://h.test/x?a?b"),
}


@pytest.mark.parametrize(("url", "base", "expected"), CORNERS.values(), ids=CORNERS.keys())
def test_corners_are_read_as_the_standard_reads_them(url: str, base: str | None, expected: str | None) -> None:
    assert normalise(url, base) == expected


BASE = "http://a/b/c/d;p?q"  # RFC 3986 5.4
NORMAL = {  # 5.4.1
    "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
    "//g": "http://g/", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q",
    "g#s": "http://a/b/c/g", "g?y#s": "http://a/b/c/g?y", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y", "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/",
    "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/",
    "../../g": "http://a/g", "g:h": None,
}  # fmt: skip
ABNORMAL = {  # 5.4.2
    "../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g",
    "g.": "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
    "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y", "g?y/./x": "http://a/b/c/g?y/./x",
    "g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g", "g#s/../x": "http://a/b/c/g",
    "http:g": "http://a/b/c/g",  # WHATWG takes the backward-compatible reading
}  # fmt: skip


HREFS = {  # as browsers read them
    " \n/a\tb ": "http://a/ab", "\\g": "http://a/g", "//user:pass@g/x": "http://g/x", "https:g": "https://g/",
    "//g:99999/": None, "javascript:go()": None, "mailto:a@b": None,
}  # fmt: skip


@pytest.mark.parametrize(("reference", "expected"), [*NORMAL.items(), *ABNORMAL.items(), *HREFS.items()])
def test_references_resolve_as_in_rfc_3986_and_in_browsers(reference: str, expected: str | None) -> None:
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
def test_queries_are_written_in_the_encoding_of_the_page(encoding: str | None, reference: str, expected: str) -> None:
    assert normalise(reference, BASE, encoding) == expected


def test_query_of_a_base_is_in_the_encoding_of_its_page() -> None:
    """What else an element may say is in html/test_parse.py."""
    assert base_url("?ж", BASE, "koi8-r") == "http://a/b/c/d;p?%D6"


_pieces = st.sampled_from(
    [
        *"/\\@:?#%.[] \täß。aB'\"|\ud800\udc00\u200d\u00ad\u05d0\u0338％\0^",
        *("http://", "https:", "//", "%2e", "%25", "..", "::1", "0x7f", "80", "443", "xn--", "h.test"),
    ]
)
_any_text = st.text(st.characters(codec=None), max_size=40)
_wild = st.one_of(_any_text, st.lists(_pieces, max_size=14).map("".join))


@given(url=_wild, base=st.one_of(st.sampled_from([None, BASE, "https://h.test:8443/x?y", "file:///x"]), _wild))
@example(url="http://a@b@h.test/#x", base=None)
@example(url="\udc00", base="http://\ud800@h.test/")
@example(url="http:a:b@h.test", base=None)
def test_normalising_twice_changes_nothing(url: str, base: str | None) -> None:
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


@given(rest=_wild)
def test_anything_behind_a_good_origin_stays_on_it(rest: str) -> None:
    url = normalise("/x" + rest, "https://h.test:8443/")
    assert url is not None or any("\ud800" <= character <= "\udfff" for character in rest)
    assert url is None or origin_of(url) == "https://h.test:8443"


_marks = re.findall(
    r"\S+",
    "x index.html . .. ../ ./ / // /../ ? & = % %2e %41 : ; , @ ~ + ( ' * ! \\ | é xn-- 0x1 1.2 o.test O.test/ "
    "http: https: http:// https:// https:// https://o.test/ https://o.test. mailto: http:/ HTTP: x: x:// ://",
)
_references = st.one_of(
    _wild,
    st.sampled_from(["", "?q", "#f", "x#", "/x?y#z", "http:x", "https:?x", "https:", " ?x", "\tx", "ht\ntp:?x"]),
    st.lists(st.sampled_from(_marks), max_size=6).map("".join),
)
_bases = [
    "http://h.test/",
    "http://h.test/a/b?c/d#e/f",
    "https://h.test/a/b/",
    "http://h.test/a#x/y?z",
    "http://h.test:81/a//b/",
    "http://u:p@h.test/a/b",
    "http://h.test/@/b/c",
    "http://[::1]/a/",
    "ftp://h.test/a/b",
    "file:///a/b",
    "mailto:x",
]


@example(references=["https:?u=http://x", "https:x?u=http://x", "https:/?u=http://x"], base="https://h.test/a/b?c")
@example(references=["https:?u=http://x", "https:#://", "https:\\://"], base="http://h.test/a/b?c")
@example(
    references=["https:#://", "https:\t//x", "http\ns://x", "/x://", ".:x://", "1:x://"], base="https://h.test/a/b"
)
@example(references=["https://o.test//x", "//o.test//x", "../http://o.test/", "..//x", "../../x"], base=_bases[1])
@given(references=st.lists(_references, max_size=5), base=st.sampled_from(_bases))
def test_references_of_a_page_are_resolved_one_by_one(references: list[str], base: str) -> None:
    assert resolved(references, base) == {reference: normalise(reference, base) for reference in references}


def test_what_one_page_of_a_folder_has_told_holds_for_others_only_where_it_is_the_same() -> None:
    """References to other parts or queries of the page itself, and queries in the encoding of the page, are its own."""
    references = [
        "",
        "?q",
        "#f",
        "x",
        "x#",
        "../y",
        "/z?\xe9",
        "x?\xe9",
        "http:?q",
        "//h.test/a",
        "https://a.test/\xe9",
    ]
    bases = [
        f"{scheme}://h.test/a/{page}" for scheme in ("http", "https") for page in ("", "b", "b?c", "x", "b/", "?x")
    ]
    for _ in range(2):
        for base in bases:
            for encoding in (None, "cp1252", "euc_jp"):
                expected = {reference: normalise(reference, base, encoding) for reference in references}
                assert resolved(references, base, encoding) == expected


def test_references_are_remembered_in_bounded_memory() -> None:
    tracemalloc.start()
    try:
        for number in range(80):
            references = [f"{number}-{other}{'x' * 1_000}" for other in range(500)]
            found = resolved(references, f"http://h.test/{number}/")
            assert found[references[-1]] == f"http://h.test/{number}/{references[-1]}"
            del references, found
        assert tracemalloc.get_traced_memory()[0] < 40_000_000, "of 80 MB"
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("A.test", "https://a.test/x"),
        ("a.test:443", "https://a.test/x"),
        ("a.test:80", "http://a.test/x"),
        ("a.test:8080", "http://a.test:8080/x"),
        ("bücher.test", "https://xn--bcher-kva.test/"),
        ("a.test.", "http://a.test/"),
        ("[::1]:8080", "http://[::1]:8080/"),
    ],
)
def test_a_host_is_found_as_its_urls_name_it(written: str, url: str) -> None:
    normalised = normalise(url)
    assert normalised is not None
    assert by_host([(written, 7)]) == {politeness_key(normalised): 7}


def test_the_first_rule_of_a_host_counts() -> None:
    assert by_host([("a.test", 1), ("A.test:80", 2), ("b.test", 3)]) == {"a.test": 1, "b.test": 3}


@given(st.text())
@example("http://[::1]:80/a[b]|%zz%41?c=[d]#<e>#\ud800é")
def test_percent_encoded_url_is_in_the_grammar_and_stays_as_it_is(text: str) -> None:
    encoded = percent_encoded(text)
    allowed = r"([\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"
    assert re.fullmatch(rf"([\w.+-]*:?//([\[\]]|{allowed})*)?{allowed}(#{allowed})?", encoded, re.ASCII)
    assert percent_encoded(encoded) == encoded
    if re.fullmatch(allowed, text, re.ASCII):
        assert encoded == text


def test_percent_encoding_escapes_only_what_a_place_does_not_allow() -> None:
    url = "http://[::1]:80/a[b]|%zz%41?c=[d]&e#<f>#é"
    assert percent_encoded(url) == "http://[::1]:80/a%5Bb%5D%7C%25zz%41?c=%5Bd%5D&e#%3Cf%3E%23%C3%A9"


ROUTES = {
    "#/x": "#/x",
    "#!/x": "#!/x",
    "#/plant/7?a=b": "#/plant/7?a=b",
    "#/ä b": "#/%C3%A4%20b",
    " #/x\n": "#/x",
    "#/x#y": "#/x#y",
    "#section": "",
    "#/": "",
    "#!/": "",
    "#!": "",
    "#!x": "",
    "#//x": "",
    "#/ x": "",
    "#/\0": "",
}


@pytest.mark.parametrize("written", ROUTES)
def test_a_fragment_that_names_a_route_stays_with_its_page(written: str) -> None:
    assert normalise_route(written, "http://h.test/a/b?c#d") == f"http://h.test/a/b?c{ROUTES[written]}"


@given(st.text())
@example("#/\x1f")
@example("?#/\ud800")
def test_a_route_is_its_page_and_a_fragment_and_has_one_spelling(reference: str) -> None:
    found = normalise_route(reference, "http://h.test/")
    page = normalise(reference, "http://h.test/")
    assert found == page or (page is not None and found is not None and found.startswith(f"{page}#"))
    assert found is None or normalise_route(found) == found
