"""Sites with files at places that everybody knows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
from support.sites import Reply, Server, rows
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport

Files = Mapping[str, tuple[str | None, str | bytes]]


class WithFiles(Server):
    """Serves a site, and files by URL: their types and contents. `files` counts requests for anything that ends so."""

    def __init__(self, site: Mapping[str, Reply], files: Files, robots: str | int = 404) -> None:
        super().__init__(site, robots)
        self.files = dict(files)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        kind, content = self.files.get(str(request.url), (None, None))
        if content is None:
            return super()._answer(request)
        self.asked.append(str(request.url))
        body = content.encode() if isinstance(content, str) else content
        return httpx.Response(200, content=body, headers={"content-type": kind} if kind else {})

    @property
    def asked_files(self) -> list[str]:
        return [url for url in self.asked if url.endswith(".txt")]


def crawl(server: httpx.MockTransport, store: Path, *seeds: str, **settings: Any) -> CrawlReport:
    """Crawl without waiting, but for the children that read files."""
    return run(acrawl(list(seeds), store, transport=server, **settings), grace=0.02)


def outcomes(store: Path) -> dict[str, str]:
    """The reasons of the files that origins were asked for."""
    return dict(rows(store, "SELECT url, reason FROM part_well_known"))


def pages(store: Path) -> dict[str, str]:
    """The reasons of all pages."""
    return dict(rows(store, "SELECT url, reason FROM pages"))
