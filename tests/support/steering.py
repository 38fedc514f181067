"""Crawls that are steered while they run: a server whose answers can be held back, and what goes with it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
from support.sites import Server, Site, rows

from minicrawl import Crawl
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def pages(number: int, host: str = "a.test") -> list[str]:
    """URLs of so many pages."""
    return [f"http://{host}/{page}" for page in range(number)]


def wide(number: int = 20, *hosts: str) -> Site:
    """A home page that links to so many others of every host."""
    others = [url for host in hosts or ("a.test",) for url in pages(number, host)]
    return {HOME: others} | {url: [] for url in others}


class Steered(Server):
    """Answers only as long as `open`, and remembers how many requests were in flight at most, and when each came."""

    def __init__(self, site: Site, robots: str | int = 404, takes: float = 0.001) -> None:
        """takes: seconds until an answer."""
        super().__init__(site, robots)
        self.takes = takes
        self.open = asyncio.Event()
        self.open.set()
        self.in_flight = self.most = 0
        self.came: list[tuple[float, str]] = []

    async def _answer(self, request: httpx.Request) -> httpx.Response:  # type: ignore[override]
        self.came.append((asyncio.get_running_loop().time(), str(request.url)))
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await asyncio.sleep(self.takes)
            await self.open.wait()
        finally:
            self.in_flight -= 1
        return super()._answer(request)

    async def until(self, asked: int) -> None:
        """Wait for so many requests for pages."""
        while len(self.asked) < asked:
            await asyncio.sleep(0.001)

    async def hold_back(self, in_flight: int) -> None:
        """Answer nothing more, and wait for so many requests in flight."""
        self.open.clear()
        while self.in_flight < in_flight:
            await asyncio.sleep(0.001)


def steered(server: Server, store: Path, seeds: Any = HOME, **settings: Any) -> Crawl:
    """A crawl of a server, without robots.txt files and traps."""
    return Crawl(seeds, store, transport=server, **({"delay": 0.01, "ignore_robots": True, "traps": False} | settings))


def kept(store: Path, name: str) -> Any:
    """A setting as the store keeps it."""
    with open_store(store) as reader:
        return reader.meta_json("settings")[name]


def kept_list(store: Path, key: str) -> Any:
    """What the store keeps as JSON under a key."""
    return json.loads(rows(store, "SELECT value FROM meta WHERE key = ?", key)[0][0])
