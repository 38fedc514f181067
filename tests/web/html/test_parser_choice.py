"""Hostile pages in bounded time and memory, others by the browser's parser; what a browser with scripts reads."""

import resource
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from support.effort import growth, seconds

from minicrawl.model import ParsedPage
from minicrawl.web.html import parse_html
from minicrawl.web.html.blocks import Walk
from minicrawl.web.html.parser_choice import (
    as_html,
    attributes_at_most,
    may_explode,
    tags_at_most,
    tree_of,
    within_limit,
)
from minicrawl.web.marks import FORMATS, Marks

SECTION = (
    b"<h2 class=x>One</h2><p>Some <code class='x y'>code</code>, <b>bold</b> <a href=/1>text</a>.<ul><li>item</ul>"
)

BOMBS = {
    "nesting": b"<div>" * 10**5,
    "nested lists": b"<li><ul>" * 10**5,
    "nested templates": b"<template>" * 10**5 + b"</template>" * 10**5,
    "nested images": b"<svg>" * 10**4,
    "formatting copied into every paragraph": (
        b"<p>" + b"".join(b"<b x=%d>" % number for number in range(5000)) + b"</p>" + b"<p>x</p>" * 5000
    ),
    "formatting closed behind the last block only": (
        b"<p>" + b"".join(b"<b x=%d>" % number for number in range(6000)) + b"<div>x</div>" * 5000 + b"</b>" * 2000
    ),
    "all formatting there is": (b"<p>" + b"".join(b"<%b>" % name * 3 for name in FORMATS) + b"</p>" + b"<p>x" * 29_000),
    "attributes": b"<p " + b"".join(b"x%d " % number for number in range(2 * 10**5)) + b">",
    "attributes with angle brackets": b"<p " + b"".join(b"x%d='<>'" % number for number in range(10**5)) + b">",
    "tags that never end": b"<div " * 10**6 + b">",
    "links in links": b"<a href=/y><object>" * 10**4 + b"text" * 10**5 + b"</object>" * 10**4,
    "selected options": b"<select><button><selectedcontent></button>"
    + b"<option selected>x" * 2 * 10**4
    + b"</select>",
}


def links(page: bytes) -> list[str | None]:
    return [attributes.get("href") for tag, attributes in tree_of(page).elements() if tag == "a"]


@pytest.fixture(scope="module")
def plain_seconds() -> float:
    """CPU for a page of two megabytes that explodes nowhere, but is read by the plain parser as bombs are."""
    return seconds(lambda: links(b"<b>" * 30_001 + b"<p>x</p>" * 250_000), rounds=1)


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_bombs_cost_little_and_hide_nothing(bomb: bytes, plain_seconds: float) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found: list[str | None] = []
    assert seconds(lambda: found.extend(links(bomb + b"<a href=/x>")), rounds=1) < 5 * plain_seconds
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000
    assert found[-1:] == ["/x"]


@pytest.mark.parametrize("end", [b"</a>", b""])
def test_many_links_are_read_one_by_one(end: bytes) -> None:
    body = b"".join(b"<a href=/%d>t%b" % (number, end) for number in range(10**5))
    tree = tree_of(body)
    assert [(attributes["href"], tree.words()()) for _, attributes in tree.elements()] == [
        (f"/{number}", "t") for number in range(10**5)
    ]


@pytest.mark.parametrize("sections", [1, 100, 2000])
def test_long_pages_are_left_to_the_browser_s_parser(sections: int) -> None:
    """Their formatting elements look alike, so that few are ever copied."""
    assert not may_explode(Marks(SECTION * sections))


def test_formatting_that_is_closed_at_once_is_never_copied() -> None:
    """A sign is closed by the browser's rules alone: a quote may hide the end of its tag."""
    icons = b"".join(b"<i id=x%d>x<span>y</span></i>" % number for number in range(600)) + b"<p>x</p>" * 600
    assert not may_explode(Marks(icons))
    assert may_explode(Marks(icons.replace(b" id=", b" y' z='>").replace(b"</i>", b"</i>'>")))


def test_a_flattened_page_keeps_its_links_and_blocks() -> None:
    page = b"<title>T</title><html lang=de><p>one <b>bold</b><<em>p>word<div class='x>y'>two <a href=/x>x</a></div>"
    tree = tree_of(page + b"<p>" * 30_001)
    assert [tag for tag, _ in tree.elements()] == ["title", "a"]
    assert tree.language() == "de"
    assert Walk(tree.html(), "", str, str, 100).told() == ["one boldp>word", "y'>two x"]


@pytest.mark.parametrize("tag", ["<B\tx='>%d'>", "<font/size=%d>", '<code title="<%d">', "<i x=%d", "<tt x='%d>"])
def test_formatting_is_seen_however_it_is_written(tag: str) -> None:
    assert may_explode(Marks(b"".join(tag.encode() % number for number in range(600)) + b"<p>x</p>" * 600))


def test_first_attributes_of_a_tag_are_kept() -> None:
    first = b"".join(b"x%d='>' " % number for number in range(50))
    body = b" " * 10**5 + b"<a " + first + b"href=/x " + b"y " * 10**5 + b">"
    assert [attributes["href"] for _, attributes in tree_of(body).elements()] == ["/x"]


def test_a_script_is_no_tag_of_many_attributes() -> None:
    body = b"<script>for (i = 0; i<n; " + b"i = i + 1; " * 200 + b"</script><a href=/x>x</a>" + b" word" * 30_000
    assert [attributes["href"] for _, attributes in tree_of(body).elements()] == ["/x"]


@given(st.text("ab='\"/ \t\n\v<>", max_size=30))
def test_no_attribute_is_left_out_of_the_count(text: str) -> None:
    body = f"<p {text}>".encode()
    assert all(len(node.attributes) <= attributes_at_most(body) for node in LexborHTMLParser(body).css("p"))


@given(st.binary(max_size=300) | st.text(" \t\n\f\r/>\"'<=a\0\xe9", max_size=300).map(str.encode))
def test_tags_and_attributes_are_counted_as_one_by_one(body: bytes) -> None:
    spaces = b"\t\n\f\r /"
    pairs = [body[at : at + 2] for at in range(len(body) - 1)]
    begins = [pair for pair in pairs if pair[:1] in spaces + b"\"'" and pair[1:] not in spaces + b">"]
    assert tags_at_most(body) == body.count(b"<")
    assert attributes_at_most(body) == len(begins)


@pytest.mark.parametrize("tag", [b"<a href=/1>", b"<title>", b"<script></script>", b"<META\n>"])
def test_tags_beyond_reason_are_not_read(tag: bytes) -> None:
    for tags, is_cut in ((998, False), (1_000, True)):
        body = b"<a href=/0>" + tag * tags + b"<a href=/last>"
        assert within_limit(body, 1_000) == (b"<a href=/0>" + tag * 999 if is_cut else body)


URL = "http://h.test/page?ref=1"
REFRESH = '<meta http-equiv="refresh" content="0; url=/nojs">'


def parsed(html: str, kind: str = "text/html") -> ParsedPage:
    return parse_html(html.encode(), URL, f"{kind}; charset=utf-8")


def linked(html: str, kind: str = "text/html") -> list[str]:
    return [urlsplit(url).path for url in parsed(html, kind).outlinks]


@pytest.mark.parametrize(
    "inside",
    [
        "<img src=/p.gif>",
        "<iframe src=/i></iframe>",
        "<div>x</div>",
        "enable JavaScript",
        "<style>a{}</style>",
        "<!-- <p> -->",
        "<p>5 < 6</p>",
        "<a href=/x title='a > b'>",
    ],
)
@pytest.mark.parametrize("tag", ["noscript", "NoScript", 'noscript data-n="1"'])
def test_noscript_does_not_end_the_head(inside: str, tag: str) -> None:
    end = tag.split(maxsplit=1)[0]
    page = parsed(
        f"<!doctype html><html><head><script>a</script><{tag}>{inside}</{end}><link rel=canonical href=/page>"
        "<link rel=alternate hreflang=de href=/de></head><body><p>words <a href=/y>y</a>"
    )
    assert page.canonical == "http://h.test/page"
    assert page.alternates == ("http://h.test/de",)
    assert page.outlinks == ("http://h.test/page", "http://h.test/y")


def test_noscript_of_the_body_leads_on_and_its_meta_elements_are_nobody_s() -> None:
    page = parsed(
        f"<body><p>words<noscript><meta name=robots content=noindex,nofollow>{REFRESH}<a href=/y>y</a></noscript>"
    )
    assert (page.index, page.follow, page.refresh, page.outlinks) == (True, True, None, ("http://h.test/y",))


def test_noscript_in_noscript_leads_on() -> None:
    """Plugins wrap one around images that others have wrapped."""
    page = parsed("<body><p>words<noscript><a href=/x>x<noscript><img></noscript></a>")
    assert page.anchors == ("x",)


@pytest.mark.parametrize("where", ["<head>{}</head><body>", "<body>{}", "<script>x</script>{}"])
def test_directives_of_noscript_are_not_obeyed(where: str) -> None:
    assert parsed(where.format("<noscript><meta name=robots content=noindex></noscript>") + "<p>text").index


@pytest.mark.parametrize(
    ("body", "refresh"),
    [("", "http://h.test/nojs"), ("<p>" + "words " * 60, None), ("<a href=/y>y</a>", None)],
    ids=["nothing", "text", "a link"],
)
@pytest.mark.parametrize("where", ["<head>{}</head><body>", "<script>x</script>{}<body>", "<body>{}"])
def test_a_refresh_of_noscript_is_followed_from_a_page_that_has_nothing_else(
    body: str, refresh: str | None, where: str
) -> None:
    page = parsed(where.format(f"<noscript>{REFRESH}</noscript>") + body)
    assert page.refresh == refresh
    assert "http://h.test/nojs" not in page.outlinks


@pytest.mark.parametrize("around", ["<!-- {} -->", "<script>'{}'</script>", "<textarea>{}</textarea>"])
def test_noscript_in_what_is_no_element_is_none(around: str) -> None:
    page = parsed(f"<head>{around.format('<noscript>')}<meta name=robots content=noindex></head><noscript></noscript>")
    assert not page.index


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_declarative_shadow_roots_are_in_the_page(mode: str) -> None:
    inner = f"<template shadowrootmode={mode}><a href=/b>b</a></template>"
    html = f'<x-y><template shadowrootmode="{mode}"><a href=/a>a</a>{inner}</template></x-y><a href=/c>c</a>'
    assert linked(html) == ["/a", "/b", "/c"]


def test_other_templates_hide_all_that_is_in_them() -> None:
    inner = "<template shadowrootmode=open><a href=/a>a</a></template>"
    assert linked(f"<template>{inner}</template><template shadowrootmode=x>{inner}</template><a href=/c>c</a>") == [
        "/c"
    ]


def test_pages_that_frames_have_in_themselves_are_in_the_page_without_their_scripts_and_titles() -> None:
    inside = "<title>frame</title><script>&lt;a href=/no></script><p>&lt;<a href=/b>b</a></b>&lt;/p>"
    html = f'<title>page</title><a href=/a>a</a><iframe class=x srcdoc="{inside}"></iframe><a href=/c>c</a>'
    assert linked(html) == ["/a", "/b", "/c"]
    assert parsed(html).title == "page"
    assert linked("<iframe srcdoc='&lt;a href=/a>a'></iframe>") == ["/a"]


def test_no_other_attribute_of_a_frame_is_a_page_and_none_with_very_many_tags_is_read() -> None:
    assert linked('<iframe data-srcdoc="<a href=/a>a</a>"></iframe><a href=/c>c</a>') == ["/c"]
    deep = "&lt;b>" * 6_000
    assert linked(f'<iframe srcdoc="{deep}<a href=/a>a</a>"></iframe><a href=/c>c</a>') == ["/c"]


@pytest.mark.parametrize("element", ["script", "style", "title", "textarea", "iframe", "noscript", "xmp", "div", "a"])
def test_empty_elements_of_xhtml_end_where_they_begin(element: str) -> None:
    html = f'<html xmlns="http://www.w3.org/1999/xhtml"><head></head><body><{element} id="1"/><a href="/y">y</a></body>'
    assert linked(html, "application/xhtml+xml") == ["/y"]


def test_xhtml_as_html() -> None:
    page = b"<p a='1'/><br/><script src=\"x\"/><!-- <p/> --><![CDATA[<a href='/x'/> & b]]><p>a</p>"
    text = b"&lt;a href='/x'/&gt; &amp; b"
    assert as_html(page) == b"<p a='1'></p><br/><script src=\"x\"></script><!-- <p/> -->" + text + b"<p>a</p>"


@pytest.mark.parametrize(
    "unit", [b"<noscript>", b"<noscript><meta></noscript>", b"<!--", b"<template shadowrootmode=open>", b"<" * 20]
)
def test_time_is_linear_in_the_length_of_a_page(unit: bytes) -> None:
    start = b"<noscript></noscript><meta>"
    assert growth(lambda times: tree_of(start + unit * times + b"<meta>"), 2_000) < 1.5


@pytest.mark.parametrize("unit", [b"<!--", b"<![CDATA[", b"<p a='", b"<p/>"])
def test_time_is_linear_in_the_length_of_xhtml(unit: bytes) -> None:
    assert growth(lambda times: as_html(unit * times), 2_000) < 1.5
