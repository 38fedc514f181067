"""Reason codes of exceptions, and crawls whose parsers are made to fail.

Whatever part of ours fails over what the web sends, and however: that is one answer's reason, and the crawl goes on.

A crawl of its own runs against hosts of which each makes another part fail, by what it sends: a marker in every page,
header, robots.txt and sitemap, over which that part raises. Nothing in minicrawl knows of it: a sitecustomize.py, which
Python imports when it starts, in worker processes too, puts it around the parts.
"""

import asyncio
import errno
import gzip
import os
import socket
import ssl
import sys
from pathlib import Path

import pytest
from support.misbehaving import MisbehavingServer, answer, redirect
from support.patience import PATIENCE
from support.sites import faults_in, rows

from minicrawl.web.http.transport import reason_of
from minicrawl.web.net.addresses import NameServerError, PrivateAddressError
from minicrawl.web.net.open_files import OPEN_FILES


def caused_by(cause: BaseException, error: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PrivateAddressError("10.0.0.1"), "private-address"),
        (NameServerError("nobody"), "dns-unanswered"),
        (socket.gaierror("unknown"), "dns"),
        (UnicodeError("no name"), "dns"),
        (TimeoutError(), "timeout-read"),
        (ConnectionRefusedError(), "refused"),
        (ConnectionResetError(), "reset"),
        (OSError("something else"), "connection"),
        (OSError(errno.EMFILE, "too many open files"), OPEN_FILES),
        (caused_by(OSError(errno.EMFILE, "too many"), ConnectionRefusedError()), OPEN_FILES),
        (caused_by(PrivateAddressError("10.0.0.1"), OSError("wrapped")), "private-address"),
    ],
)
def test_most_telling_exception_of_the_chain_decides(error: BaseException, reason: str) -> None:
    assert reason_of(error) == reason


def test_trouble_with_tls_is_told_as_such() -> None:
    assert reason_of(caused_by(ssl.SSLError("handshake"), OSError("wrapped"))).startswith("tls")


def test_circle_of_causes_ends() -> None:
    first, second = OSError("a"), OSError("b")
    first.__context__, second.__context__ = second, first
    assert reason_of(first, otherwise="connect") == "connect"


PARTS = [
    "web.http.answer_reader:AnswerReader._behind_head",
    "web.http.answer_reader:AnswerReader._of_body",
    "web.http.response_fields:declared_type",
    "web.http.response_fields:ResponseFields.joined",
    "web.http.response_fields:_text",
    "web.http.response_fields:ResponseFields._only",
    "web.http.body:_Deflate.undo",
    "crawler.sources.page_reading:parse_html",
    "web.html.parse:encoding_of",
    "web.html.decode:_prescanned",
    "web.html.parse:as_utf8",
    "web.html.parse:within_limit",
    "web.html.parse:tree_of",
    "crawler.sources.page_reading:Marks",
    "web.html.browser_tree:LexborHTMLParser",
    "web.html.parse:base_url",
    "web.html.parse:resolved",
    "web.html.page_headers:normalise",
    "crawler.sources.page_reading:identity_of",
    "web.fingerprint:words_of",
    "crawler.sources.local:without_parameters",
    "web.urls.normalise:stripped",
    "crawler.outcomes.outcome:media_type",
    "crawler.outcomes.outcome:read_directives",
    "crawler.outcomes.outcome:normalise",
    "crawler.outcomes.outcome:asked_rest",
    "web.robots.rules:RobotsRules.parse",
    "web.robots.rules:_record",
    "web.robots.rules:within_limit",
    "web.robots.matching:Pattern.parse",
    "web.robots.rules:octets_of",
    "crawler.requests.robots:normalise",
    "crawler.requests.sitemap:normalise",
    "crawler.sources.local:SitemapReader.feed",
    "crawler.sources.local:SitemapReader.close",
    "web.sitemaps:encoding_of_xml",
    "web.sitemaps:_Xml.feed",
    "web.sitemaps:SitemapReader._begun",
    "web.sitemaps:normalise",
    "crawler.sources.local:stripped",
]
KINDS = ["RuntimeError", "MemoryError", "RecursionError", "UnicodeError", "KeyError"]

SITECUSTOMIZE = """
import functools, importlib, sys

def breaking(part, marker, kind):
    module, _, path = part.partition(":")
    owner = importlib.import_module("minicrawl." + module)
    *outer, name = path.split(".")
    for step in outer:
        owner = getattr(owner, step)
    as_it_is = getattr(owner, name)

    @functools.wraps(as_it_is, updated=())
    def broken(*args, **options):
        found = as_it_is(*args, **options)
        inside = [getattr(args[0], name, "") for name in ("_values", "_url")]  # of a head, and of a reader
        if marker in f"{inside!r} {args!r} {found!r}":
            raise kind("injected")
        return found

    is_class_method = isinstance(owner.__dict__.get(name), classmethod)
    setattr(owner, name, staticmethod(broken) if is_class_method else broken)

if sys.argv[:1] == ["-m"]:
    for number, (part, kind) in enumerate(PARTS):
        breaking(part, f"break-{number}-", kind)
"""


BUSY, ASTRAY, LARGE = map(
    PARTS.index, ("crawler.outcomes.outcome:asked_rest", "crawler.requests.robots:normalise", "web.html.parse:resolved")
)


class Breaking(MisbehavingServer):
    """Host "h7.test" has the marker of part 7 wherever it can be; "sound.test" has one that breaks nothing."""

    def __init__(self) -> None:
        super().__init__({})

    def _fault(self, host: str, path: str) -> bytes:
        part = int(host[1:].partition(".")[0]) if host.startswith("h") else None
        mark = "mark" if part is None else f"break-{part}-"
        html = f"Content-Type: text/html; x={mark}"
        sitemap = answer(f"<urlset><url><loc>/{mark}</loc></url></urlset>".encode())
        robots = answer(f"User-agent: *\nDisallow: /x{mark}\nSitemap: /map.xml?{mark}".encode())
        moved = redirect(f"/{mark}".encode())
        packed = gzip.compress(f"<title>{mark}</title>".encode())
        answers = {
            "/robots.txt": moved if part == ASTRAY else robots,
            f"/map.xml?{mark}": sitemap,
            "/moved": moved,
            "/elsewhere": answer(f"<meta http-equiv=refresh content='0; /{mark}'>".encode()),
            "/large": answer(f"<a href='{mark}'>{' ' * 300_000}".encode()),  # read in a process of its own
            "/packed": answer(packed, "Content-Encoding: gzip", html),
            "/busy": answer(b"", f"Retry-After: {mark}", status="429 Too Many Requests"),
        }
        links = ["/moved", "/elsewhere", "/packed", f"/a?{mark}", *["/busy"] * (part == BUSY)]
        anchors = "".join(f"<a href='{link}'>{mark}</a>" for link in links)
        body = f"<title>{mark}</title><base href='/{mark}/../'>{anchors}{f'<p>{mark}</p>' * 5}"
        return answers.get(path) or answer(
            body.encode(), f"X-Content-Type-Options: {mark}", f"X-Robots-Tag: {mark}", html
        )


async def crawled(folder: Path, workers: int) -> str:
    """Crawl all these hosts. Returns the log."""
    kinds = ", ".join(f"({part!r}, {KINDS[number % len(KINDS)]})" for number, part in enumerate(PARTS))
    (folder / "sitecustomize.py").write_text(f"PARTS = [{kinds}]\n{SITECUSTOMIZE}")
    seeds = [
        "http://sound.test/",
        f"http://h{LARGE}.test/large",
        *(f"http://h{number}.test/" for number in range(len(PARTS))),
    ]
    options = ["--allow-private", "--no-progress", "--no-traps", "--delay", "0", "--concurrency", "8"]
    options += ["--time", f"{PATIENCE}s"]
    path = os.pathsep.join([str(folder), *sys.path])
    async with Breaking() as server:
        options += ["--connect-to", f"::127.0.0.1:{server.port}", "--workers", str(workers)]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "minicrawl", "crawl", *seeds, "--store", str(folder / "crawl.db"), *options),
            env=os.environ | {"PYTHONPATH": path},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        told, _ = await process.communicate()
    assert process.returncode == 0, told.decode()
    return told.decode()


@pytest.mark.parametrize("workers", [0, 1])
def test_a_part_that_fails_over_an_answer_costs_that_answer_alone(tmp_path: Path, store: Path, workers: int) -> None:
    told = asyncio.run(crawled(tmp_path, workers))
    assert faults_in(store) == []
    assert rows(store, "SELECT value FROM meta WHERE key = 'stopped'") == [("nothing-left",)]
    pages = rows(store, "SELECT url, state, reason, attempts FROM pages")
    sitemaps = rows(store, "SELECT url, 'error', reason, attempts FROM sitemaps")
    failed = {url: state for url, state, reason, _ in [*pages, *sitemaps] if reason == "parser-failed"}
    assert not any(attempts for *_, attempts in [*pages, *sitemaps])
    for number, part in enumerate(PARTS):
        host = f"http://h{number}.test/"
        reached = [url for url in failed if url.startswith(host)]
        assert reached or part == "crawler.requests.sitemap:normalise", part
        assert f"could not read {host}" in told, part
    assert f"could not read http://h{LARGE}.test/large" in told
    assert not [url for url in failed if "sound" in url]
    assert set(failed.values()) == {"error", "disallowed"}
    assert told.count("Traceback") >= len(PARTS)
    assert told.count("worker failed") == 0
    # Once each: nothing is asked for again, nor told of twice.
    lines = [line for line in told.splitlines() if "could not read" in line]
    assert sorted(set(lines)) == sorted(lines)
