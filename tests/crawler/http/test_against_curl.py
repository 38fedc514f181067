"""Raw replies read by curl and by us: no page that curl reads is lost."""

import asyncio
from pathlib import Path

import pytest
from support.misbehaving import MisbehavingServer
from support.needs import needs
from support.patience import PATIENCE
from support.raw_server import all_names_at
from support.replies import TABLE

from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.model import PageRequest

WIRE = ("status-line", "interim", "field", "length", "chunked", "coding", "status")
REPLIES = {name: reply for name, (reply, _) in TABLE.items() if name.partition(":")[0] in WIRE}

LEFT = {
    "field:5000-fields": "there is a limit, which later versions of curl have, too",
    "field:tab-before-colon-of-length": "RFC 9112 5.1: the blank is no part of the name, and the length holds",
    "chunked:identity-and-length": "browsers hold to the length, too",
    "chunked:gzip-before": "RFC 9112 6.1: nobody sends that unasked, and browsers read no coding but chunked",
    "chunked:gzip-only": "the same",
    "length:different-in-list": "browsers refuse it, too",
    "coding:gzip-that-is-zlib": "browsers refuse it, too",
}


async def read_by_curl(port: int, folder: Path) -> list[bytes]:
    """The bodies of pages that curl takes for whole; b"" for anything else."""
    bodies: list[bytes] = []
    while len(bodies) < len(REPLIES):  # some replies end curl itself
        urls = f"http://[{len(bodies)}-{len(REPLIES) - 1}].first.test/"
        process = await asyncio.create_subprocess_exec(
            *("curl", "-q", "-s", "--compressed", "--connect-to", f"::127.0.0.1:{port}", "--max-time", f"{PATIENCE}"),
            *("-o", f"{folder}/#1", "-w", "%{exitcode} %{http_code}\\n", urls),
            stdout=asyncio.subprocess.PIPE,
        )
        told, _ = await process.communicate()
        for line in told.decode().splitlines():
            file = folder / str(len(bodies))
            bodies.append(file.read_bytes() if line == "0 200" and file.exists() else b"")
    return bodies


@pytest.mark.slow
@needs("curl")
async def test_no_page_is_lost_that_curl_reads(tmp_path: Path) -> None:
    server = MisbehavingServer({str(number): reply for number, reply in enumerate(REPLIES.values())})
    async with server, Fetcher(all_names_at(server.port)) as fetcher:
        requests = [PageRequest(f"http://{number}.first.test/") for number in range(len(REPLIES))]
        ours, read = await asyncio.gather(*map(fetcher.fetch, requests)), await read_by_curl(server.port, tmp_path)
    html = [one for one in zip(REPLIES, ours, read, strict=True) if one[1].content_type in (None, "text/html")]
    lost = {name for name, fetched, body in html if body and fetched.body != body}
    assert sum(bool(body) for body in read) > 100
    assert lost <= LEFT.keys()
