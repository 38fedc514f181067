"""What the archive gets of an exchange, and what it is not to get."""

import asyncio
import gzip
import hashlib
import zlib
from pathlib import Path
from typing import Any

import pytest
from support import skipping
from support.archives import Seen, answers, files, seen
from support.misbehaving import chunk
from support.raw_server import Server, all_names_at, says
from support.sites import Site, crawl

from minicrawl.archive.check import check
from minicrawl.archive.collection import Collection, index_anew
from minicrawl.archive.record import sha1
from minicrawl.archive.writer import Committed
from minicrawl.crawler.archiving import Archiving
from minicrawl.crawler.sources.local import fetch_options
from minicrawl.model import ArchiveRecord, Exchange, PageRequest, ParsedPage
from minicrawl.settings import CrawlSettings
from minicrawl.web.http.fetch import Fetcher
from minicrawl.web.http.transport import DISCONNECT

BODY = b"<p>hello"
NOTHING = ParsedPage()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    crawl({"http://a.test/": []}, tmp_path / "crawl.db", ["http://a.test/"])
    return tmp_path / "crawl.db"


def exchange(
    *fields: bytes, status: int = 200, body: bytes = BODY, truncated: str | None = None, request: bytes = b""
) -> Exchange:
    lines = b"".join(b"%b\r\n" % field for field in fields)
    head = b"HTTP/1.1 %d X\r\n%b\r\n" % (status, lines)
    parted = tuple((name, value) for name, value in (field.split(b": ", 1) for field in fields))
    sent = request or b"GET / HTTP/1.1\r\nHost: h.test\r\n\r\n"
    return Exchange("http://h.test/", sent, head, status, parted, body, "127.0.0.1:80", 1000.0, 0.1, truncated)


def kept(store: Path, shown: Exchange, parsed: ParsedPage = NOTHING, **settings: Any) -> ArchiveRecord | None:
    folder = store.parent / "kept"
    capture = Archiving(CrawlSettings(archive=folder, **settings), store, "me")
    try:
        return capture.observe(shown, parsed)
    finally:
        capture.close()


FORBIDDEN = {
    "header": (exchange(b"X-Robots-Tag: noarchive"), ParsedPage()),
    "one header of two": (exchange(b"X-Robots-Tag: nofollow", b"x-robots-tag: noindex, NoArchive"), ParsedPage()),
    "meta": (exchange(), ParsedPage(archive=False)),
}


@pytest.mark.parametrize("case", FORBIDDEN)
def test_what_forbids_copies_is_not_kept(case: str, store: Path) -> None:
    assert kept(store, *FORBIDDEN[case]) is None


def test_what_forbids_it_to_another_robot_is_kept(store: Path) -> None:
    assert kept(store, exchange(b"X-Robots-Tag: otherbot: noarchive")) is not None


def test_credentials_are_left_out_and_a_cut_body_says_so(store: Path) -> None:
    sent = (
        b"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\ncookie: b\r\nProxy-Authorization: c\r\nX-Api-Key: d\r\n\r\n"
    )
    cut = exchange(b"Content-Length: 900", truncated=DISCONNECT, request=sent)
    kept(store, cut, header=("X-Api-Key: d", "*=X-Plain: e"), contact="me@example.org")
    info, response, request = seen(files(store.parent / "kept")[0])
    assert request.http == [("Host", "h")]
    assert response.headers["WARC-Truncated"] == "disconnect"
    assert response.http == [("X-Orig-Content-Length", "900"), ("Content-Length", "8")]
    assert response.body == BODY
    assert b"operator: me@example.org\r\n" in info.body
    assert b"robots: obey\r\n" in info.body


def test_what_a_transport_of_ones_own_answers_is_kept_too(tmp_path: Path) -> None:
    site: Site = {"http://a.test/": ["/b"], "http://a.test/b": "http://a.test/"}
    crawl(site, tmp_path / "crawl.db", ["http://a.test/"], archive=tmp_path / "kept")
    assert [(one.url, one.status[:3]) for one in answers(tmp_path / "kept")] == [
        ("http://a.test/robots.txt", "404"),
        ("http://a.test/", "200"),
        ("http://a.test/b", "301"),
    ]


OK, HTML = b"HTTP/1.1 200 OK\r\n", b"Content-Type: text/html\r\n"
PAGE = b"<p>page " * 20
GZIP, MEMBERS, DEFLATE = gzip.compress(PAGE), gzip.compress(PAGE) + gzip.compress(b"more"), zlib.compress(PAGE)
ODD = b"HTTP/1.1 200 \xc3\xbc \xff\r\nX-\x80: \xe9\r\nX-Folded: a\r\n\t b\r\nx-folded:c\r\n" + HTML
LONG_HEAD = OK + HTML + b"".join(b"X-%d: %b\r\n" % (number, b"v" * 1000) for number in range(60))
LARGE = b"<p>" + b"large " * 5_500_000


def sized(head: bytes, body: bytes, length: int | None = None) -> bytes:
    return b"%bContent-Length: %d\r\n\r\n%b" % (head, len(body) if length is None else length, body)


def framed(head: bytes, framing: bytes, length: int) -> bytes:
    """A head whose framing is kept behind X-Orig-."""
    return b"%bX-Orig-%bContent-Length: %d\r\n\r\n" % (head, framing, length)


CHUNKED = b"Transfer-Encoding: chunked\r\n"
IN_CHUNKS = b'5;name=value;x="y"\r\n' + PAGE[:5] + b"\r\n" + chunk(PAGE[5:]) + b"0\r\nX-Trailer: t\r\n\r\n"
# What a server sends; the head, the body and why it is cut in the record.
WIRE: dict[str, tuple[bytes, bytes, bytes, str | None]] = {
    "plain": (sized(OK + HTML, PAGE), sized(OK + HTML, b"", len(PAGE)), PAGE, None),
    "chunks with extensions and trailers": (
        OK + HTML + CHUNKED + b"\r\n" + IN_CHUNKS, framed(OK + HTML, CHUNKED, len(PAGE)), PAGE, None,
    ),
    "gzip in chunks": (
        OK + HTML + b"Content-Encoding: gzip\r\n" + CHUNKED + b"\r\n" + chunk(GZIP) + b"0\r\n\r\n",
        framed(OK + HTML + b"Content-Encoding: gzip\r\n", CHUNKED, len(GZIP)), GZIP, None,
    ),
    "several members": (
        sized(OK + HTML + b"Content-Encoding: gzip\r\n", MEMBERS),
        sized(OK + HTML + b"Content-Encoding: gzip\r\n", b"", len(MEMBERS)), MEMBERS, None,
    ),
    "deflate": (
        sized(OK + HTML + b"Content-Encoding: deflate\r\n", DEFLATE),
        sized(OK + HTML + b"Content-Encoding: deflate\r\n", b"", len(DEFLATE)), DEFLATE, None,
    ),
    "to the end of the connection": (OK + HTML + b"\r\n" + PAGE, OK + HTML + b"\r\n", PAGE, None),
    "another answer first": (
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + sized(OK + HTML, PAGE),
        sized(OK + HTML, b"", len(PAGE)), PAGE, None,
    ),
    "folded and not ASCII": (sized(ODD, PAGE), sized(ODD, b"", len(PAGE)), PAGE, None),
    "line feeds alone": (
        b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 3\n\nabc",
        b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 3\n\n", b"abc", None,
    ),
    "a long head": (sized(LONG_HEAD, PAGE), sized(LONG_HEAD, b"", len(PAGE)), PAGE, None),
    "empty": (sized(OK + HTML, b""), sized(OK + HTML, b""), b"", None),
    "shorter than it says": (
        sized(OK + HTML, PAGE, 900), framed(OK + HTML, b"Content-Length: 900\r\n", len(PAGE)), PAGE, "disconnect",
    ),
    "chunks that break off": (
        OK + HTML + CHUNKED + b"\r\n" + chunk(PAGE) + b"fff\r\n<p>",
        framed(OK + HTML, CHUNKED, len(PAGE) + 3), PAGE + b"<p>", "disconnect",
    ),
    "longer than is read": (
        sized(OK + HTML, b"x" * 5_000_000), framed(OK + HTML, b"Content-Length: 5000000\r\n", -1), b"", "length",
    ),
    "no page": (
        sized(OK + b"Content-Type: image/png\r\n", b"\x89PNG" * 99),
        sized(OK + b"Content-Type: image/png\r\n", b"", 396), b"\x89PNG" * 99, None,
    ),
    "a redirect with a body": (
        sized(b"HTTP/1.1 301 Moved\r\nLocation: /b\r\n", b"moved"),
        sized(b"HTTP/1.1 301 Moved\r\nLocation: /b\r\n", b"", 5), b"moved", None,
    ),
    "a 304 that says how long the page is": (
        sized(b"HTTP/1.1 304 Not Modified\r\n", b"", 500),
        sized(b"HTTP/1.1 304 Not Modified\r\n", b"", 500), b"", None,
    ),
}  # fmt: skip


def from_the_wire(folder: Path, server: Server, **settings: Any) -> Seen:
    """What warcio, which checks its digests, has of the answer of a server."""
    store = folder / "crawl.db"
    if not store.exists():
        crawl({"http://a.test/": []}, store, ["http://a.test/"])

    async def run() -> None:
        async with server:
            given = all_names_at(server.port, archive=folder / "kept", **settings)
            async with Fetcher(fetch_options(given), capture=Archiving(given, store, "me")) as fetcher:
                await fetcher.fetch(PageRequest("http://h.test/"))

    skipping.run(run())
    (file,) = files(folder / "kept")
    _, answer, request = seen(file)
    assert request.kind == "request"
    index_anew(folder / "kept")
    collection = Collection(folder / "kept")
    assert check(collection, Committed("x-", {file.name: file.stat().st_size}, 0.0), deep=True).wrong == []
    (captured,) = collection.of("http://h.test/")
    record = collection.record(captured)
    collection.close()
    file.unlink()
    return answer._replace(status=record.head.decode("latin-1"))


@pytest.mark.parametrize("case", WIRE)
def test_what_came_over_the_wire_is_in_the_record(case: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    sent, head, body, truncated = WIRE[case]

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.head(reader)
        writer.write(sent)
        await writer.drain()

    server = Server(talk)
    answer = from_the_wire(tmp_path_factory.mktemp("wire"), server, max_size=50_000)
    assert answer.headers.get("WARC-Truncated") == truncated
    if truncated == "length":
        head, body = head.replace(b": -1", b": %d" % len(answer.body)), b"x" * len(answer.body)
        assert 50_000 < len(body) < 5_000_000
    assert answer.status.encode("latin-1") == head
    assert answer.body == body
    assert answer.headers["WARC-Payload-Digest"] == sha1(hashlib.sha1(body).digest()), "of the body as it was sent"


def test_a_page_of_33_mb_is_kept_whole_where_it_may_be(tmp_path: Path) -> None:
    answer = from_the_wire(tmp_path, says(sized(OK + HTML, LARGE)), max_size=40_000_000)
    assert "WARC-Truncated" not in answer.headers
    assert answer.body == LARGE


def test_a_body_that_comes_too_slowly_is_kept_as_far_as_it_came(tmp_path: Path) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.head(reader)
        writer.write(sized(OK + HTML, b"<p>slow" * 50_000, 10**6))
        await writer.drain()
        await reader.read()

    server = Server(talk)
    answer = from_the_wire(tmp_path, server, timeout=3.0)
    assert (answer.headers["WARC-Truncated"], answer.body[:7]) == ("time", b"<p>slow")
    assert answer.status.endswith(f"X-Orig-Content-Length: 1000000\r\nContent-Length: {len(answer.body)}\r\n\r\n")
