"""Text files of sites, as HTML: llms.txt and llms-full.txt (llmstxt.org, Markdown), security.txt (RFC 9116)."""

import re
from html import escape
from itertools import pairwise

from minicrawl.crawler.html.decode import as_utf8, encoding_of_xml
from minicrawl.crawler.html.parse import MAX_TEXT
from minicrawl.crawler.http.content_type import SNIFFED, type_sniffed

TEXT_TYPES = frozenset({"text/plain", "text/markdown", "text/x-markdown"})
_HEAD = 1024
"""Bytes that tell the encoding."""
# llmstxt.org asks for an H1; files without one are common, and have links.
_IS_MARKDOWN = re.compile(r"^#{1,6}[ \t]|\]\(", re.MULTILINE)
_FIELD = re.compile(r"([A-Za-z0-9-]+):[ \t]*(.*)")
_LINK = re.compile(r"https?://\S+", re.IGNORECASE)
_SIGNED, _SIGNATURE = "-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----"


def from_text_file(body: bytes, name: str) -> tuple[bytes, bool] | None:
    """A file as HTML, and True if it is cut; None if it is no such file, as where a server answers anything with an
    error page. name: of the file."""
    if type_sniffed(body[:SNIFFED]) != "text/plain":
        return None
    whole = as_utf8(body, encoding_of_xml(body[:_HEAD])).decode("utf-8", "replace")
    text = whole[:MAX_TEXT]
    html = _security(text) if name == "security.txt" else _markdown(text)
    return None if html is None else (html.encode("utf-8", "replace"), len(whole) > len(text))


def _markdown(text: str) -> str | None:
    """Markdown as HTML; HTML in it is text."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few crawls read any

    if not _IS_MARKDOWN.search(text):
        return None
    parser = MarkdownIt("commonmark", {"html": False})
    tokens = parser.parse(text)
    headings = (after.content for token, after in pairwise(tokens) if token.tag == "h1")
    title = f"<title>{escape(next(headings, ''))}</title>"
    return f"<!doctype html>{title}<main>{parser.renderer.render(tokens, parser.options, {})}</main>"


def _security(text: str) -> str | None:
    """The fields of a security.txt, each a paragraph, with links where values are web URIs; None without a Contact,
    which it must have (RFC 9116 2.5.3). Comments and an OpenPGP signature (2.3) are left out."""
    message = text.partition(_SIGNATURE)[0]
    if message.lstrip().startswith(_SIGNED):
        message = re.split(r"\r?\n[ \t]*\r?\n", message, maxsplit=1)[-1]  # behind the armor headers (RFC 9580 7.1)
    fields = [found for line in message.splitlines() if (found := _FIELD.fullmatch(line.removeprefix("- ").strip()))]
    if not any(field[1].lower() == "contact" for field in fields):
        return None
    return "<!doctype html><main>" + "".join(f"<p>{escape(field[1])}: {_value(field[2])}</p>" for field in fields)


def _value(text: str) -> str:
    shown = escape(text)
    return f'<a href="{shown}">{shown}</a>' if _LINK.fullmatch(text) else shown
