"""Of what type a body is: as its header says, or, if that says nothing, by how it begins (WHATWG MIME Sniffing, Fetch).

Only what decides whether it is HTML is looked for: whatever else a body may be, it is not read.
"""

import re
from functools import lru_cache

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
UTF_8 = "text/html; charset=utf-8"
"""What the HTML is that a page was rendered to."""
SNIFFED = 1445
"""Bytes of a body that are enough to tell."""

_ELEMENT = re.compile(r"""(?:[^",]|"(?:[^"\\]|\\.)*+"?)++""", re.DOTALL)  # of a list, quoted commas being none
_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_TYPE = re.compile(rf"[\t\n\r ]*({_TOKEN}/{_TOKEN})[\t\n\r ]*(?:;|$)")
_CHARSET = re.compile(r""";[\t\n\r ]*charset=("(?:[^"\\]|\\.)*|[^;]*)""", re.IGNORECASE)
_SAYING_NOTHING = frozenset({"*/*", "unknown/unknown", "application/unknown"})
# MIME Sniffing 7.1, the patterns that a tag-terminating byte must follow, and the one that it need not.
_HTML = re.compile(
    rb"[\t\n\f\r ]*+<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >])",
    re.IGNORECASE,
)
_XML = re.compile(rb"[\t\n\f\r ]*+<\?xml")
_BYTE_ORDER_MARKS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def media_type(content_type: str | None) -> str:
    """ "text/html" of "Text/HTML; charset=x"; without one it is HTML."""
    return content_type.partition(";")[0].strip().lower() if content_type else "text/html"


@lru_cache(maxsize=1000)  # servers say the same again and again
def declared_type(header: str | None) -> str | None:
    """The type that all Content-Type fields together say, with its parameters; None if they leave it open.

    The last one that is one counts (Fetch, 2.2.2, extract a MIME type); a charset said before holds for it, too.
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
    """Whether X-Content-Type-Options says so (Fetch, 3.6)."""
    return (options or "").partition(",")[0].strip().lower() == "nosniff"


def type_sniffed(head: bytes) -> str:
    """What a body is whose header leaves it open, by its first `SNIFFED` bytes (MIME Sniffing, 7.1)."""
    head = head[:SNIFFED]
    if _HTML.match(head):
        return "text/html"
    if _XML.match(head):
        return "text/xml"
    if head.startswith(_BYTE_ORDER_MARKS) or not _BINARY.search(head):
        return "text/plain"
    return "application/octet-stream"
