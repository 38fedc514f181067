"""llms.txt and security.txt as HTML: by rules of llmstxt.org and RFC 9116."""

from minicrawl.crawler.formats.text_files import from_text_file
from minicrawl.crawler.html.parse import parse_html
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
