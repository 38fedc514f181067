"""The plain parser reads ordinary pages like the browser's."""

import pytest

from minicrawl.crawler.html.browser_tree import BrowserTree
from minicrawl.crawler.html.plain_tree import PlainTree
from minicrawl.crawler.html.tree import Tree

HTML = b"""<!doctype html><html lang=de><head><title>T</title><meta name=robots content=none><base href=/b/>
<link rel=canonical href=/c></head><body class=x><header><a href=/1>one</a></header><div class='main-content'>
<h1>He<b>ad</b></h1><p>A text that is long <a href=/2>two</a><p>x<br>y<!-- c -->z<ul><li><a href=/3>3</a><li>4</ul>
<template><p>no</template><script>no</script><h2>Second<h3>Third</h3></div><footer><a href=/5>five</a></footer>"""


def test_both_parsers_tell_the_same() -> None:
    trees: list[Tree] = [BrowserTree(HTML, []), PlainTree(HTML, marked=True)]
    found = [
        [
            (tag, dict(attributes), tree.words()(), tree.is_in_head(), tag == "a" and tree.place(None))
            for tag, attributes in tree.elements()
        ]
        for tree in trees
    ]
    assert found[0] == found[1]
    assert {place for tag, *_, place in found[0] if tag == "a"} == {0, 1, 2}
    assert trees[0].language() == trees[1].language() == "de"
    assert trees[0].h1() == trees[1].h1() == "Head"
    one, other = (tree.text() for tree in trees)
    assert one.headings == other.headings
    assert [words for block in one.blocks if (words := block.split())] == [
        words for block in other.blocks if (words := block.split())
    ]


@pytest.mark.parametrize("marked", [False, True])
def test_a_page_of_megabytes_keeps_all_its_links(marked: bool) -> None:
    """Wherever a portion of it ends: in text, in a tag that goes or stays, in quotes."""
    link = b"<a href='/%d' title='a>b'>%d</a><b class=\"x y\">y</b> 1 < 2 <i title='z'>z</i>"
    parts = [link % (number, number) for number in range(20_000)]
    found = list(PlainTree(b"<p>".join(parts), marked=marked).elements())
    assert [attributes["href"] for tag, attributes in found if tag == "a"] == [f"/{number}" for number in range(20_000)]
