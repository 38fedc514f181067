"""llms.txt and security.txt as HTML: by rules of llmstxt.org and RFC 9116."""

import time

import pytest

from minicrawl.crawler.formats.text_files import from_text_file
from minicrawl.crawler.html.parse import MAX_TEXT, parse_html
from minicrawl.crawler.http.content_type import UTF_8
from minicrawl.model import ParsedPage, Place, Wanted

URL = "https://h.test/llms.txt"
WANTED = Wanted(anchors=True, places=True, text=True, about=True)


def read(text: str | bytes, name: str = "llms.txt") -> ParsedPage | None:
    found = from_text_file(text.encode() if isinstance(text, str) else text, name)
    return None if found is None else parse_html(found[0], URL, UTF_8, WANTED)._replace(truncated=found[1])


LLMS = """\
# Boats & ships

> All about *boats*.

Some more.

## Docs

- [Sailing](https://h.test/sailing.md): how to sail
- [Rowing](rowing.md)
- [Mail](mailto:me@h.test)

## Optional

- [Elsewhere](http://other.test/a?b=1&c=2 "a title")
<a href="/html">no link</a>
"""


def test_markdown_has_a_title_text_and_links() -> None:
    parsed = read(LLMS)
    assert parsed is not None
    assert (parsed.title, parsed.h1, parsed.headings) == ("Boats & ships",) * 2 + (
        ("Boats & ships", "Docs", "Optional"),
    )
    assert parsed.outlinks == (
        "https://h.test/sailing.md",
        "https://h.test/rowing.md",
        "http://other.test/a?b=1&c=2",
    )
    assert parsed.anchors == ("Sailing", "Rowing", "Elsewhere")
    assert Place(parsed.places[0]) is Place.TEXT
    assert parsed.text[1:3] == ("All about boats.", "Some more.")
    assert '<a href="/html">no link</a>' in parsed.text[-1]


SIGNED = """\
-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

Contact: mailto:me@h.test
- --dashes
-----BEGIN PGP SIGNATURE-----

iQ: x
-----END PGP SIGNATURE-----
"""


@pytest.mark.parametrize(
    ("text", "lines", "links"),
    [
        ("Contact: mailto:me@h.test\n", ["Contact: mailto:me@h.test"], ()),
        (
            "# Hi\r\n\r\ncontact:https://h.test/report\r\nExpires: 2030-01-01T00:00:00Z\r\nPolicy: not a link here\r\n",
            ["contact: https://h.test/report", "Expires: 2030-01-01T00:00:00Z", "Policy: not a link here"],
            ("https://h.test/report",),
        ),
        ("\ufeffContact: tel:+1-201-555\nCanonical: <b>", ["Contact: tel:+1-201-555", "Canonical: <b>"], ()),
        (SIGNED, ["Contact: mailto:me@h.test"], ()),
    ],
    ids=["least", "comment", "mark", "signed"],
)
def test_fields_of_a_security_txt_are_lines_and_web_uris_are_links(
    text: str, lines: list[str], links: tuple[str, ...]
) -> None:
    parsed = read(text, "security.txt")
    assert parsed is not None
    assert parsed.text == tuple(lines)
    assert parsed.outlinks == links


@pytest.mark.parametrize("name", ["llms.txt", "llms-full.txt", "security.txt"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Not found",
        b"<!doctype html><h1>Contact: us</h1># a [x](y)",
        b"\n <html>\n# Title\nContact: x",
        b"<?xml version='1.0'?># Title",
        b"# Title\nContact: \0",
        b"\x89PNG\r\n\x1a\n\0# Title",
        b"%PDF-1.7\n# Title\nContact: x",
        b"Expires: 2030-01-01T00:00:00Z\n",
        b'{"error": "no such page"}',
    ],
)
def test_what_is_something_else_is_no_such_file(name: str, body: bytes) -> None:
    assert read(body, name) is None


def test_a_file_in_another_encoding_or_of_any_length_is_read() -> None:
    parsed = read("# Größe".encode("utf-16"))
    assert parsed is not None
    assert parsed.title == "Größe"
    long = read("# A\n\n" + "- [word](/a) more words\n" * 50_000)
    assert long is not None
    assert (long.truncated, long.outlinks) == (True, ("https://h.test/a",))
    assert sum(map(len, long.text)) <= MAX_TEXT


@pytest.mark.parametrize(
    "piece", ["[", "![", "[a](", "*a ", "_a__b_", "> ", "`", "[a]: /u\n", "  " * 40 + "- a\n", "&"]
)
def test_markdown_made_to_do_harm_ends_soon(piece: str) -> None:
    began = time.process_time()
    read("# A\n" + piece * (20_000 // len(piece)))
    assert time.process_time() - began < 5
