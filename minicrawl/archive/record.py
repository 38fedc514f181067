"""The bytes of WARC 1.1 records (ISO 28500:2017), each a gzip member of its own. Nothing here reads a clock or a file.

A record has its fields, an empty line, and a block. The block of a response is its head and its body as received, but
without chunks: of a chunked body some readers take the digest over the chunks and others over their contents, so no
digest suits both. Original framing headers are prefixed by X-Orig-. The length in the head is that of the stored body:
readers would wait for ever for missing bytes.
"""

import base64
import hashlib
import re
import struct
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

from zlib_ng import zlib_ng

_GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # no name, no time
_LARGEST_STORED = 0xFFFF
_LEVEL = 2
# With the end of the line before: a pattern that begins with a byte is searched for in a third of the time.
_FRAMING = re.compile(rb"\n(?=(?:content-length|transfer-encoding)[\t ]*:)", re.IGNORECASE)
_LENGTHS = re.compile(rb"\ncontent-length[\t ]*:[\t ]*([^\r\n]*?)[\t ]*(?=\r?\n)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\ntransfer-encoding[\t ]*:", re.IGNORECASE)
_FIELD = re.compile(rb"^([^\r\n:]*):[^\n]*\n(?:[\t ][^\n]*\n)*", re.MULTILINE)
_BODILESS = (204, 304)
_REPLY = "Content-Type: application/http;msgtype=response\r\n"
_ASKED = "Content-Type: application/http;msgtype=request\r\n"

HTTP_1 = "http/1.1"
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


Original = tuple[str, float]
"""The original response of a revisit, with the body: its URL, and its date in Unix seconds."""


def sides(url: str, at: float, ip: str | None, warcinfo: str, protocol: str = HTTP_1) -> str:
    """The fields common to both records of an exchange.

    at: Unix seconds of the request. ip: of the server. warcinfo: id of the record that describes the file. protocol: as
    in TLS (RFC 7301 6); of others than HTTP/1.1, records have messages of HTTP/1.1 with the same meaning, and name the
    protocol, as those of other crawlers do (https://github.com/iipc/warc-specifications/issues/42).
    """
    address = "" if ip is None else f"WARC-IP-Address: {ip}\r\n"
    spoken = "" if protocol == HTTP_1 else f"WARC-Protocol: {protocol}\r\n"
    known = f"WARC-Date: {date(at)}\r\nWARC-Target-URI: {url}\r\n{address}{spoken}"
    return f"{known}WARC-Warcinfo-ID: <{warcinfo}>\r\n"


def new_id() -> str:
    return uuid.uuid4().urn


def date(at: float) -> str:
    """Format Unix seconds for WARC: 2026-11-21T11:02:03.000004Z."""
    return f"{datetime.fromtimestamp(at, UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def sha1(digest: bytes) -> str:
    """A digest of 20 bytes as records have it."""
    return f"sha1:{base64.b32encode(digest).decode()}"


def member(head: bytes, body: bytes, *, is_packed: bool) -> bytes:
    """A gzip member. is_packed: the body is compressed already: to deflate it again takes 20 times the time of all
    else, for a thousandth of its bytes."""
    check = zlib_ng.crc32(body, zlib_ng.crc32(head))
    if is_packed:
        packer = zlib_ng.compressobj(1, zlib_ng.DEFLATED, -15)
        packed = [packer.compress(head), packer.flush(zlib_ng.Z_SYNC_FLUSH), *_stored(body)]
    else:
        packer = zlib_ng.compressobj(_LEVEL, zlib_ng.DEFLATED, -15)
        packed = [packer.compress(head), packer.compress(body), packer.flush()]
    return b"".join([_GZIP, *packed, struct.pack("<II", check, (len(head) + len(body)) & 0xFFFFFFFF)])


def _stored(data: bytes) -> Iterator[bytes]:
    """The last blocks of a deflate stream, stored uncompressed (RFC 1951 3.2.4)."""
    for start in range(0, max(len(data), 1), _LARGEST_STORED):
        block = data[start : start + _LARGEST_STORED]
        is_last = start + _LARGEST_STORED >= len(data)
        yield struct.pack("<BHH", is_last, len(block), len(block) ^ 0xFFFF)
        yield block


def _head(kind: str, record: str, lines: str, length: int) -> bytes:
    """The head of a record. lines: fields with their line ends."""
    text = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{record}>\r\n{lines}Content-Length: {length}\r\n\r\n"
    return text.encode()


def warcinfo(record: str, at: float, file: str, facts: dict[str, str]) -> bytes:
    """The record that describes its file. facts: names and values (ISO 28500 6.5, application/warc-fields)."""
    block = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in facts.items()).encode()
    lines = f"WARC-Date: {date(at)}\r\nWARC-Filename: {file}\r\nContent-Type: application/warc-fields\r\n"
    return member(_head("warcinfo", record, lines, len(block)), block + b"\r\n\r\n", is_packed=False)


def response(  # noqa: PLR0913 - the fields of an answer
    record: str, both: str, head: bytes, body: bytes, digest: bytes, *, truncated: str | None, is_packed: bool
) -> bytes:
    """A response record. both: from `sides`; head: from `honest`. digest: SHA-1 of the body. truncated: the reason if
    it is incomplete."""
    block = hashlib.sha1(head, usedforsecurity=False)
    block.update(body)
    cut = "" if truncated is None else f"WARC-Truncated: {truncated}\r\n"
    lines = f"{both}{cut}WARC-Payload-Digest: {sha1(digest)}\r\nWARC-Block-Digest: {sha1(block.digest())}\r\n{_REPLY}"
    top = _head("response", record, lines, len(head) + len(body))
    return member(top + head, body + b"\r\n\r\n", is_packed=is_packed)


def revisit(  # noqa: PLR0913 - the fields of an answer
    record: str, both: str, head: bytes, digest: bytes, profile: str, original: Original
) -> bytes:
    """A revisit record: the head of an answer whose body is in another record. digest: of that body."""
    url, at = original
    block = sha1(hashlib.sha1(head, usedforsecurity=False).digest())
    lines = (
        f"{both}WARC-Profile: {profile}\r\nWARC-Refers-To-Target-URI: {url}\r\n"
        f"WARC-Refers-To-Date: {date(at)}\r\nWARC-Payload-Digest: {sha1(digest)}\r\n"
        f"WARC-Block-Digest: {block}\r\n{_REPLY}"
    )
    top = _head("revisit", record, lines, len(head))
    return member(top + head, b"\r\n\r\n", is_packed=False)


def resource(record: str, both: str, body: bytes, digest: bytes, media_type: str) -> bytes:
    """A resource record: a body without the head of an answer. digest: SHA-1 of the body."""
    value = sha1(digest)
    lines = f"{both}WARC-Payload-Digest: {value}\r\nWARC-Block-Digest: {value}\r\nContent-Type: {media_type}\r\n"
    top = _head("resource", record, lines, len(body))
    return member(top, body + b"\r\n\r\n", is_packed=media_type.startswith("image/"))


def request(record: str, both: str, head: bytes, answer: str) -> bytes:
    """A request record. head: see `without`. answer: id of the response record."""
    block = sha1(hashlib.sha1(head, usedforsecurity=False).digest())
    lines = f"{both}WARC-Concurrent-To: <{answer}>\r\nWARC-Block-Digest: {block}\r\n{_ASKED}"
    top = _head("request", record, lines, len(head))
    return member(top + head, b"\r\n\r\n", is_packed=True)


def honest(head: bytes, status: int, length: int) -> bytes:
    """The head of an answer, corrected for a body of `length` bytes without chunks; unchanged if it fits."""
    given = _LENGTHS.findall(head)
    if not _CHUNKED.search(head) and (status in _BODILESS or all(value == b"%d" % length for value in given)):
        return head
    blank = b"\r\n" if head.endswith(b"\n\r\n") else b"\n"
    begun = _FRAMING.sub(b"\nX-Orig-", head[: -len(blank)])
    return b"%bContent-Length: %d\r\n%b" % (begun, length, blank)


def without(head: bytes, names: frozenset[bytes]) -> bytes:
    """The head of a request without the fields of these lower-case names."""
    lower = head.lower()
    if not any(name in lower for name in names):
        return head
    return _FIELD.sub(lambda field: b"" if field[1].strip().lower() in names else field[0], head)
