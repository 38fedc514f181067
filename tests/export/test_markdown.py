"""Kept texts as Markdown: what a reader of it sees, and names that no URL can turn against the disk."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.sites import Site, crawl

from minicrawl.crawler.html.parse import parse_html
from minicrawl.errors import SettingError
from minicrawl.export.markdown import as_markdown, export_markdown, file_name, pages_with_text
from minicrawl.model import Wanted
from minicrawl.store.reader import open_store
from minicrawl.store.texts.marked_text import About, pack, unpack

HOME = "http://a.test/"
SITE: Site = {HOME: ["<html lang=en><h1>=Home()</h1>", "/x"], f"{HOME}x": ["<p>one<p>two"]}


def test_where_nothing_is_kept_it_is_told(tmp_path: Path) -> None:
    crawl(SITE, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader:
        with pytest.raises(SettingError, match="has no texts; let the crawl go on with --text"):
            list(pages_with_text(reader))
        with pytest.raises(SettingError, match="not by 'trust'"):
            list(pages_with_text(reader, "trust"))


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


HOSTILE = [
    "http://a.test/../../etc/passwd",
    "http://a.test/..%2f..%2fetc",
    "http://a.test/" + "x" * 5000,
    "http://" + "x" * 300 + ".test/",
    "http://a.test/con",
    "http://a.test/a\0b",
    "http://a.test/a/b\\c:d*e?f",
    "http://[::1]:8080/",
    "http://[",
    "http://a.test/\u202egnp",
    "https://xn--mnchen-3ya.test/%E4%BD%A0",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_no_url_leads_out_of_the_folder(url: str) -> None:
    check_name(file_name(url))


def check_name(name: Path) -> None:
    assert len(name.parts) == 2
    for part in name.parts:
        assert set(part) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
        assert not part.startswith((".", "-"))
        assert len(part) <= 101
    assert name.suffix == ".md"


def test_urls_that_differ_in_little_have_other_names() -> None:
    rng = random.Random(2)
    urls = {f"http://a.test/{''.join(rng.choices('aA/-._?&=', k=6))}" for _ in range(3000)}
    urls |= {"http://a.test/" + "x" * 200 + end for end in ("", "y", "Y", "/")}
    assert len({str(file_name(url)).lower() for url in urls}) == len(urls)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    site: Site = {
        "http://a.test/": ["<h1>Home</h1>", "/A", "/a", "/moved", "/missing"],
        "http://a.test/A": ["<p>capital"],
        "http://a.test/a": ["<p>small"],
        "http://a.test/moved": "http://a.test/a",
    }
    crawl(site, tmp_path / "crawl.db", ["http://a.test/"], text=True)
    return tmp_path / "crawl.db"


def test_every_page_with_text_has_a_file(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pages"
    with open_store(store) as reader:
        assert export_markdown(pages_with_text(reader), folder) == 3
    files = {path.relative_to(folder): path.read_text() for path in folder.rglob("*.md")}
    assert files.keys() == {file_name(f"http://a.test/{page}") for page in ("", "A", "a")}
    text = files[file_name("http://a.test/A")]
    assert text.startswith('---\nurl: "http://a.test/A"\n')
    assert "\nrank: " in text
    assert "\nfetched_at: " in text
    assert text.endswith("\ncapital\n")
    assert [path.name for path in folder.parent.iterdir()] == ["pages"], "nothing is left of the writing"


def test_folder_with_files_is_left_alone(store: Path, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    with open_store(store) as reader:
        assert export_markdown(pages_with_text(reader), tmp_path / "pages") == 3
        with pytest.raises(SettingError, match="is there already and not an empty folder; name another one"):
            export_markdown(pages_with_text(reader), tmp_path / "pages")
        with pytest.raises(SettingError, match="is there already"):
            export_markdown(pages_with_text(reader), store)
        with pytest.raises(SettingError, match="cannot be written"):
            export_markdown(pages_with_text(reader), store / "pages")
