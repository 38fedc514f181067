"""Which of the user's headers go to which origin."""

import asyncio
from pathlib import Path

import httpx
import pytest
from support.sites import Server

from minicrawl.api import acrawl
from minicrawl.crawler.http.request_headers import Headers
from minicrawl.errors import SettingError
from minicrawl.settings import Header

SEEDS = frozenset({"https://a.test", "http://b.test:81"})


@pytest.mark.parametrize(
    ("header", "sites"),
    [
        ("Accept-Language: de", "https://a.test http://a.test http://b.test:81 http://b.test https://c.test"),
        ("Authorization: x", "https://a.test http://b.test:81"),
        ("Cookie: x", "https://a.test http://b.test:81"),
        ("a.test=Cookie: x", "https://a.test"),
        ("b.test:81=X-Plain: x", "http://b.test:81"),
        ("A.Test=X-Plain: x", "https://a.test http://a.test"),
        ("https://a.test=Cookie: x", "https://a.test"),
        ("b.test=Cookie: x", "http://b.test:81"),
        ("http://b.test=Cookie: x", "http://b.test"),
        ("b.test:81=Cookie: x", "http://b.test:81"),
        ("b.test:80=Cookie: x", ""),
        ("d.test=Cookie: x", ""),
    ],
)
def test_a_header_goes_to_whom_it_is_for(header, sites):
    headers = Headers([Header.parse(header)], SEEDS)
    asked = ["https://a.test", "http://a.test", "http://b.test:81", "http://b.test", "https://c.test"]
    assert [site for site in asked if headers.going_to(site)] == sites.split()


def test_a_host_may_be_spelled_as_a_browser_takes_it():
    headers = Headers([Header.parse("bücher.test=X-A: b")], frozenset())
    assert headers.going_to("http://xn--bcher-kva.test") == [("X-A", "b")]


def test_a_host_that_is_none_is_told():
    with pytest.raises(SettingError, match="is no host; write it as"):
        Headers([Header.parse("a..b%%=X-A: b")], frozenset())


class Told(Server):
    """Remembers which requests had which of the headers X-Plain and Authorization."""

    def __init__(self, site):
        super().__init__(site, robots="")
        self.told = {}

    def _answer(self, request: httpx.Request) -> httpx.Response:
        names = [name for name in ("x-plain", "authorization") if name in request.headers]
        self.told[str(request.url)] = names
        return super()._answer(request)


def test_nothing_secret_leaves_the_seeds_origins(tmp_path: Path) -> None:
    """Not by a link, nor a redirect, nor the robots.txt of another host; and the seeds of earlier runs count."""
    server = Told(
        {
            "http://a.test/": ["http://b.test/", "https://a.test/x", "/moved", "http://a.test:81/"],
            "http://a.test/moved": "http://c.test/",
        }
    )
    options = {"transport": server, "delay": 0.0, "header": ("Authorization: hush", "X-Plain: hello")}
    asyncio.run(acrawl(["http://a.test/"], tmp_path / "crawl.db", pages=1, **options))
    asyncio.run(acrawl([], tmp_path / "crawl.db", **options))
    both, plain = ["x-plain", "authorization"], ["x-plain"]
    assert {url: names for url, names in server.told.items() if "cannot" not in url} == {
        "http://a.test/robots.txt": both,
        "http://a.test/": both,
        "http://a.test/moved": both,
        **{
            f"{site}{path}": plain
            for site, path in [
                ("http://b.test/", ""),
                ("http://b.test/", "robots.txt"),
                ("https://a.test/", "x"),
                ("https://a.test/", "robots.txt"),
                ("http://a.test:81/", ""),
                ("http://a.test:81/", "robots.txt"),
                ("http://c.test/", ""),
                ("http://c.test/", "robots.txt"),
            ]
        },
    }
