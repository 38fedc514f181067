"""Whatever one page, robots.txt or redirect target of a host does, the crawl ends and the rest is crawled.

One crawl meets every fault in every position; a test per fault and position then looks at what became of it. Its clock
skips what is waited for, so that a sound answer is never late, however busy the machine is.
"""

import gzip
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import brotli
import pytest
from support import skipping
from support.misbehaving import PAGE, POSITIONS, MisbehavingServer, Peer, Reply, answer, chunk, chunked, redirect
from support.sites import rows

from minicrawl.api import acrawl
from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.net.addresses import Resolver
from minicrawl.model import CrawlReport
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store
from minicrawl.timing import Timing

MAX_SIZE = 100_000
BOMB = 5 * 10**6


@dataclass(frozen=True)
class Fault:
    """A fault, and what is to become of it.

    `page`: state and reason of a page that has it. `robots`: what a robots.txt with it means for the host: "obeyed"
    (its rules are kept), "free" (it has none), or the state and reason of all pages. `after`: the same of other
    paths of the host, per position.
    """

    reply: Reply
    page: str
    robots: str
    after: dict[str, dict[str, str]] = field(default_factory=dict)


def sends(respond: Callable[[bytes], bytes]) -> Reply:
    """Answer with what is made of the body that a sound server would send, and hang up."""

    async def act(peer: Peer) -> None:
        await peer.send(respond(peer.body))

    return act


def sends_endlessly(head: bytes, block: bytes) -> Reply:
    async def act(peer: Peer) -> None:
        await peer.send(head)
        await peer.send_forever(block)

    return act


def repeats(head: bytes, block: bytes) -> Reply:
    """Endless as well, but at a pace: no end is in sight other than the crawl's own timeout."""

    async def act(peer: Peer) -> None:
        await peer.send(head)
        await peer.repeat(block)

    return act


def sends_body_endlessly(head: bytes, frame: Callable[[bytes], bytes]) -> Reply:
    async def act(peer: Peer) -> None:
        await peer.send(head, frame(peer.body))
        await peer.send_forever(frame(b" " * 10_000))

    return act


async def closes(peer: Peer) -> None:
    pass


async def closes_when_used_again(peer: Peer) -> None:
    """Answers only what is asked first on a connection; the client must open another."""
    if peer.number == 1:
        await peer.send(answer(peer.body))


async def resets(peer: Peer) -> None:
    peer.reset()


async def never_answers(peer: Peer) -> None:
    await peer.leaves()


def resets_after(respond: Callable[[bytes], bytes]) -> Reply:
    async def act(peer: Peer) -> None:
        await peer.send(respond(peer.body))
        if not await peer.leaves_within(0.05):
            peer.reset()

    return act


def stalls_after(respond: Callable[[bytes], bytes]) -> Reply:
    async def act(peer: Peer) -> None:
        await peer.send(respond(peer.body))
        await peer.leaves()

    return act


async def drips_headers(peer: Peer) -> None:
    await peer.drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/html")


async def drips_body(peer: Peer) -> None:
    await peer.send(answer(b"", length=10**6))
    await peer.drip(peer.body)


def bomb(wbits: int) -> Callable[[bytes], bytes]:
    """A body with 5 MB of blanks behind it, in a few kB."""

    @cache
    def squeezed(body: bytes) -> bytes:
        compressor = zlib.compressobj(1, wbits=wbits)
        return compressor.compress(body + b" " * BOMB) + compressor.flush()

    return squeezed


def coded(coding: str, encode: Callable[[bytes], bytes]) -> Reply:
    return sends(lambda body: answer(encode(body), f"Content-Encoding: {coding}"))


def typed(content_type: str | bytes) -> Reply:
    line = content_type if isinstance(content_type, bytes) else content_type.encode()
    return sends(lambda body: answer(body, b"Content-Type: " + line))


def with_length(length: object, *headers: str) -> Reply:
    return sends(lambda body: answer(body, *headers, length=length))


CHUNKED_HEAD = chunked(end=b"")
OPEN_HEAD = answer(b"", length="")
GONE, OK, CUT = "error reset", "fetched ok", "fetched truncated"
BAD, LATE, UNREADABLE = "error bad-response", "error timeout", "error undecodable"
ALIAS, NOWHERE = "alias redirect-302", "error redirect-nowhere"

FAULTS = {
    # Connections.
    "closes-at-once": Fault(closes, GONE, GONE),
    "resets-at-once": Fault(resets, GONE, GONE),
    "closes-in-headers": Fault(b"HTTP/1.1 200 OK\r\nContent-Ty", GONE, GONE),
    "resets-in-headers": Fault(resets_after(lambda _: b"HTTP/1.1 200 OK\r\nContent-Ty"), GONE, GONE),
    "closes-after-headers": Fault(answer(b"", length=100), BAD, BAD),
    "resets-after-headers": Fault(resets_after(lambda _: answer(b"", length=100)), BAD, BAD),
    "resets-in-body": Fault(resets_after(lambda body: answer(body, length=10**4)), CUT, "obeyed"),
    "closes-when-used-again": Fault(closes_when_used_again, OK, "obeyed"),
    "closes-without-saying-so": Fault(sends(answer), OK, "obeyed"),
    "never-answers": Fault(never_answers, LATE, LATE),
    "stalls-in-body": Fault(stalls_after(lambda body: answer(body, length=10**4)), LATE, LATE),
    "drips-headers": Fault(drips_headers, LATE, LATE),
    "drips-body": Fault(drips_body, LATE, LATE),
    "stays-open-after-the-end": Fault(stalls_after(answer), OK, "obeyed"),
    "answer-behind-the-answer": Fault(sends(lambda body: answer(body) + answer(b'<a href="/evil">')), OK, "obeyed"),
    "junk-behind-the-answer": Fault(sends(lambda body: answer(body) + b"\0junk" * 1000), OK, "obeyed"),
    # Headers.
    "endless-headers": Fault(sends_endlessly(b"HTTP/1.1 200 OK\r\n", b"X-Again: and again\r\n" * 99), BAD, BAD),
    "endless-header-line": Fault(sends_endlessly(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 10_000), BAD, BAD),
    "endless-status-line": Fault(sends_endlessly(b"HTTP/1.1 200 ", b"O" * 10_000), BAD, BAD),
    "header-line-of-1-mb": Fault(answer(PAGE, "X: " + "x" * 10**6), BAD, BAD),
    "header-name-of-1-mb": Fault(answer(PAGE, "x" * 10**6 + ": x"), BAD, BAD),
    "10000-headers": Fault(answer(PAGE, *(f"X-{number}: x" for number in range(10_000))), BAD, BAD),
    "nul-in-a-header": Fault(answer(PAGE, b"X: a\0b"), BAD, BAD),
    "header-without-name": Fault(sends(lambda body: answer(body, ": x")), OK, "obeyed"),
    "cookies": Fault(sends(lambda body: answer(body, "Set-Cookie: id=1; Path=/")), OK, "obeyed"),
    # Bodies.
    "endless-chunks": Fault(sends_body_endlessly(CHUNKED_HEAD, chunk), CUT, "obeyed"),
    "endless-body": Fault(sends_body_endlessly(OPEN_HEAD, bytes), CUT, "obeyed"),
    "endless-trailers": Fault(sends_endlessly(chunked(chunk(b"x"), end=b"0\r\n"), b"X: y\r\n" * 99), BAD, BAD),
    "endless-chunk-extension": Fault(repeats(CHUNKED_HEAD + b"5;", b"x" * 1000), LATE, LATE),
    "chunk-longer-than-said": Fault(chunked(b"3\r\nhello\r\n"), BAD, BAD),
    "chunk-shorter-than-said": Fault(sends(lambda body: chunked(b"fff\r\n" + body, end=b"")), CUT, "obeyed"),
    "chunk-size-not-hex": Fault(chunked(b"zz\r\nhello\r\n"), BAD, BAD),
    "chunk-size-negative": Fault(chunked(b"-5\r\nhello\r\n"), BAD, BAD),
    "chunk-size-overflows": Fault(chunked(b"f" * 17 + b"\r\nhello\r\n"), BAD, BAD),
    "no-last-chunk": Fault(sends(lambda body: chunked(chunk(body), end=b"")), CUT, "obeyed"),
    "length-too-long": Fault(with_length(10_000), CUT, "obeyed"),
    "length-too-short": Fault(sends(lambda body: answer(body + b"junk", length=len(body))), OK, "obeyed"),
    "length-negative": Fault(with_length(-1), OK, "obeyed"),
    "length-no-number": Fault(with_length("many"), OK, "obeyed"),
    "length-overflows": Fault(with_length(10**30), OK, "obeyed"),
    "two-lengths": Fault(with_length(50, "Content-Length: 3"), BAD, BAD),
    "length-and-chunks": Fault(with_length(5, "Transfer-Encoding: chunked"), BAD, BAD),
    # Codings.
    "gzip-bomb": Fault(coded("gzip", bomb(31)), CUT, "obeyed"),
    "deflate-bomb": Fault(coded("deflate", bomb(15)), CUT, "obeyed"),
    "brotli-bomb": Fault(coded("br", lambda body: brotli.compress(body + b" " * BOMB)), CUT, "obeyed"),
    "bare-deflate-bomb": Fault(coded("deflate", bomb(-15)), CUT, "obeyed"),
    "gzip-in-gzip": Fault(coded("gzip, gzip", lambda body: gzip.compress(gzip.compress(body))), OK, "obeyed"),
    "gzip-bomb-in-gzip": Fault(coded("gzip, gzip", lambda body: gzip.compress(bomb(31)(body))), CUT, "obeyed"),
    "gzip-of-empty-members": Fault(
        coded("gzip", lambda body: gzip.compress(b"") * 4000 + gzip.compress(body)), OK, "obeyed"
    ),
    "gzip-with-wrong-checksum": Fault(coded("gzip", lambda body: gzip.compress(body)[:-8] + bytes(8)), CUT, "obeyed"),
    "gzip-corrupt": Fault(coded("gzip", lambda body: gzip.compress(body)[:10] + b"\xff" * 40), UNREADABLE, UNREADABLE),
    "gzip-cut-off": Fault(coded("gzip", lambda body: gzip.compress(body)[:-8]), CUT, "obeyed"),
    "gzip-that-is-none": Fault(coded("gzip", bytes), UNREADABLE, UNREADABLE),
    "br": Fault(coded("br", bytes), UNREADABLE, UNREADABLE),
    "zstd": Fault(coded("zstd", bytes), UNREADABLE, UNREADABLE),
    "coding-unknown": Fault(coded("rot13", bytes), OK, "obeyed"),
    # Status lines.
    "status-999": Fault(answer(status="999 No"), "error http-999", "disallowed robots-unreachable"),
    "status-000": Fault(answer(status="000 No"), BAD, BAD),
    "status-20": Fault(answer(status="20 OK"), BAD, BAD),
    "status-20x": Fault(answer(status="20x OK"), BAD, BAD),
    "no-status-line": Fault(b"Content-Type: text/html\r\n\r\n" + PAGE, BAD, BAD),
    "http-0-9": Fault(PAGE, BAD, BAD),
    "http-2-settings": Fault(b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x64", BAD, BAD),  # and hangs up on HTTP/2
    "http-2-preface": Fault(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD, BAD),
    "garbage": Fault(bytes(range(255, 0, -1)), BAD, BAD),
    "ssh-banner": Fault(b"SSH-2.0-OpenSSH_9.6\r\n", BAD, BAD),
    "100-flood": Fault(sends(lambda body: b"HTTP/1.1 100 Continue\r\n\r\n" * 3000 + answer(body)), OK, "obeyed"),
    "103-flood-without-end": Fault(repeats(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 9), LATE, LATE),
    "101-unasked": Fault(answer(b"", "Upgrade: h2c", "Connection: Upgrade", status="101 Switching"), BAD, BAD),
    "204-with-body": Fault(answer(status="204 No Content"), "fetched http-204", "free"),
    "304-with-body": Fault(answer(status="304 Not Modified"), BAD, "free"),
    "404-undecodable": Fault(answer(PAGE, "Content-Encoding: br", status="404 No"), "error http-404", "free"),
    # Types.
    "type-missing": Fault(sends(lambda body: answer(body).replace(b"Content-Type", b"X-Type")), OK, "obeyed"),
    "type-garbage": Fault(typed("%%%;;;==,/"), OK, "obeyed"),
    "type-very-long": Fault(typed("text/html; x=" + "y" * 7000), OK, "obeyed"),
    "type-not-ascii": Fault(typed(b"text/html; x=\xff\xfe"), OK, "obeyed"),
    "charset-unknown": Fault(typed("text/html; charset=klingon"), OK, "obeyed"),
    "charset-no-text": Fault(typed("text/html; charset=base64"), OK, "obeyed"),
    # Redirects.
    "redirect-without-location": Fault(answer(b"", status="302 Found"), NOWHERE, "free"),
    "redirect-to-itself": Fault(redirect(b""), NOWHERE, "free"),
    "redirect-to-its-fragment": Fault(redirect(b"#top"), "error redirect-loop", "free"),
    "redirect-loop-of-two": Fault(
        redirect(b"/loop/a"),
        ALIAS,
        "free",
        {position: {"/loop/a": ALIAS, "/loop/b": "error redirect-loop"} for position in ("first", "target")},
    ),
    # A chain of ten is followed to its end (outcome.MAX_HOPS); the one in front of a redirect target counts, too.
    "redirect-chain-of-10": Fault(
        redirect(b"/hop/9"),
        ALIAS,
        "free",
        {"first": {"/hop/1": ALIAS, "/hop/0": OK}, "target": {"/hop/2": ALIAS, "/hop/1": "error redirect-chain"}},
    ),
    "redirect-chain-of-11": Fault(
        redirect(b"/hop/10"),
        ALIAS,
        "free",
        {
            "first": {"/hop/2": ALIAS, "/hop/1": "error redirect-chain"},
            "target": {"/hop/3": ALIAS, "/hop/2": "error redirect-chain"},
        },
    ),
    "redirect-to-javascript": Fault(redirect(b"javascript:alert(1)"), NOWHERE, "free"),
    "redirect-to-data": Fault(redirect(b"data:text/html,<a href=/evil>"), NOWHERE, "free"),
    "redirect-to-file": Fault(redirect(b"file:///etc/passwd"), NOWHERE, "free"),
    "redirect-to-ftp": Fault(redirect(b"ftp://h.test/"), NOWHERE, "free"),
    "redirect-to-private-address": Fault(redirect(b"http://10.0.0.1/"), ALIAS, "error private-address"),
    "redirect-to-private-name": Fault(redirect(b"http://inside.test/"), ALIAS, "error private-address"),
    "redirect-to-100-kb": Fault(redirect(b"/" + b"x" * 100_000), "error redirect-too-long", GONE),
    "redirect-to-300-kb": Fault(redirect(b"/" + b"x" * 300_000), BAD, BAD),
    "redirect-to-4-kb": Fault(redirect(b"/" + b"x" * 4000), "error redirect-too-long", "free"),
    "redirect-with-nul": Fault(redirect(b"/a\0b"), BAD, BAD),
    "redirect-with-line-break": Fault(
        redirect(b"/found\r\nX-Evil: 1"), ALIAS, "free", {p: {"/found": OK} for p in ("first", "target")}
    ),
    "redirect-with-encoded-line-break": Fault(
        redirect(b"/a%0d%0aX-Evil:%201"), ALIAS, "free", {p: {"/a%0d%0aX-Evil:%201": OK} for p in ("first", "target")}
    ),
    "redirect-in-utf-8": Fault(
        redirect("/ü".encode()), ALIAS, "free", {p: {"/%C3%BC": OK} for p in ("first", "target")}
    ),
    "redirect-in-latin-1": Fault(
        redirect("/ü".encode("latin-1")), ALIAS, "free", {p: {"/%FC": OK} for p in ("first", "target")}
    ),
    "redirect-with-password": Fault(
        redirect(b"//me:secret@redirect-with-password.first.test/found"), ALIAS, "free", {"first": {"/found": OK}}
    ),
    "redirect-with-undecodable-body": Fault(
        redirect(b"/found", "Content-Encoding: br").replace(b"-Length: 0", b"-Length: 4") + b"body", ALIAS, "free"
    ),
}


@dataclass(frozen=True)
class Crawled:
    """A crawl over all faults: its report, state and reason by URL, what was asked for, what its audit found."""

    report: CrawlReport
    states: dict[str, str]
    requests: list[tuple[str, bytes]]
    complaints: list[str]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    store = tmp_path_factory.mktemp("misbehaving") / "crawl.db"
    server = MisbehavingServer({name: fault.reply for name, fault in FAULTS.items()})
    seeds = [
        f"http://{name}.{position}.test/{page}" for name in FAULTS for position in POSITIONS for page in ("", "rest")
    ]

    async def run() -> CrawlReport:
        async with server:
            rules = [
                ConnectTo("10.0.0.1", 80, "10.0.0.1", 80),
                ConnectTo("inside.test", 80, "10.0.0.1", 80),
                ConnectTo(None, None, "127.0.0.1", server.port),
            ]
            settings: dict[str, Any] = {"delay": 0.0, "timeout": 10.0, "max_size": MAX_SIZE, "concurrency": 40}
            return await acrawl(seeds, store, connect_to=tuple(rules), time=3600.0, timing=Timing(idle=1.0), **settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Resolver, "check", check_but_the_server)
        report = skipping.run(run())
    states = dict(rows(store, "SELECT url, state || ' ' || reason FROM pages"))
    with open_store(store) as opened:
        yield Crawled(report, states, server.requests, list(violations(opened)))


_check = Resolver.check


def check_but_the_server(resolver: Resolver, address: str) -> None:
    """The test server stands for the public web; all other private addresses stay private."""
    if address != "127.0.0.1":
        _check(resolver, address)


def test_the_crawl_ends(crawled: Crawled) -> None:
    assert crawled.report.reason == "nothing-left"
    assert len(FAULTS) >= 30


def test_cash_is_conserved(crawled: Crawled) -> None:
    assert crawled.complaints == []


def test_every_url_has_a_state_and_a_reason(crawled: Crawled) -> None:
    assert [url for url, state in crawled.states.items() if state.startswith("waiting") or state.endswith(" ")] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_on_the_first_page(crawled: Crawled, name: str) -> None:
    site = f"http://{name}.first.test"
    expected = {"/": FAULTS[name].page, "/rest": OK} | FAULTS[name].after.get("first", {})
    assert {path: crawled.states.get(site + path) for path in expected} == expected


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_on_a_redirect_target(crawled: Crawled, name: str) -> None:
    site = f"http://{name}.target.test"
    expected = {"/": OK, "/moved": ALIAS, "/fault": FAULTS[name].page, "/rest": OK}
    expected |= FAULTS[name].after.get("target", {})
    assert {path: crawled.states.get(site + path) for path in expected} == expected


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_robots_txt(crawled: Crawled, name: str) -> None:
    site, meaning = f"http://{name}.robots.test", FAULTS[name].robots
    expected: dict[str, str | None]
    match meaning:
        case "obeyed":
            expected = {"/": OK, "/rest": OK, "/forbidden": "disallowed robots"}
        case "free":
            expected = {"/": OK, "/rest": OK, "/forbidden": OK}
        case _:  # nothing of the host may be asked for, so its links are never seen
            expected = {"/": meaning, "/rest": meaning, "/forbidden": None}
    assert {path: crawled.states.get(site + path) for path in expected} == expected


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://inside.test/"])
def test_private_addresses_behind_redirects_are_refused(crawled: Crawled, url: str) -> None:
    assert crawled.states[url] == "error private-address"


def test_what_a_server_says_out_of_turn_is_not_taken_for_an_answer(crawled: Crawled) -> None:
    assert [url for url in crawled.states if "evil" in url] == []


@pytest.mark.parametrize("field", [b"cookie:", b"authorization:", b"x-evil:", b"referer:"])
def test_no_server_makes_us_send(crawled: Crawled, field: bytes) -> None:
    assert [head for _, head in crawled.requests if b"\n" + field in head.lower()] == []


def test_credentials_are_not_part_of_a_url(crawled: Crawled) -> None:
    assert [url for url in crawled.states if "secret" in url] == []


def test_passing_failures_are_tried_three_times(crawled: Crawled) -> None:
    for name in ("never-answers", "status-20", "status-999"):
        asked = [head for host, head in crawled.requests if host == f"{name}.first.test" and b" / " in head]
        assert len(asked) == 3


MEASURED = """
import asyncio, re, sys, zlib
from pathlib import Path
from support.misbehaving import MisbehavingServer, answer
from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.model import PageRequest
from minicrawl.api import acrawl
from minicrawl.timing import Timing
from minicrawl.crawler.sources.local import LocalSource
from minicrawl.settings import ConnectTo, CrawlSettings
import brotli
if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

def bomb(wbits, head=b"<a href=/found>", block=b" " * 10**6):
    # Blocks that are flushed stand for themselves, so 200 MB of them cost no memory to make.
    compressor = zlib.compressobj(9, wbits=wbits)
    head = compressor.compress(head) + compressor.flush(zlib.Z_FULL_FLUSH)
    return head + 200 * (compressor.compress(block) + compressor.flush(zlib.Z_FULL_FLUSH))

URL = b"<url><loc>http://x.test/some/page.html</loc></url>"
SITEMAPS = {
    "unpacked-twice": answer(bomb(31, bomb(31, b"<urlset>"), b""), "Content-Encoding: gzip"),
    "packed": answer(bomb(31, b"<urlset>")),
    "comment": answer(bomb(31, b"<urlset><!--", b"x" * 10**6)),
    "urls": answer(bomb(31, b"<urlset>", URL * 20_000)),
    "brotli-urls": answer(brotli.compress(b"<urlset>" + URL * 10**6, quality=5), "Content-Encoding: br"),
}

faults = {"sound": answer()} | SITEMAPS | {
    name: answer(body, f"Content-Encoding: {coding}")
    for name, coding, body in [
        ("gzip", "gzip", bomb(31)),
        ("zlib", "deflate", bomb(15)),
        ("bare", "deflate", bomb(-15)),
        ("members", "gzip", 10**5 * zlib.compressobj(wbits=31).flush()),
        ("brotli", "br", brotli.compress(bytes(200 * 10**6), quality=1)),
        ("zstd", "zstd", zstd.compress(bytes(200 * 10**6), 1)),
    ]
}

async def fetch(name):
    rules = [ConnectTo(None, None, "127.0.0.1", server.port)]
    async with Fetcher(CrawlSettings(connect_to=rules, allow_private=True)) as fetcher:
        await fetcher.fetch(PageRequest(f"http://{name}.first.test/"))

async def crawl(name):
    rules = [ConnectTo(None, None, "127.0.0.1", server.port)]
    seeds, store = [f"http://{name}.first.test/"], Path(sys.argv[1]) / f"{name}.db"
    await acrawl(seeds, store, connect_to=rules, allow_private=True, delay=0.0, max_size=2 * 10**6)

async def sitemap(name):
    rules = [ConnectTo(None, None, "127.0.0.1", server.port)]
    async with LocalSource(CrawlSettings(connect_to=rules, allow_private=True)) as source:
        await source.sitemap(f"http://{name}.first.test/", lambda urls, is_index, dates: None)

async def measure():
    global server
    async with MisbehavingServer(faults) as server:
        await fetch("sound")
        await crawl("sound")
        before = peak()
        for act in (fetch, crawl):
            for name in set(faults) - {"sound", *SITEMAPS}:
                await act(name)
                print(act.__name__, name, peak() - before)
        for name in SITEMAPS:
            await sitemap(name)
            print("sitemap", name, peak() - before)

asyncio.run(measure())
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_bombs_take_little_memory(tmp_path: Path) -> None:
    """In a process of its own: the peak of this one tells of other tests.

    The fetch alone has the default --max-size of 16 MB. The crawl has a smaller one: what a page takes while it is
    parsed is a multiple of its size, bomb or not.
    """
    command = [sys.executable, "-c", MEASURED, str(tmp_path)]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=paths, timeout=600)
    growth = {(act, name): int(grown) for act, name, grown in map(str.split, done.stdout.splitlines())}
    assert len(growth) == 2 * 6 + 5
    assert max(growth.values()) < 64 * 2**20
