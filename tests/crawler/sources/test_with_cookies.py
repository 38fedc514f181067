"""Cookies of requests and of their answers, whoever asks."""

import asyncio
from collections.abc import Mapping

from minicrawl.crawler.http.cookies import CookieJar
from minicrawl.crawler.sources.source import GiveUrls, Wait
from minicrawl.crawler.sources.with_cookies import WithCookies
from minicrawl.model import Fetched, Located, PageRequest, ParsedPage, SitemapAnswer

HOME = "https://a.test/"


class Source:
    """Sets a cookie by every page, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        self.asked.append(request)
        return Fetched(request.url, 200, set_cookies=(f"n={len(self.asked)}", "old=1; Max-Age=5")), ParsedPage()

    def waits(self) -> Mapping[str, Wait]:
        return {}

    async def robots(self, url: str) -> Fetched:
        self.asked.append(url)
        return Fetched(url, 200)

    async def locate(self, url: str) -> Located:
        return Located("192.0.2.1")

    async def sitemap(self, url: str, give: GiveUrls) -> SitemapAnswer:
        self.asked.append(url)
        return SitemapAnswer(Fetched(url, 200))

    async def __aenter__(self) -> "Source":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.asked.append("end")


def _forget(urls: object, *_: object) -> None:
    pass


def test_cookies_go_along_with_pages_and_with_nothing_else() -> None:
    source, times = Source(), iter([10.0, 10.0, 16.0, 16.0, 16.0, 16.0])

    async def run() -> None:
        async with WithCookies(source, CookieJar(), lambda: next(times)) as asked:
            await asked.page(PageRequest(HOME, headers=(("X", "y"),)))
            await asked.page(PageRequest(HOME, headers=(("X", "y"),)))
            await asked.page(PageRequest("https://b.test/"))
            await asked.robots(HOME + "robots.txt")
            assert (await asked.locate(HOME)).address == "192.0.2.1"
            await asked.sitemap(HOME + "sitemap.xml", _forget)

    asyncio.run(run())
    assert source.asked == [
        PageRequest(HOME, headers=(("X", "y"),)),
        PageRequest(HOME, headers=(("X", "y"), ("Cookie", "n=1"))),
        PageRequest("https://b.test/"),
        HOME + "robots.txt",
        HOME + "sitemap.xml",
        "end",
    ]
