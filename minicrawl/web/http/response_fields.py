"""Header fields of a response: content type, location, validators, dates, Retry-After.

The media type of a body is told by its header, or else by its first bytes (WHATWG MIME Sniffing, Fetch). Sniffing tells
HTML and PDF from everything else, which is not read. The store has ETag and Last-Modified with a NUL between them.
"""

import re
from collections.abc import Sequence
from datetime import UTC
from functools import cached_property, lru_cache
from typing import NamedTuple, Self

from minicrawl.model import Fetched
from minicrawl.reasons import NOT_THERE, statuses

Field = tuple[bytes, bytes]
"""Name and value of a header field."""

XHTML = "application/xhtml+xml"
HTML_TYPES = frozenset({"text/html", XHTML})
XML_TYPES = frozenset({"application/xml", "text/xml"})
"""Types of XHTML and of all other XML: what is in it tells."""
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
LIST_TYPES = XML_TYPES | FEED_TYPES | {"text/plain", "application/gzip", "application/x-gzip"}
"""Types of what may be a sitemap, a feed or a list of URLs."""
OF_PAGES = frozenset(range(200, 300)) - {202, 204, 205}
"""Statuses whose body browsers show as the page. 202 says that it is still to be made, and often that a robot has to
prove something; 204 and 205 have none."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
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
    """The type in the joined Content-Type fields, with its parameters; None if they leave it open. The last valid one
    counts, with an earlier charset if the types are equal (Fetch, 2.2.2, extract a MIME type)."""
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


_DIGITS = 18
_ON_USE = {name.lower().encode(): name for name in ("Content-Usage", "Content-Signal")}
LONGEST_ON_USE = 1_000
"""Characters; a longer statement on the use of a page is dropped."""
LONGEST_VALIDATOR = 1000
"""Characters; a longer validator is dropped, because it would be sent with every request."""


class ResponseFields:
    """The fields of a response, by name."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._values: dict[bytes, list[bytes]] = {}
        for name, value in fields:
            self._values.setdefault(name.lower(), []).append(value)

    def joined(self, name: bytes, divider: str = ", ") -> str | None:
        """The joined values of all fields with a name, given in lower case."""
        return divider.join(map(_text, self._values[name])) if name in self._values else None

    def each(self, name: bytes) -> tuple[str, ...]:
        """The values of all fields with a name, given in lower case, as Latin-1."""
        return tuple(value.decode("latin-1") for value in self._values.get(name, ()))

    @cached_property
    def content_type(self) -> str | None:
        """The declared type of the body; None if it is to be sniffed."""
        content_type = declared_type(self.joined(b"content-type"))
        if content_type is None:
            options = self.joined(b"x-content-type-options") or ""
            if options.partition(",")[0].strip().lower() == "nosniff":  # Fetch, 3.6
                return "text/plain"
        return content_type

    @property
    def location(self) -> str | None:
        """The Location; None if there are several that differ. Bytes that are not UTF-8 are percent-encoded."""
        value = self._only(b"location")
        if value is None:
            return None
        try:
            return value.decode()
        except UnicodeDecodeError:
            return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in value)

    @property
    def on_use(self) -> str | None:
        """The fields on the use of the content, a line each; None without any."""
        values = self._values
        if b"content-usage" not in values and b"content-signal" not in values:
            return None  # as mostly
        found = ((name, self.joined(key)) for key, name in _ON_USE.items())
        return "\n".join(f"{name}: {text}" for name, text in found if text and len(text) <= LONGEST_ON_USE) or None

    @property
    def length(self) -> int | None:
        """The Content-Length, if it is a number."""
        value = self._only(b"content-length")
        return int(value) if value is not None and value.isdigit() and len(value) <= _DIGITS else None

    @property
    def retry_after(self) -> str | None:
        """Retry-After (RFC 9110 10.2.3); "" if there are several that differ. A date becomes the seconds since Date,
        which tells the same clock, right or wrong."""
        if b"retry-after" not in self._values:
            return None
        value = _text(self._only(b"retry-after") or b"")
        until, now = http_date(value), http_date(self.joined(b"date") or "")
        return value if until is None or now is None else f"{until - now:.0f}"

    def validator(self, name: bytes) -> str | None:
        """The ETag or Last-Modified as Latin-1, so that it is sent back as it came."""
        value = self._only(name)
        return value.decode("latin-1") if value and len(value) <= LONGEST_VALIDATOR else None

    def _only(self, name: bytes) -> bytes | None:
        """The value of the fields with a name, if all are equal."""
        values = self._values.get(name, ())
        return values[0] if values and values.count(values[0]) == len(values) else None


def http_date(text: str) -> float | None:
    """Unix seconds of a date in any of the three formats of RFC 9110 5.6.7, and some like these; None for anything
    else."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to import, and few answers need it

    try:
        date = parsedate_to_datetime(text)
        # asctime format names no time zone. All are GMT.
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, TypeError, IndexError):  # the last two for texts that no date is like
        return None


def shown(fields: Sequence[Field]) -> tuple[tuple[str, str], ...]:
    """Fields for display: lower-case names and values, in order."""
    return tuple((name.decode("latin-1").lower(), _text(value)) for name, value in fields)


def refresh_value(fields: Sequence[Field]) -> str | None:
    """The value of the first Refresh, a character for each byte (WHATWG HTML, 7.4.5)."""
    return next((value.decode("latin-1") for name, value in fields if name.lower() == b"refresh"), None)


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


LONGEST_REST = 7 * 24 * 3600.0  # seconds; whoever asks for more means no robot that comes back
_ONE_PAGE = statuses(NOT_THERE)  # their Retry-After speaks of a page, not of the host


def asked_rest(fetched: Fetched, now: float) -> float:
    """Seconds of rest that a failure asks for its host (RFC 9110 10.2.3, RFC 6585 4), whole; 0 for none, one that is
    over, more than `LONGEST_REST`, and nonsense."""
    if fetched.status is None or fetched.status < 400 or fetched.status in _ONE_PAGE or fetched.retry_after is None:
        return 0.0
    value = fetched.retry_after.strip()
    is_number = value.isascii() and value.isdigit()
    date = None if is_number else http_date(value)
    seconds = float(value) if is_number else 0.0 if date is None else date - now
    return seconds if 0 < seconds <= LONGEST_REST else 0.0


class Validators(NamedTuple):
    """Validators of an answer as they came, a character for each byte."""

    etag: str | None = None
    last_modified: str | None = None

    @classmethod
    def of(cls, fetched: Fetched) -> Self:
        """Those of a complete page; no other answer has any."""
        if fetched.status != 200 or fetched.truncated:
            return cls()
        return cls(fetched.etag or None, fetched.last_modified or None)

    def packed(self) -> bytes | None:
        """None without validators. A character that is no byte drops both."""
        if self.etag is None and self.last_modified is None:
            return None
        try:
            return f"{self.etag or ''}\0{self.last_modified or ''}".encode("latin-1")
        except UnicodeEncodeError:
            return None


def unpacked(packed: bytes | None) -> Validators:
    """The validators that `packed` was made of."""
    etag, _, last_modified = (packed or b"").decode("latin-1").partition("\0")
    return Validators(etag or None, last_modified or None)
