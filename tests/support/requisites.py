"""A site with style sheets, pictures and frames, as answers by URL; and crawls that keep what pages need."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any  # Any: replies, settings

import httpx
from support import skipping
from support.sites import Server

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport

TYPES = {"css": "text/css", "png": "image/png", "js": "text/javascript", "woff2": "font/woff2", "mp4": "video/mp4"}
Replies = Mapping[str, Any]
"""By URL: the text of a page or a file, as its ending says; a status; "-> URL", a redirect; or an answer as it is."""


def file(url: str, reply: Any) -> Any:
    """The reply that serves it."""
    if isinstance(reply, (int, httpx.Response)):
        return reply
    if isinstance(reply, str) and reply.startswith("-> "):
        return lambda *_: httpx.Response(302, headers={"location": reply[3:]})
    headers = {"content-type": TYPES.get(url.rpartition(".")[2], "text/html")}
    body = reply.encode() if isinstance(reply, str) else reply
    return lambda *_: httpx.Response(200, headers=headers, content=body)


def files_of(replies: Replies) -> Server:
    """Serves them; anything else is a 404."""
    served = {url: file(url, reply) for url, reply in replies.items()}
    return Server(served, beside={url: reply for url, reply in served.items() if url.endswith("/robots.txt")})


def crawl_whole(replies: Replies | Server, folder: Path, seed: str, **settings: Any) -> tuple[CrawlReport, Server]:
    """Crawl with all requisites into `folder`/kept, by the store crawl.db beside it; waits for nothing."""
    server = replies if isinstance(replies, Server) else files_of(replies)
    options = {"archive": folder / "kept", "requisites": True, "traps": False, **settings}
    return skipping.run(acrawl([seed], folder / "crawl.db", transport=server, **options), grace=0.0), server
