"""How deep tags are inside one another: no less than in a browser's tree, whatever pattern of tags is repeated."""

import random

import pytest
from selectolax.lexbor import LexborHTMLParser

from minicrawl.crawler.html.trees.nesting import Nesting, nesting

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


def test_no_pattern_of_tags_is_deeper_than_it_is_said_to_be():
    draw, told = random.Random(7), 0
    for _ in range(6000):
        tags = draw.choices(TOKENS, k=draw.randint(1, 7))
        body = "".join(draw.choices(TOKENS, k=draw.randint(0, 3)) + tags * 40).encode()
        said = nesting(body)
        if said is not None:
            told += 1
            assert depth(body) <= _ADDED * (said.deepest + said.unclosed) + 8, tags
    assert told > 5000


@pytest.mark.parametrize(
    ("page", "deepest", "unclosed"),
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
def test_depth_of_pages(page, deepest, unclosed):
    assert nesting(page.encode()) == (None if deepest is None else Nesting(deepest, unclosed))


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
def test_nothing_is_said_of_a_page_in_doubt(page):
    assert nesting(page.encode()) is None


def test_time_follows_the_length():
    blocks = (b"<div>", b"<div></span>", b"<p></div>", b"<table></div>")
    for pattern in (*blocks, b"<!-- ", b"<svg>", b"<a b=' ", b"<script>"):
        nesting(pattern * 40_000)  # in the square of the tags, each would take a minute
