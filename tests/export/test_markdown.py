"""Kept texts as Markdown: what a reader of it sees, and names that no URL can turn against the disk."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from minicrawl.crawler.html.parse import parse_html
from minicrawl.export.markdown import as_markdown
from minicrawl.model import Wanted
from minicrawl.store.texts.marked_text import About, pack, unpack

URL = "http://a.test/page"


def markdown(html: str) -> str:
    body = parse_html(html.encode(), URL, "text/html; charset=utf-8", Wanted(places=True, kept=True)).kept
    _, _, text = as_markdown(unpack(body, URL)).partition("---\n")[2].partition("---\n")
    return text.strip("\n")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>Head</h2><p>One <b>two</b>", "## Head\n\nOne two"),
        ("<ul><li>a<li>b</ul><p>c", "- a\n- b\n\nc"),
        ("See <a href=/x>the manual</a>.", "See [the manual](http://a.test/x)."),
        ("<a href='/x_(y)'>[a]</a>", "[\\[a\\]](<http://a.test/x_(y)>)"),
        ("<pre>if x:\n  y\n</pre>", "```\nif x:\n  y\n```"),
        ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        (
            "<table><tr><th>a<th>b|c<tr><td>1<td><a href=/x>2</a><tr><td>3</table>",
            "| a | b\\|c |\n| --- | --- |\n| 1 | [2](http://a.test/x) |\n| 3 |",
        ),
        ("<table><tr><td>one<tr><td>two</table>", "one\n\ntwo"),
        (
            "<table><tr><td>alpha<td>first<br>letter<td>1.0"
            "<tr><td><ul><li>b<li>c</ul><td><td><pre>x |\n y</pre><p>z</table>d",
            "| alpha | first letter | 1.0 |\n| --- | --- | --- |\n| b c |  | `x \\| y` z |\n\nd",
        ),
        ("<h2>Head <a href=#h>¶</a></h2><dl><dt>call() <a href=#c>#</a></dl>", "## Head\n\ncall()"),
        ("<p>&lt;script>alert(1)&lt;/script> &amp;lt;b", "&lt;script>alert(1)&lt;/script> &amp;lt;b"),
        ("<p># no heading<p>1. no list<p>- no item", "\\# no heading\n\n1\\. no list\n\n\\- no item"),
        (
            "<p>*args, __init__, a_b, `x` ~~y~~ [z](u) C:\\d \\*",
            "\\*args, \\_\\_init\\_\\_, a_b, \\`x\\` \\~\\~y\\~\\~ [z\\](u) C:\\d \\\\\\*",
        ),
        ("<nav>Menu</nav><p>Words that are content", "Words that are content"),
    ],
)
def test_page_as_markdown(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_markdown_is_not_much_longer_than_its_page() -> None:
    """Short rows below a wide one, and links that share a long base."""
    rows = "<table><tr>" + "<td>x" * 2_000 + "<tr><td>y" * 2_000 + "</table>"
    assert len(markdown(rows)) < 2 * len(rows)
    (head, _, *below) = markdown(rows).split("\n")
    assert (head.count("|"), below) == (2_001, ["| y |"] * 2_000)
    links = f"<base href=http://a.test/{'b' * 1_900}/><p>" + "<p><a href=x>see</a>" * 6_000
    shown = markdown(links)
    assert len(shown) < 5_000_000
    assert shown.endswith("\n\nsee")
    assert sum(line.endswith("see") or line.startswith("[see](") for line in shown.split("\n")) == 6_000


@given(st.text("ab _*`~\\[]()<>&;#!-+=1.|:/'\"", max_size=30))
def test_text_of_a_page_is_no_markup(text: str) -> None:
    """A reader of CommonMark has the words of the page."""
    words = " ".join(text.split())
    kept = unpack(pack(About(None, None, None, index=True), words, [], []), URL)
    tokens = MarkdownIt("commonmark").enable("strikethrough").parse(as_markdown(kept).partition("---\n\n")[2])
    shown = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in shown} <= {"text", "text_special"}
    assert "".join(child.content for child in shown) == words


def test_head_is_yaml_whatever_the_title_says() -> None:
    title = 'No: "such" --- # {thing}\n---'
    body = parse_html(f"<html lang=en><title>{title}</title>x".encode(), URL, None, Wanted(kept=True)).kept
    lines = as_markdown(unpack(body, URL)).split("\n")
    assert lines[0] == lines[4] == "---"
    assert {line.partition(": ")[0]: json.loads(line.partition(": ")[2]) for line in lines[1:4]} == {
        "url": URL,
        "title": 'No: "such" --- # {thing} ---',
        "language": "en",
    }
