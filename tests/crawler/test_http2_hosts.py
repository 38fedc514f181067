"""A crawl of a host that speaks HTTP/2 alone, by every default, to its natural end, beside one that does not."""

from pathlib import Path
from typing import Any

from support import skipping
from support.archives import files, seen
from support.http2_server import Http2Server, Reply
from support.loopback import PEM
from support.misbehaving import answer
from support.raw_server import Server
from support.raw_server import says as saying
from support.sites import faults_in

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import open_store

HOST, BESIDE = "https://h.test/", "http://beside.test/"
PAGES = {
    "/home": f'<title>Home</title><a href="/a">a</a><a href="/secret">s</a><a href="{BESIDE}">there</a>',
    "/a": '<title>A</title><a href="/home">home</a><a href="/gone">gone</a>',
}
EXPECTED = {
    HOST: ("alias", 301),
    f"{HOST}home": ("fetched", 200),
    f"{HOST}a": ("fetched", 200),
    f"{HOST}gone": ("error", 404),
    f"{HOST}secret": ("disallowed", None),
    BESIDE: ("fetched", 200),
}


def site(fields: dict[str, str]) -> Reply:
    path = fields[":path"]
    if path == "/":
        return 301, {"location": "/home", "alt-svc": 'h3=":443"'}, b""
    if path == "/robots.txt":
        return 200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /secret\n"
    return (200, {"content-type": "text/html"}, PAGES[path].encode()) if path in PAGES else (404, {}, b"")


def test_a_crawl_ends_with_all_pages_and_says_in_its_archive_how_they_came(tmp_path: Path) -> None:
    http2, beside = Http2Server(site), saying(answer(b"<title>B</title>"))

    async def crawled(http2: Http2Server, beside: Server) -> CrawlReport:
        async with http2, beside:
            rules = ConnectTo("h.test", 443, "127.0.0.1", http2.port), ConnectTo(None, 80, "127.0.0.1", beside.port)
            options: dict[str, Any] = {"archive": tmp_path / "kept", "ca_file": PEM, "allow_private": True}
            return await acrawl([HOST], tmp_path / "crawl.db", connect_to=rules, **options)

    assert skipping.run(crawled(http2, beside)).reason == "nothing-left"
    assert faults_in(tmp_path / "crawl.db") == []
    with open_store(tmp_path / "crawl.db") as reader:
        assert {page.url: (page.state, page.status) for page in reader.pages("importance")} == EXPECTED
    assert set(http2.protocols[1:]) == {"h2"}
    assert all(head.startswith(b"GET /") and b" HTTP/1.1\r\n" in head for head in beside.heads)
    kept = [one for file in files(tmp_path / "kept") for one in seen(file) if one.kind in ("request", "response")]
    assert {one.url for one in kept} > EXPECTED.keys() - {f"{HOST}secret"}
    for one in kept:
        assert one.headers.get("WARC-Protocol") == ("h2" if (one.url or "").startswith(HOST) else None)
