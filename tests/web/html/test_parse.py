"""Links, title and directives of a page, rule by rule."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.effort import growth

from minicrawl.model import ParsedPage, Wanted
from minicrawl.web.html.parse import parse_html

URL = "http://h.test/dir/page"


def parsed(html: str, url: str = URL) -> ParsedPage:
    return parse_html(html.encode(), url, "text/html; charset=utf-8")


def links(html: str) -> list[str]:
    """Outlinks of a page on h.test, that host left out."""
    return [url.removeprefix("http://h.test") for url in parsed(html).outlinks]


LINKS = {
    "a": ('<a href="/x">t</a>', ["/x"]),
    "a-in-any-case": ("<A HREF=/x>t</A>", ["/x"]),
    "a-without-href": ('<a name="x">t</a>', []),
    "a-relative": ('<a href="x">', ["/dir/x"]),
    "a-white-space": ('<a href=" \n/x\t ">', ["/x"]),
    "a-entities": ('<a href="/x?a=1&amp;b=2">', ["/x?a=1&b=2"]),
    "area": ('<map><area href="/x"></map>', ["/x"]),
    "frame": ('<frameset><frame src="/x"></frameset>', ["/x"]),
    "iframe": ('<iframe src="/x"></iframe>', ["/x"]),
    "iframe-without-src": ("<iframe></iframe>", []),
    "link-canonical": ('<link rel="canonical" href="/x">', ["/x"]),
    "link-next": ('<link rel="next" href="/x">', ["/x"]),
    "link-prev": ('<link rel="prev" href="/x">', ["/x"]),
    "link-rel-in-any-case-among-others": ('<link rel="foo NEXT" href="/x">', ["/x"]),
    "link-stylesheet": ('<link rel="stylesheet" href="/x.css">', []),
    "link-icon": ('<link rel="shortcut icon" href="/x.ico">', []),
    "link-alternate": ('<link rel="alternate" href="/x.rss">', []),
    "link-without-rel": ('<link href="/x">', []),
    "img": ('<img src="/x.png">', []),
    "script": ('<script src="/x.js"></script>', []),
    "form": ('<form action="/x"></form>', []),
    "in-a-script": ("<script>'<a href=\"/x\">'</script><a href=/y>", ["/y"]),
    "in-a-comment": ('<!-- <a href="/x"> --><a href=/y>', ["/y"]),
    "in-noscript": ('<body><noscript><a href="/x"></a></noscript>', ["/x"]),
    "document-order": ("<a href=/b></a><iframe src=/a></iframe><a href=/c>", ["/b", "/a", "/c"]),
    "twice-the-same": ('<a href="/x">1</a><a href="/x">2</a><area href="http://H.test:80/x">', ["/x"]),
    "differ-by-fragment": ('<a href="/x#1"><a href="/x#2"><a href="/x">', ["/x"]),
    "javascript": ('<a href="javascript:go()">', []),
    "invalid": ('<a href="http://h.test:99999/"><a href="http://[">', []),
    "credentials": ('<a href="http://me:hush@h.test/x">', ["/x"]),
    "unclosed": ("<a href=/1>one<a href=/2>two<p><b><a href=/3", ["/1", "/2"]),
    "behind-the-body": ("<html><body>x</body><a href=/x></html>", ["/x"]),
}

# States (13.2.5) and insertion modes of the parser, and other sections, of the WHATWG HTML standard.
TREE = {
    "4.12.3 template": ("<template><a href=/t></a></template><a href=/x>", ["/x"]),
    "4.12.3 template in a template": ("<template><template></template><a href=/t></a></template><a href=/x>", ["/x"]),
    "4.12.3 base in a template": ("<template><base href=/t/></template><a href=x>", ["/dir/x"]),
    "in head: noscript is text": ("<head><noscript><link rel=next href=/x></noscript></head>", []),
    "in head: noframes": ("<noframes><a href=/t></a></noframes><a href=/x>", ["/x"]),
    "in head: title": ("<title><a href=/t></a></title><a href=/x>", ["/x"]),
    "in head: style": ("<style><a href=/t></a></style><a href=/x>", ["/x"]),
    "in body: textarea": ("<textarea><a href=/t></a></textarea><a href=/x>", ["/x"]),
    "in body: text of an iframe": ("<iframe src=/i><a href=/t></a></iframe><a href=/x>", ["/i", "/x"]),
    "in body: plaintext": ("<a href=/x></a><plaintext></plaintext><a href=/t>", ["/x"]),
    "in frameset: link in a frameset": ("<frameset><a href=/t><frame src=/x></frameset>", ["/x"]),
    "after frameset: link behind a frameset": ("<frameset><frame src=/x></frameset><a href=/t>", ["/x"]),
    "in body: base behind the head": ("<body><p><base href=/b/><a href=x>", ["/b/x"]),
    "in head: script with a slash": ("<script src=x /><a href=/t></script><a href=/x>", ["/x"]),
    "13.2.5.27 script in a script": ("<script><!--<script></script><a href=/t></script--></script><a href=/x>", ["/x"]),
    "13.2.5.41 bogus comment": ("<?x > <a href=/x> ?><!x <a href=/t>></ <a href=/t>>", ["/x"]),
    "13.2.5.43 shortest comments": ("<!--><a href=/1><!---><a href=/2><!-- --!><a href=/3>", ["/1", "/2", "/3"]),
    "13.2.5.69 CDATA in an image": ("<svg><![CDATA[ > <a href=/t> ]]></svg><a href=/x>", ["/x"]),
    "13.2.5.42 CDATA in HTML": ("<![CDATA[ > <a href=/x> ]]>", ["/x"]),
    "13.2.6.5 style in an image": ("<svg><style><a href=/x></a></style></svg>", ["/x"]),
    "SVG 16.2 link in an image": ("<svg><a href=/x></a></svg>", ["/x"]),
    "SVG 16.2 xlink:href": ("<svg><a xlink:href=/x></a></svg>", ["/x"]),
    "SVG 16.2 href before xlink:href": ("<svg><a xlink:href=/t href=/x></a></svg>", ["/x"]),
    "13.2.6.5 xlink:href in HTML": ("<svg></svg><a xlink:href=/t></a>", []),
    "3.2.2 foreign elements": (
        "<svg><link rel=next href=/t></link><area href=/t /><iframe src=/t /></svg>"
        "<math><a href=/t></a></math><a href=/x>",
        ["/x"],
    ),
    "3.2.2 base of an image": ("<svg><base href=/t/></base></svg><a href=x>", ["/dir/x"]),
    "space-separated tokens of rel": (
        "<a rel='a\u00a0nofollow' href=/1></a><a rel='a\vnofollow' href=/2>",
        ["/1", "/2"],
    ),
}  # fmt: skip


def test_title_of_an_image_is_not_the_page_s() -> None:
    assert parsed("<svg><title>image</title></svg><title>page</title>").title == "page"


@pytest.mark.parametrize("html", ['<a href="#top">', '<a href="#">', '<a href="">', '<a href="/dir/page#x">'])
def test_a_link_to_a_part_of_the_page_is_a_link_to_the_page_at_most(html: str) -> None:
    assert set(parsed(html).outlinks) <= {URL}


def test_routes_are_links_of_their_own_where_they_are_wanted() -> None:
    html = "<a href=#/x>one</a><a href='/dir/page#/x'>two</a><a href=/o#!/y rel=external>y</a><a href=#part>part</a>"
    wanted = Wanted(anchors=True, places=True, kept=True, facts=True, routes=True)
    page = parse_html(html.encode(), URL, "text/html", wanted)
    assert dict(zip(page.outlinks, page.anchors, strict=True)) == {
        f"{URL}#/x": "one",
        "http://h.test/o#!/y": "y",
        URL: "part",
    }
    assert len(page.places) == 3
    assert set(parsed(html).outlinks) == {URL, "http://h.test/o"}


def test_the_canonical_of_a_route_is_that_of_its_document() -> None:
    html = "<head><link rel=canonical href=/></head><a href=/x>x</a>"
    assert parsed(html, f"{URL}#/x")._replace(canonicals=("http://h.test/",)) == parsed(html)


BASES = {
    "absolute": ('<base href="http://x.test/y/"><a href="z">', ["http://x.test/y/z"]),
    "relative": ('<base href="/other/"><a href="z">', ["/other/z"]),
    "relative-to-the-page": ('<base href="sub/"><a href="z">', ["/dir/sub/z"]),
    "first-counts": ('<base href="/1/"><base href="/2/"><a href="z">', ["/1/z"]),
    "one-without-href-does-not-count": ('<base target="_blank"><base href="/2/"><a href="z">', ["/2/z"]),
    "behind-the-link": ('<a href="z"></a><base href="/1/">', ["/1/z"]),
    "nonsense-is-ignored": ('<base href="http://["><a href="z">', ["/dir/z"]),
    "data-is-ignored": ('<base href="data:x"><a href="z">', ["/dir/z"]),
    "javascript-is-ignored": ('<base href="javascript:x"><a href="z">', ["/dir/z"]),
    "first-counts-though-it-is-nonsense": ('<base href="http://["><base href="/2/"><a href="z">', ["/dir/z"]),
    "another-scheme-counts": ('<base href="ftp://x.test/"><a href="z"><a href="http://y.test/">', ["http://y.test/"]),
    "no-hierarchy": ('<base href="mailto:x"><a href="z"><a href="http://y.test/">', ["http://y.test/"]),
    "canonical-too": ('<base href="/1/"><link rel=canonical href="z">', ["/1/z"]),
}


PAGES = LINKS | TREE | {f"base {name}": case for name, case in BASES.items()}


@pytest.mark.parametrize(("html", "expected"), PAGES.values(), ids=PAGES.keys())
def test_links_are_those_of_a_browser_s_tree(html: str, expected: list[str]) -> None:
    assert links(html) == expected


UNCOUNTED = {
    "nofollow": ('<a rel="nofollow" href="/x">', [], 1),
    "ugc": ('<a rel="ugc" href="/x">', [], 1),
    "sponsored": ('<a rel="sponsored" href="/x">', [], 1),
    "in-any-case-among-others": ('<a rel="noopener NoFollow\nme" href="/x">', [], 1),
    "area": ('<area rel="nofollow" href="/x">', [], 1),
    "noopener-is-counted": ('<a rel="noopener noreferrer" href="/x">', ["/x"], 0),
    "part-of-a-word-is-counted": ('<a rel="nofollowing" href="/x">', ["/x"], 0),
    "empty-rel-is-counted": ('<a rel="" href="/x">', ["/x"], 0),
    "targets-are-numbered-once": ('<a rel=nofollow href="/x"><a rel=ugc href="/x#2"><a rel=ugc href="/y">', [], 2),
    "plain-then-nofollow": ('<a href="/x"></a><a rel=nofollow href="/x">', ["/x"], 0),
    "nofollow-then-plain": ('<a rel=nofollow href="/x"></a><a href="/x">', ["/x"], 0),
    "both-kinds": ('<a rel=nofollow href="/x"></a><a href="/y">', ["/y"], 1),
    "not-http": ('<a rel=nofollow href="mailto:a@b">', [], 0),
}


@pytest.mark.parametrize(("html", "expected", "number"), UNCOUNTED.values(), ids=UNCOUNTED.keys())
def test_uncounted_links_are_only_numbered(html: str, expected: list[str], number: int) -> None:
    assert links(html) == expected
    assert parsed(html).nofollow == number


ROBOTS = {
    "none given": ("", True, True, True),
    "a list": ('<meta name="robots" content="noindex, nofollow">', False, False, True),
    "any case": ('<META NAME="Robots" CONTENT="NoFollow">', False, True, True),
    "elements add up": ("<meta name=robots content=noarchive><meta name=minicrawl content=none>", False, False, False),
    "for another robot": ('<meta name="googlebot" content="none">', True, True, True),
    "no content": ('<meta name="robots">', True, True, True),
}


@pytest.mark.parametrize(("html", "follow", "index", "archive"), ROBOTS.values(), ids=ROBOTS.keys())
def test_meta_robots_directives_are_obeyed(html: str, follow: bool, index: bool, archive: bool) -> None:
    page = parsed(html + "<a href=/x>")
    assert (page.follow, page.index, page.archive) == (follow, index, archive)
    assert page.outlinks == ("http://h.test/x",)


@pytest.mark.parametrize(
    ("html", "usage"),
    [
        ("<meta name=robots content=noindex><meta name=description content=noai>", ()),
        ("<meta name=robots content='noindex, NoAI'>", ("robots: noai",)),
        ("<meta name=Robots content=noimageai><meta name=minicrawl content=noai>", ("robots: noimageai, noai",)),
        ("<meta name=googlebot content=noai>", ()),
        ("<script><meta name=robots content=noai></script>", ()),
    ],
)
def test_what_a_head_says_on_the_use_of_its_page(html: str, usage: tuple[str, ...]) -> None:
    assert parsed(html).usage == usage


def test_noindex_for_googlebot_is_told_apart() -> None:
    assert not parsed("<meta name=Googlebot content=none>").index_by_google
    assert parsed("<meta name=googlebot content=nofollow><meta name=robots content=noindex>").index_by_google


CANONICALS = {
    "usual": ('<link rel="canonical" href="/x">', "http://h.test/x"),
    "itself": ('<link rel="canonical" href="#top">', URL),
    "two-that-differ": ('<link rel=canonical href="/1"><link rel=canonical href="/2">', None),
    "twice-the-same": ('<link rel=canonical href="/1"><link rel=canonical href="/1#x">', "http://h.test/1"),
    "in-the-body": ('<p><link rel=canonical href="/1">', None),
    "in-the-body-as-well": ('<link rel=canonical href="/1"><body><link rel=canonical href="/2">', "http://h.test/1"),
    "behind-the-head": ('<head></head><link rel=canonical href="/1"><body>', "http://h.test/1"),
    "only-usable-counts": ('<link rel=canonical href="ftp:x"><link rel=canonical href="/2">', "http://h.test/2"),
    "not-on-a": ('<a rel="canonical" href="/x">', None),
    "not-without-href": ('<link rel="canonical">', None),
    "none": ('<link rel="next" href="/x">', None),
}


@pytest.mark.parametrize(("html", "expected"), CANONICALS.values(), ids=CANONICALS.keys())
def test_canonical_is_the_one_that_the_head_names(html: str, expected: str | None) -> None:
    assert parsed(html).canonical == expected


ALTERNATES = {
    "languages": (
        "<link rel=alternate hreflang=de href=/de><link rel=Alternate hreflang=x-default href=/>",
        ("http://h.test/de", "http://h.test/"),
    ),
    "medium": ('<link rel=alternate media="print" href=/print>', ("http://h.test/print",)),
    "feed": ("<link rel=alternate type=application/rss+xml hreflang=de href=/feed>", ()),
    "style": ('<link rel="alternate stylesheet" media=print href=/a.css>', ()),
    "neither": ("<link rel=alternate href=/x>", ()),
    "in-the-body": ("<p><link rel=alternate hreflang=de href=/de>", ()),
}


@pytest.mark.parametrize(("html", "expected"), ALTERNATES.values(), ids=ALTERNATES.keys())
def test_alternates_are_languages_and_media_that_the_head_names(html: str, expected: tuple[str, ...]) -> None:
    assert parsed(html).alternates == expected
    assert parsed(html).outlinks == ()


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=x-default href=/>",
            "de=/de x-default=/",
        ),
        (
            "<link rel=alternate hreflang=' pt-BR ' href=/br><link rel=alternate hreflang=en href=/br>",
            "pt-BR=/br en=/br",
        ),
        ("<link rel=alternate media=print href=/print>", ""),
        ("<link rel=alternate hreflang='' href=/de><link rel=alternate hreflang='e n=' href=/en>", ""),
        (f"<link rel=alternate hreflang={'a' * 36} href=/a>", ""),
        ("<link rel=alternate hreflang=de href='http://['>", ""),
        ("<link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=de href=/de>", "de=/de de=/de"),
        ("<body><link rel=alternate hreflang=de href=/de>", ""),
    ],
    ids=["languages", "two-of-one", "medium", "no-language", "too-long", "no-url", "again", "body"],
)
def test_languages_of_alternates_are_read(html: str, expected: str) -> None:
    named = " ".join(f"{language}={url.removeprefix('http://h.test')}" for language, url in parsed(html).hreflang)
    assert named == expected


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>A page</title>", "A page"),
        ("<title>\n  A\t page \xa0 here\n</title>", "A page here"),
        ("<title>A &amp; B &lt;b&gt;</title>", "A & B <b>"),
        ("<title>1</title><title>2</title>", "1"),
        ("<title>  </title>", None),
        ("<p>no title", None),
        ("<title>" + "x" * 2000 + "</title>", "x" * 500),
    ],
    ids=["plain", "white-space", "entities", "first", "blank", "none", "cut"],
)
def test_title_is_one_line_of_text(html: str, title: str | None) -> None:
    assert parsed(html).title == title


@pytest.mark.parametrize(
    ("html", "anchors"),
    [
        ("<a href=/x>Some text</a>", ("Some text",)),
        ("<a href=/x>\n Some <b>bold\t</b> text </a>", ("Some bold text",)),
        ("<a href=/x>one</a><a href=/x>two</a>", ("one",)),
        ("<a href=/x></a><a href=/y>why</a>", ("", "why")),
        ("<a href=/x><img src=i alt=picture></a>", ("",)),
        ("<iframe src=/x>text</iframe>", ("",)),
        ("<a href=/x>" + "y" * 1000 + "</a>", ("y" * 200,)),
        ("<a rel=nofollow href=/x>hidden</a><a href=/x>shown</a>", ("shown",)),
        ("<a href=/x>Grüße 日本</a>", ("Grüße 日本",)),
    ],
    ids=["text", "nested", "first", "one-per-outlink", "image", "iframe", "cut", "counted-link", "non-ascii"],
)
def test_anchors_are_the_texts_of_the_outlinks(html: str, anchors: tuple[str, ...]) -> None:
    page = parsed(html)
    assert page.anchors == anchors
    assert len(page.outlinks) == len(anchors)


@pytest.mark.parametrize(
    "body", [b"", b" \n", b"\0", b"\0\0\0", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, b"<", b"<!--", b"<?xml"]
)
def test_next_to_nothing_says_nothing(body: bytes) -> None:
    assert parse_html(body, URL) == ParsedPage()


def test_nul_bytes_do_not_end_a_page() -> None:
    """In an attribute it becomes U+FFFD (HTML 13.2.5.38)."""
    assert parse_html(b"<a href=/x>a\0b</a>\0<a href=/y\0z>", URL).outlinks == (
        "http://h.test/x",
        "http://h.test/y%EF%BF%BDz",
    )


@pytest.mark.parametrize("levels", [10**4, 10**5])
@pytest.mark.parametrize("closed", [True, False], ids=["behind", "inside"])
def test_links_behind_deep_nesting_are_found(levels: int, closed: bool) -> None:
    body = b"<div>" * levels + b"</div>" * levels * closed + b"<a href=/x>"
    assert parse_html(body, URL).outlinks == ("http://h.test/x",)


def test_a_long_attribute_and_a_long_text_do_not_hide_links() -> None:
    body = b"<a href=/1></a><p title='" + b"x" * 2 * 10**6 + b"'>" + b"y" * 11 * 10**6 + b"<a href=/2>"
    assert parse_html(body, URL).outlinks == ("http://h.test/1", "http://h.test/2")


_markup = st.lists(
    st.sampled_from(
        [
            b"<a href=",
            b"<base href=",
            b"<meta ",
            b"charset=",
            b"<link rel=canonical href=",
            b"<title>",
            b"</title>",
            b">",
            b"'",
            b'"',
            b"<!--",
            b"-->",
            b"<![CDATA[",
            b"<?xml encoding='x'?>",
            b"&#x110000;",
            b"&#0;",
            b"&amp",
            b"\0",
            b"\xff",
            b"\xfe",
            b"\xef\xbb\xbf",
            b"\xd8\x00",
            b"http://[",
            b"//",
            b"name=robots content=",
            b"<script>",
            b"</",
            b"http-equiv=refresh content=",
            b"0;url=",
            b"<svg>",
            b"<template>",
            b"<frameset>",
            b"koi8-r",
            b"utf-16",
        ]
    ),
    max_size=25,
).map(b"".join)


@settings(max_examples=400)
@given(
    body=st.one_of(st.binary(max_size=300), _markup),
    content_type=st.sampled_from(
        [None, "text/html; charset=utf-8", "text/html; charset=utf-16", "text/html; charset=euc-kr"]
    ),
)
def test_garbage_never_raises(body: bytes, content_type: str | None) -> None:
    page = parse_html(body, URL, content_type)
    assert len(page.anchors) == len(page.outlinks) == len(set(page.outlinks))
    assert all(url.startswith(("http://", "https://")) and "#" not in url for url in page.outlinks)
    assert page.title is None or page.title.encode()


@pytest.mark.parametrize("filler", ["", "<p>" * 40_000], ids=["as-browsers-do", "in-little-memory"])
def test_texts_of_links_are_left_out_where_nobody_wants_them(filler: str) -> None:
    body = b"<title>t</title><a href=/a>one</a><area href=/b><a href=/c rel=nofollow>two</a>" + filler.encode()
    whole, bare = parse_html(body, "http://h.test/"), parse_html(body, "http://h.test/", wanted=Wanted())
    assert (whole.anchors, bare.anchors) == (("one", ""), ("", ""))
    assert whole._replace(anchors=()) == bare._replace(anchors=())


@pytest.mark.parametrize("links", [9, 10, 11])
def test_a_page_may_have_as_many_links_as_it_may(links: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minicrawl.web.html.parse.MAX_LINKS", 10)
    body = "".join(f"<a href=/{number}>x</a><a href=/{number}>again</a>" for number in range(links)).encode()
    page = parse_html(body, "http://a.test/")
    assert (len(page.outlinks), page.truncated) == (min(links, 10), links > 10)


def test_page_with_too_many_tags_is_cut() -> None:
    page = parse_html(b"<a href=/0>" + b"<a href=/1>" * 100_000 + b"<a href=/last>", "http://a.test/")
    assert (page.outlinks, page.truncated) == (("http://a.test/0", "http://a.test/1"), True)


@pytest.mark.parametrize("unit", ["=", "=a", "=1;", '"price": "', '"date'])
@pytest.mark.parametrize(
    "html", ["<img src='{}'>", "<script type='application/ld+json'>{}</script>", "<p>text <a href='/?{}'>x</a>"]
)
def test_what_is_compared_takes_time_linear_in_the_length_of_a_page(html: str, unit: str) -> None:
    def parse(times: int) -> None:
        parse_html(html.format(unit * times).encode(), URL, "text/html", Wanted(places=True, blocks=True))

    assert growth(parse, 3_000) < 1.5
