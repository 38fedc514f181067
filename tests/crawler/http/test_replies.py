"""Raw replies (replies.py), and what comes of them.

Every reply is followed by the end of the connection. All rows are fetched side by side, once.
"""

import asyncio
from pathlib import Path

import pytest
from support.misbehaving import MisbehavingServer, Peer, answer
from support.needs import needs
from support.patience import PATIENCE
from support.raw_server import all_names_at
from support.replies import TABLE

from minicrawl.crawler.http.fetch import Fetcher
from minicrawl.model import Fetched, PageRequest


def fetcher_for(server: MisbehavingServer) -> Fetcher:
    return Fetcher(all_names_at(server.port, timeout=20.0))


def fetched_from(replies: list[bytes]) -> list[Fetched]:
    """Fetch each reply, on a connection and host of its own."""
    server = MisbehavingServer({str(number): reply for number, reply in enumerate(replies)})

    async def run() -> list[Fetched]:
        async with server, fetcher_for(server) as fetcher:
            urls = (f"http://{number}.first.test/" for number in range(len(replies)))
            return await asyncio.gather(*map(fetcher.fetch, map(PageRequest, urls)))

    return asyncio.run(run())


@pytest.fixture(scope="module")
def answers() -> dict[str, Fetched]:
    return dict(zip(TABLE, fetched_from([reply for reply, _ in TABLE.values()]), strict=True))


@pytest.mark.parametrize("name", TABLE)
def test_a_reply_is_read_as_it_is_to_be_read(answers: dict[str, Fetched], name: str) -> None:
    _, expected = TABLE[name]
    assert {field: getattr(answers[name], field) for field in expected} == expected


@pytest.mark.parametrize("junk", [answer(b"evil"), b"HTTP/1.1 100 Continue\r\n\r\n", b"junk\r\n\r\n"])
async def test_what_is_said_between_two_requests_is_the_answer_to_neither(junk: bytes) -> None:
    is_idle, is_said = asyncio.Event(), asyncio.Event()

    async def speaks_out_of_turn(peer: Peer) -> None:
        await peer.send(answer(b"hello"))
        if not is_idle.is_set():
            await is_idle.wait()
            await peer.send(junk)
            is_said.set()
        await peer.leaves()

    server = MisbehavingServer({"0": speaks_out_of_turn})
    async with server, fetcher_for(server) as fetcher:
        first = await fetcher.fetch(PageRequest("http://0.first.test/"))
        is_idle.set()
        await is_said.wait()
        for _ in range(5):
            await asyncio.sleep(0)  # the client's side of the loop reads
        second = await fetcher.fetch(PageRequest("http://0.first.test/"))
        assert [first.body, second.body] == [b"hello", b"hello"]


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
