"""A server on loopback that speaks HTTP/2 and refuses HTTP/1.1, in one of the ways of real ones.

alert     TLS: no_application_protocol, as nginx, Node.js and Go have it
silence   TLS without a protocol, and the end of the connection: nghttpd, HAProxy
frames    SETTINGS and GOAWAY in place of an answer: Node.js, nghttpd, nginx
"HTTP/1.1 426 ..." and the like   an answer
"""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Self

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, WindowUpdated
from support.loopback import PEM, in_tls

from minicrawl.crawler.sources.local import fetch_options
from minicrawl.model import Fetched, PageRequest
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.http.fetch import Fetcher

HTML = {"content-type": "text/html"}
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_NO_PROTOCOL = b"\x15\x03\x03\x00\x02\x02\x78"  # a TLS record with a fatal alert (RFC 8446 6)
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Reply = tuple[int, Mapping[str, str], bytes]
Web = Callable[[dict[str, str]], Reply]
"""The reply to a request, whose fields have names in lower case, pseudo-fields among them."""


def frame(kind: int, payload: bytes = b"", *, flags: int = 0, stream: int = 0) -> bytes:
    return len(payload).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + payload


def goaway(last: int, code: int = 0) -> bytes:
    return frame(GOAWAY, last.to_bytes(4) + code.to_bytes(4))


class Http2Server:
    """`requests`: fields of all requests; `sent`: bytes of their bodies; `protocols`: of all connections; "" for a
    refused one."""

    def __init__(
        self,
        web: Web | None = None,
        *,
        talk: Talk | None = None,
        tls: bool = True,
        refusal: str = "alert",
        speaks: bool = True,
    ) -> None:
        """talk: has a connection whose preface was read, in place of a web. speaks: HTTP/2 at all."""
        self._web, self._talk = web, talk or self._serve
        self._refusal, self._speaks = refusal, speaks
        self._tasks: set[asyncio.Task[None]] = set()
        self.tls = in_tls(*["h2"] * speaks) if tls else None
        self.requests: list[dict[str, str]] = []
        self.sent = b""
        self.protocols: list[str] = []
        self.port = 0

    @property
    def connect_to(self) -> tuple[ConnectTo, ...]:
        """Every name is this server's."""
        return (ConnectTo(None, None, "127.0.0.1", self.port),)

    async def __aenter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self._begin(self._accept())
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._listener.close()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self) -> None:
        while True:
            accepted, _ = await asyncio.get_running_loop().sock_accept(self._listener)
            self._begin(self._meet(accepted))

    async def _meet(self, accepted: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        begun = await _peeked(accepted)
        is_offered = self._speaks and (b"\x02h2" in begun if self.tls else begun.startswith(PREFACE[:3]))
        self.protocols.append("h2" if is_offered else "")
        if self.tls and not is_offered and self._refusal == "alert":
            accepted.sendall(_NO_PROTOCOL)
            accepted.close()
            return
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            transport, _ = await loop.connect_accepted_socket(lambda: protocol, accepted, ssl=self.tls)
            writer = asyncio.StreamWriter(transport, protocol, reader, loop)
            try:
                if is_offered:
                    await reader.readexactly(len(PREFACE))
                    await self._talk(reader, writer)
                else:
                    await reader.readuntil(b"\r\n\r\n")
                    writer.write(self._refused())
                    await writer.drain()
            finally:
                writer.transport.abort() if is_offered else writer.close()

    def _refused(self) -> bytes:
        if self._refusal == "frames":
            return frame(SETTINGS) + goaway(0, 1)
        return self._refusal.encode() if self._refusal.startswith("HTTP/") else b""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = H2Connection(H2Configuration(client_side=False, header_encoding="latin-1"))
        connection.initiate_connection()
        connection.receive_data(PREFACE)
        bodies: dict[int, bytes] = {}
        while True:
            writer.write(connection.data_to_send())
            await writer.drain()
            data = await reader.read(65536)
            if not data:
                return
            for event in connection.receive_data(data):
                if isinstance(event, RequestReceived):
                    fields = {str(name): str(value) for name, value in event.headers or ()}
                    self.requests.append(fields)
                    assert self._web is not None
                    status, head, body = self._web(fields)
                    sent = [(name.encode(), value.encode("latin-1")) for name, value in head.items()]
                    connection.send_headers(
                        event.stream_id or 0, [(b":status", b"%d" % status), *sent], end_stream=not body
                    )
                    bodies[event.stream_id or 0] = body
                if isinstance(event, DataReceived):
                    self.sent += event.data or b""
                if isinstance(event, RequestReceived | WindowUpdated):
                    _send_on(connection, bodies)


def _send_on(connection: H2Connection, bodies: dict[int, bytes]) -> None:
    """Send as much of the bodies as flow control allows."""
    for stream in [stream for stream, body in bodies.items() if body]:
        while bodies[stream] and (room := connection.local_flow_control_window(stream)):
            size = min(room, connection.max_outbound_frame_size)
            piece, bodies[stream] = bodies[stream][:size], bodies[stream][size:]
            connection.send_data(stream, piece, end_stream=not bodies[stream])


def hello(fields: Mapping[str, str]) -> Reply:
    return 200, HTML, f"hello {fields[':path']}".encode()


def fetched_from(
    server: Http2Server,
    *urls: str | PageRequest,
    beside: Sequence[Any] = (),
    settings: Callable[[], Mapping[str, Any]] = dict,
    timing: Timing = STANDARD,
) -> list[Fetched]:
    """Fetch URLs in turn, all names being the server's. beside: what else runs."""

    async def run() -> list[Fetched]:
        async with contextlib.AsyncExitStack() as stack:
            for one in (server, *beside):
                await stack.enter_async_context(one)
            given = {"connect_to": server.connect_to, "allow_private": True, "ca_file": PEM, **settings()}
            fetcher = await stack.enter_async_context(Fetcher(fetch_options(CrawlSettings(**given)), None, timing))
            return [await fetcher.fetch(url if isinstance(url, PageRequest) else PageRequest(url)) for url in urls]

    return asyncio.run(run())


async def _peeked(accepted: socket.socket) -> bytes:
    """The first bytes that a client has sent, which are still to be read."""
    loop, has_come = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(accepted, has_come.set)
    try:
        await has_come.wait()
    finally:
        loop.remove_reader(accepted)
    with contextlib.suppress(OSError):
        return accepted.recv(4096, socket.MSG_PEEK)
    return b""
