"""Raw replies (replies.py), and what comes of them.

Every reply is followed by the end of the connection. All rows are fetched side by side, once.
"""

import asyncio

import pytest
from support.misbehaving import MisbehavingServer, Peer, answer
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
