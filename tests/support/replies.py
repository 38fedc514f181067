"""Raw replies, and what a careful client makes of them: a table after RFC 9110 and 9112.

Where the RFCs leave a choice, what browsers and curl agree on is expected.
"""

import codecs
import gzip
import random
import sys
import zlib
from typing import Any

import brotli
from support.misbehaving import answer, chunk, chunked, redirect

from minicrawl.web.http.body import decoder

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Expected = dict[str, Any]


def undone(coding: str | None, *pieces: bytes) -> tuple[bytes, bool]:
    """What a body that comes in pieces says, its codings undone, and whether it is complete."""
    undoes = decoder(coding)
    return b"".join(out for piece in pieces for out in undoes.pieces(piece)), undoes.is_complete


HTML = b"Content-Type: text/html\r\n"
HELLO = b"Content-Length: 5\r\n\r\nhello"
TEXT = b"hello world " * 100
BROTLI, ZSTD = brotli.compress(TEXT), zstd.compress(TEXT)
NOISE = random.Random(1).randbytes(3000)  # cannot be compressed
GZIP, ZLIB, BARE = gzip.compress(TEXT, mtime=0), zlib.compress(TEXT), zlib.compress(TEXT, wbits=-15)
BROTLI_IN_GZIP = gzip.compress(BROTLI, mtime=0)  # with the time in its head, brotli might find a beginning there
# With everything that RFC 1952 2.3 has before the data: an extra field, a name, a comment, a checksum.
_HEAD = GZIP[:3] + b"\x1e" + GZIP[4:10] + b"\x03\0abc" + b"a.html\0" + b"says hello\0"
FLAGGED = _HEAD + (zlib.crc32(_HEAD) & 0xFFFF).to_bytes(2, "little") + GZIP[10:]


def whole(body: bytes = b"hello", status: int = 200) -> Expected:
    return {"status": status, "body": body, "truncated": False, "reason": None}


def cut(body: bytes) -> Expected:
    return {"status": 200, "body": body, "truncated": True, "reason": None}


def unread(status: int, **rest: Any) -> Expected:
    return {"status": status, "body": b"", "reason": None} | rest


def typed(content_type: str | None, body: bytes = b"hello") -> Expected:
    return {"status": 200, "content_type": content_type, "body": body}


def moved(location: str | None) -> Expected:
    return {"status": 302, "location": location, "body": b"", "reason": None}


def fails(reason: str) -> Expected:
    return {"status": None, "reason": reason, "body": b""}


def first_line(line: bytes) -> bytes:
    return line + b"\r\n" + HTML + HELLO


def field(line: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\n" + HTML + line + b"\r\n" + HELLO


def length(value: bytes, body: bytes = b"hello") -> bytes:
    return b"HTTP/1.1 200 OK\r\n" + HTML + b"Content-Length: " + value + b"\r\n\r\n" + body


def typed_as(*lines: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\n" + b"".join(b"Content-Type: " + line + b"\r\n" for line in lines) + HELLO


def coded(coding: str, body: bytes) -> bytes:
    return answer(body, f"Content-Encoding: {coding}")


def transfer(coding: bytes, body: bytes, version: bytes = b"1.1") -> bytes:
    return b"HTTP/" + version + b" 200 OK\r\n" + HTML + b"Transfer-Encoding: " + coding + b"\r\n\r\n" + body


BAD, RESET, UNREADABLE = fails("bad-response"), fails("reset"), fails("undecodable")
CHUNKS = chunk(b"hello") + b"0\r\n\r\n"

STATUS_LINES = {
    "http-1.1": (first_line(b"HTTP/1.1 200 OK"), whole()),
    "http-1.0": (first_line(b"HTTP/1.0 200 OK"), whole()),
    "no-reason-phrase": (first_line(b"HTTP/1.1 200 "), whole()),  # 9112 4: it may be empty
    "no-blank-behind-status": (first_line(b"HTTP/1.1 200"), whole()),  # wrong, common
    "reason-with-many-words": (first_line(b"HTTP/1.1 200 Yes, here it is: 404"), whole()),
    "reason-with-tab": (first_line(b"HTTP/1.1 200 O\tK"), whole()),
    "reason-not-ascii": (first_line(b"HTTP/1.1 200 D\xe9j\xe0 vu"), whole()),  # 9112 4: obs-text
    "reason-of-4-kB": (first_line(b"HTTP/1.1 200 " + b"O" * 4000), whole()),
    "reason-of-1-MB": (first_line(b"HTTP/1.1 200 " + b"O" * 10**6), BAD),
    "minor-version-unknown": (first_line(b"HTTP/1.2 200 OK"), whole()),  # 9110 2.5: as the highest one we know
    "major-version-3": (first_line(b"HTTP/3.0 200 OK"), BAD),
    "version-without-minor": (first_line(b"HTTP/1 200 OK"), BAD),
    "version-of-two-digits": (first_line(b"HTTP/1.10 200 OK"), BAD),  # 9112 2.3: one DIGIT each
    "name-in-lower-case": (first_line(b"http/1.1 200 OK"), whole()),  # 9112 2.3: case-sensitive, but to nobody
    "major-version-2": (first_line(b"HTTP/2.0 200 OK"), whole()),  # wrong, and read by all
    "major-version-2-alone": (first_line(b"HTTP/2 200"), whole()),
    "other-protocol": (first_line(b"FTP/1.1 200 OK"), BAD),
    "rtsp": (first_line(b"RTSP/1.0 200 OK"), BAD),
    "icecast": (first_line(b"ICY 200 OK"), BAD),
    "status-of-two-digits": (first_line(b"HTTP/1.1 20 OK"), BAD),
    "status-of-four-digits": (first_line(b"HTTP/1.1 2000 OK"), BAD),
    "status-negative": (first_line(b"HTTP/1.1 -200 OK"), BAD),
    "status-no-number": (first_line(b"HTTP/1.1 abc OK"), BAD),
    "status-missing": (first_line(b"HTTP/1.1 OK"), BAD),
    "status-000": (first_line(b"HTTP/1.1 000 OK"), BAD),
    "status-099": (first_line(b"HTTP/1.1 099 OK"), BAD),
    "status-600": (first_line(b"HTTP/1.1 600 Odd"), unread(600)),  # 9110 15: out of range is like 5xx
    "status-999": (first_line(b"HTTP/1.1 999 No"), unread(999)),
    "status-299": (first_line(b"HTTP/1.1 299 Odd"), whole(status=299)),  # 9110 15: unknown codes by their first digit
    "status-499": (first_line(b"HTTP/1.1 499 Odd"), unread(499)),
    "empty-line-before": (b"\r\n" + answer(b"hello"), whole()),
    "garbage-line-before": (b"garbage\r\n" + answer(b"hello"), BAD),
    "blank-before": (b" " + answer(b"hello"), BAD),
    "line-feeds-only": (answer(b"hello").replace(b"\r\n", b"\n"), whole()),  # 9112 2.2: MAY be recognised
    "carriage-returns-only": (answer(b"hello").replace(b"\r\n", b"\r"), BAD),  # 9112 2.2: never an end of line
    "nothing": (b"", RESET),
    "an-empty-line": (b"\r\n", RESET),
    "half-a-status-line": (b"HTTP/1.1 20", RESET),
    "no-end-of-headers": (b"HTTP/1.1 200 OK\r\n" + HTML, RESET),
    "http-0.9": (b"<html>hello</html>\n", BAD),
    "http-2-settings-frame": (b"\0\0\0\x04\0\0\0\0\0", BAD),  # and no byte of HTTP/2 either
    "tls-alert": (b"\x15\x03\x01\0\x02\x02\x46", BAD),
    "ssh": (b"SSH-2.0-OpenSSH_9.6\r\n", BAD),
    "smtp": (b"220 mail.test ESMTP\r\n", BAD),
}

INTERIM = {
    "100": (b"HTTP/1.1 100 Continue\r\n\r\n" + answer(b"hello"), whole()),  # 9110 15.2: to be parsed, even unasked
    "102": (b"HTTP/1.1 102 Processing\r\n\r\n" + answer(b"hello"), whole()),
    "103-with-location": (b"HTTP/1.1 103 Hints\r\nLocation: /x\r\n\r\n" + answer(b"hello"), whole()),
    "103-with-links": (  # RFC 8297: hints are of no use to us, and may not hold
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\nSet-Cookie: a=b\r\n\r\n" + answer(b"hello"),
        whole() | {"link": None},
    ),
    "199": (b"HTTP/1.1 199 Odd\r\n\r\n" + answer(b"hello"), whole()),
    "ten-of-them": (b"HTTP/1.1 103 Hints\r\n\r\n" * 10 + answer(b"hello"), whole()),
    "nothing-else": (b"HTTP/1.1 100 Continue\r\n\r\n", RESET),
    "101": (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n", BAD),
}

FIELDS = {
    "no-fields": (b"HTTP/1.1 200 OK\r\n\r\n<p>hello", whole(b"<p>hello")),  # 9112 6.3: up to the end of the connection
    "no-blank-behind-colon": (field(b"X:y"), whole()),
    "many-blanks": (field(b"X: \t  y \t "), whole()),
    "empty-value": (field(b"X:"), whole()),
    "value-not-ascii": (field(b"X: caf\xe9"), whole()),  # 9110 5.5: obs-text
    "value-of-16-kB": (field(b"Content-Security-Policy: " + b"x" * 16_000), whole()),
    "value-of-200-kB": (field(b"X: " + b"x" * 200_000), whole()),
    "value-of-300-kB": (field(b"X: " + b"x" * 300_000), BAD),
    "2000-fields-of-100-bytes": (field(b"\r\n".join(b"X: " + b"y" * 97 for _ in range(2000))), whole()),
    "120-fields": (field(b"\r\n".join(b"X: y" for _ in range(120))), whole()),
    "5000-fields": (field(b"\r\n".join(b"X: y" for _ in range(5000))), BAD),
    "name-in-any-case": (answer(b"hello").replace(b"Content-Length", b"cOnTeNt-lEnGtH"), whole()),
    # What is no field is passed over, as browsers do; the rest of the head is as good as ever.
    "no-colon": (field(b"X"), whole()),
    "no-colon-in-the-first": (b"HTTP/1.1 200 OK\r\njunk\r\n" + HTML + HELLO, whole()),
    "no-name": (field(b": y"), whole()),
    "blank-in-name": (field(b"X Y: z"), whole()),
    "control-in-name": (field(b"X\x01: z"), whole()),
    "name-not-ascii": (field(b"\xc3\xbc: z"), whole()),
    "a-line-of-html": (field(b"<br />\r\n<b>Warning</b>: include(x.php)"), whole()),
    "only-junk": (b"HTTP/1.1 200 OK\r\njunk\r\n\r\n<p>hello", whole(b"<p>hello")),
    "blank-before-colon": (field(b"X : y"), whole()),
    "tab-before-colon-of-length": (b"HTTP/1.1 200 OK\r\n" + HTML + b"Content-Length\t : 5\r\n\r\nhello+", whole()),
    "nul-in-name": (field(b"X\0: y"), BAD),
    "nul-in-value": (field(b"X: a\0b"), BAD),  # 9110 5.5: reject, or replace by a blank
    "carriage-return-in-value": (field(b"X: a\rb"), whole()),  # 9112 2.2: invalid, or replaced by a blank
    "folded": (field(b"X: a\r\n b"), whole()),  # 9112 5.2: a user agent must read it as blanks
    # 9112 2.2: to be rejected, or such lines to be skipped.
    "folded-before-the-first": (b"HTTP/1.1 200 OK\r\n X: y\r\n" + HTML + HELLO, whole()),
    "cut-in-name": (b"HTTP/1.1 200 OK\r\nConte", RESET),
    "cut-in-value": (b"HTTP/1.1 200 OK\r\nContent-Type: te", RESET),
    "cut-before-last-line-break": (b"HTTP/1.1 200 OK\r\n" + HTML + b"Content-Length: 0\r\n", RESET),
    "keep-alive-nonsense": (field(b"Keep-Alive: timeout=-1, max=zero"), whole()),
    "connection-nonsense": (field(b"Connection: maybe, close, keep-alive"), whole()),
    "upgrade-offered": (field(b"Upgrade: h2c\r\nConnection: Upgrade"), whole()),  # 9110 7.8: only 101 switches
    "many-cookies": (field(b"\r\n".join(b"Set-Cookie: c%d=%s" % (n, b"x" * 200) for n in range(60))), whole()),
    "cookie-nonsense": (field(b'Set-Cookie: =;;;=\x80=, "; expires=never'), whole()),
    "date-nonsense": (field(b"Date: yesterday\r\nLast-Modified: 0\r\nExpires: -1"), whole()),
}

LENGTHS = {
    "exact": (length(b"5"), whole()),
    "zero": (length(b"0", b""), whole(b"")),
    "leading-zeros": (length(b"0005"), whole()),
    "blanks-around": (length(b"  5\t "), whole()),
    "too-long": (length(b"50"), cut(b"hello")),  # 9112 8: incomplete
    "too-long-and-nothing-comes": (length(b"50", b""), BAD),
    "huge": (length(b"9" * 18), cut(b"hello")),
    "too-short": (length(b"3", b"hello"), whole(b"hel")),  # 9112 6.3: the rest is no part of anything
    # 9112 6.3, 5 discards what has an invalid length; browsers read up to the end of the connection.
    "negative": (length(b"-5"), whole()),
    "plus": (length(b"+5"), whole()),
    "hex": (length(b"0x5"), whole()),
    "fraction": (length(b"5.0"), whole()),
    "words": (length(b"five"), whole()),
    "empty": (length(b""), whole()),
    "two-numbers": (length(b"5 5"), whole()),
    "overflow-64-bit": (length(b"18446744073709551621"), whole()),  # 5, if it wrapped around
    "overflow-any": (length(b"1" + b"0" * 100), whole()),
    "different-in-list": (length(b"5, 6"), BAD),
    "different-in-lines": (length(b"5\r\nContent-Length: 6"), BAD),
    # 9110 8.6: a decimal value that is repeated may be taken once.
    "same-in-lines": (length(b"5\r\nContent-Length: 5", b"hello+"), whole()),
    "same-in-list": (length(b"5, 5", b"hello+"), whole()),
    "same-in-list-without-blank": (length(b"5,5,5", b"hello+"), whole()),
    "same-in-list-and-lines": (length(b"5, 5\r\ncontent-length: 5", b"hello+"), whole()),
    "same-and-nothing": (length(b"5,"), whole()),
    "same-nonsense-twice": (length(b"x, x"), whole()),
    "not-ascii-digits": (length("٥".encode()), whole()),
    "until-close": (answer(b"hello", length=""), whole()),
    "until-close-http-1.0": (b"HTTP/1.0 200 OK\r\n" + HTML + b"\r\nhello", whole()),
    "until-close-although-keep-alive": (answer(b"hello", "Connection: keep-alive", length=""), whole()),
    "until-close-empty": (answer(b"", length=""), whole(b"")),
    "with-nul-bytes": (answer(b"a\0b"), whole(b"a\0b")),
}

CHUNKED = {
    "one": (chunked(chunk(b"hello")), whole()),
    "many": (chunked(*(chunk(b"x") for _ in range(1000))), whole(b"x" * 1000)),
    "none": (chunked(), whole(b"")),
    "upper-case-size": (chunked(b"A\r\n0123456789\r\n"), whole(b"0123456789")),
    "leading-zeros": (chunked(b"00005\r\nhello\r\n"), whole()),
    "last-of-many-zeros": (chunked(chunk(b"hello"), end=b"0000\r\n\r\n"), whole()),
    "extension": (chunked(b"5;name=value\r\nhello\r\n"), whole()),  # 9112 7.1.1: unknown ones are ignored
    "extension-quoted": (chunked(b'5;name="a;b"\r\nhello\r\n'), whole()),
    "blank-before-extension": (chunked(b"5 ;x\r\nhello\r\n"), whole()),  # 9112 7.1.1: BWS
    "blank-behind-size": (chunked(b"5  \r\nhello\r\n"), whole()),  # wrong, sent by many
    "trailer": (chunked(chunk(b"hello"), end=b"0\r\nX: y\r\nZ: z\r\n\r\n"), whole()),
    "trailer-that-would-redirect": (
        chunked(chunk(b"hello"), end=b"0\r\nLocation: /x\r\n\r\n"),
        whole() | {"location": None},
    ),
    "name-in-any-case": (transfer(b"ChUnKeD", CHUNKS), whole()),
    "line-breaks-within": (chunked(chunk(b"a\r\n0\r\n\r\nb")), whole(b"a\r\n0\r\n\r\nb")),
    "no-last": (chunked(chunk(b"hello"), end=b""), cut(b"hello")),  # 9112 8: incomplete
    "cut-in-chunk": (chunked(b"5\r\nhel", end=b""), cut(b"hel")),
    "cut-in-size": (chunked(chunk(b"hello"), b"5", end=b""), cut(b"hello")),
    "cut-before-last-line-break": (chunked(chunk(b"hello"), end=b"0\r\n"), cut(b"hello")),
    "nothing-comes": (chunked(end=b""), BAD),
    "size-missing": (chunked(b"\r\nhello\r\n"), BAD),
    "size-no-hex": (chunked(b"g\r\nhello\r\n"), BAD),
    "size-0x": (chunked(b"0x5\r\nhello\r\n"), BAD),
    "size-negative": (chunked(b"-5\r\nhello\r\n"), BAD),
    "size-plus": (chunked(b"+5\r\nhello\r\n"), BAD),
    "size-overflows": (chunked(b"10000000000000005\r\nhello\r\n"), BAD),
    "size-too-small": (chunked(b"3\r\nhello\r\n"), BAD),
    "size-too-large": (chunked(b"8\r\nhello\r\n", end=b"0\r\n"), cut(b"hello\r\n0")),
    "no-line-break-behind": (chunked(b"5\r\nhello5\r\nhello\r\n"), BAD),
    # 9112 2.2: MAY be recognised as the end of a line.
    "line-feeds-only": (chunked(b"5\nhello\n", end=b"0\n\n"), whole()),
    "line-feed-behind-size": (chunked(b"5\nhello\r\n"), whole()),
    "line-feed-behind-extension": (chunked(b"5;x\nhello\r\n"), whole()),
    "line-feed-behind-chunk": (chunked(b"5\r\nhello\n", b"1\r\n!\n"), whole(b"hello!")),
    "line-feeds-in-trailer": (chunked(chunk(b"hello"), end=b"0\nX: y\n\n"), whole()),
    "carriage-return-behind-size": (chunked(b"5\rhello\r\n"), BAD),
    # 9112 6.3, 3: the chunks override it; who sends both ought not to be asked again on the same connection.
    "and-length": (transfer(b"chunked\r\nContent-Length: 5", CHUNKS), whole()),
    "and-length-before": (transfer(b"chunked", CHUNKS).replace(HTML, b"Content-Length: 2\r\n" + HTML), whole()),
    "and-length-that-is-too-long": (transfer(b"chunked\r\nContent-Length: 500", CHUNKS), whole()),
    "and-two-lengths": (transfer(b"chunked\r\nContent-Length: 5\r\nContent-Length: x", CHUNKS), whole()),
    "in-http-1.0": (transfer(b"chunked", CHUNKS, b"1.0"), whole()),  # 9112 6.1: faulty, but chunked
    # 9112 6.1: we never offered any other transfer coding (TE), so what it is cannot be known to us.
    "gzip-before": (transfer(b"gzip, chunked", chunk(GZIP) + b"0\r\n\r\n"), BAD),
    "gzip-only": (transfer(b"gzip", GZIP), BAD),
    "unknown-coding": (transfer(b"cow", b"hello"), BAD),
    "identity": (transfer(b"identity", b"hello"), whole()),  # left over from RFC 2616: no coding at all
    "identity-before": (transfer(b"identity, chunked", CHUNKS), whole()),
    "identity-behind": (transfer(b"chunked, Identity", CHUNKS), whole()),
    "identity-in-lines": (transfer(b"identity\r\nTransfer-Encoding: chunked", CHUNKS), whole()),
    "nothing-before": (transfer(b", chunked", CHUNKS), whole()),
    "identity-and-length": (transfer(b"identity\r\nContent-Length: 5", b"hello+"), whole()),
    "twice": (transfer(b"chunked, chunked", CHUNKS), whole()),  # 9112 6.1: MUST NOT be applied more than once
    "twice-in-lines": (transfer(b"chunked\r\nTransfer-Encoding: chunked", CHUNKS), whole()),
    "not-last": (transfer(b"chunked, gzip", GZIP), BAD),
}

CODINGS = {
    "gzip": (coded("gzip", GZIP), whole(TEXT)),
    "gzip-in-upper-case": (coded("GZIP", GZIP), whole(TEXT)),  # 9110 8.4.1: case-insensitive
    "x-gzip": (coded("x-gzip", GZIP), whole(TEXT)),  # 9110 8.4.1.3
    "gzip-chunked": (chunked(chunk(GZIP)).replace(b"\r\n", b"\r\nContent-Encoding: gzip\r\n", 1), whole(TEXT)),
    "gzip-until-close": (answer(GZIP, "Content-Encoding: gzip", length=""), whole(TEXT)),
    "gzip-of-nothing": (coded("gzip", gzip.compress(b"")), whole(b"")),
    "gzip-of-two-members": (coded("gzip", GZIP + GZIP), whole(TEXT + TEXT)),  # RFC 1952 2.2
    "gzip-of-5000-members": (coded("gzip", gzip.compress(b"x") * 5000), whole(b"x" * 5000)),
    "gzip-with-zeros-behind": (coded("gzip", GZIP + bytes(512)), whole(TEXT)),
    "gzip-with-junk-behind": (coded("gzip", GZIP + b"junk"), whole(TEXT)),
    "gzip-with-half-a-magic-behind": (coded("gzip", GZIP + b"\x1f"), whole(TEXT)),
    "gzip-with-file-name": (coded("gzip", GZIP[:3] + b"\x08" + GZIP[4:10] + b"a.html\0" + GZIP[10:]), whole(TEXT)),
    "gzip-without-its-end": (coded("gzip", GZIP[:-8]), cut(TEXT)),
    "gzip-header-only": (coded("gzip", GZIP[:10]), cut(b"")),
    "gzip-of-no-byte": (coded("gzip", b""), whole(b"")),
    "gzip-of-one-byte": (coded("gzip", GZIP[:1]), cut(b"")),
    "gzip-with-wrong-checksum": (coded("gzip", GZIP[:-8] + bytes(8)), UNREADABLE),  # which browsers do not look at
    "gzip-with-wrong-length": (coded("gzip", GZIP[:-4] + bytes(4)), UNREADABLE),
    "gzip-with-all-there-may-be": (coded("gzip", FLAGGED), whole(TEXT)),
    "gzip-without-the-end-of-its-head": (coded("gzip", FLAGGED[:25]), cut(b"")),
    "gzip-with-wrong-method": (coded("gzip", GZIP[:2] + b"\x07" + GZIP[3:]), UNREADABLE),
    "gzip-that-is-text": (coded("gzip", b"hello"), UNREADABLE),
    "gzip-that-is-zlib": (coded("gzip", ZLIB), UNREADABLE),
    "gzip-with-bad-second-member": (coded("gzip", GZIP + GZIP[:5] + b"\xff" * 30), UNREADABLE),
    "deflate": (coded("deflate", ZLIB), whole(TEXT)),
    "deflate-bare": (coded("deflate", BARE), whole(TEXT)),  # 9110 8.4.1.2 has a note on these
    "deflate-of-nothing": (coded("deflate", zlib.compress(b"")), whole(b"")),
    "deflate-bare-stored": (coded("deflate", zlib.compress(TEXT, 0, wbits=-15)), whole(TEXT)),
    "deflate-small-window": (coded("deflate", zlib.compress(TEXT, wbits=9)), whole(TEXT)),
    "deflate-with-junk-behind": (coded("deflate", ZLIB + b"junk"), whole(TEXT)),
    "deflate-without-its-end": (coded("deflate", ZLIB[:-4]), cut(TEXT)),
    "deflate-with-wrong-checksum": (coded("deflate", ZLIB[:-4] + b"junk"), UNREADABLE),
    "deflate-that-is-text": (coded("deflate", b"hello"), UNREADABLE),
    "deflate-with-dictionary": (coded("deflate", b"\x78\xbb\0\0\0\0" + ZLIB[2:]), UNREADABLE),
    "identity": (coded("identity", b"hello"), whole()),
    "empty-coding": (coded("", b"hello"), whole()),
    "gzip-and-identity": (coded("identity, gzip", GZIP), whole(TEXT)),
    # No codings of that name are registered: browsers take the body as it is.
    "none": (coded("none", b"hello"), whole()),
    "utf-8": (coded("UTF-8", b"hello"), whole()),
    "text/html": (coded("text/html", b"hello"), whole()),
    "x-unknown": (coded("x-unknown", b"hello"), whole()),
    "quoted": (coded('"gzip"', b"hello"), whole()),
    "unknown-beside-gzip": (coded("utf-8, gzip", GZIP), whole(GZIP)),
    "compress": (coded("compress", b"\x1f\x9dhello"), whole(b"\x1f\x9dhello")),  # by no browser any more
    "br": (coded("br", BROTLI), whole(TEXT)),
    "br-in-upper-case": (coded("BR", BROTLI), whole(TEXT)),
    "br-of-nothing": (coded("br", brotli.compress(b"")), whole(b"")),
    "br-without-its-end": (coded("br", brotli.compress(NOISE)[:-500]), cut(NOISE[:-499])),  # its end is a byte
    "br-then-junk": (coded("br", BROTLI + b"junk"), UNREADABLE),
    "br-that-is-text": (coded("br", b"hello, world"), UNREADABLE),
    "br-that-is-gzip": (coded("br", GZIP), UNREADABLE),
    "zstd": (coded("zstd", ZSTD), whole(TEXT)),
    "zstd-of-nothing": (coded("zstd", zstd.compress(b"")), whole(b"")),
    "zstd-of-two-frames": (coded("zstd", ZSTD + b"\x50\x2a\x4d\x18\x01\0\0\0x" + ZSTD), whole(TEXT + TEXT)),
    "zstd-with-junk-behind": (coded("zstd", ZSTD + b"junk"), whole(TEXT)),
    "zstd-without-its-end": (coded("zstd", ZSTD[:-1]), cut(b"")),
    "zstd-of-too-large-a-window": (coded("zstd", b"\x28\xb5\x2f\xfd\x04\x88\x01\0\0"), UNREADABLE),  # RFC 9659
    "zstd-that-is-text": (coded("zstd", b"hello"), UNREADABLE),
    "gzip-in-gzip": (coded("gzip, gzip", gzip.compress(GZIP)), whole(TEXT)),
    "gzip-in-two-lines": (answer(gzip.compress(GZIP), *2 * ["Content-Encoding: gzip"]), whole(TEXT)),
    "br-in-gzip": (coded("br, gzip", BROTLI_IN_GZIP), whole(TEXT)),
    "br-in-gzip-in-the-wrong-order": (coded("gzip, br", BROTLI_IN_GZIP), UNREADABLE),
    "br-and-what-nobody-knows": (coded("br, x-rot13", BROTLI), whole(BROTLI)),
    "six-codings": (coded(", ".join(["gzip"] * 6), GZIP), UNREADABLE),
    "not-html-is-not-decoded": (answer(b"x", "Content-Type: image/png", "Content-Encoding: br"), unread(200)),
    "404-is-not-decoded": (answer(b"x", "Content-Encoding: br", status="404 No"), unread(404)),
}

TYPES = {
    "plain": (typed_as(b"text/html"), typed("text/html")),
    "any-case": (typed_as(b"TEXT/Html"), typed("TEXT/Html")),  # 9110 8.3.1
    "with-charset": (typed_as(b"text/html; charset=utf-8"), typed("text/html; charset=utf-8")),
    "no-blank": (typed_as(b"text/html;charset=utf-8"), typed("text/html;charset=utf-8")),
    "blank-before-semicolon": (typed_as(b"text/html ; charset=x"), typed("text/html ; charset=x")),
    "unknown-charset": (typed_as(b"text/html; charset=klingon"), typed("text/html; charset=klingon")),
    "empty-parameter": (typed_as(b"text/html;"), typed("text/html;")),
    "xhtml": (typed_as(b"application/xhtml+xml"), typed("application/xhtml+xml")),
    "longer-name": (typed_as(b"text/html5"), typed("text/html5", b"")),
    "pdf": (typed_as(b"application/pdf"), typed("application/pdf", b"")),
    "same-twice": (typed_as(b"text/html", b"text/html"), typed("text/html")),
    # 9110 8.3: of several, the last valid one is usually taken.
    "html-last": (typed_as(b"text/plain", b"text/html"), typed("text/html")),
    "html-first": (typed_as(b"text/html", b"text/plain"), typed("text/plain", b"")),
    # Fetch 2.2.2: they are one list, of which the last that is a type counts, with the charset that was said before.
    "html-twice-in-a-line": (typed_as(b"text/html, text/html"), typed("text/html")),
    "charset-with-the-last": (typed_as(b"text/html, text/html; charset=utf-8"), typed("text/html; charset=utf-8")),
    "charset-with-the-first": (typed_as(b"text/html; charset=utf-8, text/html"), typed("text/html; charset=utf-8")),
    "charset-of-another": (typed_as(b"text/plain; charset=utf-8, text/html"), typed("text/html")),
    "html-last-in-a-line": (typed_as(b"text/plain, text/html"), typed("text/html")),
    "anything-last": (typed_as(b"text/html, */*"), typed("text/html")),
    "nonsense-last": (typed_as(b"text/html", b"nonsense"), typed("text/html")),
    "comma-in-quotes": (typed_as(b'text/html; x="a, text/plain"'), typed('text/html; x="a, text/plain"')),
    "blanks-around": (typed_as(b"  text/html\t "), typed("text/html")),
    "blank-within": (typed_as(b"text / html"), typed("text/plain", b"")),
    "not-ascii": (typed_as(b"text/html; x=\xff"), typed("text/html; x=\xff")),
    "7-kB": (typed_as(b"text/html; x=" + b"y" * 7000), typed("text/html; x=" + "y" * 7000)),
}

# What a type is found to be that the header leaves open (MIME Sniffing 7.1).
PAGE, NO_PAGE = b"<!DOCTYPE html><p>x", b"hello <a href=/x>"
OPEN = {
    "missing": b"",
    "empty": b"Content-Type:\r\n",
    "any": b"Content-Type: */*\r\n",
    "any-with-charset": b"Content-Type: */*; charset=utf-8\r\n",
    "unknown": b"Content-Type: application/unknown\r\n",
    "unknown-in-upper-case": b"Content-Type: Unknown/Unknown\r\n",
    "garbage": b"Content-Type: %%;;==\r\n",
    "subtype-missing": b"Content-Type: text\r\n",
    "subtype-empty": b"Content-Type: text/\r\n",
    "charset-only": b"Content-Type: charset=utf-8\r\n",
}
BODIES = {
    "doctype": (PAGE, "text/html"),
    "blanks-and-html": (b" \r\n\t\f<HTML><p>x", "text/html"),
    "comment": (b"<!--x--><p>x", "text/html"),
    "link": (b"<a href=/x>x</a>", "text/html"),
    "tag-without-end": (b"<p", "text/plain"),
    "another-tag": (b"<pre>x", "text/plain"),
    "text": (NO_PAGE, "text/plain"),
    "byte-order-mark": (codecs.BOM_UTF8 + PAGE, "text/plain"),
    "nothing": (b"", "text/plain"),
    "xml": (b"<?xml version='1.0'?><html>", "text/xml"),
    "binary": (b"\x89PNG\r\n\x1a\n\0\0", "application/octet-stream"),
    "binary-further-on": (b"x" * 1400 + b"\0", "application/octet-stream"),
}


def opened(head: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\n" + head + b"Content-Length: %d\r\n\r\n" % len(body) + body


SNIFFED = (
    {name: (opened(head, PAGE), typed("text/html", PAGE)) for name, head in OPEN.items()}
    | {f"{name}-of-text": (opened(head, NO_PAGE), typed("text/plain", b"")) for name, head in OPEN.items()}
    | {
        f"nosniff-{name}": (opened(b"X-Content-Type-Options: NoSniff\r\n" + head, PAGE), typed("text/plain", b""))
        for name, head in OPEN.items()
    }
    | {
        name: (opened(b"", body), typed(found, body if found == "text/html" else b""))
        for name, (body, found) in BODIES.items()
    }
    | {
        "nosniff-html": (
            answer(b"hello", "Content-Type: text/html", "X-Content-Type-Options: nosniff"),
            typed("text/html"),
        ),
        "other-options": (opened(b"X-Content-Type-Options: x, nosniff\r\n", PAGE), typed("text/html", PAGE)),
        "in-gzip": (opened(b"Content-Encoding: gzip\r\n", gzip.compress(PAGE)), typed("text/html", PAGE)),
        "long-page": (opened(b"", PAGE * 9000), typed("text/html", PAGE * 9000)),
        "plain-that-is-html": (answer(PAGE, "Content-Type: text/plain"), typed("text/plain", b"")),
    }
)

LOCATIONS = {
    "path": (redirect(b"/b"), moved("/b")),
    "absolute": (redirect(b"http://x.test/"), moved("http://x.test/")),
    "blanks-around": (redirect(b"  /b\t"), moved("/b")),
    "blank-within": (redirect(b"/a b"), moved("/a b")),
    "utf-8": (redirect("/ü".encode()), moved("/ü")),
    "latin-1": (redirect(b"/\xfc"), moved("/%FC")),  # bytes stay what they are, as in browsers
    "utf-8-beside-latin-1": (redirect("/ü".encode(), b"X: \xff"), moved("/ü")),
    "missing": (answer(b"", status="302 Found"), moved(None)),
    "empty": (redirect(b""), moved("")),
    "same-twice": (redirect(b"/b", b"Location: /b"), moved("/b")),
    "two-different": (redirect(b"/b", b"Location: /c"), moved(None)),  # 9110 5.3: no list, so neither can be meant
    "nul": (redirect(b"/a\0b"), BAD),
    "carriage-return": (redirect(b"/a\rb"), moved("/a b")),  # 9112 2.2
    "encoded-line-break": (redirect(b"/a%0d%0aX:%20y"), moved("/a%0d%0aX:%20y")),
    "with-body": (redirect(b"/b").replace(b"Length: 0", b"Length: 5") + b"hello", moved("/b")),
    "with-lying-length": (redirect(b"/b").replace(b"Length: 0", b"Length: 500"), moved("/b")),
    "8-kB": (redirect(b"/" + b"x" * 8000), moved("/" + "x" * 8000)),
}

STATUSES = (
    {
        f"{status}-with-body": (answer(b"hello", status=f"{status} S"), unread(status))
        for status in (202, 300, 305, 400, 401, 403, 404, 410, 418, 429, 451, 500, 502, 503, 504, 511)
    }
    | {
        f"{status}-with-body": (answer(b"hello", status=f"{status} S"), whole(status=status))  # Fetch 2.2.3: ok status
        for status in (201, 203, 206, 207, 226)
    }
    | {
        "204": (answer(b"", status="204 S", length=""), unread(204)),
        "204-with-length": (
            answer(b"", status="204 S", length=5),
            unread(204),
        ),  # 9112 6.3, 1: no body, whatever is said
        "304-with-length": (answer(b"", status="304 S", length=5), unread(304)),
        "204-with-body": (answer(b"hello", status="204 S"), unread(204)),
        "304-with-body": (answer(b"hello", status="304 S"), unread(304)),
        "205": (answer(b"", status="205 S"), unread(205)),
    }
)

TABLE = {
    f"{part}:{name}": row
    for part, rows in {
        "status-line": STATUS_LINES,
        "interim": INTERIM,
        "field": FIELDS,
        "length": LENGTHS,
        "chunked": CHUNKED,
        "coding": CODINGS,
        "type": TYPES,
        "sniffed": SNIFFED,
        "location": LOCATIONS,
        "status": STATUSES,
    }.items()
    for name, row in rows.items()
}
