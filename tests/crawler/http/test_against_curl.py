"""Raw replies read by curl and by us: no page that curl reads is lost."""

import asyncio
import shutil
from pathlib import Path

import pytest
from support.misbehaving import MisbehavingServer
from support.odd_replies import ODD
from support.raw_server import all_names_at
from support.replies import TABLE

from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.model import Fetched, PageRequest

WIRE = ("status-line", "interim", "field", "length", "chunked", "coding", "status")
REPLIES = {name: reply for name, (reply, _) in TABLE.items() if name.partition(":")[0] in WIRE} | ODD
AT_ONCE = 4

LEFT = {
    "field:5000-fields": "there is a limit, which later versions of curl have, too",
    "field:tab-before-colon-of-length": "RFC 9112 5.1: the blank is no part of the name, and the length holds",
    "chunked:identity-and-length": "browsers hold to the length, too",
    "chunked:gzip-before": "RFC 9112 6.1: nobody sends that unasked, and browsers read no coding but chunked",
    "chunked:gzip-only": "the same",
    **dict.fromkeys(
        (
            *("length:different-in-list", r"odd-length:'5\r\nContent-Length: 4'"),
            *("coding:gzip-that-is-zlib", "odd-coding:5-gzip"),
            *("odd-end:4", "odd-chunk:'5g'", "odd-chunk:'5,'", r"odd-chunk:'5\r'"),
        ),
        "browsers refuse it, too",
    ),
}


async def read_by_curl(number: int, port: int, folder: Path, gate: asyncio.Semaphore) -> bytes:
    """The body of a page that curl takes for whole; b"" for anything else."""
    file = folder / str(number)
    words = ["-q", "-s", "--compressed", "--connect-to", f"::127.0.0.1:{port}", "--max-time", "30", "-o", str(file)]
    async with gate:
        process = await asyncio.create_subprocess_exec(
            "curl", *words, "-w", "%{http_code}", f"http://{number}.first.test/", stdout=asyncio.subprocess.PIPE
        )
        status, _ = await process.communicate()
    return file.read_bytes() if (process.returncode, status) == (0, b"200") and file.exists() else b""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_no_page_is_lost_that_curl_reads(tmp_path: Path) -> None:
    server = MisbehavingServer({str(number): reply for number, reply in enumerate(REPLIES.values())})

    async def both() -> tuple[list[Fetched], list[bytes]]:
        gate, numbers = asyncio.Semaphore(AT_ONCE), range(len(REPLIES))
        async with server, Fetcher(all_names_at(server.port, timeout=20.0)) as fetcher:
            requests = [PageRequest(f"http://{number}.first.test/") for number in numbers]
            ours = await asyncio.gather(*map(fetcher.fetch, requests))
            read = await asyncio.gather(*(read_by_curl(number, server.port, tmp_path, gate) for number in numbers))
        return ours, read

    ours, read = asyncio.run(both())
    html = [one for one in zip(REPLIES, ours, read, strict=True) if one[1].content_type in (None, "text/html")]
    lost = {name for name, fetched, body in html if body and fetched.body != body}
    assert sum(bool(body) for body in read) > 200
    assert lost <= LEFT.keys()
