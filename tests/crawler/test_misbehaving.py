"""Whatever one page, robots.txt or redirect target of a host does, the crawl ends and the rest is crawled.

One crawl meets every fault in every position; a test per fault then looks at what became of it. What a fetch makes of
replies that end is in support/replies.py. Its clock skips what is waited for, so that a sound answer is never late.
"""

import gzip
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import brotli
import pytest
from support import skipping
from support.misbehaving import PAGE, POSITIONS, Act, MisbehavingServer, Peer, Reply, answer, chunk, chunked, redirect
from support.patience import PATIENCE
from support.sites import faults_in, rows

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport
from minicrawl.settings import ConnectTo
from minicrawl.timing import Timing
from minicrawl.web.net.addresses import Resolver

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


def sends(respond: Callable[[bytes], bytes], then: Act | None = None) -> Reply:
    """Answer with what is made of the body that a sound server would send; then do something else, or hang up."""

    async def act(peer: Peer) -> None:
        await peer.send(respond(peer.body))
        if then is not None:
            await then(peer)

    return act


def sends_endlessly(head: bytes, block: bytes) -> Reply:
    return sends(lambda _: head, lambda peer: peer.send_forever(block))


def repeats(head: bytes, block: bytes) -> Reply:
    """Endless as well, but at a pace: no end is in sight other than the crawl's own timeout."""
    return sends(lambda _: head, lambda peer: peer.repeat(block))


def sends_body_endlessly(head: bytes, frame: Callable[[bytes], bytes]) -> Reply:
    return sends(lambda body: head + frame(body), lambda peer: peer.send_forever(frame(b" " * 10_000)))


async def closes(peer: Peer) -> None:
    pass


async def closes_when_used_again(peer: Peer) -> None:
    """Answers only what is asked first on a connection; the client must open another."""
    if peer.number == 1:
        await peer.send(answer(peer.body))


async def resets(peer: Peer) -> None:
    peer.reset()


async def resets_soon(peer: Peer) -> None:
    if not await peer.leaves_within(0.05):
        peer.reset()


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


CHUNKED_HEAD = chunked(end=b"")
OPEN_HEAD = answer(b"", length="")
GONE, OK, CUT = "error reset", "fetched ok", "fetched truncated"
BAD, LATE, UNREADABLE = "error bad-response", "error timeout", "error undecodable"
ALIAS, NOWHERE = "alias redirect-302", "error redirect-nowhere"

FAULTS = {
    # Connections.
    "closes-at-once": Fault(closes, GONE, GONE),
    "resets-at-once": Fault(resets, GONE, GONE),
    "closes-after-headers": Fault(answer(b"", length=100), BAD, BAD),
    "resets-after-headers": Fault(sends(lambda _: answer(b"", length=100), resets_soon), BAD, BAD),
    "resets-in-body": Fault(sends(lambda body: answer(body, length=10**4), resets_soon), CUT, "obeyed"),
    "closes-when-used-again": Fault(closes_when_used_again, OK, "obeyed"),
    "never-answers": Fault(Peer.leaves, LATE, LATE),
    "stalls-in-body": Fault(sends(lambda body: answer(body, length=10**4), Peer.leaves), CUT, LATE),
    "drips-headers": Fault(lambda peer: peer.drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/html"), LATE, LATE),
    "drips-body": Fault(sends(lambda _: answer(b"", length=10**6), lambda peer: peer.drip(peer.body)), CUT, LATE),
    "stays-open-after-the-end": Fault(sends(answer, Peer.leaves), OK, "obeyed"),
    "answer-behind-the-answer": Fault(sends(lambda body: answer(body) + answer(b'<a href="/evil">')), OK, "obeyed"),
    # Headers.
    "endless-headers": Fault(sends_endlessly(b"HTTP/1.1 200 OK\r\n", b"X-Again: and again\r\n" * 99), BAD, BAD),
    "endless-header-line": Fault(sends_endlessly(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 10_000), BAD, BAD),
    "endless-status-line": Fault(sends_endlessly(b"HTTP/1.1 200 ", b"O" * 10_000), BAD, BAD),
    "cookies": Fault(sends(lambda body: answer(body, "Set-Cookie: id=1; Path=/")), OK, "obeyed"),
    # Bodies.
    "endless-chunks": Fault(sends_body_endlessly(CHUNKED_HEAD, chunk), CUT, "obeyed"),
    "endless-body": Fault(sends_body_endlessly(OPEN_HEAD, bytes), CUT, "obeyed"),
    "endless-trailers": Fault(sends_endlessly(chunked(chunk(b"x"), end=b"0\r\n"), b"X: y\r\n" * 99), BAD, BAD),
    "endless-chunk-extension": Fault(repeats(CHUNKED_HEAD + b"5;", b"x" * 1000), LATE, LATE),
    # Codings.
    "gzip-bomb": Fault(coded("gzip", bomb(31)), CUT, "obeyed"),
    "deflate-bomb": Fault(coded("deflate", bomb(15)), CUT, "obeyed"),
    "brotli-bomb": Fault(coded("br", lambda body: brotli.compress(body + b" " * BOMB)), CUT, "obeyed"),
    "bare-deflate-bomb": Fault(coded("deflate", bomb(-15)), CUT, "obeyed"),
    "gzip-bomb-in-gzip": Fault(coded("gzip, gzip", lambda body: gzip.compress(bomb(31)(body))), CUT, "obeyed"),
    "gzip-of-empty-members": Fault(
        coded("gzip", lambda body: gzip.compress(b"") * 4000 + gzip.compress(body)), OK, "obeyed"
    ),
    "br": Fault(coded("br", bytes), UNREADABLE, UNREADABLE),
    # Status lines.
    "status-999": Fault(answer(status="999 No"), "error http-999", "disallowed robots-unreachable"),
    "status-20": Fault(answer(status="20 OK"), BAD, BAD),
    "100-flood": Fault(sends(lambda body: b"HTTP/1.1 100 Continue\r\n\r\n" * 3000 + answer(body)), OK, "obeyed"),
    "103-flood-without-end": Fault(repeats(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 9), LATE, LATE),
    "204-with-body": Fault(answer(status="204 No Content"), "fetched http-204", "free"),
    "304-with-body": Fault(answer(status="304 Not Modified"), BAD, "free"),
    "404-undecodable": Fault(answer(PAGE, "Content-Encoding: br", status="404 No"), "error http-404", "free"),
    # Types.
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
    "redirect-to-file": Fault(redirect(b"file:///etc/passwd"), NOWHERE, "free"),
    "redirect-to-private-address": Fault(redirect(b"http://10.0.0.1/"), ALIAS, "error private-address"),
    "redirect-to-private-name": Fault(redirect(b"http://inside.test/"), ALIAS, "error private-address"),
    "redirect-to-100-kb": Fault(redirect(b"/" + b"x" * 100_000), "error redirect-too-long", GONE),
    "redirect-to-9-kb": Fault(redirect(b"/" + b"x" * 9000), "error redirect-too-long", "free"),
    "redirect-with-encoded-line-break": Fault(
        redirect(b"/a%0d%0aX-Evil:%201"), ALIAS, "free", {p: {"/a%0d%0aX-Evil:%201": OK} for p in ("first", "target")}
    ),
    "redirect-in-utf-8": Fault(
        redirect("/ü".encode()), ALIAS, "free", {p: {"/%C3%BC": OK} for p in ("first", "target")}
    ),
    "redirect-with-password": Fault(
        redirect(b"//me:secret@redirect-with-password.first.test/found"), ALIAS, "free", {"first": {"/found": OK}}
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
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
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
    return Crawled(report, states, server.requests, faults_in(store))


_check = Resolver.check


def check_but_the_server(resolver: Resolver, address: str) -> None:
    """The test server stands for the public web; all other private addresses stay private."""
    if address != "127.0.0.1":
        _check(resolver, address)


def test_the_crawl_ends_with_sound_books(crawled: Crawled) -> None:
    assert (crawled.report.reason, crawled.complaints) == ("nothing-left", [])


def test_every_url_has_a_state_and_a_reason(crawled: Crawled) -> None:
    assert [url for url, state in crawled.states.items() if state.startswith("waiting") or state.endswith(" ")] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_no_more_than_it_must(crawled: Crawled, name: str) -> None:
    """On the first page, on a redirect's target, and in a robots.txt: where that says nothing, no link is ever seen."""
    fault = FAULTS[name]
    meanings: dict[str, Mapping[str, str | None]] = {
        "obeyed": {"/": OK, "/rest": OK, "/forbidden": "disallowed robots"},
        "free": {"/": OK, "/rest": OK, "/forbidden": OK},
    }
    expected: dict[str, Mapping[str, str | None]] = {
        "first": {"/": fault.page, "/rest": OK} | fault.after.get("first", {}),
        "target": {"/": OK, "/moved": ALIAS, "/fault": fault.page, "/rest": OK} | fault.after.get("target", {}),
        "robots": meanings.get(fault.robots, {"/": fault.robots, "/rest": fault.robots, "/forbidden": None}),
    }
    found = {
        position: {path: crawled.states.get(f"http://{name}.{position}.test{path}") for path in paths}
        for position, paths in expected.items()
    }
    assert found == expected


def test_neither_what_is_said_out_of_turn_nor_a_password_is_part_of_a_url(crawled: Crawled) -> None:
    assert [url for url in crawled.states if "evil" in url or "secret" in url] == []


@pytest.mark.parametrize("field", [b"cookie:", b"authorization:", b"x-evil:", b"referer:"])
def test_no_server_makes_us_send(crawled: Crawled, field: bytes) -> None:
    assert [head for _, head in crawled.requests if b"\n" + field in head.lower()] == []


def test_passing_failures_are_tried_three_times(crawled: Crawled) -> None:
    for name in ("never-answers", "status-20", "status-999"):
        asked = [head for host, head in crawled.requests if host == f"{name}.first.test" and b" / " in head]
        assert len(asked) == 3


MEASURED = """
import asyncio, re, sys, zlib
from pathlib import Path
from support.misbehaving import MisbehavingServer, answer
from minicrawl.web.http.fetch import Fetcher, FetchOptions
from minicrawl.model import PageRequest
from minicrawl.api import acrawl
from minicrawl.crawler.sources.local import LocalSource, SourceSpec
from minicrawl.settings import ConnectTo, CrawlSettings
import brotli
if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

def bomb(wbits, head=b"<a href=/found>", block=b" " * 10**6):
    # Blocks that are flushed stand for themselves, so 100 MB of them cost no memory to make.
    compressor = zlib.compressobj(9, wbits=wbits)
    head = compressor.compress(head) + compressor.flush(zlib.Z_FULL_FLUSH)
    return head + 100 * (compressor.compress(block) + compressor.flush(zlib.Z_FULL_FLUSH))

URL = b"<url><loc>http://x.test/some/page.html</loc></url>"
SITEMAPS = {
    "unpacked-twice": answer(bomb(31, bomb(31, b"<urlset>"), b""), "Content-Encoding: gzip"),
    "comment": answer(bomb(31, b"<urlset><!--", b"x" * 10**6)),
    "urls": answer(bomb(31, b"<urlset>", URL * 20_000)),
    "brotli-urls": answer(brotli.compress(b"<urlset>" + URL * 10**6, quality=5), "Content-Encoding: br"),
}

faults = {"sound": answer()} | SITEMAPS | {
    name: answer(body, f"Content-Encoding: {coding}")
    for name, coding, body in [
        ("gzip", "gzip", bomb(31)),
        ("bare", "deflate", bomb(-15)),
        ("members", "gzip", 10**5 * zlib.compressobj(wbits=31).flush()),
        ("brotli", "br", brotli.compress(bytes(100 * 10**6), quality=1)),
        ("zstd", "zstd", zstd.compress(bytes(100 * 10**6), 1)),
    ]
}

async def fetch(name):
    rules = [ConnectTo(None, None, "127.0.0.1", server.port)]
    async with Fetcher(FetchOptions("me", connect_to=rules, allow_private=True)) as fetcher:
        await fetcher.fetch(PageRequest(f"http://{name}.first.test/"))

async def crawl(name):
    rules = [ConnectTo(None, None, "127.0.0.1", server.port)]
    seeds, store = [f"http://{name}.first.test/"], Path(sys.argv[1]) / f"{name}.db"
    await acrawl(seeds, store, connect_to=rules, allow_private=True, delay=0.0, max_size=2 * 10**6)

async def sitemap(name):
    rules = [ConnectTo(None, None, "127.0.0.1", server.port)]
    async with LocalSource(SourceSpec(CrawlSettings(connect_to=rules, allow_private=True))) as source:
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
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=paths, timeout=PATIENCE)
    growth = {(act, name): int(grown) for act, name, grown in map(str.split, done.stdout.splitlines())}
    assert len(growth) == 2 * 5 + 4
    assert max(growth.values()) < 64 * 2**20
