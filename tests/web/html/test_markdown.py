"""The text of pages as Markdown, and what a reader of it sees."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.effort import growth

from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.export.markdown_folder import with_head
from minicrawl.model import Wanted
from minicrawl.web.kept_text import KeptText, read, unpack

URL = "http://a.test/page"


def kept(html: str) -> KeptText:
    parsed, _ = read_page(html.encode(), URL, "text/html; charset=utf-8", Wanted(places=True, kept=True))
    return unpack(parsed.kept, URL)


def markdown(html: str) -> str:
    return kept(html).content


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>Head</h2><p>One <b>two</b><br>three", "## Head\n\nOne **two**\\\nthree"),
        (
            "<p>a <b> b <i>c</i></b> <del>d</del> e<b>.f</b> <b><i></i></b>g<b><b>h</b></b>",
            "a **b *c*** ~~d~~ e.f g**h**",
        ),
        ("<b>one<p>two</b> three", "**one**\n\n**two** three"),
        ("<ul><li>a<ul><li>b<p>c</ul><li><p>d</ul><p>e", "- a\n  - b\n\n    c\n- d\n\ne"),
        ("<ol start=5><li>a<ol start=3><li>b</ol><li>c</ol><ol><li>d", "5. a\n\n   3. b\n6. c\n1) d"),
        ("<ul><li>a<ul><ul><li>b</ul></ul>c</ul>", "- a\n  - b\n\n  c"),
        ("<blockquote><p>a<p>b<ul><li>c</ul></blockquote>d", "> a\n>\n> b\n>\n> - c\n\nd"),
        ("<dl><dt>a<dd>b<p>c<dd><pre>d</pre><dt>e<dd>f</dl>g", "a\n\n- b\n\n  c\n- ```\n  d\n  ```\n\ne\n\n- f\n\ng"),
        (
            "<dl><dt>a<dd>b</dl><ul><li>c</ul>x<ol start=3 reversed><li>d<li>e<li value=9>f<li>g</ol>",
            "a\n\n- b\n* c\n\nx\n\n3. d\n2. e\n9. f\n8. g",
        ),
        ("<ol reversed><li>a<ul><li>x<li>y</ul><li value=7>b<li>c</ol>", "3. a\n   - x\n   - y\n7. b\n6. c"),
        (
            "<ul><li value=7>a<li><input type=checkbox checked>b<li><input type=checkbox> c<li>[x] d<li><input>e</ul>",
            "- a\n- [x] b\n- [ ] c\n- \\[x] d\n- e",
        ),
        (
            "<hr><p>a<hr><hr><p>b***<table><tr><td>c<hr>d<td>e<tr><td>f<td>g</table><hr>",
            "a\n\n***\n\nb\\*\\*\\*\n\n| c d | e |\n| --- | --- |\n| f | g |",
        ),
        ("<p><q>a</q> <ruby>b<rt>c</rt>d<rp>(<rt>e<rp>)</ruby> <ruby>f<rt></rt></ruby>", "“a” b(c)d(e) f"),
        ("See <a href=/x#y>the manual</a>.", "See [the manual](http://a.test/x#y)."),
        ("<a href='/x_(y)'>[a]</a>!<a href=/z>b</a>", "[\\[a\\]](<http://a.test/x_(y)>)\\![b](http://a.test/z)"),
        ("<a href=/x><h3>Title</h3><p>Words</p></a>", "### [Title](http://a.test/x)\n\nWords"),
        (
            "<a href=/x><img src=i.png alt='the  map'></a> <img src=j.png> a",
            "[![the map](http://a.test/i.png)](http://a.test/x) a",
        ),
        (
            "<p><code>a_b`c</code>, <code><a href=/x>d</a>* (<a href=/x>e</a>)<i>f</i></code><tt></tt><tt><i>g</tt>",
            "``a_b`c``, [`d`](http://a.test/x)\\* ([`e`](http://a.test/x)`)f` `g`",
        ),
        (
            "<p>10<sup>6</sup> CO<sub>2</sub> x<sup>a b</sup> <sup><a href=#f>1</a></sup>",
            "10^6 CO_2 x^(a b) [\\[1\\]](http://a.test/page#f)",
        ),
        ("<p>a <math alttext='x_1'><mi>x</mi></math> <math>\n<mi>c</mi>\n<mn>d</mn></math>", "a $`x_1`$ c d"),
        ("<p>a <math><msup><mi>c</mi><mn>2</mn></msup></math>", "a c^2"),
        ("<pre>if x:\n  y\n</pre>", "```\nif x:\n  y\n```"),
        ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        (
            "<div class=highlight-c><div><pre><button>Copy</button><span class=lineno>1</span><p>a</p><p>  b</p></pre>",
            "```c\na\n  b\n```",
        ),
        ("<pre><code class=language-py>a<br>  b<div>c</div><div></div><hr>d</code></pre>", "```py\na\n  b\nc\nd\n```"),
        (
            "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td><pre>a\nb</pre></table>",
            "```\na\nb\n```",
        ),
        ("<ul><li><pre>a\n\nb</pre></ul>c<xmp><b>d</xmp>", "- ```\n  a\n\n  b\n  ```\n\nc"),
        (
            "<table><tr><th>a<th>b|c<tr><td>1<td><a href=/x>2</a><tr><td>3</table>",
            "| a | b\\|c |\n| --- | --- |\n| 1 | [2](http://a.test/x) |\n| 3 |",
        ),
        (
            "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>",
            "| a |  | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 | 5 |",
        ),
        (
            "<table><tr><td rowspan=0>a<td>1<tr><td>2<tbody><tr><td>3<td>4</table>",
            "| a | 1 |\n| --- | --- |\n|  | 2 |\n| 3 | 4 |",
        ),
        (
            "<ul><li>x<table><tr><td colspan=9>a<tr><td>b<td>c</table></ul>",
            "- x\n\n  | a |  |\n  | --- | --- |\n  | b | c |",
        ),
        ("<table><tr><td>one<tr><td>two</table>", "one\n\ntwo"),
        (
            "<table><tr><td>alpha<td>first<br>letter<td>1.0"
            "<tr><td><ul><li>b<li>c</ul><td><td><pre>x |\n y</pre><p>z</table>d",
            "| alpha | first letter | 1.0 |\n| --- | --- | --- |\n| b c |  | `x \\| y` z |\n\nd",
        ),
        (
            "<h2>Head <a href=#h>¶</a></h2><h3><a href=#i>I #</a></h3><dl><dt>call() <a href=#c>#</a></dl>",
            "## Head\n\n### I \\#\n\ncall()",
        ),
        ("<p>&lt;script>alert(1)&lt;/script> &amp;lt;b", "&lt;script>alert(1)&lt;/script> &amp;lt;b"),
        ("<p># no heading<p>1. no list<p>- no item", "\\# no heading\n\n1\\. no list\n\n\\- no item"),
        (
            "<p>*args, __init__, a_b, `x` ~~y~~ [z](u) C:\\d \\*",
            "\\*args, \\_\\_init\\_\\_, a_b, \\`x\\` \\~\\~y\\~\\~ [z\\](u) C:\\d \\\\\\*",
        ),
        ("<nav>Menu</nav><p title='a>b'>Words<!-- > --><iframe>></iframe> that are content", "Words that are content"),
    ],
)
def test_page_as_markdown(html: str, expected: str) -> None:
    assert markdown(html) == expected


def math(inside: str) -> str:
    return f"<math>{inside}</math>"


X, ONE, TWO = "<mi>x</mi>", "<mn>1</mn>", "<mn>2</mn>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (math(f"<mfrac>{ONE}{TWO}</mfrac>"), "$`\\frac{1}{2}`$"),
        (math(f"<msqrt>{X}<mo>+</mo>{ONE}</msqrt>"), "$`\\sqrt{x+1}`$"),
        (math(f"<mroot>{X}{TWO}</mroot>"), "$`\\sqrt[2]{x}`$"),
        (math(f"<msup>{X}<mrow>{ONE}<mo>+</mo>{X}</mrow></msup>"), "$`x^{1+x}`$"),
        (math(f"<msubsup>{X}{ONE}{TWO}</msubsup><mo>&lt;</mo><mover>{X}{ONE}</mover>"), "x_1^2&lt;x^1"),
        (math(f"<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo>{ONE}</mrow><mi>n</mi></munderover>"), "$`∑_{i=1}^n`$"),
        (math(f"<mtable><mtr><mtd>{ONE}</mtd> <mtd>{X}</mtd></mtr><mtr>{TWO}</mtr></mtable>"), 
         "$`\\begin{matrix} 1 & x \\\\ 2 \\end{matrix}`$"),
        (math(f"<mfenced open='['>{ONE}{X}</mfenced><mphantom>{TWO}</mphantom>"), "[1,x)"),
        (math(f"<semantics><mfrac>{X}{TWO}</mfrac><annotation>x/2</annotation></semantics>"), "$`\\frac{x}{2}`$"),
        (math(f"{X}<mo>=</mo>{ONE}{X}"), "x=1x"),
        (math(f"<msup><mrow><mo>(</mo>{X}<mo>+</mo>{ONE}<mo>)</mo></mrow>{TWO}</msup>"), "(x+1)^2"),
        ("10<sup>6</sup>", "10^6"),
        ("21<sup><a href=/st>st</a></sup>", "21[st](http://a.test/st)"),
    ],
)  # fmt: skip
def test_numbers_of_a_formula_are_not_joined(html: str, expected: str) -> None:
    """The last ones are lines already."""
    assert markdown(f"<p>{html}</p>") == expected


@pytest.mark.parametrize(
    "mark",
    [
        "<sup><a href=#n>{}</a></sup>",
        "<a href=#n><sup>{}</sup></a>",
        "<a href=#n><span><sup>[{}]</sup></span></a>",
        "<sup class=reference><a href=#n><span>[</span>{}<span>]</span></a></sup>",
        "<sup>[<a href=#n>{}</a>]</sup>",
        "<a role=doc-noteref href=/notes>{}</a>",
        "<sup class=footnote>{}</sup>",
        "<sup id=fnref:1><a href=#n class=footnote-ref>{}</a></sup>",
    ],
)
def test_mark_of_a_note_joins_no_number(mark: str) -> None:
    assert kept(f"<p>There are 12{mark.format(3)} wells").content_text == "There are 12[3] wells"
    assert kept(f"<p>There are wells{mark.format('*')}, said he.").content_text == "There are wells[*], said he."


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<img src=data:x data-src=/a.png alt=A>", ["a.png"]),
        ("<img src=/wait.gif data-lazy-src=/a.png alt=A><noscript><img src=/a.png alt=A></noscript>", ["a.png"]),
        ("<img data-srcset='/a.png 1x, /b.png 2x' alt=A><noscript><img src=/b.png alt=A></noscript>", ["a.png"]),
        ("<picture><source srcset=/a.webp><img srcset='/a.png, /b.png 2x' alt=A></picture>", ["a.png"]),
        ("<img src=/a.png srcset='/b.png 2x' data-id=/c.png data-source=/d alt=A>", ["a.png"]),
        ("<img src=/a.png alt=A><img src=/b.png alt=A>", ["a.png", "b.png"]),
        ("<img src=/a.png alt=A><noscript><img src=/b.png alt=B></noscript>", ["a.png", "b.png"]),
    ],
)
def test_picture_is_the_one_that_is_shown_in_the_end(html: str, shown: list[str]) -> None:
    content = markdown(f"<p>One {html} two</p>")
    assert re.findall(r"\(http://a.test/([^)]*)\)", content) == shown


IN_A_LINE = (
    *("button", "bdi", "data", "font", "g-emoji", "label", "meter", "mjx-container", "object", "output", "picture"),
    *("progress", "relative-time", "slot", "small", "svg", "textarea", "time", "unknown", "x-y"),
)


@pytest.mark.parametrize("tag", IN_A_LINE)
def test_all_but_blocks_are_parts_of_a_line(tag: str) -> None:
    part = f"<{tag} class=x>two</{tag}>"
    assert markdown(f"<h2>One {part}, three</h2><p>One {part}, three") == "## One two, three\n\nOne two, three"
    in_listing = "" if tag in ("button", "svg") else "two"  # as "Copy" is
    assert markdown(f"<p>a<pre>one {part}, three</pre>") == f"a\n\n```\none {in_listing}, three\n```"


@pytest.mark.parametrize("tag", ["div", "fieldset", "details", "center", "search", "dd", "legend", "section"])
def test_blocks_are_blocks_of_text(tag: str) -> None:
    html = f"<div>One <{tag} class=x>two</{tag}> three</div>"
    assert markdown(html).split() in (["One", "two", "three"], ["One", "-", "two", "three"])
    assert markdown(html).count("\n\n") == 2


def test_what_is_not_shown_in_a_line_does_not_tear_it() -> None:
    shown = kept(
        "<p>Up <svg><title>up</title></svg> we <video src=v>No video.</video>go <select><option>a<option>b"
        "</select> now.</p><p><button>Copy</button> <button>Share</button></p>"
    )
    assert (shown.content, shown.rest) == ("Up we go now.", "a b\n\nCopy Share")


def test_name_of_an_attribute_with_an_angle_bracket_is_no_tag() -> None:
    assert markdown('<p>One <a href=/x rel="noopener" <="" p="">two</a> three') == "One [two](http://a.test/x) three"


def test_markdown_is_not_much_longer_than_its_page() -> None:
    """Short rows below a wide one, spans, links that share a long base, and lists in lists."""
    rows = "<table><tr>" + "<td>x" * 2_000 + "<tr><td>y" * 2_000 + "</table>"
    assert len(markdown(rows)) < 2 * len(rows)
    (head, _, *below) = markdown(rows).split("\n")
    assert (head.count("|"), below) == (2_001, ["| y |"] * 2_000)
    spans = "<table><tr>" + "<td rowspan=9999 colspan=9>x" * 300 + "<tr><td>y" * 2_000 + "</table>"
    assert len(markdown(spans)) < 2 * len(spans)
    links = f"<base href=http://a.test/{'b' * 1_900}/><p>" + "<p><a href=x>see</a>" * 6_000
    shown = markdown(links)
    assert len(shown) < 5_000_000
    assert shown.endswith("\n\nsee")
    assert sum(line.endswith("see") or line.startswith("[see](") for line in shown.split("\n")) == 6_000
    deep = "<ul><li>x" * 1_000
    assert len(markdown(deep)) < 6 * len(deep)


def test_structure_of_a_page_of_very_many_tags_is_kept() -> None:
    """It is parsed in parts; the border of two may be in a row."""
    table = f"<table>{'<tr><td>a<td>b' * 4}</table>"
    section = f"<section><h2>Part</h2><p>A <b>b</b> <code>c</code><ul><li>d<ul><li>e</ul></ul>{table}</section>"
    shown = markdown(f"<main>{section * 2_000}")
    assert shown.count("## Part") == shown.count("A **b** `c`") == shown.count("- e\n") == 2_000
    assert 7_990 < shown.count("| a | b |") <= 8_000


SECTION = '<span class="mw-editsection"><span>[</span>{}<span>]</span></span>'
EDIT = '<a href="/w?title=P&amp;action=edit&amp;section=1">{}</a>'
BOTH = f"{EDIT.format('edit')}<span> | </span>{EDIT.format('edit source').replace('action', 'veaction')}"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<h2><span>History</span>{SECTION.format(EDIT.format('edit'))}</h2>", "## History"),
        (f"<h2>History{SECTION.format(EDIT.format('Bearbeiten'))}</h2>", "## History"),
        (f"<h2>History{SECTION.format(BOTH)}</h2>", "## History"),
        (f"<div><h2>History</h2>{SECTION.format(EDIT.format('edit'))}</div>", "## History"),
        (f"<h2><span class=editsection>[{EDIT.format('edit')}]</span> <b>H</b></h2>", "## **H**"),
        (f"<h2>[{BOTH}] History</h2>", "## History"),
        ("<h2>History <span class='edit-section'><a href='?action=edit'>edit</a></span></h2>", "## History"),
        ("<h2>History<a href='/doku.php?id=p&do=edit'>Edit</a></h2>", "## History"),
        ("<h2>History<a href=#h>\u200b</a></h2>", "## History"),
        ("<h2>History <a class='icon edit-link' href=/e>edit</a></h2>", "## History"),
        ("<h2>History <small>[<a href=/wiki/History/edit>edit</a>]</small></h2>", "## History"),
        ("<h2>How to <a href=/edit class=editor>edit</a></h2>", "## How to [edit](http://a.test/edit)"),
        ("<h2>How to use [edit]</h2>", "## How to use [edit]"),
        ("<h2><a href=/post>A post</a></h2>", "## [A post](http://a.test/post)"),
        ("<h2>Types [<a href=/list>list</a>]</h2>", "## Types [[list](http://a.test/list)]"),
        ("<h2>[<a href='/w?action=edit'>Edit</a>]</h2>", "## Edit"),
        ("<h2><span class=section-edit>Edit your page</span></h2>", "## Edit your page"),
        (f"<p>To {EDIT.format('edit')} it, see", "To [edit](http://a.test/w?title=P&action=edit&section=1) it, see"),
        ("<p>Above <a href=#h>↑</a> it", "Above [↑](http://a.test/page#h) it"),
    ],
)
def test_controls_in_a_heading_are_no_words_of_it(html: str, expected: str) -> None:
    """Below them: what only looks like one."""
    assert markdown(html) == expected


HOSTILE = (
    "<b>x<p>",
    "<math><msup>",
    "<ol reversed><li>x",
    "<ul><li>x",
    "<a href=/x>y",
    "<p><code>x`</code><b> y",
    "<table><tr><td rowspan=9>x",
    "<math>x",
)
MORE = (
    "<blockquote>x",
    "<sup>x",
    "<pre>x<div>",
    "<template>",
    "<span class=lineno>",
    "<h2>x<span class=editsection>",
    "<p ",
    "<p>[x](y) * _ ",
)
IN_HEADINGS = ("<h2>x<span class=editsection>", "<h2>[<a href=?action=edit>")
INLINE_ROUND_BLOCKS = "<i>x<div>y" * 10


@pytest.mark.parametrize("html", [*HOSTILE, *MORE, *IN_HEADINGS, INLINE_ROUND_BLOCKS])
def test_time_grows_with_the_page(html: str) -> None:
    assert growth(lambda times: read_page((html * (60 * times)).encode(), URL, None, Wanted(kept=True)), 1) < 1.5


@given(st.text("ab _*`~\\[]()<>&;#!-+=1.|:/'\"", max_size=30))
def test_text_of_a_page_is_no_markup(text: str) -> None:
    """A reader of CommonMark has the words of the page, and so have we."""
    words = " ".join(text.split())
    page = markdown(f"<p>{words.replace('&', '&amp;').replace('<', '&lt;')}")
    tokens = MarkdownIt("commonmark").enable("strikethrough").parse(page)
    shown = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in shown} <= {"text", "text_special"}
    assert "".join(child.content for child in shown) == words
    assert read(page)[0] == words


SOME = st.sampled_from(
    [*("a", "b ", " c", "*", "_", "`", "[", "]", "(d)", "!", "\\", "~", "1. ", "&amp;", "&lt;", "|", "#", ":", "<br>")]
    + [f"<{end}{tag}>" for tag in ("b", "i", "code", "del", "sup", "p", "li", "ul", "td", "pre") for end in ("", "/")]
    + ["<a href=/x>", "</a>", "<a href='/y_(z)'>", "<img src=/i alt='a]b'>", "<h2>", "</h2>", "<table>", "</table>"]
)


@given(st.lists(SOME, max_size=30))
def test_words_of_a_reader_are_ours(pieces: list[str]) -> None:
    page = kept("".join(pieces))
    reader = MarkdownIt("commonmark").enable(["strikethrough", "table"])
    words = ""
    for token in reader.parse(page.content):
        words += token.content if token.type in ("fence", "code_block") else ""
        words += "".join(child.content for child in token.children or () if child.type != "image")
    assert "".join(words.split()) == "".join(page.content_text.split())
    assert bool(page.content) == bool(page.content + page.rest), "some of the blocks are content"


def test_head_is_yaml_whatever_the_title_says() -> None:
    title = 'No: "such" --- # {thing}\n---'
    lines = with_head(kept(f"<html lang=en><title>{title}</title>x")).split("\n")
    assert lines[0] == lines[4] == "---"
    assert {line.partition(": ")[0]: json.loads(line.partition(": ")[2]) for line in lines[1:4]} == {
        "url": URL,
        "title": 'No: "such" --- # {thing} ---',
        "language": "en",
    }
