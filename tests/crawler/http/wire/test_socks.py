"""SOCKS 5, byte for byte (RFC 1928, 1929)."""

import asyncio
import socket

import pytest

from minicrawl.crawler.http.transport import ProxyError
from minicrawl.crawler.http.wire.socks import enter, reach
from minicrawl.errors import FetchError


def talked(*replies: bytes, host: str = "h.test", login: tuple[bytes, bytes] | None = None) -> bytes:
    """What a proxy that gives these replies, one to each message, is sent."""

    async def run() -> bytes:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            for end in (ours, theirs):
                end.setblocking(False)
            loop = asyncio.get_running_loop()
            sent: list[bytes] = []

            async def proxy() -> None:
                for reply in replies:
                    sent.append(await loop.sock_recv(theirs, 1000))
                    await loop.sock_sendall(theirs, reply)
                theirs.shutdown(socket.SHUT_WR)

            answering = asyncio.create_task(proxy())
            try:
                await enter(ours, login)
                await reach(ours, host, 443)
            finally:
                await answering
            return b"|".join(sent)

    return asyncio.run(run())


OPEN = b"\x05\x00"
YES = b"\x05\x00\x00\x01" + bytes(6)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("h.test", b"\x03\x06h.test"),
        ("192.0.2.1", b"\x01\xc0\x00\x02\x01"),
        ("2001:db8::1", b"\x04\x20\x01\x0d\xb8" + bytes(11) + b"\x01"),
    ],
)
@pytest.mark.parametrize("reply", [YES, b"\x05\x00\x00\x03\x02ab" + bytes(2), b"\x05\x00\x00\x04" + bytes(18)])
def test_a_host_is_asked_for_by_name_or_address(host: str, address: bytes, reply: bytes) -> None:
    assert talked(OPEN, reply, host=host) == b"\x05\x01\x00|\x05\x01\x00" + address + b"\x01\xbb"


def test_a_name_and_password_are_sent_if_they_are_wanted() -> None:
    sent = talked(b"\x05\x02", b"\x01\x00", YES, login=(b"me", b"hush"))
    assert sent.startswith(b"\x05\x02\x00\x02|\x01\x02me\x04hush|\x05\x01\x00")
    assert talked(OPEN, YES, login=(b"me", b"hush")).startswith(b"\x05\x02\x00\x02|\x05\x01\x00")


@pytest.mark.parametrize(
    ("replies", "login", "why"),
    [
        ((b"HT",), None, "it speaks no SOCKS 5"),
        ((b"\x04\x5a",), None, "it speaks no SOCKS 5"),
        ((b"\x05\xff",), None, "it wants a name and password"),
        ((b"\x05\xff",), (b"a", b"b"), "it takes no name and password"),
        ((b"\x05\x02", b"\x01\x01"), (b"a", b"b"), "it refuses the name and password"),
    ],
)
def test_what_is_wrong_with_the_proxy_is_told(
    replies: tuple[bytes, ...], login: tuple[bytes, bytes] | None, why: str
) -> None:
    with pytest.raises(ProxyError) as caught:
        talked(*replies, login=login)
    assert str(caught.value) == why


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (b"\x05\x01\x00\x01", "connect"),
        (b"\x05\x05\x00\x01", "refused"),
        (b"\x05\x06\x00\x03", "timeout-connect"),
        (b"\x05\x63\x00\x01", "connect"),
        (b"HTTP", "bad-response"),
        (b"\x05\x00\x00\x09", "bad-response"),
    ],
)
def test_what_is_wrong_with_the_host_is_told(reply: bytes, reason: str) -> None:
    with pytest.raises(FetchError) as caught:
        talked(OPEN, reply + bytes(6))
    assert caught.value.reason == reason
    assert not isinstance(caught.value, ProxyError)


def test_a_proxy_that_breaks_off_and_a_name_that_is_too_long() -> None:
    for replies in ((), (OPEN,), (OPEN, YES[:7])):
        with pytest.raises(ConnectionResetError):
            talked(*replies)
    with pytest.raises(FetchError) as caught:
        talked(OPEN, host="x" * 256)
    assert caught.value.reason == "dns"
