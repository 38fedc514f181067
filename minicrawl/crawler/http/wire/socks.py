"""Connections through a SOCKS proxy (RFC 1928, 1929): first the proxy lets us in, then it connects to a host."""

import asyncio
import ipaddress
import socket

from minicrawl.crawler.http.transport import ProxyError
from minicrawl.crawler.net.addresses import is_literal
from minicrawl.errors import FetchError

_NO_LOGIN, _BY_PASSWORD = 0, 2
_IPV4, _NAME, _IPV6 = 1, 3, 4
_LONGEST = 255  # bytes of a name or password
# What a proxy answers of a host (RFC 1928 6), with our reason codes; of any other answer it is "connect".
_REASONS = {5: "refused", 6: "timeout-connect"}


async def enter(connected: socket.socket, login: tuple[bytes, bytes] | None) -> None:
    """Be let in by a proxy. login: name and password, for those that want one. Raises ProxyError, OSError."""
    loop = asyncio.get_running_loop()
    methods = bytes([_NO_LOGIN, _BY_PASSWORD] if login else [_NO_LOGIN])
    await loop.sock_sendall(connected, b"\x05%c%b" % (len(methods), methods))
    version, method = await _exactly(2, connected)
    if version != 5:
        raise ProxyError("it speaks no SOCKS 5")
    if method not in methods:
        raise ProxyError("it wants a name and password" if login is None else "it takes no name and password")
    if method == _BY_PASSWORD and login is not None:
        name, password = (part[:_LONGEST] for part in login)
        await loop.sock_sendall(connected, b"\x01%c%b%c%b" % (len(name), name, len(password), password))
        _, refusal = await _exactly(2, connected)
        if refusal:
            raise ProxyError("it refuses the name and password")


async def reach(connected: socket.socket, host: str, port: int) -> None:
    """Have the proxy connect to a host, by name or address: the socket leads there then. Raises FetchError, OSError."""
    await asyncio.get_running_loop().sock_sendall(connected, b"\x05\x01\x00" + _address(host) + port.to_bytes(2))
    version, reply, _, kind = await _exactly(4, connected)
    if version != 5 or kind not in (_IPV4, _NAME, _IPV6):
        raise FetchError("bad-response", "the proxy speaks no SOCKS 5")
    if reply:
        raise FetchError(_REASONS.get(reply, "connect"), f"the proxy says {reply}")
    length = {_IPV4: 4, _IPV6: 16}.get(kind)
    if length is None:
        (length,) = await _exactly(1, connected)
    await _exactly(length + 2, connected)


async def _exactly(size: int, connected: socket.socket) -> bytes:
    data = b""
    while len(data) < size:
        piece = await asyncio.get_running_loop().sock_recv(connected, size - len(data))
        if not piece:
            raise ConnectionResetError("the proxy ends the connection")
        data += piece
    return data


def _address(host: str) -> bytes:
    if is_literal(host):
        address = ipaddress.ip_address(host)
        return bytes([_IPV4 if address.version == 4 else _IPV6]) + address.packed
    name = host.encode()
    if len(name) > _LONGEST:
        raise FetchError("dns", f"a name of more than {_LONGEST} bytes")
    return bytes([_NAME, len(name)]) + name
