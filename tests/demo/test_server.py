"""The generated web over a real socket."""

import asyncio

import aiohttp
import pytest

from minicrawl.demo.web import DemoWeb, serving


@pytest.fixture(scope="module")
def web() -> DemoWeb:
    return DemoWeb.generate(seed=3, hosts=4, pages=60)


async def answers(web: DemoWeb, urls: list[str]) -> list[tuple[int, str | None, str | None, bytes]]:
    """(status, Location, Content-Type, body) of every URL, asked of the server by its Host header."""
    async with serving(web) as port, aiohttp.ClientSession() as client:
        found = []
        for url in urls:
            host, _, path = url.removeprefix("http://").partition("/")
            address = f"http://127.0.0.1:{port}/{path}"
            async with client.get(address, headers={"Host": host}, allow_redirects=False) as response:
                headers = response.headers
                body = await response.read()
                found.append((response.status, headers.get("Location"), headers.get("Content-Type"), body))
        return found


def test_server_says_what_the_web_responds(web: DemoWeb) -> None:
    host = web.hosts[2]
    urls = [
        *web.seeds,
        f"http://{host}/caf%C3%A9-d%C3%A9j%C3%A0-vu",
        f"http://{host}/robots.txt",
        f"http://{host}/nothing?here=1",
        f"{web.calendar}2026/11",
        next(url for url in web.truth() if web.respond(url).status == 302),
        "http://unknown.test/",
    ]
    replies = [web.respond(url) for url in urls]
    assert {reply.status for reply in replies} >= {200, 302, 404}
    for reply, (status, location, content_type, body) in zip(replies, asyncio.run(answers(web, urls)), strict=True):
        assert (status, body) == (reply.status, reply.body)
        assert location == reply.headers.get("Location")
        assert location or content_type == reply.headers["Content-Type"]


async def test_port_is_free_again_afterwards(web: DemoWeb) -> None:
    async with serving(web) as port:
        pass
    async with serving(web, port) as again:
        assert again == port
