"""Kept texts of small and of hostile pages, and the hashes of their blocks."""

import random

import pytest
from msgspec.structs import replace

from minicrawl.model import Wanted
from minicrawl.web.html.blocks import Walk
from minicrawl.web.html.browser_tree import BrowserTree
from minicrawl.web.html.parse import parse_html
from minicrawl.web.html.tree import MOST_BLOCKS, block_hashes
from minicrawl.web.kept_text import KeptText, blocks_of, keys_of, unpack
from minicrawl.web.marks import Marks

URL = "http://a.test/page"
KEPT = Wanted(places=True, kept=True)


def kept(html: str | bytes) -> KeptText:
    body = html if isinstance(html, bytes) else html.encode()
    return unpack(parse_html(body, URL, "text/html; charset=utf-8", KEPT).kept, URL)


def test_page_is_kept_with_its_head_and_the_links_of_its_text() -> None:
    page = kept("""<html lang=en-GB><title>The  title</title><meta name=description content="It says this.">
        <h1>Head <b>line</b></h1> <p>See <a href=/manual#part>the
        <i>manual</i></a> for <a href="">this page</a>, <a href="javascript:x">nothing</a>.<script>hidden()</script>""")
    assert (page.title, page.language, page.description, page.h1) == (
        *("The title", "en-GB", "It says this.", "Head line"),
    )
    assert page.content == "# Head **line**\n\nSee [the *manual*](http://a.test/manual#part) for this page, nothing."
    assert [(anchor.url, anchor.text) for anchor in page.anchors()] == [("http://a.test/manual", "the manual")]


@pytest.mark.parametrize("wanted", [Wanted(blocks=True), Wanted(places=True)])
def test_other_parts_of_a_page_are_the_same_with_and_without(wanted: Wanted) -> None:
    html = b"""<html lang=de><title>t</title><meta name=description content=d><h1>A <a href=/x>b</a></h1><nav>m</nav>
        <p>one <a href=/x>two</a> three<ul><li>x<li>y</ul><pre>a\n b</pre><h2>c</h2>d<br>e"""
    both = replace(wanted, kept=True)
    one, other = (parse_html(html, URL, "text/html; charset=utf-8", each) for each in (wanted, both))
    assert one == other._replace(kept=b"", headings=b"")
    assert other.kept


def test_blocks_that_are_read_back_have_the_keys_of_those_that_were_walked() -> None:
    rng, spaces = random.Random(3), ("", " ", "\n", "&nbsp; ", "<a href=/x>", "</a>", " </a> ", "<b> ", "<li> ", "<br>")
    signs = ("* ", "_a_", "`", "[x](y)", "\\", "# ", "1. ", "|", "<code>a*b</code>", "<sup>2</sup>", "!", "- ", "&lt;")
    for _ in range(300):
        ends = ("<p> ", "<h2>", "word", "two  words", "\u2003", "<table><td>x<td>y", "</table>", "<pre>a\n b</pre>")
        html = "".join(rng.choices((*spaces, *ends, *signs), k=40))
        walk = Walk(BrowserTree(Marks(html.encode())).html(), URL, str, str, 10**6)
        walked = [block.key(block.level) for block in walk.blocks if block.size > 0]
        page = kept(html)
        read = [key for text in (page.content, page.rest) for block in blocks_of(text) for key in keys_of(block)]
        assert sorted("".join(walked).split()) == sorted("".join(read).split()) or sorted(walked) == sorted(read), html


@pytest.mark.parametrize("directive", ["noarchive", "NoIndex, noarchive"])
def test_page_that_forbids_copies_is_not_kept(directive: str) -> None:
    assert parse_html(f"<meta name=robots content='{directive}'>x".encode(), URL, None, KEPT).kept == b""


def test_page_that_no_search_may_show_says_so() -> None:
    assert kept("<meta name=robots content=noindex>x").index is False
    assert kept("x").index is True


@pytest.mark.parametrize("mark", [*map(chr, range(1, 32)), "\U000f0001", "\U00100000", "\ufdd0"])
def test_marks_of_a_page_s_own_lead_nowhere(mark: str) -> None:
    for own in (mark, f"&#{ord(mark)};", f"&#x{ord(mark):x};"):
        page = kept(f"<p>a {own} b</p><p>see <a href=/x>x</a> here</p>")
        assert page.content_text.split("\n")[-1] == "see x here"
        assert {anchor.url for anchor in page.anchors()} == {"http://a.test/x"}


def test_a_template_s_links_are_not_those_of_others() -> None:
    page = kept("<template><a href=/t>t</a></template><svg><title><a href=/s>s</a></title></svg><a href=/x>x</a>")
    assert [(anchor.url, anchor.text) for anchor in page.anchors()] in ([("http://a.test/x", "x")], [])


def block_numbers(hashes: bytes) -> list[int]:
    return [int.from_bytes(hashes[at : at + 4]) for at in range(0, len(hashes), 4)]


@pytest.mark.parametrize(
    ("html", "content"),
    [
        ("<p>one<p>two<script><!--<script></script></sup>", "one\n\ntwo"),
        ("<p>one<math><del><math></math></del></math><p>two", "one\n\ntwo"),
        ("<p>one<script><!-- </sup> --></script><p><del>two</del>", "one\n\n~~two~~"),  # whose tags are in pairs
    ],
)
def test_end_tag_whose_element_began_in_what_is_left_out_is_passed_over(html: str, content: str) -> None:
    assert kept(html).content == content


def test_block_hashes_ignore_scripts_and_frames_and_change_with_a_paragraph() -> None:
    def blocks(nonce: str, more: str) -> set[int]:
        html = f"<script>{nonce}</script><p>One.<p>Two <b>bold</b> words.{more}<footer>{nonce}</footer>"
        return set(block_numbers(parse_html(html.encode(), URL, None, Wanted(blocks=True)).blocks))

    assert blocks("nonce 1", "") == blocks("nonce 2", "")
    assert len(blocks("nonce 1", "") ^ blocks("nonce 2", "<p>Three.")) == 1


def test_smallest_hashes_of_many_blocks_are_kept_in_order() -> None:
    many = [f"block {number}" for number in range(2 * MOST_BLOCKS)]
    numbers = block_numbers(block_hashes([*many, *many]))
    assert numbers == block_numbers(block_hashes(reversed(many)))[::-1]
    every = [*block_numbers(block_hashes(many[:MOST_BLOCKS])), *block_numbers(block_hashes(many[MOST_BLOCKS:]))]
    assert sorted(numbers) == sorted(every)[:MOST_BLOCKS]


def test_text_is_in_blocks_without_what_is_hidden() -> None:
    page = """<html lang=de><title>not this</title><h1>Head <b>line</b></h1><p>One <a href=1>li</a>nk<br>two
        <script>no()</script><style>no</style><ul><li>x<li>y</ul><h2></h2><div>a<div>b</div>c</div>"""
    tree = BrowserTree(Marks(page.encode()))
    assert tree.language() == "de"
    told = Walk(tree.html(), URL, str, str, 10**6).told()
    assert told == ["Head line", "One link", "two", "x", "y", "a", "b", "c"]
