"""The server of the dashboard: listens on loopback, and answers each path. Everything but the page needs the token.

The crawl is not affected when the server ends.
"""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files

from minicrawl.dashboard.commands import done, started
from minicrawl.dashboard.http_server import (
    LARGEST_HEAD,
    LOOPBACK,
    Answer,
    Connections,
    Guard,
    Request,
    bound_socket,
    json_answer,
    refused,
)
from minicrawl.dashboard.looks import MEDIA_TYPE, Looks, metrics
from minicrawl.dashboard.readings import NotYetError, Reading, Readings, Shared
from minicrawl.errors import ConfigError, MinicrawlError, SettingError
from minicrawl.settings import RANKINGS

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def static_files() -> Mapping[str, Answer]:
    """HTML, style and scripts of the page by path on the server; the page also at /. None of it is secret."""
    found = {}
    for file in files("minicrawl.dashboard").joinpath("static").iterdir():
        ending = file.name[file.name.rfind(".") :]
        if ending in _TYPES:
            found[f"/{file.name}"] = Answer(200, file.read_bytes(), _TYPES[ending])
    return {**found, "/": found["/index.html"]}


_LOOKS_LEAST, _LOOKS_APART = 0.4, 1.0
_READINGS_LEAST, _READINGS_APART, _PATIENCE = 2.0, 10.0, (15.0, 0.3)


class Routes:
    """Answers requests about one crawl."""

    def __init__(self, readings: Readings, guard: Guard) -> None:
        self._readings = readings
        self._guard = guard
        self._looks = Looks(readings)
        self._shared_looks = Shared(_LOOKS_LEAST, _LOOKS_APART)
        self._shared = Shared(_READINGS_LEAST, _READINGS_APART, patience=_PATIENCE)
        self._rounds: int | None = None
        self._static = static_files()
        self._name = secrets.token_hex(8)
        self._get: Mapping[str, Callable[[Request], Awaitable[Answer]]] = {
            "/api/now": self._now,
            "/api/top": self._top,
            "/api/pages": self._pages,
            "/api/hosts": lambda _: self._kept("hosts", readings.hosts),
            "/api/sites": lambda _: self._kept("sites", readings.sites),
            "/api/issues": lambda _: self._kept("issues", readings.issues),
            "/api/watched": lambda _: self._kept("watched", readings.watched),
            "/api/course": lambda _: self._kept("course", readings.course),
            "/api/why": self._why,
            "/metrics": self._metrics,
        }
        self._post: Mapping[str, Callable[[Request], Awaitable[Answer]]] = {
            "/api/control": partial(self._after, partial(done, readings.path)),
            "/api/start": partial(self._after, partial(started, readings.path)),
        }

    async def answer(self, request: Request) -> Answer:
        is_static = request.path in self._static
        refusal = self._guard.refusal(request, needs_token=not is_static)
        if refusal is not None:
            return refusal
        if is_static and request.method in ("GET", "HEAD"):
            if request.path == "/":  # its scripts will ask for a look at once
                self._shared_looks.begin("look", self._looks.look)
            return self._static[request.path]
        route = {"GET": self._get, "HEAD": self._get, "POST": self._post}.get(request.method, {}).get(request.path)
        if route is None:
            is_known = is_static or request.path in (*self._get, *self._post)
            return refused(405, "not by this method") if is_known else refused(404, "there is nothing here")
        return await _answered(route, request)

    # Looks and readings.

    async def _now(self, request: Request) -> Answer:
        look = await self._shared_looks.get("look", self._looks.look)
        if look.get("watched") != self._rounds:  # the page asks for the list at once
            self._rounds = look.get("watched")
            self._shared.renew()
        events = self._looks.events(_number(request, "after", 0))
        hosts = look.get("hosts", []) if _number(request, "hosts", 0) else []
        return json_answer({**look, "hosts": hosts, "events": events, "dashboard": self._name})

    async def _metrics(self, request: Request) -> Answer:
        look = await self._shared_looks.get("look", self._looks.look)
        return Answer(200, metrics(look).encode(), MEDIA_TYPE)

    async def _top(self, request: Request) -> Answer:
        by, n = request.query.get("by", RANKINGS[0]), _number(request, "n", 50)
        return await self._kept(("top", by, n), lambda: self._readings.top(by, n))

    async def _pages(self, request: Request) -> Answer:
        where, n = request.query.get("where", ""), _number(request, "n", 50)
        return await self._kept(("pages", where, n), lambda: self._readings.pages(where, n))

    async def _kept(self, key: Hashable, work: Callable[[], Reading]) -> Answer:
        """A shared reading with its time `as_of`, in Unix seconds; `is_late`: the next one is being worked out."""
        value, age, is_late = await self._shared.last(key, work)
        return json_answer({**value, "as_of": time.time() - age, "is_late": is_late})

    async def _why(self, request: Request) -> Answer:
        return json_answer(await asyncio.to_thread(self._readings.why, request.query.get("url", "")))

    # Commands.

    async def _after(self, do: Callable[[object], Mapping[str, object]], request: Request) -> Answer:
        """Carry out a command, and invalidate earlier looks."""
        try:
            asked = json.loads(request.body)
        except (ValueError, RecursionError) as error:
            raise SettingError("the request is not JSON") from error
        try:
            return json_answer(await asyncio.to_thread(do, asked))
        finally:
            self._shared_looks.renew()


async def _answered(route: Callable[[Request], Awaitable[Answer]], request: Request) -> Answer:
    """The answer of a route, or its refusal."""
    try:
        return await route(request)
    except NotYetError:
        return refused(503, "minicrawl is still computing this")
    except ConfigError as error:
        return refused(400, str(error))
    except MinicrawlError as error:
        return refused(409, str(error))


def _number(request: Request, name: str, default: int) -> int:
    text = request.query.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise SettingError(f"{name} must be a whole number of up to 15 digits, not {text[:40]!r}")
    return int(text)


@asynccontextmanager
async def serving(readings: Readings, port: int = 0, token: str | None = None) -> AsyncIterator[str]:
    """Serve the dashboard of a crawl during the block; yields its address with the token.

    port: 0 for any free one. token: None for a new one. The part of an address behind # never leaves the browser.
    Raises SettingError for a port that is not available.
    """
    token = token or secrets.token_urlsafe(24)
    listener = bound_socket(port)
    bound: int = listener.getsockname()[1]
    guard = Guard(bound, token)
    connections = Connections(Routes(readings, guard).answer, guard.has_token)
    server = await asyncio.start_server(connections.serve, sock=listener, limit=LARGEST_HEAD)
    try:
        yield f"http://{LOOPBACK}:{bound}/#token={token}"
    finally:
        server.close()
        await connections.end()
        await server.wait_closed()
