"""A site with style sheets, pictures and frames, as answers by URL; and crawls that keep what pages need."""

import asyncio
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any  # Any: replies, settings

import httpx
from support import skipping

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport

TYPES = {"css": "text/css", "png": "image/png", "js": "text/javascript", "woff2": "font/woff2", "mp4": "video/mp4"}
Replies = Mapping[str, Any]
"""By URL: the text of a page or a file, as its ending says; a status; "-> URL", a redirect; or an answer as it is."""


class Files(httpx.MockTransport):
    """Serves answers, and remembers what was asked for; anything else is a 404."""

    def __init__(self, replies: Replies) -> None:
        self.replies = dict(replies)
        self.asked: list[str] = []
        self._times: dict[str, list[float]] = {}
        super().__init__(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        self.asked.append(url)
        self._times.setdefault(request.url.host, []).append(asyncio.get_running_loop().time())
        reply = self.replies.get(url, 404)
        if isinstance(reply, httpx.Response):
            return reply
        if isinstance(reply, int):
            return httpx.Response(reply)
        if isinstance(reply, str) and reply.startswith("-> "):
            return httpx.Response(302, headers={"location": reply[3:]})
        kind = TYPES.get(url.rpartition(".")[2], "text/plain" if url.endswith("/robots.txt") else "text/html")
        body = reply.encode() if isinstance(reply, str) else reply
        return httpx.Response(200, headers={"content-type": kind}, content=body)

    def shortest_gap(self) -> float:
        """Seconds between two requests to one host, at least."""
        return min(later - time for times in self._times.values() for time, later in pairwise(times))

    @property
    def files(self) -> list[str]:
        """The URLs asked for, but for robots.txt files."""
        return [url for url in self.asked if not url.endswith("/robots.txt")]


def crawl_whole(replies: Replies | Files, folder: Path, seed: str, **settings: Any) -> tuple[CrawlReport, Files]:
    """Crawl with all requisites into `folder`/kept, by the store crawl.db beside it; waits for nothing."""
    server = replies if isinstance(replies, Files) else Files(replies)
    options = {"archive": folder / "kept", "requisites": True, "traps": False, **settings}
    return skipping.run(acrawl([seed], folder / "crawl.db", transport=server, **options), grace=0.0), server
