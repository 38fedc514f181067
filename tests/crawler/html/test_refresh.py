"""Refreshes: which are redirects, and which links, by the standard's syntax and by what stands on the page."""

import pytest

from minicrawl.crawler.html import parse_html
from minicrawl.crawler.html.page_headers import read_refresh
from minicrawl.model import ParsedPage

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
    ("seconds", "is_soon"),
    [("0", True), ("10", True), ("0010", True), ("10.9", True), ("11", False), ("1800", False), ("9" * 9_999, False)],
)
def test_ten_seconds_are_soon(seconds: str, is_soon: bool) -> None:
    assert read_refresh(f"{seconds}; url=/x", URL) == (TARGET, is_soon)


@pytest.mark.parametrize(
    ("seconds", "body", "is_redirect"),
    [
        ("0", "", True),
        ("10", MOVED, True),
        ("0", ARTICLE, False),
        ("5", LARGE + ARTICLE, False),
        ("5", LARGE + MOVED, True),
        ("5", "новый адрес " * 24, True),
        ("11", "", False),
    ],
)
def test_redirects_are_soon_and_on_pages_with_next_to_no_text(seconds: str, body: str, is_redirect: bool) -> None:
    page = parsed(f'<meta http-equiv="refresh" content="{seconds}; url=/x">{body}')
    assert page.refresh == (TARGET if is_redirect else None)
    assert TARGET in page.outlinks


def test_only_http_equiv_refreshes() -> None:
    assert parsed('<meta name="refresh" content="0; url=/x">').refresh is None


def test_base_and_case() -> None:
    assert parsed('<base href="/b/"><META HTTP-EQUIV="Refresh" content="0;url=x">').refresh == "http://h.test/b/x"
