"""TLS: sessions resumed, ends told from breaks, and no connection left in reference cycles."""

import asyncio
import gc
import socket
import ssl
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from support.loopback import PEM, Answering
from support.misbehaving import answer
from support.raw_server import HELLO, Server, fetched_from, says

from minicrawl.web.http.connection import Connection
from minicrawl.web.net.tls import TlsLayer, tls_reason

UNTIL_THE_END = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello"


class Resuming(Server):
    """`resumed`: for each connection, whether it went on with an earlier session."""

    def __init__(self, talk: Answering, version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> None:
        super().__init__(talk, tls=True)
        self.resumed: list[bool] = []
        assert self.tls is not None
        self.tls.minimum_version = self.tls.maximum_version = version

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.resumed.append(writer.get_extra_info("ssl_object").session_reused)
        await super().answer(reader, writer)


def closing(reply: bytes) -> Answering:
    """Answers one request, and ends as TLS has it."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        writer.close()
        await writer.wait_closed()

    return talk


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_the_next_connection_goes_on_with_the_last_session(version: ssl.TLSVersion) -> None:
    server = Resuming(closing(answer(b"hello", "Connection: close")), version)
    fetched = fetched_from(server, *["https://h.test/"] * 3, ca_file=PEM)
    assert [each.body for each in fetched] == [b"hello"] * 3
    assert server.resumed == [False, True, True]


def test_a_session_is_no_proof_for_another_name() -> None:
    """Nor for another port."""
    server = Resuming(closing(answer(b"hello", "Connection: close")))
    urls = ["https://h.test/", "https://other.test/", "https://h.test:444/", "https://h.test/"]
    fetched = fetched_from(server, *urls, ca_file=PEM)
    assert [each.reason for each in fetched] == [None, "tls-name", None, None]
    assert server.resumed[-2:] == [False, True]


def test_a_body_that_lasts_until_the_connection_ends_is_whole_if_the_server_says_so() -> None:
    (fetched,) = fetched_from(Resuming(closing(UNTIL_THE_END)), "https://h.test/", ca_file=PEM)
    assert (fetched.body, fetched.truncated) == (b"hello", False)


def test_a_body_whose_connection_breaks_is_cut() -> None:
    async def breaks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(UNTIL_THE_END)
        await writer.drain()
        # Below TLS, without its last word; and not before all is sent.
        writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
        await asyncio.sleep(0)

    (fetched,) = fetched_from(Server(breaks, tls=True), "https://h.test/", ca_file=PEM)
    assert (fetched.body, fetched.truncated) == (b"hello", True)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"", "reset"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "tls"),
        (b"\x15\x03\x03\x00\x02\x02\x28", "tls"),
        (HELLO, "tls"),
    ],
    ids=["nothing", "old-protocol", "no-handshake", "no TLS"],
)
def test_what_a_server_says_before_it_leaves_a_handshake(said: bytes, reason: str) -> None:
    async def leaves(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(said)
        await writer.drain()

    (fetched,) = fetched_from(Server(leaves), "https://h.test/")
    assert fetched.reason == reason


@pytest.mark.parametrize(
    ("code", "reason"), [(10, "tls-expired"), (9, "tls-expired"), (20, "tls-authority"), (1, "tls")]
)
def test_what_is_wrong_with_a_certificate_is_told(code: int, reason: str) -> None:
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_code = code
    assert tls_reason(error) == reason


# What is left of a connection.


async def _hangs_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")


async def _is_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


SERVERS: dict[str, Callable[[bool], Server]] = {
    "answers": lambda tls: says(HELLO, tls=tls),
    "closes": lambda tls: says(answer(b"hello", "Connection: close"), tls=tls),
    "speaks no HTTP": lambda tls: says(b"nonsense", tls=tls),
    "hangs up": lambda tls: Server(_hangs_up, tls=tls),
    "is silent": lambda tls: Server(_is_silent, tls=tls),
    "is silent in the handshake": lambda _: Server(_is_silent),
    "speaks no TLS": lambda _: says(HELLO),
}


@pytest.mark.parametrize(("scheme", "is_trusted"), [("http", True), ("https", True), ("https", False)])
@pytest.mark.parametrize(("name", "server"), SERVERS.items(), ids=SERVERS)
def test_nothing_of_a_closed_connection_waits_for_the_garbage_collector(
    name: str, server: Callable[[bool], Server], scheme: str, is_trusted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: weakref.WeakSet[Any] = weakref.WeakSet()
    for kind in (Connection, TlsLayer):

        def noted(self: Any, *given: Any, _init: Any = kind.__init__) -> None:
            _init(self, *given)
            made.add(self)

        monkeypatch.setattr(kind, "__init__", noted)
    settings: dict[str, Any] = {"ca_file": PEM} if is_trusted else {}
    # Who is silent is to be waited for in vain, everybody else for as long as it takes.
    is_silent = "is silent" in name or (name == "speaks no TLS" and scheme == "https")
    limit = {"timeout": 0.1 if is_silent else 60.0}
    gc.collect()
    gc.disable()
    try:
        fetched_from(server(scheme == "https"), *[f"{scheme}://h.test/"] * 2, **settings | limit)
        assert not list(made)
    finally:
        gc.enable()
