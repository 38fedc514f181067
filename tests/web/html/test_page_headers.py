"""What header fields and meta elements say of a page: refreshes, directives, canonicals, other languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.model import ParsedPage
from minicrawl.web.html import parse_html
from minicrawl.web.html.page_headers import (
    MAX_ALTERNATES,
    Directives,
    canonicals,
    languages,
    read_directives,
    read_refresh,
)

URL = "http://h.test/dir/page"
TARGET = "http://h.test/x"
ARTICLE = "<p>" + "words of an article " * 20
LARGE = f"<title>{'Moved ' * 80}</title><script>{'f();' * 200}</script><style>{'a{b:c}' * 9_999}</style>"
MOVED = "<h1>We have moved</h1><p>You will be taken to <a href=/x>our new address</a> in ten seconds."


def parsed(html: str) -> ParsedPage:
    return parse_html(html.encode(), URL, "text/html; charset=utf-8")


SYNTAX = {
    "usual": ("0; url=/x", TARGET),
    "any-case": ("0;URL=/x", TARGET),
    "fraction": ("0.5; url=/x", TARGET),
    "no digit": (".5; url=/x", TARGET),
    "single-quotes": ("0; url='/x'", TARGET),
    "spaces": ("  0 ;  url =  /x", TARGET),
    "comma": ("0, url=/x", TARGET),
    "space-only": ("0 url=/x", TARGET),
    "no-url-word": ("0; /x", TARGET),
    "relative": ("0; url=x", "http://h.test/dir/x"),
    "absolute": ("0; url=https://x.test/y?z#a", "https://x.test/y?z"),
    "javascript": ("0; url=javascript:x", None),
    "empty": ("", None),
    "reload": ("30", None),
    "reload-semicolon": ("5;", URL),
    "empty-url": ("5; url=", URL),
    "url-with-space": ("0; url=/a b", "http://h.test/a%20b"),
    "no-time": ("/x", None),
    "no-time-but-a-divider": ("; url=/x", None),
    "nonsense-behind-time": ("5x; url=/y", None),
}


@pytest.mark.parametrize(("value", "url"), SYNTAX.values(), ids=SYNTAX.keys())
def test_values_are_read_as_by_browsers(value: str, url: str | None) -> None:
    found = read_refresh(value, URL)
    assert (found and found[0]) == url


@pytest.mark.parametrize(
    ("seconds", "read"),
    [
        ("0", 0),
        (".5", 0),
        ("1.9", 1),
        ("10", 10),
        ("0010", 10),
        ("10.9", 10),
        ("11", 11),
        ("1800", 11),
        ("9" * 9_999, 11),
    ],
)
def test_more_than_ten_seconds_are_eleven(seconds: str, read: int) -> None:
    assert read_refresh(f"{seconds}; url=/x", URL) == (TARGET, read)


@pytest.mark.parametrize(
    ("seconds", "body", "is_redirect"),
    [
        ("0", "", True),
        ("10", MOVED, True),
        ("0", ARTICLE, True),
        ("1", ARTICLE, True),
        ("2", ARTICLE, False),
        ("5", LARGE + ARTICLE, False),
        ("5", LARGE + MOVED, True),
        ("5", "новый адрес " * 24, True),
        ("11", "", False),
    ],
)
def test_redirects_are_at_once_or_soon_and_on_pages_with_next_to_no_text(
    seconds: str, body: str, is_redirect: bool
) -> None:
    page = parsed(f'<meta http-equiv="refresh" content="{seconds}; url=/x">{body}')
    assert page.refresh == (TARGET if is_redirect else None)
    assert TARGET in page.outlinks


def test_only_http_equiv_refreshes() -> None:
    assert parsed('<meta name="refresh" content="0; url=/x">').refresh is None


def test_base_and_case() -> None:
    assert parsed('<base href="/b/"><META HTTP-EQUIV="Refresh" content="0;url=x">').refresh == "http://h.test/b/x"


DIRECTIVES = {
    "empty": ("", True, True),
    "nofollow": ("nofollow", False, True),
    "noindex": ("noindex", True, False),
    "none": ("NONE", False, False),
    "list": (" noindex ,nofollow ", False, False),
    "other-robot": ("otherbot: none", True, True),
    "other-robot-holds-for-the-list": ("otherbot: noindex, nofollow", True, True),
    "us": ("minicrawl: none", False, False),
    "us-in-any-case": ("MiniCrawl: nofollow", False, True),
    "us-after-other": ("otherbot: none, minicrawl: nofollow", False, True),
    "other-after-us": ("minicrawl: nofollow, otherbot: noindex", False, True),
    "all-before-other": ("noindex, otherbot: nofollow", True, False),
    "positive": ("index, follow", True, True),
    "everybody": ("*: nofollow", False, True),
    "word-parts": ("nofollows, xnone", True, True),
    "behind-max-snippet": ("max-snippet:50, nofollow", False, True),
    "behind-max-image-preview": ("max-image-preview:large, noindex", True, False),
    "behind-a-date": ("unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", True, False),
}


@pytest.mark.parametrize(("directives", "follow", "index"), DIRECTIVES.values(), ids=DIRECTIVES.keys())
def test_directive_lists_are_read_per_robot(directives: str, follow: bool, index: bool) -> None:
    found = read_directives(directives)
    assert (found.follow, found.index) == (follow, index)


@pytest.mark.parametrize(
    ("directives", "archive"),
    [
        ("noarchive", False),
        ("noindex, NOARCHIVE", False),
        ("minicrawl: noarchive", False),
        ("otherbot: noarchive", True),
        ("none", True),  # stands for noindex and nofollow alone
        ("nocache, noarchives", True),
    ],
)
def test_copies_are_forbidden_by_noarchive_alone(directives: str, archive: bool) -> None:
    assert read_directives(directives).archive is archive


@pytest.mark.parametrize(
    ("directives", "on_use"),
    [
        ("noindex", ()),
        ("noai", ("noai",)),
        ("NoImageAI, NOAI", ("noai", "noimageai")),
        ("otherbot: noai, noimageai", ()),
        ("otherbot: noindex, minicrawl: noai", ("noai",)),
        ("otherbot: noai\nnoimageai", ("noimageai",)),
        ("noais, none", ()),
    ],
)
def test_directives_about_models(directives: str, on_use: tuple[str, ...]) -> None:
    found = read_directives(directives)
    assert found.on_use == on_use
    assert found.and_(Directives(on_use=("noai",))).on_use == tuple(dict.fromkeys((*on_use, "noai")))


def test_both_must_allow_it() -> None:
    one, other = Directives(follow=False), Directives(archive=False)
    assert one.and_(other) == other.and_(one) == Directives(follow=False, archive=False)


FOLDER = "http://h.test/folder/page"
VALUES = {
    "usual": ('<http://h.test/x>; rel="canonical"', ["http://h.test/x"]),
    "token, relative": ("<x>;rel=canonical", ["http://h.test/folder/x"]),
    "case, other relations": ('</x> ; REL = "alternate Canonical"', ["http://h.test/x"]),
    "second of two links": ('</a>; rel="next", </b>; rel=canonical', ["http://h.test/b"]),
    "comma and quote within": (r'</a,b>; title="a, \"b\"; c"; rel=canonical', ["http://h.test/a,b"]),
    "first rel counts": ("</a>; rel=next; rel=canonical", []),
    "of another page": ('</a>; rel=canonical; anchor="/other"', []),
    "two that differ": ("</a>; rel=canonical, </b>; rel=canonical", ["http://h.test/a", "http://h.test/b"]),
    "twice the same": ("</a>; rel=canonical, </a>; rel=canonical", ["http://h.test/a"]),
    "no http": ("<mailto:a@b>; rel=canonical", []),
    "not closed": ("</a; rel=canonical", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("value", "expected"), VALUES.values(), ids=VALUES.keys())
def test_value_says(value: str, expected: list[str]) -> None:
    assert canonicals(value, FOLDER) == expected


LANGUAGES = {
    "as search engines want them": (
        '<http://h.test/de>; rel="alternate"; hreflang="de", <http://h.test/>; rel="alternate"; hreflang="x-default"',
        "de=http://h.test/de x-default=http://h.test/",
    ),
    "token, relative, case": ("</br>;HREFLANG=pt-BR;Rel=Alternate", "pt-BR=http://h.test/br"),
    "the first of two": ("</a>; rel=alternate; hreflang=de; hreflang=fr", "de=http://h.test/a"),
    "no language": ('</a>; rel=alternate, </b>; rel=alternate; hreflang=""', ""),
    "no tag, but a word": ('</a>; rel=alternate; hreflang="en_GB"', "en_GB=http://h.test/a"),
    "no tag": ('</a>; rel=alternate; hreflang="d e"', ""),
    "of another relation": ("</a>; rel=next; hreflang=de", ""),
    "of another page": ('</a>; rel=alternate; hreflang=de; anchor="/other"', ""),
    "no http": ("<mailto:a@b>; rel=alternate; hreflang=de", ""),
}


@pytest.mark.parametrize(("value", "expected"), LANGUAGES.values(), ids=LANGUAGES.keys())
def test_value_names_languages(value: str, expected: str) -> None:
    assert " ".join(f"{language}={url}" for language, url in languages(value, FOLDER)) == expected


def test_no_more_languages_are_read_than_of_a_page() -> None:
    value = ", ".join(f"</{number}>; rel=alternate; hreflang=de" for number in range(MAX_ALTERNATES + 9))
    assert [url for _, url in languages(value, FOLDER)] == [
        f"http://h.test/{number}" for number in range(MAX_ALTERNATES)
    ]


@given(st.text('<>;,=" \\relcanonicalthfg/', max_size=60))
def test_any_value_is_read(value: str) -> None:
    assert all(url.startswith("http://") for url in canonicals(value, FOLDER))
    assert all(url.startswith("http://") and " " not in language for language, url in languages(value, FOLDER))
