"""Pages as a browser with scripts reads them: noscript, declarative shadow roots, XHTML."""

from urllib.parse import urlsplit

import pytest
from support.effort import growth

from minicrawl.crawler.html import parse_html
from minicrawl.crawler.html.parser_choice import as_html, tree_of
from minicrawl.model import ParsedPage

URL = "http://h.test/page?ref=1"
REFRESH = '<meta http-equiv="refresh" content="0; url=/nojs">'


def parsed(html: str, kind: str = "text/html") -> ParsedPage:
    return parse_html(html.encode(), URL, f"{kind}; charset=utf-8")


def links(html: str, kind: str = "text/html") -> list[str]:
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
    assert links(html) == ["/a", "/b", "/c"]


def test_other_templates_hide_all_that_is_in_them() -> None:
    inner = "<template shadowrootmode=open><a href=/a>a</a></template>"
    assert links(f"<template>{inner}</template><template shadowrootmode=x>{inner}</template><a href=/c>c</a>") == ["/c"]


@pytest.mark.parametrize("element", ["script", "style", "title", "textarea", "iframe", "noscript", "xmp", "div", "a"])
def test_empty_elements_of_xhtml_end_where_they_begin(element: str) -> None:
    html = f'<html xmlns="http://www.w3.org/1999/xhtml"><head></head><body><{element} id="1"/><a href="/y">y</a></body>'
    assert links(html, "application/xhtml+xml") == ["/y"]


def test_xhtml_as_html() -> None:
    page = b"<p a='1'/><br/><script src=\"x\"/><!-- <p/> --><![CDATA[<a href='/x'/> & b]]><p>a</p>"
    text = b"&lt;a href='/x'/&gt; &amp; b"
    assert as_html(page) == b"<p a='1'></p><br/><script src=\"x\"></script><!-- <p/> -->" + text + b"<p>a</p>"


@pytest.mark.parametrize(
    "unit", [b"<noscript>", b"<noscript><meta></noscript>", b"<!--", b"<template shadowrootmode=open>"]
)
def test_time_is_linear_in_the_length_of_a_page(unit: bytes) -> None:
    start = b"<noscript></noscript><meta>"
    assert growth(lambda times: tree_of(start + unit * times + b"<meta>"), 2_000) < 1.5


@pytest.mark.parametrize("unit", [b"<!--", b"<![CDATA[", b"<p a='", b"<p/>"])
def test_time_is_linear_in_the_length_of_xhtml(unit: bytes) -> None:
    assert growth(lambda times: as_html(unit * times), 2_000) < 1.5
