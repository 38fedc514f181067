"""Raw replies (replies.py), and what comes of them, in whatever pieces they come.

Every reply is followed by the end of the connection. All rows are fetched side by side, once.
"""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.effort import growth
from support.misbehaving import MisbehavingServer, Peer, answer
from support.needs import needs
from support.patience import PATIENCE
from support.raw_server import all_names_at
from support.replies import TABLE

from minicrawl.crawler.sources.local import fetch_options
from minicrawl.errors import FetchError
from minicrawl.model import Fetched, PageRequest
from minicrawl.web.http.answer_reader import AnswerReader
from minicrawl.web.http.fetch import Fetcher


def fetcher_for(server: MisbehavingServer) -> Fetcher:
    return Fetcher(fetch_options(all_names_at(server.port, timeout=PATIENCE)))


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
    async with server, Fetcher(fetch_options(all_names_at(server.port))) as fetcher:
        requests = [PageRequest(f"http://{number}.first.test/") for number in range(len(REPLIES))]
        ours, read = await asyncio.gather(*map(fetcher.fetch, requests)), await read_by_curl(server.port, tmp_path)
    html = [one for one in zip(REPLIES, ours, read, strict=True) if one[1].content_type in (None, "text/html")]
    lost = {name for name, fetched, body in html if body and fetched.body != body}
    assert sum(bool(body) for body in read) > 100
    assert lost <= LEFT.keys()


Read = tuple[int, list[tuple[bytes, bytes]], bytes, bool, bool, bool] | str


def read(*pieces: bytes) -> Read:
    """The result of an answer, and of the connection's end behind it."""
    reader = AnswerReader()
    body = []
    try:
        for piece in pieces:
            body += reader.feed(piece)
    except FetchError as error:
        return error.reason
    followed = reader.is_followed
    whole = reader.end()
    return reader.status, reader.fields, b"".join(body), whole, followed, reader.keeps_alive


SHORT = [reply for reply, _ in TABLE.values() if len(reply) < 5_000]


@given(reply=st.sampled_from(SHORT), cuts=st.lists(st.integers(0, 400), max_size=6))
def test_pieces_say_what_the_whole_says(reply: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(reply)]
    assert read(*(reply[a:b] for a, b in pairwise(places))) == read(reply)


@pytest.mark.parametrize("reply", SHORT)
def test_bytes_one_by_one_say_what_the_whole_says(reply: bytes) -> None:
    assert read(*(reply[place : place + 1] for place in range(len(reply)))) == read(reply)


def framed(body: bytes, sizes: list[int], line_break: bytes) -> bytes:
    """The body in chunks of these sizes by turns."""
    chunks: list[bytes] = []
    at = 0
    while at < len(body):
        size = sizes[len(chunks) % len(sizes)]
        piece = body[at : at + size]
        chunks.append(b"%X%b%b%b" % (len(piece), line_break, piece, line_break))
        at += size
    return b"".join(chunks) + b"0" + 2 * line_break


@given(
    body=st.binary(max_size=300) | st.text("\r\n0;1", max_size=60).map(str.encode),
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=5),
    line_break=st.sampled_from([b"\r\n", b"\n"]),
    cut=st.integers(0, 400),
)
@example(body=b"", sizes=[1], line_break=b"\n", cut=0)
def test_chunks_of_any_size_hold_the_body(body: bytes, sizes: list[int], line_break: bytes, cut: int) -> None:
    reply = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + framed(body, sizes, line_break)
    assert read(reply[:cut], reply[cut:]) == (200, [(b"Transfer-Encoding", b"chunked")], body, True, False, True)


@given(junk=st.binary(max_size=200))
def test_whatever_comes_is_an_answer_or_none(junk: bytes) -> None:
    for reply in (junk, b"HTTP/1.1 200 OK\r\n" + junk, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + junk):
        assert read(reply) == read(*(reply[place : place + 1] for place in range(len(reply))))


@pytest.mark.parametrize(
    "line",
    [b"x" * 260_000, b"x " * 130_000, b" :" * 130_000, b"x:\n" * 86_000, b"\n " * 130_000, b"\r" * 260_000],
    ids=["token", "words", "colons", "fields", "folds", "carriage-returns"],
)
def test_a_long_head_takes_time_linear_in_its_length(line: bytes) -> None:
    assert growth(lambda size: read(b"HTTP/1.1 200 OK\r\n" + line[:size] + b"\r\n\r\n"), 26_000) < 1.5
