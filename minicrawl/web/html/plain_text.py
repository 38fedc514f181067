"""Texts that are not HTML, as pages: plain text, Markdown, JSON, tables of values, and feeds and other XML.

Nothing in them is markup of ours: all is escaped. A text is laid out as its lines tell: a block of lines with columns
or indentation is a listing, any other a paragraph.
"""

import csv
import json
import re
from collections.abc import Iterator
from html import escape, unescape
from io import StringIO
from itertools import groupby
from pathlib import PurePosixPath
from urllib.parse import unquote

from lxml import etree

from minicrawl.web.html.decode import as_utf8, encoding_of, encoding_of_xml
from minicrawl.web.http.response_fields import FEED_TYPES, XML_TYPES, media_type

_MARKDOWN = {"text/markdown", "text/x-markdown"}
_TABLES = {"text/csv", "text/tab-separated-values"}
_JSON = {"application/json", "text/json", "application/ld+json", "application/geo+json"}
_FEEDS = XML_TYPES | FEED_TYPES
_LINES = {"text/plain", "application/x-ndjson", "application/jsonl"}
TEXT_TYPES = frozenset(_MARKDOWN | _TABLES | _JSON | _FEEDS | _LINES)
"""Media types of texts that are not HTML."""
_BY_ENDING = {
    **dict.fromkeys((".md", ".markdown"), "text/markdown"),
    **dict.fromkeys((".csv", ".tsv"), "text/csv"),
    ".json": "application/json",
}
"""What a file that is served as text/plain is, by the ending of its name."""
_MOST = 1_000_000
"""Characters that are read."""
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S|^(?: {4}|\t)|[\u2500-\u257f]|[{};]\s*$", re.MULTILINE)
"""What lines of a listing have: columns, an indentation, frames, or ends of statements."""
_WRAPPED = 50
"""Characters of the longest line of a paragraph whose lines are broken to fit; shorter ones are lines of a poem."""
_TAG = re.compile(r"<[^>]*>")
_MOST_COLUMNS = 200


def is_binary(body: bytes, content_type: str | None) -> bool:
    """True for bytes that are not text, whatever type they have."""
    return _BINARY.search(_decoded(body[:4_000], content_type)) is not None


def as_page(body: bytes, content_type: str | None, url: str) -> bytes:
    """A text at a URL as a page of HTML in UTF-8. Any text is one: what is not of its type is plain."""
    text = _decoded(body, content_type)[:_MOST]
    name = unquote(url.partition("?")[0].rstrip("/").rpartition("/")[2])
    kind = media_type(content_type)
    if kind == "text/plain":
        kind = _BY_ENDING.get(PurePosixPath(name.lower()).suffix, kind)
    title, content = "", ""
    if kind in _FEEDS:
        title, content = _xml(body)
    elif kind in _MARKDOWN:
        content = _markdown(text)
    elif kind in _JSON:
        title, content = _json(text)
    elif kind in _TABLES:
        content = _table(text)
    heading = re.search(r"<h1>(.*?)</h1>", content, re.DOTALL)
    title = title or (unescape(_TAG.sub("", heading[1])) if heading else "") or name
    page = f"<!doctype html><title>{escape(title)}</title><main>{content or ''.join(_plain(text))}</main>"
    return page.encode("utf-8", "replace")


def _decoded(body: bytes, content_type: str | None) -> str:
    is_xml = media_type(content_type) in _FEEDS and "charset" not in (content_type or "").lower()
    return as_utf8(body, encoding_of_xml(body) if is_xml else encoding_of(body, content_type)).decode()


def _plain(text: str) -> Iterator[str]:
    lines = [line.rstrip() for line in text.expandtabs().replace("\f", "\n").splitlines()]
    blocks = ["\n".join(block) for is_words, block in groupby(lines, bool) if is_words]
    for is_listing, some in groupby(blocks, lambda block: _COLUMNS.search(_dedented(block)) is not None):
        if is_listing:
            yield f"<pre>\n{escape(chr(10).join(_joined(some)), quote=False)}</pre>"
            continue
        for block in some:
            words = [escape(line.strip(), quote=False) for line in block.split("\n")]
            between = "\n" if max(map(len, words)) >= _WRAPPED else "<br>"
            yield f"<p>{between.join(words)}</p>"


def _joined(blocks: Iterator[str]) -> Iterator[str]:
    for number, block in enumerate(blocks):
        yield f"\n{block}" if number else block


def _dedented(block: str) -> str:
    """A block without the indentation that all its lines have; of three and more the first may have another."""
    lines = block.split("\n")
    common = min(len(line) - len(line.lstrip()) for line in (lines[1:] if len(lines) > 2 else lines))
    return "\n".join([lines[0].lstrip(), *(line[common:] for line in lines[1:])])


def _markdown(text: str) -> str:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few texts are Markdown

    return str(MarkdownIt("commonmark").enable("table").render(text))


def _json(text: str) -> tuple[str, str]:
    """The title and the listing of a value; empty for what is not JSON."""
    try:
        value = json.loads(text)
        listing = json.dumps(value, ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return "", ""
    named = [value.get(name) for name in ("title", "name")] if isinstance(value, dict) else []
    title = next((name for name in named if isinstance(name, str)), "")
    return title, f'<pre class="language-json">\n{escape(listing, quote=False)}</pre>'


def _table(text: str) -> str:
    """Values as a table; empty for lines that have none in common."""
    first = text.partition("\n")[0]
    delimiter = max("\t,;|", key=first.count)
    try:
        rows = [row[:_MOST_COLUMNS] for row in csv.reader(StringIO(text, newline=""), delimiter=delimiter) if any(row)]
    except csv.Error:
        return ""
    if not rows or len(rows[0]) < 2:
        return ""
    head, *lines = (
        "".join(f"<{tag}>{escape(' '.join(cell.split()), quote=False)}</{tag}>" for cell in row)
        for tag, row in zip(("th", *("td" for _ in rows[1:])), rows, strict=True)
    )
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _xml(body: bytes) -> tuple[str, str]:
    """The title and the words of XML: of a feed each entry with its title as a heading."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, remove_comments=True)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:
        root = None
    title, parts, left = "", list[str](), _MOST
    for element in root.iter() if root is not None else ():
        words = " ".join(unescape(_TAG.sub(" ", element.text or "")).split())[: max(left, 0)]
        if not isinstance(element.tag, str) or not words or re.match(r"\w+:\S*\Z", words):
            continue
        left -= len(words)
        above = element.getparent()
        is_title = etree.QName(element).localname == "title"
        if is_title and not title and above is not None and above.getparent() in (root, None):
            title = words
            parts.append(f"<h1>{escape(words, quote=False)}</h1>")
        else:
            tag = "h2" if is_title else "p"
            parts.append(f"<{tag}>{escape(words, quote=False)}</{tag}>")
    return title, "".join(parts)
