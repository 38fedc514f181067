"""The page that a browser with scripts parses, where our parsers would read it as one without.

noscript in the head     is text that nobody sees (WHATWG HTML, 13.2.6.4.5); read as elements, its image or frame would
                         end the head, and the canonical URL behind it would count for nothing
noscript in the body     leads on by its links, for readers without scripts; its meta elements are nobody's
template shadowrootmode  is a part of the page (13.2.6.4.4)

XHTML sent as XML        has empty elements: <script/> ends where it begins, and so do <title/> and <div/>
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from minicrawl.crawler.html.parser_choice import Marks, which_begin

_REST_OF_TAG = rb"""[^<>"']*+(?:(?:"[^"<>]*"|'[^'<>]*')[^<>"']*+)*+"""
"""The rest of a tag behind its name, where its end is unambiguous."""
_NAME_ENDS = rb"(?=[\t\n\f\r />])"
_NAMES_END = (b"\t", b"\n", b"\f", b"\r", b" ", b"/", b">")
_RAW = rb"script|style|title|textarea|noscript|iframe|noembed|noframes|xmp"
_COMMENT = rb"<!--(?:-?>|.*?--!?>|.*)"
_ELEMENT = rb"<(?P<raw>%b)%b%b>(?P<inside>.*?)(?P<close></(?P=raw)%b%b>|\Z)" % (
    *(_RAW, _NAME_ENDS, _REST_OF_TAG, _NAME_ENDS, _REST_OF_TAG),
)
_HEAD = re.compile(
    rb"%b|<(?P<raw>%b)%b%b>|<(?P<tag>/?(?:html|head|base|basefont|bgsound|link|meta|template))%b%b>"
    rb"|<[!?][^>]*>|[\t\n\f\r ]+" % (_COMMENT, _RAW, _NAME_ENDS, _REST_OF_TAG, _NAME_ENDS, _REST_OF_TAG),
    re.DOTALL,
)
"""What may stand in a head, in lower case, elements of text up to their end tag."""
_BODY = re.compile(rb"%b|%b" % (_COMMENT, _ELEMENT), re.IGNORECASE | re.DOTALL)
_TEMPLATE = re.compile(
    rb"%b|%b|(?P<tag><(?P<end>/?)template%b(?P<rest>%b)>)" % (_COMMENT, _ELEMENT, _NAME_ENDS, _REST_OF_TAG),
    re.IGNORECASE | re.DOTALL,
)
_CHANGED = which_begin(b"noscript", b"template")
_IS_SHADOW = re.compile(rb"shadowrootmode[\t\n\f\r ]*=[\t\n\f\r ]*[\"']?(?:open|closed)\b", re.IGNORECASE)
_META = re.compile(rb"<meta" + _NAME_ENDS, re.IGNORECASE)
_XML = re.compile(
    rb"<!--(?:.*?-->|.*)|<!\[CDATA\[(?P<data>.*?)(?:\]\]>|\Z)|<(?P<name>[a-z][^\t\n\f\r />]*)(?P<rest>%b)>"
    % _REST_OF_TAG,
    re.IGNORECASE | re.DOTALL,
)
_VOID = frozenset(b"area base basefont bgsound br col embed hr img input link meta param source track wbr".split())


class Scripted(NamedTuple):
    """`page`: as a browser with scripts reads it; `hidden`: what it reads as text, the insides of noscript elements."""

    page: bytes
    hidden: bytes = b""


def scripted(marks: Marks) -> Scripted:
    """Take noscript elements out of the head of a page, meta elements out of others. marks: of the page, in UTF-8."""
    page = marks.body
    if not marks.have(_CHANGED):  # as mostly
        return Scripted(page)
    lower = page.lower()
    if b"shadowrootmode" in lower:
        page = _with_shadow_roots(page)
        lower = page.lower()
    if b"<noscript" not in lower:
        return Scripted(page)
    pieces, hidden, at = list[bytes](), list[bytes](), 0
    for start, end, inside in _noscripts_of_head(lower):
        pieces.append(page[at:start])
        hidden.append(page[inside])
        at = end
    pieces.append(page[at:])
    page = b"".join(pieces)
    start = lower.find(b"<noscript", at)
    if start < 0 or lower.find(b"<meta", start) < 0:
        return Scripted(page, b"".join(hidden))

    def without_meta(piece: re.Match[bytes]) -> bytes:
        if not (_is_noscript(piece) and _META.search(piece["inside"])):
            return piece[0]
        hidden.append(piece["inside"])
        return _META.sub(b"<x-meta", piece[0])

    return Scripted(_BODY.sub(without_meta, page), b"".join(hidden))


def _noscripts_of_head(lower: bytes) -> Iterator[tuple[int, int, slice]]:
    """Start and end of the noscript elements in the head of a page in lower case, and what is in each."""
    last, at = lower.rfind(b"<noscript"), 0
    while at <= last and (piece := _HEAD.match(lower, at)) and piece["tag"] != b"/head":
        start, at = at, piece.end()
        if name := piece["raw"]:
            close = _end_of(name, lower, at)
            if close is None:
                return
            if name == b"noscript":
                yield start, close[1], slice(at, close[0])
            at = close[1]


def _end_of(name: bytes, lower: bytes, at: int) -> tuple[int, int] | None:
    """Where the next end tag of this name begins and ends; None if there is none."""
    tag = b"</" + name
    start = lower.find(tag, at)
    while start >= 0 and lower[start + len(tag) : start + len(tag) + 1] not in _NAMES_END:
        start = lower.find(tag, start + 1)
    end = lower.find(b">", start) + 1 if start >= 0 else 0
    return (start, end) if end else None


def _is_noscript(piece: re.Match[bytes]) -> bool:
    return piece["raw"] is not None and piece["raw"].lower() == b"noscript"


def _with_shadow_roots(page: bytes) -> bytes:
    """The page with its declarative shadow roots as plain elements; other templates hide what is in them."""
    shadows, others = 0, 0  # that are open: within another, none is a shadow root

    def shown(piece: re.Match[bytes]) -> bytes:
        nonlocal shadows, others
        if piece["tag"] is None:
            return piece[0]
        if piece["end"]:
            if others or not shadows:
                others = max(others - 1, 0)
                return piece[0]
            shadows -= 1
            return b"</div>"
        if others or not _IS_SHADOW.search(piece["rest"]):
            others += 1
            return piece[0]
        shadows += 1
        return b"<div>"

    return _TEMPLATE.sub(shown, page)


def as_html(page: bytes) -> bytes:
    """XHTML in UTF-8 as HTML that means the same: empty elements get an end tag, and CDATA is text."""

    def plain(piece: re.Match[bytes]) -> bytes:
        if piece["data"] is not None:
            return html.escape(piece["data"].decode(), quote=False).encode()
        name, rest = piece["name"], piece["rest"] or b""
        if not rest.endswith(b"/") or name.lower() in _VOID:
            return piece[0]
        return b"<%b%b></%b>" % (name, rest[:-1], name)

    return _XML.sub(plain, page)
