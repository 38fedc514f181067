"""The media type of a body, by its header or else by its first bytes (WHATWG MIME Sniffing, Fetch).

Sniffing tells HTML and PDF from everything else, which is not read.
"""

import re
from functools import lru_cache

XHTML = "application/xhtml+xml"
HTML_TYPES = frozenset({"text/html", XHTML})
XML_TYPES = frozenset({"application/xml", "text/xml"})
"""Types of XHTML and of all other XML: what is in it tells."""
LIST_TYPES = XML_TYPES | {
    *("application/rss+xml", "application/atom+xml", "application/rdf+xml", "text/plain"),
    *("application/gzip", "application/x-gzip"),
}
"""Types of what may be a sitemap, a feed or a list of URLs."""
PDF = "application/pdf"
UTF_8 = "text/html; charset=utf-8"
"""The type of rendered pages, and of documents converted into HTML."""
SNIFFED = 1445
"""Bytes of a body that are sniffed."""

_ELEMENT = re.compile(r"""(?:[^",]|"(?:[^"\\]|\\.)*+"?)++""", re.DOTALL)  # of a comma-separated list
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_TYPE = re.compile(rf"[\t\n\r ]*({_TOKEN}/{_TOKEN})[\t\n\r ]*(?:;|$)")
_CHARSET = re.compile(r""";[\t\n\r ]*charset=("(?:[^"\\]|\\.)*|[^;]*)""", re.IGNORECASE)
_SAYING_NOTHING = frozenset({"*/*", "unknown/unknown", "application/unknown"})
# MIME Sniffing 7.1: a tag-terminating byte must follow all patterns but "<!--".
_HTML = re.compile(
    rb"[\t\n\f\r ]*+<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])",
    re.IGNORECASE,
)
_XML = re.compile(rb"[\t\n\f\r ]*+<\?xml")
_XHTML = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[\t\n\f\r ]++|<\?[^>]*+>|<!--.*?-->|<!doctype[^>]*+>)*+"
    rb"""<html[\t\n\f\r ][^>]*?xmlns[\t\n\f\r ]*=[\t\n\f\r ]*["']http://www\.w3\.org/1999/xhtml["']""",
    re.IGNORECASE | re.DOTALL,
)
_PDF_MAGIC = b"%PDF-"
_BYTE_ORDER_MARKS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def media_type(content_type: str | None) -> str:
    """ "text/html" for "Text/HTML; charset=x", and for None."""
    return content_type.partition(";")[0].strip().lower() if content_type else "text/html"


@lru_cache(maxsize=1000)  # a site's values are few
def declared_type(header: str | None) -> str | None:
    """The type in the joined Content-Type fields, with its parameters; None if they leave it open.

    The last valid one counts, with an earlier charset if the types are equal (Fetch, 2.2.2, extract a MIME type).
    """
    found_type, essence, charset = None, "", ""
    for element in _ELEMENT.findall(header or ""):
        found = _TYPE.match(element)
        if found is None or found[1] == "*/*":
            continue
        found_type = element.strip("\t\n\r ")
        own = _CHARSET.search(element)
        if found[1].lower() != essence:
            essence, charset = found[1].lower(), own[0] if own else ""
        elif own is None:
            found_type += charset
    return None if essence in _SAYING_NOTHING else found_type


def is_not_to_be_sniffed(options: str | None) -> bool:
    """True for an X-Content-Type-Options that says nosniff (Fetch, 3.6)."""
    return (options or "").partition(",")[0].strip().lower() == "nosniff"


def type_sniffed(head: bytes) -> str:
    """The type of a body by its first `SNIFFED` bytes (MIME Sniffing, 7.1)."""
    head = head[:SNIFFED]
    if _HTML.match(head):
        return "text/html"
    if _XML.match(head):
        return XHTML if _XHTML.match(head) else "text/xml"
    if head.startswith(_PDF_MAGIC):
        return PDF
    if head.startswith(_BYTE_ORDER_MARKS) or not _BINARY.search(head):
        return "text/plain"
    return "application/octet-stream"


def type_inside(declared: str | None, body: bytes) -> str:
    """The type of a body that was declared as XML, or not at all: XHTML if its root says so."""
    if declared is None:
        return type_sniffed(body)
    return XHTML + declared[len(media_type(declared)) :] if _XHTML.match(body[:SNIFFED]) else declared
