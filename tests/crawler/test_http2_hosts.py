"""A crawl of a host that speaks HTTP/2 alone, by every default, to its natural end, beside one that does not."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.archives import files, seen
from support.command_line import run
from support.http2_server import PEM, Http2Server, Reply
from support.loopback import Answering
from support.misbehaving import answer
from support.raw_server import Server
from support.sites import faults_in

from minicrawl.archive.reading import records
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


def beside() -> Server:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await server.head(reader)
            path = head.split(b" ")[1]
            page = answer(f'<title>B</title><a href="{HOST}a">a</a>'.encode())
            writer.write(page if path == b"/" else answer(b"", status="404 Not Found"))
            await writer.drain()

    talking: Answering = talk
    server = Server(talking)
    return server


async def crawled(folder: Path, workers: int) -> tuple[dict[str, Any], Http2Server, Server]:
    async with Http2Server(site) as http2, beside() as plain:
        words = ["crawl", HOST, "--store", str(folder / "crawl.db"), "--archive", str(folder / "kept")]
        words += ["--connect-to", f"h.test:443:127.0.0.1:{http2.port}", "--ca-file", str(PEM), "--allow-private"]
        words += ["--connect-to", f"beside.test:80:127.0.0.1:{plain.port}", "--workers", str(workers)]
        command = [sys.executable, "-m", "minicrawl", *words, "--json", "-q"]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        out, _ = await process.communicate()
        return json.loads(out), http2, plain


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Path, dict[str, Any], Http2Server, Server]]:
    """Crawls by different numbers of workers; they wait, so they do that together."""
    folders = {workers: tmp_path_factory.mktemp(f"with{workers}") for workers in (0, 2)}

    async def run_all() -> list[tuple[dict[str, Any], Http2Server, Server]]:
        return await asyncio.gather(*(crawled(folder, workers) for workers, folder in folders.items()))

    found = asyncio.run(run_all())
    return {workers: (folders[workers], *one) for workers, one in zip(folders, found, strict=True)}


@pytest.mark.parametrize("workers", [0, 2])
def test_a_crawl_ends_with_all_pages(
    ended: dict[int, tuple[Path, dict[str, Any], Http2Server, Server]], workers: int
) -> None:
    folder, report, http2, plain = ended[workers]
    assert report["reason"] == "nothing-left"
    assert faults_in(folder / "crawl.db") == []
    with open_store(folder / "crawl.db") as reader:
        assert {page.url: (page.state, page.status) for page in reader.pages("importance")} == EXPECTED
    paths = [fields[":path"] for fields in http2.requests]
    assert (paths[0], paths.count("/a"), "/secret" in paths) == ("/robots.txt", 1, False)
    assert http2.protocols == ["", "h2"]  # a worker has its hosts, and keeps a connection to each
    assert all(head.startswith(b"GET /") and b" HTTP/1.1\r\n" in head for head in plain.heads)
    assert plain.connections == 1


@pytest.mark.parametrize("workers", [0, 2])
def test_its_archive_is_what_other_programs_read(
    ended: dict[int, tuple[Path, dict[str, Any], Http2Server, Server]], workers: int
) -> None:
    """Messages of HTTP/1.1, and the protocol in a field of its own."""
    folder, *_ = ended[workers]
    assert run("archive", "check", "--deep", "--store", folder / "crawl.db").exit_code == 0
    kept = [one for file in files(folder / "kept") for one in seen(file) if one.kind in ("request", "response")]
    assert {one.url for one in kept} > EXPECTED.keys() - {f"{HOST}secret"}
    for one in kept:
        assert one.headers.get("WARC-Protocol") == ("h2" if (one.url or "").startswith(HOST) else None)
    (asked, home) = sorted((one for one in kept if one.url == f"{HOST}home"), key=lambda one: one.kind)
    assert (asked.status, ("Host", "h.test") in asked.http) == ("/home HTTP/1.1", True)
    assert (home.status.strip(), home.body) == ("200", PAGES["/home"].encode())
    heads = {one.head for file in files(folder / "kept") for one in records(file) if one.kind == "response"}
    assert all(head.startswith(b"HTTP/1.1 ") for head in heads)


def test_a_crawl_of_its_archive_finds_the_same(
    ended: dict[int, tuple[Path, dict[str, Any], Http2Server, Server]], tmp_path: Path
) -> None:
    folder, *_ = ended[0]
    again = tmp_path / "again.db"
    assert run("crawl", HOST, "--from-archive", folder / "kept", "--store", again, "-q").exit_code == 0
    with open_store(again) as reader:
        assert {page.url: (page.state, page.status) for page in reader.pages("importance")} == EXPECTED
