"""Hostile pages are parsed in bounded time and memory, ordinary ones by the browser's parser."""

import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser
from support.effort import seconds

from minicrawl.crawler.html.parser_choice import (
    FORMATS,
    Marks,
    attributes_at_most,
    may_explode,
    tags_at_most,
    tree_of,
    within_limit,
)

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
    assert [" ".join(block.split()) for block in tree.text()] == ["one boldp>word", "y'>two x"]


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
