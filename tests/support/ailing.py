"""Two hosts, of which one falls ill once some of its pages were read."""

from pathlib import Path
from typing import Any

import httpx
from support.sites import Server, crawl

from minicrawl.model import CrawlReport

ILL, WELL = "http://ill.test/", "http://well.test/"
PAGES = 9  # of each
READ = 5  # of these, before one is ill
WAITING = PAGES - READ


class Ailing(Server):
    """One host is well for READ answers for pages, and again from answer `well_again` on; between them it answers with
    a status, or not at all."""

    def __init__(self, status: int | None, well_again: int = 10**9) -> None:
        self._status, self._well_again, self._answers = status, well_again, 0
        site: dict[str, list[str]] = {}
        for home in (ILL, WELL):
            others = [f"{home}{name}/{name}" for name in "abcdefgh"]
            site |= {url: [f"<title>{url}</title><p>{url * 9}", home] for url in others} | {home: ["<p>home", *others]}
        super().__init__(site)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        well = super()._answer(request)
        if request.url.host != "ill.test" or request.url.path == "/robots.txt":
            return well
        self._answers += 1
        if self._answers <= READ or self._answers >= self._well_again:
            return well
        if self._status is None:
            raise httpx.ConnectError("nobody listens")
        return httpx.Response(self._status)


def crawl_ailing(store: Path, status: int | None = 503, well_again: int = 10**9, **settings: Any) -> CrawlReport:
    """Crawl both hosts, until all other pages wait for the one that is ill, if it is not well again before."""
    given = {"patience": 30.0, "traps": False} | settings
    return crawl(Ailing(status, well_again), store, [ILL, WELL], **given)[0]
