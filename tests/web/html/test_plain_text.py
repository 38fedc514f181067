"""Texts that are no HTML, as pages: what is kept of each kind, and that nothing in them becomes markup."""

import pytest
from support.effort import growth

from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.model import Wanted
from minicrawl.web.html.plain_text import as_page, is_binary
from minicrawl.web.kept_text import KeptText, unpack

RSS = """<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE rss [<!ENTITY e SYSTEM "file:///etc/passwd">]>
<rss><channel><title>A feed</title><link>http://a.test/</link><item><title>One &amp;amp; only</title>
<description>&lt;p>Caf\xe9 &lt;b>words&lt;/b>&lt;/p> &e;</description></item></channel></rss>"""
ATOM = "<feed xmlns='http://www.w3.org/2005/Atom'><title>A feed</title><entry><title>One</title><a>x</a></entry>"


def kept(body: bytes | str, kind: str, url: str = "http://a.test/some/file") -> KeptText:
    body = body if isinstance(body, bytes) else body.encode()
    parsed, _ = read_page(body, url, kind, Wanted(kept=True, anchors=True, places=True))
    assert parsed.outlinks == ()
    return unpack(parsed.kept, url)


@pytest.mark.parametrize(
    ("kind", "body", "title", "content"),
    [
        ("text/plain", "Words that are broken to fit the width of a\nmail, as most.\n\nMore.", "file",
         "Words that are broken to fit the width of a\\\nmail, as most.\n\nMore."),
        ("text/plain", "Words that are broken to fit the width of a usual mail,\nas most.", "file",
         "Words that are broken to fit the width of a usual mail, as most."),
        ("text/plain", "   Indented alike, as\n   in old RFCs.", "file", "Indented alike, as\\\nin old RFCs."),
        ("text/plain", "name   age\n\nfoo(a,\n    b)", "file", "```\nname   age\n\nfoo(a,\n    b)\n```"),
        ("text/plain", "a\tb\nc\td", "file", "```\na       b\nc       d\n```"),
        ("text/plain", "# no *heading*\n\n<b>no</b> &amp; [link](/x)\n\n- no item\n\n> no quote", "file",
         "\\# no \\*heading\\*\n\n&lt;b>no&lt;/b> &amp;amp; [link\\](/x)\n\n\\- no item\n\n\\> no quote"),
        ("text/plain", "<!doctype html><title>x</title><a href=/x>link</a>", "file",
         "&lt;!doctype html>&lt;title>x&lt;/title>&lt;a href=/x>link&lt;/a>"),
        ("text/plain; charset=iso-8859-1", "caf\xe9".encode("latin-1"), "file", "café"),
        ("text/plain", "\ufeffüni".encode("utf-16-le"), "file", "üni"),
        ("text/markdown", "A *title*\n===\n\nwrapped\n[words](/x)\n<script>alert(1)</script>", "A title",
         "# A *title*\n\nwrapped [words](http://a.test/x)"),
        ("application/json", '{"name": "Thing", "of": ["<b>", 1]}', "Thing",
         '```json\n{\n  "name": "Thing",\n  "of": [\n    "<b>",\n    1\n  ]\n}\n```'),
        ("application/json", "no JSON", "file", "no JSON"),
        ("application/json", "[" * 9_000, "file", "[" * 9_000),
        ("text/csv", 'a;b\n"x|y";"two\nlines"\n', "file", "| a | b |\n| --- | --- |\n| x\\|y | two lines |"),
        ("text/csv", "no values\nat all", "file", "no values\\\nat all"),
        ("text/tab-separated-values", "a\tb\n1\t2", "file", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("application/rss+xml", RSS.encode("latin-1"), "A feed", "# A feed\n\n## One & only\n\nCafé words"),
        ("application/atom+xml", ATOM, "A feed", "# A feed\n\n## One\n\nx"),  # damaged
        ("text/xml", "<a><b>one</b><c>http://a.test/x</c><d>two &lt; three</d></a>", "file", "one\n\ntwo &lt; three"),
    ],
)  # fmt: skip
def test_a_text_is_laid_out_as_it_is_meant(kind: str, body: bytes | str, title: str, content: str) -> None:
    page = kept(body, kind)
    assert (page.title, page.content) == (title, content)


@pytest.mark.parametrize(
    ("name", "is_heading"), [("README.md", True), ("readme.MARKDOWN?x=1", True), ("notes.txt", False), ("md", False)]
)
def test_markdown_is_often_served_as_plain_text(name: str, is_heading: bool) -> None:
    assert kept("# Words", "text/plain", f"http://a.test/{name}").content == ("# Words" if is_heading else "\\# Words")


def test_a_long_text_is_read_up_to_a_million_characters() -> None:
    page = kept("a word that stands here\n\n" * 80_000, "text/plain")
    assert 900_000 < len(page.content) <= 1_000_000


@pytest.mark.parametrize("text", ["a  b\n", "    a\n\n", "a\tb\n\nc\n\n", "<a>", "* a\n", "a,b\n"])
@pytest.mark.parametrize("kind", ["text/plain", "text/csv", "text/xml"])
def test_the_time_grows_with_the_text(text: str, kind: str) -> None:
    assert growth(lambda times: as_page(text.encode() * (500 * times), kind, "http://a.test/"), 2) < 1.6


@pytest.mark.parametrize(
    ("body", "is_one"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0", True),
        (b"GIF89a\x01\0", True),
        (b"a\0b", True),
        (b"text with \x1b[1mcolours\x1b[0m\x0c", False),
        (b"\xff\xfea\0b\0", False),
        ("\xe9t\xe9".encode("latin-1"), False),
    ],
)
def test_bytes_that_are_no_text_are_told(body: bytes, is_one: bool) -> None:
    assert is_binary(body, "text/plain") == is_one
