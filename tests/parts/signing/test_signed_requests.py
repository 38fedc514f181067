"""Crawls that sign: of a web that refuses whatever is not signed, or not by Web Bot Auth."""

import asyncio
import os
import signal
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from subprocess import run as run_process
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from http_message_signatures import InvalidSignature
from support import skipping
from support.command_line import answer, run
from support.patience import PATIENCE
from support.raw_server import HELLO, Server, all_names_at, fetched_from, says
from support.rendered import slow_with_chromium
from support.signed_web import AGENT, Directory, SignedPages, signed_web, verified
from support.sites import html, rows

from minicrawl.api import acrawl
from minicrawl.archive.reading import records
from minicrawl.crawler.sources.local import SourceSpec
from minicrawl.crawler.sources.workers import Source
from minicrawl.errors import SettingError
from minicrawl.model import PageRequest
from minicrawl.parts.signing.keys import Signer, SigningKey, directory, new_key

SEEDS = ["http://example.test/", "http://docs.test/"]
PAGES = ("", "contact", "docs/", "docs/manual", "news/1")


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return new_key(tmp_path / "crawler.pem")


@pytest.fixture
def web(key: SigningKey) -> Iterator[tuple[int, type[SignedPages]]]:
    with signed_web(directory([key])) as found:
        yield found


def crawl(port: int, folder: Path, *options: str, signed: bool = True) -> Path:
    """Crawl in a process, and return the store."""
    store = folder / "crawl"
    if signed:
        options += ("--sign", str(folder / "crawler.pem"), "--signature-agent", AGENT)
    route = ("--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--no-progress")
    command = [sys.executable, "-m", "minicrawl", "crawl", *SEEDS, "--store", str(store), *route, *options]
    log = run_process(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert log.returncode == 0, log.stderr
    return store


def test_every_request_is_signed_and_the_key_is_in_its_file_alone(
    web: tuple[int, type[SignedPages]], key: SigningKey, tmp_path: Path
) -> None:
    """Of pages and robots.txt files, which redirect, and what pages need; by workers; and so the archive tells."""
    port, came = web
    archive, log = tmp_path / "archive", tmp_path / "crawl.log"
    options = ("--workers", "2", "--archive", str(archive), "--requisites", "--audit", "--text")
    store = crawl(port, tmp_path, *options, "--log-file", str(log), "-v")
    assert came.refused == []
    assert len(set(came.nonces)) == len(came.nonces)
    read = {
        page["url"] for page in answer("top", "--n", "99", "--where", "1", "--store", store) if page["status"] == 200
    }
    assert read >= {f"{seed}{page}" for seed in SEEDS for page in PAGES}
    assert len(came.nonces) >= len(read) + 2 * len(SEEDS)
    kept = [one for file in archive.glob("archive/*.warc.gz") for one in records(file) if one.kind == "request"]
    assert kept
    assert all(b"\r\nSignature-Input: sig1=" in one.head for one in kept)
    raw = key.private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    pem = (tmp_path / "crawler.pem").read_bytes()
    secrets = [raw, raw.hex().encode(), b64encode(raw)[:40], pem.splitlines()[1]]
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "crawler.pem"]
    assert len(files) > 3
    for path in files:
        content = path.read_bytes()
        assert not [secret for secret in secrets if secret in content], path


def test_request_that_is_sent_again_is_signed_anew(key: SigningKey, tmp_path: Path) -> None:
    """As where a server has closed the kept connection: a nonce that it has seen would look like an attack."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.head(reader)
        writer.write(HELLO)
        await server.head(reader)
        writer.close()

    server = Server(talk)
    found = fetched_from(server, *SEEDS[:1] * 2, sign=Signer(key, AGENT).signed)
    assert [(page.status, page.reason) for page in found] == [(200, None)] * 2
    heads = [dict(field.split(": ", 1) for field in head.decode().split("\r\n")[1:-2]) for head in server.heads]
    signed = [{name.lower(): value for name, value in fields.items()} for fields in heads]
    assert len({verified(fields, Directory(directory([key])))["nonce"] for fields in signed}) == 3


@slow_with_chromium
def test_requests_of_scripts_are_signed(key: SigningKey, tmp_path: Path) -> None:
    class App(SignedPages):
        def found(self) -> None:
            if self.path == "/app.js":
                self.answer(200, b"fetch('/data').then(a => a.text()).then(t => document.title = t)",
                            ("Content-Type", "text/javascript"))  # fmt: skip
            elif self.path == "/data":
                self.answer(200, b"made by a script")
            elif self.path == "/robots.txt":
                self.answer(404, b"")
            else:
                self.answer(200, b"<title>empty</title><script src=/app.js></script>")

    with signed_web(directory([key]), App) as (port, came):
        store = crawl(port, tmp_path, "--render", ".", "--pages", "2")
        assert came.refused == []
        assert rows(store, "SELECT DISTINCT title FROM fetches") == [("made by a script",)]


def test_all_defaults_to_the_natural_end(key: SigningKey, tmp_path: Path, store: Path) -> None:
    keys, refused = Directory(directory([key])), []
    links = {"/": ["/a", "/moved", "http://b.test/"], "/a": ["/"], "/b": []}

    def reply(request: httpx.Request) -> httpx.Response:
        try:
            verified({name.lower(): value for name, value in request.headers.items()}, keys)
        except (AssertionError, InvalidSignature, KeyError) as error:
            refused.append(f"{request.url}: {error!r}")
        path = request.url.path
        if path == "/moved":
            return httpx.Response(307, headers={"Location": "http://b.test/b"})
        return httpx.Response(200, html=html(links[path])) if path in links else httpx.Response(404)

    settings: Any = {"sign": tmp_path / "crawler.pem", "signature_agent": f"{AGENT}/"}
    transport = httpx.MockTransport(reply)
    report = skipping.run(acrawl(["http://a.test/"], store, transport=transport, **settings), grace=0.0)
    assert (report.reason, refused) == ("nothing-left", [])
    again = skipping.run(acrawl([], store, transport=transport, retry=["all"]), grace=0.0)  # the store remembers
    assert (again.reason, refused) == ("nothing-left", [])


def test_a_crawl_that_goes_on_finds_its_key_or_says_so(web: tuple[int, type[SignedPages]], tmp_path: Path) -> None:
    port, came = web
    store = crawl(port, tmp_path, "--pages", "1")
    assert run("crawl", "--dry-run", "--store", store).exit_code == 0
    asked = len(came.nonces)
    (tmp_path / "crawler.pem").unlink()
    result = run("crawl", "--store", store)
    assert (result.exit_code, result.stderr) == (
        2,
        f"Error: the key {tmp_path}/crawler.pem cannot be read: No such file or directory\n",
    )
    assert (len(came.nonces), came.refused) == (asked, [])


async def test_crawl_ends_where_a_new_worker_lacks_a_file_of_the_settings(tmp_path: Path) -> None:
    new_key(key := tmp_path / "key.pem")

    async with says(HELLO) as server:
        settings = all_names_at(server.port, workers=1, sign=key, signature_agent="https://crawler.example")
        async with Source(SourceSpec(settings)) as source:
            assert (await source.page(PageRequest("http://a.test/")))[0].status == 200
            key.unlink()
            os.kill(source.workers()[0].pid, signal.SIGKILL)
            with pytest.raises(SettingError, match=r"the key .*key.pem cannot be read: No such file or directory"):
                for number in range(200):
                    await source.page(PageRequest(f"http://h{number}.test/"))
