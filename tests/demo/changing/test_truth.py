"""The truth of the changing web, and the web itself, over a real socket."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp
import pytest

from minicrawl.demo.changing.truth import HOST, answering, truth
from minicrawl.demo.changing.web import ChangingWeb
from minicrawl.demo.server import serving_answers
from minicrawl.demo.web import DemoWeb

NOW = 1_800_000_000.5


@pytest.fixture(scope="module")
def web() -> ChangingWeb:
    return ChangingWeb(DemoWeb.generate(seed=5, hosts=13, pages=400), speed=1000.0)


def answers(
    respond: Callable[..., Any], asked: list[tuple[str, dict[str, str]]]
) -> list[tuple[int, Mapping[str, str], bytes]]:
    """(status, header fields, body) of every (URL, header fields), asked of a server by its Host header."""

    async def ask() -> list[tuple[int, Mapping[str, str], bytes]]:
        async with serving_answers(respond) as port, aiohttp.ClientSession() as client:
            found: list[tuple[int, Mapping[str, str], bytes]] = []
            for url, fields in asked:
                host, _, path = url.removeprefix("http://").partition("/")
                address, given = f"http://127.0.0.1:{port}/{path}", {"Host": host, **fields}
                async with client.get(address, headers=given, allow_redirects=False) as response:
                    found.append((response.status, response.headers, await response.read()))
            return found

    return asyncio.run(ask())


def test_it_is_what_the_pages_answer(web: ChangingWeb) -> None:
    (status, headers, body), *replies = answers(
        answering(web, lambda: NOW),
        [(f"http://{HOST}/?since={NOW - 900}", {}), *((url, {}) for url in web.web.truth())],
    )
    pages = json.loads(body)["pages"]
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert pages == truth(web, NOW, NOW - 900)["pages"]
    for url, (reply_status, _, text) in zip(web.web.truth(), replies, strict=True):
        page = pages[url]
        assert page["status"] == reply_status
        assert page["importance"] >= 0
        assert page["changes"] == [] or page["changes"][-1] == page["changed_at"] <= NOW
        if not page["is_noisy"]:
            assert web.respond(url, {}, max(page["changed_at"], NOW - 900)).body == text
    assert sum(page["importance"] for page in pages.values()) == pytest.approx(1.0, abs=0.02)  # but moved addresses
    assert sum(len(page["changes"]) for page in pages.values()) > 100


def test_conditional_requests_over_a_socket(web: ChangingWeb) -> None:
    plain = [page.url for page in web.web.pages() if web.life(page.url).kind == "plain"]
    url = next(url for url in plain if web.manner(url) == "nginx" and web.life(url).rate < 0.01)
    at = [web.life(url).last_change(NOW) + 0.5]
    ((_, fields, body),) = answers(answering(web, lambda: at[0]), [(url, {})])
    both = {"If-None-Match": fields["ETag"], "If-Modified-Since": fields["Last-Modified"]}
    date = {"If-Modified-Since": fields["Last-Modified"]}
    other = {"If-None-Match": '"other"', **date}
    replies = answers(answering(web, lambda: at[0]), [(url, both), (url, date), (url, other), (url, {})])
    assert [status for status, _, _ in replies] == [304, 304, 200, 200]
    assert [text for _, _, text in replies] == [b"", b"", body, body]
    at[0] = web.life(url).changes(at[0], at[0] + 86_400)[0]
    replies = answers(answering(web, lambda: at[0]), [(url, both), (url, date)])
    assert [status for status, _, _ in replies] == [200, 200]


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("other", 404, "There is no such page."),
        ("?since=yesterday", 400, "A time is in seconds since 1970: could not convert string to float: 'yesterday'."),
        ("?until=1", 400, "There is at= and since=, but no until=."),
        ("?at=nan", 400, "The web is known from 946684800 to 32503680000, not at nan."),
        ("?at=1e300", 400, "The web is known from 946684800 to 32503680000, not at 1e+300."),
        ("?since=nan", 400, "Changes are listed for 86400 seconds at most: from 1799913600 to 1800000000."),
        ("?since=0", 400, "Changes are listed for 86400 seconds at most: from 1799913600 to 1800000000."),
    ],
)
def test_what_cannot_be_asked_is_said(web: ChangingWeb, path: str, status: int, text: str) -> None:
    reply = answering(web, lambda: NOW)(f"http://{HOST}/{path}", {})
    assert (reply.status, reply.body.decode()) == (status, f"{text}\n")
