"""HTTP/1.1 as far as our page and Prometheus need it (no chunks, no ranges): requests, answers, connections.

Requests of a connection are answered one after the other, in order. Access is controlled, as a server on loopback can
be reached by every page that a browser on this machine shows:

Host      a page that has rebound its own name to 127.0.0.1 sends that name, not ours. 421
Origin    a page from elsewhere: the browser sends its origin. 403
token     a client without our printed URL: another user, a page that guesses. 401
JSON      a form of another page cannot send it. 415
"""

import asyncio
import hmac
import json
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from minicrawl import log
from minicrawl.errors import SettingError

LOOPBACK = "127.0.0.1"
LARGEST_HEAD, LARGEST_BODY = 16 * 1024, 256 * 1024

# For all answers: the browser connects only to us, runs only our scripts, and shows us in no frame. Text of the web can
# become neither markup nor script, as our own scripts may not write markup either ('trusted-types' names no policy).
SAFETY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class BadRequestError(Exception):
    """A malformed request. `status`: HTTP status of the answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """A request. `query`: the first value of each name. `headers`: by lower-case name."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, which gets the headers of SAFETY, its length and its type."""

    status: int
    body: bytes = b""
    media_type: str = "application/json"


def request_of(head: bytes) -> tuple[Request, int]:
    """Parse the head of a request; returns it with the length of its body. Raises BadRequestError."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0") or not words[1].startswith("/"):
        raise BadRequestError(400, "this is not an HTTP/1.1 request")
    headers: dict[str, str] = {}
    for line in filter(None, lines):
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip() or name.lower() in headers:
            raise BadRequestError(400, "a header field is wrong or repeated")
        headers[name.lower()] = value.strip()
    if "transfer-encoding" in headers:
        raise BadRequestError(411, "a body must come in one piece, with its Content-Length")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise BadRequestError(400, "Content-Length is a number")
    if len(length) > 9 or int(length) > LARGEST_BODY:
        raise BadRequestError(413, f"a body has {LARGEST_BODY:,} bytes at most")
    try:
        url = urlsplit(words[1])
        query = parse_qsl(url.query, keep_blank_values=True, max_num_fields=50)
    except ValueError as error:
        raise BadRequestError(400, "this is not a path") from error
    first_of_each = dict(reversed(query))
    return Request(words[0], url.path, first_of_each, headers), int(length)


def json_answer(value: object, status: int = 200) -> Answer:
    """A value as JSON in ASCII, safe for lone surrogates. Numbers that are not finite become null."""
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        finite = json.loads(json.dumps(value), parse_constant=lambda _: None)
        text = json.dumps(finite, separators=(",", ":"))
    return Answer(status, text.encode("ascii"))


def refused(status: int, sentence: str) -> Answer:
    """An answer with the reason for a refusal."""
    return json_answer({"failed": sentence}, status)


def bytes_of(answer: Answer, *, stays_open: bool, with_body: bool = True) -> bytes:
    reason = HTTPStatus(answer.status).phrase
    fields = {
        **SAFETY,
        "Content-Type": f"{answer.media_type}; charset=utf-8",
        "Content-Length": str(len(answer.body)),
        "Connection": "keep-alive" if stays_open else "close",
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {answer.status} {reason}\r\n{head}\r\n".encode("ascii") + (answer.body if with_body else b"")


Answering = Callable[[Request], Awaitable[Answer]]


_STRANGERS = 16
"""Connections without the token, at most."""


class Connections:
    """Answers requests until `end`.

    A connection is a stranger until it sends a request with the token. If there are too many strangers, the oldest is
    closed: a new connection is answered even if others open many and stay silent.
    """

    def __init__(
        self,
        answering: Answering,
        has_token: Callable[[Request], bool],
        *,
        silent: float = 75.0,
        request: float = 5.0,
        most: int = 100,
    ) -> None:
        """silent: idle seconds of a connection that has shown the token; request: idle seconds of any other, and
        seconds to complete a request. most: connections at once."""
        self._answering = answering
        self._has_token = has_token
        self._silent, self._request, self._most = silent, request, most
        self._tasks: set[asyncio.Task[None]] = set()
        self._strangers: dict[asyncio.Task[None], None] = {}  # the oldest first

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection. For asyncio.start_server."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            self._make_room(task)
            if len(self._tasks) <= self._most:
                while await self._answer_next(reader, writer, task):
                    pass
        except (OSError, TimeoutError, asyncio.CancelledError):  # the browser has gone or is too slow, or we end
            pass
        finally:
            self._tasks.discard(task)
            self._strangers.pop(task, None)
            writer.transport.abort() if writer.is_closing() else writer.close()

    async def end(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _make_room(self, newcomer: asyncio.Task[None]) -> None:
        """Add a stranger, and close the oldest one if there are too many."""
        if len(self._strangers) >= _STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.cancel()
        self._strangers[newcomer] = None

    async def _answer_next(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, task: asyncio.Task[None]
    ) -> bool:
        """Answer one request; returns False if the connection ends."""
        try:
            async with asyncio.timeout(self._patience(task)):
                first = await reader.read(1)
            async with asyncio.timeout(self._request):
                request = await _read(first, reader)
        except BadRequestError as error:
            writer.write(bytes_of(refused(error.status, str(error)), stays_open=False))
            await writer.drain()
            return False
        if request is None:
            return False
        if self._has_token(request):
            self._strangers.pop(task, None)
        stays_open = request.headers.get("connection", "").lower() != "close"
        answer = await self._answer(request)
        writer.write(bytes_of(answer, stays_open=stays_open, with_body=request.method != "HEAD"))
        async with asyncio.timeout(self._patience(task)):
            await writer.drain()
        return stays_open

    def _patience(self, task: asyncio.Task[None]) -> float:
        """Seconds to wait for a connection."""
        return self._request if task in self._strangers else self._silent

    async def _answer(self, request: Request) -> Answer:
        try:
            return await self._answering(request)
        except Exception as error:  # no request ends the server
            log.event("dashboard-failed", method=request.method, path=request.path[:200], error=error)
            return refused(500, "the dashboard failed on this; its log says where")


async def _read(first: bytes, reader: asyncio.StreamReader) -> Request | None:
    """Read the request that begins with byte `first`; None at the end of the stream. Raises BadRequestError."""
    try:
        head = first + await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadRequestError(431, f"the head of a request has {LARGEST_HEAD:,} bytes at most") from error
    request, length = request_of(head)
    try:
        return replace(request, body=await reader.readexactly(length)) if length else request
    except asyncio.IncompleteReadError:
        return None


def bound_socket(port: int) -> socket.socket:
    """A socket bound to the port on loopback, not listening yet. Raises SettingError."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # to reuse a port of ours
        found.bind((LOOPBACK, port))
    except OSError as error:
        found.close()
        raise SettingError(
            f"--port {port} cannot be used: {error.strerror}; name another one, or none for any free one"
        ) from error
    return found


_NAMES = ("127.0.0.1", "localhost", "[::1]")
_SAME = ("same-origin", "none")
"""Values of Sec-Fetch-Site for our page, and for a typed address."""


@dataclass(frozen=True)
class Guard:
    """Refuses requests. `port`: our own; `token`: required for all but the page itself."""

    port: int
    token: str

    def refusal(self, request: Request, *, needs_token: bool) -> Answer | None:
        """The answer to a refused request; None if it is allowed."""
        headers = request.headers
        hosts = {f"{name}:{self.port}" for name in _NAMES} | (set(_NAMES) if self.port == 80 else set())
        if headers.get("host", "").lower() not in hosts:
            return refused(421, "this server answers as 127.0.0.1 and localhost only")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if (origin is not None and origin.lower() not in {f"http://{host}" for host in hosts}) or site not in _SAME:
            return refused(403, "no other page may use this server")
        if needs_token and not self.has_token(request):
            return refused(401, "the token is missing or wrong: use the one that minicrawl printed")
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if request.method == "POST" and media_type != "application/json":
            return refused(415, "only JSON is taken")
        return None

    def has_token(self, request: Request) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        is_right = hmac.compare_digest(token.strip().encode("latin-1", "replace"), self.token.encode("latin-1"))
        return scheme.lower() == "bearer" and is_right
