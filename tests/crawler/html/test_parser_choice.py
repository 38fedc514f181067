"""Hostile pages are parsed in bounded time and memory, ordinary ones by the browser's parser."""

import random
import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from support.effort import seconds

from minicrawl.crawler.html.parser_choice import (
    Marks,
    Nesting,
    attributes_at_most,
    may_explode,
    nesting,
    tags_at_most,
    tree_of,
    within_limit,
)

SECTION = (
    b"<h2 class=x>One</h2><p>Some <code class='x y'>code</code>, <b>bold</b> <a href=/1>text</a>.<ul><li>item</ul>"
)

FORMATTING = b"b big code em font i nobr s small strike strong tt u".split()
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
    "all formatting there is": (
        b"<p>" + b"".join(b"<%b>" % name * 3 for name in FORMATTING) + b"</p>" + b"<p>x" * 29_000
    ),
    "attributes": b"<p " + b"".join(b"x%d " % number for number in range(2 * 10**5)) + b">",
    "attributes with angle brackets": b"<p " + b"".join(b"x%d='<>'" % number for number in range(10**5)) + b">",
    "tags that never end": b"<div " * 10**6 + b">",
    "links in links": b"<a href=/y><object>" * 10**4 + b"text" * 10**5 + b"</object>" * 10**4,
    "selected options": b"<select><button><selectedcontent></button>"
    + b"<option selected>x" * 2 * 10**4
    + b"</select>",
}


def links(page: bytes) -> list[str | None]:
    return [attributes.get("href") for tag, attributes in tree_of(page, is_whole=False).elements() if tag == "a"]


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
    assert may_explode(Marks(body)) == (not end)
    tree = tree_of(body, is_whole=False)
    assert [(attributes["href"], tree.words()()) for _, attributes in tree.elements()] == [
        (f"/{number}", "t") for number in range(10**5)
    ]


@pytest.mark.parametrize("sections", [1, 100, 2000, 3000])
def test_long_pages_are_left_to_the_browser_s_parser(sections: int) -> None:
    """Their formatting elements look alike, so that few are ever copied."""
    assert not may_explode(Marks(SECTION * sections))


@pytest.mark.parametrize("tag", ["<B\tx='>%d'>", "<font/size=%d>", '<code title="<%d">', "<i x=%d", "<tt x='%d>"])
def test_formatting_is_seen_however_it_is_written(tag: str) -> None:
    assert may_explode(Marks(b"".join(tag.encode() % number for number in range(600)) + b"<p>x</p>" * 600))


def test_first_attributes_of_a_tag_are_kept() -> None:
    body = (
        b" " * 10**5
        + b"<a "
        + b"".join(b"x%d='>' " % number for number in range(50))
        + b"href=/x "
        + b"y " * 10**5
        + b">"
    )
    assert [attributes["href"] for _, attributes in tree_of(body, is_whole=False).elements()] == ["/x"]


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


_NAMES = (
    "a b i font p div ul li dl dt dd table tbody tr td th caption colgroup h1 h2 span section pre form button body head"
    " html noscript template object marquee br option ruby rt rp center x-y article"
)
NAMES = _NAMES.split()
TOKENS = [
    *(f"<{name}>" for name in NAMES),
    *(f"</{name}>" for name in NAMES),
    "text",
    "<!-- </div> -->",
    "<script>'</div>'</script>",
    "<svg><path d='1'/><title>t</title></svg>",
    '<a href="x" class=y>',
]
_ADDED = 4
"""A cell that stands in a table alone has a body, a row and the table around it."""


def depth(body: bytes) -> int:
    """Elements inside one another in a browser's tree, at most."""
    root = LexborHTMLParser(body).root
    assert root is not None
    deepest, level = 0, [root]
    while level:
        deepest += 1
        level = [child for node in level for child in node.iter(include_text=False)]
    return deepest


def test_no_pattern_of_tags_is_deeper_than_it_is_said_to_be() -> None:
    draw, told = random.Random(7), 0
    for _ in range(6000):
        tags = draw.choices(TOKENS, k=draw.randint(1, 7))
        body = "".join(draw.choices(TOKENS, k=draw.randint(0, 3)) + tags * 40).encode()
        said = nesting(body)
        if said is not None:
            told += 1
            assert depth(body) <= _ADDED * (said.deepest + said.reopened) + 8, tags
    assert told > 5000


def test_no_pattern_of_tags_is_copied_more_often_than_it_is_said_to_be() -> None:
    draw, told = random.Random(8), 0
    for _ in range(6000):
        names = draw.choices(FORMATTING, k=draw.randint(0, 9))
        begins = [f"<{name.decode()} x={number}>" for number, name in enumerate(names)]
        ends = [f"</{name.decode()}>" for name in reversed(names)]
        body = "".join([*draw.choices(TOKENS, k=2), *begins, *draw.choices(TOKENS, k=4) * 30, *ends]).encode()
        said = nesting(body)
        root = LexborHTMLParser(body).root
        assert root is not None
        if said is not None:
            told += 1
            assert len(root.css("*")) <= _ADDED * (body.count(b"<") + 4) * (1 + said.reopened), body
    assert told > 5000


@pytest.mark.parametrize(
    ("page", "deepest", "reopened"),
    [
        ("<div><p>a</p><br><img src=x></div>", 2, 0),
        ("<div><div><p></div></div><ul><li><li></ul>", 3, 0),
        ("<b><div></b></div>", 2, 1),
        ("<p><b>x</p><p>y", 3, 1),
        ("<div><table><td></div></div></td></table></div>", 3, 0),
        ("<script>if (a < b) '</div>'</script><div>", 1, 0),
        ("<!-- <div><div> --><!doctype html><div a='1' b=2 c \"</div>", None, 0),
    ],
)
def test_depth_of_pages(page: str, deepest: int | None, reopened: int) -> None:
    assert nesting(page.encode()) == (None if deepest is None else Nesting(deepest, reopened))


@pytest.mark.parametrize(
    "page",
    [
        "a < b",
        "<div title='</div>'>",
        '<div "a="></div><x c=1>',
        '<div a=b"c></div>',
        "<script></div>",
        "<!-- <!-- --></div> -->",
        "<!--></div>-->",
        "<textarea></div>",
        "<svg><g></div></svg>",
        "<svg/><g></svg>",
        "<svg><title></svg>",
        "<math><mi></math>",
        "<select><div></select>",
        "<plaintext></div>",
        "<![CDATA[</div>]]>",
        "<?php </div> ?>",
        "</ div>",
    ],
)
def test_nothing_is_said_of_a_page_in_doubt(page: str) -> None:
    assert nesting(page.encode()) is None


def test_time_follows_the_length() -> None:
    blocks = (b"<div>", b"<div></span>", b"<p></div>", b"<table></div>")
    for pattern in (*blocks, b"<!-- ", b"<svg>", b"<a b=' ", b"<script>"):
        nesting(pattern * 40_000)  # in the square of the tags, each would take a minute


@pytest.mark.parametrize("tag", [b"<a href=/1>", b"<title>", b"<script></script>", b"<META\n>"])
def test_tags_beyond_reason_are_not_read(tag: bytes) -> None:
    for tags, is_cut in ((998, False), (1_000, True)):
        body = b"<a href=/0>" + tag * tags + b"<a href=/last>"
        assert within_limit(body, 1_000) == (b"<a href=/0>" + tag * 999 if is_cut else body)
