"""A proxy on loopback, for HTTP, CONNECT and SOCKS 5, behind which every name is a web of origins.py."""

import asyncio
import base64
import ipaddress

from support.loopback import LoopbackServer, in_tls
from support.origins import PEM, Web


class ForwardProxy(LoopbackServer):
    """Leads to a web. `asked`: host and port of every request or connection, as the proxy was given them.

    login: "name:password" that it wants, if any. tls: it is spoken to in TLS.
    """

    def __init__(self, web: Web, login: str | None = None, *, tls: bool = False) -> None:
        self.web, self.login = web, login
        self.asked: list[str] = []
        super().__init__(in_tls(pem=PEM) if tls else None)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(1)
        if first == b"\x16":
            return  # it is spoken to in TLS, and has none
        await (self._socks(reader, writer) if first == b"\x05" else self._http(first, reader, writer))

    async def _socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        methods = await reader.readexactly((await reader.readexactly(1))[0])
        method = 2 if self.login else 0
        if method not in methods:
            writer.write(b"\x05\xff")
            return
        writer.write(bytes([5, method]))
        if self.login:
            await reader.readexactly(1)
            name, password = [await reader.readexactly((await reader.readexactly(1))[0]) for _ in range(2)]
            is_right = b"%b:%b" % (name, password) == self.login.encode()
            writer.write(bytes([1, not is_right]))
            if not is_right:
                return
        kind = (await reader.readexactly(4))[3]
        size = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        address = await reader.readexactly(size)
        host = address.decode() if kind == 3 else str(ipaddress.ip_address(address))
        port = int.from_bytes(await reader.readexactly(2))
        if host.startswith("closed."):
            writer.write(b"\x05\x05\x00\x01" + bytes(6))
            return
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await self._lead(host, port, reader, writer)

    async def _http(self, first: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = first + await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b" ", 2)
        if self.login and b"Basic " + base64.b64encode(self.login.encode()) not in head:
            writer.write(b"HTTP/1.1 407 Login\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        if method == b"CONNECT":
            host, _, port = target.decode().rpartition(":")
            writer.write(b"HTTP/1.1 200 Yes\r\n\r\n")
            await self._lead(host, int(port), reader, writer)
            return
        authority = target.split(b"/")[2].decode()
        host, _, port = authority.partition(":")
        lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Proxy-")]
        lines[0] = b"GET /" + target.split(b"/", 3)[3] + b" HTTP/1.1"
        lines.insert(1, b"Connection: close")
        await self._lead(host, int(port or 80), reader, writer, b"\r\n".join(lines))

    async def _lead(
        self, host: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, begun: bytes = b""
    ) -> None:
        self.asked.append(f"{host}:{port}")
        to = next(rule for rule in self.web.connect_to if rule.port in (None, port)).to_port
        there, back = await asyncio.open_connection("127.0.0.1", to)
        back.write(begun)
        try:
            await asyncio.gather(_copy(reader, back), _copy(there, writer))
        finally:
            back.transport.abort()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(65536):
        writer.write(piece)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
