"""Odd replies by the hundred, for a comparison with another client: what is right for each, nobody has written down."""

import gzip
from collections.abc import Callable, Iterable

import brotli
from support.misbehaving import answer, chunk, chunked
from support.replies import BARE, BROTLI, CHUNKS, GZIP, TEXT, ZLIB, ZSTD, coded, field, first_line, length, transfer

STATUS_LINES = """HTTP/1.1  200 OK|HTTP/1.1\t200\tOK|HTTP/1.1 200   |HTTP/1.1 200 404|HTTP/1.1 200 : x|HTTP/1.3 200 OK|\
HTTP/1.9 200 OK|HTTP/2 200 OK|HTTP/2.0 200 OK|HTTP/0.9 200 OK|HTTP/1.01 200 OK|Http/1.1 200 OK|HTTP 200 OK|\
HTTP/ 200 OK|HTTP/1.1200 OK|HTTP/1.1 200OK|HTTP/1.1 200.0 OK|HTTP/1.1 +200 OK|HTTP/1.1 0200 OK|HTTP/1.1 0xC8 OK|\
 HTTP/1.1 200 OK|\xef\xbb\xbfHTTP/1.1 200 OK|Status: 200 OK|HTTP/1.1 200 OK\r"""
BEFORE = ["\r\n", "\r\n\r\n", "\n", "\n\n", "\r", "\0", "\r\n" * 10, " \r\n"]
STATUSES = [
    "200",
    "201",
    "203",
    "204",
    "205",
    "206",
    "226",
    "299",
    "300",
    "304",
    "308",
    "400",
    "404",
    "500",
    "600",
    "999",
]
FIELDS = """X: a\r\n b|X: a\r\n\tb|X: a\r\n b\r\n c|X: a\r\n \r\n b|X: a\n b|Content-Length:\r\n 5|\
Transfer-Encoding:\r\n identity|Content-Encoding:\r\n identity|X|:|:x|A B: c|X : y|X": y|X(y): z|\xe4: y|X: a\1b|\
X: a\x7fb|Set-Cookie: ;;;=|Location: /x|Refresh: 0;url=/x|Trailer: X|Upgrade: h2c|Connection: upgrade|TE: trailers|\
Alt-Svc: h3=":443"|Date: x|Content-Range: bytes 0-4/5|Connection: close|Connection: keep-alive|Proxy-Connection: close|\
Keep-Alive: timeout=0"""
LENGTHS = """5|05|\t5|5 |5;|5x|x5|"5"|5,5|5 , 5|-0|0|1|4|6|5e0|5\0|5 bytes|4294967301|9223372036854775807|\
9223372036854775808|5\r\nContent-Length: 5|5\r\nContent-Length: 4|x\r\nContent-Length: 5|5\r\nContent-Length: x"""
SIZES = """5;a=b|5;a="\r\n"|5;a|5;;;|5 | 5|5\t|0x5|+5|-5|5g||\r\n5|0000000005|6|4|5,|5;|5\r|5\n|05;x|ffffffffffffffff|\
7fffffffffffffff|10000000000000005"""
LAST = """0;x=y\r\n\r\n|00\r\n\r\n|0\r\n|0\n\n||\r\n0\r\n\r\n|0\r\nX: y\r\n\r\n|0\r\njunk\r\n\r\n|\
0\r\nContent-Length: 3\r\n\r\n|0\r\nX: y|0\r\nX: y\r\n z\r\n\r\n|0\r\n\r\nmore|0"""
TRANSFERS = """CHUNKED|"chunked"| chunked |chunked, chunked|chunked\r\nTransfer-Encoding: chunked|identity|\
identity, chunked|chunked, identity|chunked;q=1|gzip, chunked|xchunked|unknown, chunked||,chunked|\x0bchunked|\
chunked\r\nContent-Length: 99|chunked\r\nContent-Length: 5"""
CODINGS = [
    *[
        ("gzip", body)
        for body in (GZIP[:25], GZIP[:-1], TEXT, b"<p>hello", b"", ZLIB, BARE, b"\r\n" + GZIP, GZIP + b"\r\n")
    ],
    *[(coding, b"") for coding in ("deflate", "br", "zstd")],
    *[(coding, b"hello") for coding in ("none", "binary", "8bit", "utf-8", "chunked", "aws-chunked")],
    *[
        (coding, GZIP)
        for coding in ("gzip, gzip", "gzip, identity", "gzip;q=1", "GZip", "x-gzip", " gzip ", "gzip,", "deflate")
    ],
    *[("gzip, br", brotli.compress(GZIP)), ("br, gzip", gzip.compress(BROTLI)), ("x-deflate", ZLIB), ("zstd", ZSTD)],
    *[("br", BROTLI[:-3]), ("br", TEXT), ("br", BROTLI + b"\r\n")],
]
PAGE = answer(b"hello")
CHUNKED_PAGE = chunked(chunk(b"hel"), chunk(b"lo"))
BLANK = b"\r\n\r\n"
ENDS = [PAGE.replace(b"\r\n", b"\n"), PAGE.replace(b"\r\n", b"\n", 1), PAGE.replace(BLANK, b"\r\n\n")]
ENDS += [PAGE.replace(BLANK, b"\n\r\n"), PAGE.replace(b"\r\n", b"\r\r\n"), PAGE.replace(BLANK, b"\r\n \r\n\r\n")]


def each(part: str, given: Iterable[str], reply: Callable[[bytes], bytes]) -> dict[str, bytes]:
    """A reply of each text, by it."""
    return {f"{part}:{text[:60]!r}": reply(text.encode("latin-1")) for text in given}


def with_status(status: bytes) -> bytes:
    return answer(b"hello", status=f"{status.decode()} x")


ODD: dict[str, bytes] = {
    **each("odd-line", STATUS_LINES.split("|"), first_line),
    **each("odd-before", BEFORE, lambda begin: begin + PAGE),
    **each("odd-status", STATUSES, with_status),
    **each("odd-status-without-length", STATUSES, lambda one: answer(b"hello", status=f"{one.decode()} x", length="")),
    **each("odd-status-chunked", STATUSES, lambda one: CHUNKED_PAGE.replace(b"200", one)),
    **each(
        "odd-interim", ["100", "102", "103", "110", "199"], lambda one: b"HTTP/1.1 %b x\r\nX: y\r\n\r\n%b" % (one, PAGE)
    ),
    **each("odd-interim-of-1.0", ["100"], lambda one: b"HTTP/1.0 %b x\r\n\r\n%b" % (one, PAGE)),
    **each(
        "odd-interim-and",
        ["Content-Length: 3", "Transfer-Encoding: chunked"],
        lambda one: b"HTTP/1.1 103 x\r\n%b\r\n\r\n%b" % (one, PAGE),
    ),
    **each("odd-field", FIELDS.split("|"), field),
    **each("odd-fields", ["100", "1000"], lambda count: field(b"\r\n".join([b"X: y"] * int(count)))),
    **each("odd-length", LENGTHS.split("|"), length),
    **each("odd-chunk", SIZES.split("|"), lambda size: transfer(b"chunked", size + b"\r\nhello\r\n0\r\n\r\n")),
    **each("odd-last", LAST.split("|"), lambda last: transfer(b"chunked", b"5\r\nhello\r\n" + last)),
    **each(
        "odd-behind-chunk",
        ["", "\n", "\r\n\r\n", "\r"],
        lambda end: transfer(b"chunked", b"5\r\nhello" + end + b"0\r\n\r\n"),
    ),
    **each("odd-transfer", TRANSFERS.split("|"), lambda coding: transfer(coding, CHUNKS)),
    **{f"odd-coding:{number}-{coding}": coded(coding, body) for number, (coding, body) in enumerate(CODINGS)},
    **{f"odd-end:{number}": reply for number, reply in enumerate(ENDS)},
    **{f"odd-cut:{size}": PAGE[:size] for size in range(0, len(PAGE), 9)},
    **{f"odd-cut-chunk:{size}": CHUNKED_PAGE[:size] for size in range(70, len(CHUNKED_PAGE), 4)},
}
