"""What other origins see of a form, and of the page that it is on."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from support.http2_server import HTML, Http2Server, Reply
from support.loopback import PEM
from support.small_web import Pages, small_web

from minicrawl.errors import FetchError
from minicrawl.web.http.browsing import Browsing
from minicrawl.web.http.cookies import CookieJar
from minicrawl.web.http.fetch import FetchOptions

PAGE = "/in?token=secret"
Asked = list[tuple[str, str, str | None, bytes]]


class Answers(Pages):
    """Redirects from /STATUS to `to`, and notes what it was asked."""

    to: str
    asked: Asked

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked.append((self.command, self.path, self.headers.get("Referer"), body))
        status = self.path[1:]
        self.answer(int(status) if status.isdigit() else 200, b"", ("Location", self.to))

    def do_POST(self) -> None:  # noqa: N802 - as http.server calls it
        self.do_GET()


@contextmanager
def serving(to: str) -> Iterator[tuple[str, Asked]]:
    """An origin, and what it was asked."""
    asked: Asked = []
    with small_web(type("Handler", (Answers,), {"to": to, "asked": asked})) as port:
        yield f"http://127.0.0.1:{port}", asked


async def sent(origin: str, path: str) -> None:
    async with Browsing(FetchOptions("minicrawl", allow_private=True), time.time) as browsing:
        await browsing.send(f"{origin}{path}", b"password=hush", f"{origin}{PAGE}", CookieJar())


@pytest.mark.parametrize("status", [302, 303])
def test_another_origin_sees_neither_the_form_nor_the_page(status: int) -> None:
    with ExitStack() as servers:
        there, seen = servers.enter_context(serving("/"))
        here, _ = servers.enter_context(serving(f"{there}/end"))
        asyncio.run(sent(here, f"/{status}"))
    assert seen == [("GET", "/end", f"{here}/", b"")]


def test_a_form_is_not_sent_on_to_another_origin() -> None:
    with ExitStack() as servers:
        there, seen = servers.enter_context(serving("/"))
        here, _ = servers.enter_context(serving(f"{there}/end"))
        with pytest.raises(FetchError, match=f"sends the form on to {there}"):
            asyncio.run(sent(here, "/307"))
    assert seen == []


def test_the_same_origin_sees_both() -> None:
    with serving("/end") as (here, seen):
        asyncio.run(sent(here, "/308"))
    asked = [("POST", path, f"{here}{PAGE}", b"password=hush") for path in ("/308", "/end")]
    assert seen == asked


@pytest.mark.parametrize("refusal", ["alert", "silence", "frames"])
def test_a_form_is_sent_to_a_server_that_speaks_http_2_alone(refusal: str) -> None:
    def web(fields: dict[str, str]) -> Reply:
        is_form = fields[":method"] == "POST"
        return (303, {"location": "/end", "set-cookie": "in=1"}, b"") if is_form else (200, HTML, b"welcome")

    async def run(server: Http2Server) -> bytes:
        async with server:
            options = FetchOptions("minicrawl", allow_private=True, ca_file=PEM, connect_to=server.connect_to)
            async with Browsing(options, time.time) as browsing:
                url, page = "https://h.test/enter", f"https://h.test{PAGE}"
                return (await browsing.send(url, b"password=hush", page, CookieJar())).body

    server = Http2Server(web, refusal=refusal)
    assert asyncio.run(run(server)) == b"welcome"
    asked = [(each[":method"], each[":path"], each.get("cookie")) for each in server.requests]
    assert asked == [("POST", "/enter", None), ("GET", "/end", "in=1")]
    assert server.sent == b"password=hush"
