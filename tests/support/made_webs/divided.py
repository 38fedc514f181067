"""Made sites as the hosts of a web, crawled in partitions with no network and no processes, by the steps of a turn."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock
from urllib.parse import urlsplit

from support.made_webs.web import Answer, MadeWeb, links_to
from support.partitions import Partitions

from minicrawl.crawler.requests.request import Request
from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.visits.visit import PageTurn
from minicrawl.model import Fetched, PageRequest, ParsedPage, Wanted

TYPE = "text/html; charset=utf-8"


class MadeHosts:
    """A source of pages: made sites by host, of which each links to all others. `asked`: what was answered, by URL."""

    def __init__(self, sites: Mapping[str, MadeWeb]) -> None:
        self.asked: dict[str, Answer] = {}
        self.sites = sites
        for host, site in sites.items():
            site.pages["/"] += links_to(f"http://{other}/" for other in sites if other != host)

    @property
    def wanted(self) -> set[str]:
        return {f"http://{host}{key}" for host, site in self.sites.items() for key in site.wanted}

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        url = request.url
        host = urlsplit(url).netloc
        self.asked[url] = found = self.sites[host].answer(url.removeprefix(f"http://{host}"))
        fetched = Fetched(url, status=found.status, content_type=TYPE, location=found.fields.get("Location"))
        if found.status != 200:
            return fetched, ParsedPage()
        wanted = Wanted(anchors=True, short_text=True, lines=request.lines)
        body = found.body.encode()
        fetched = fetched._replace(size=len(body))
        parsed, identity = read_page(body, url, TYPE, wanted)
        return fetched._replace(**identity._asdict()), parsed


class DividedWeb(Partitions):
    """Partitions of one crawl of made sites, which judge URLs."""

    def __init__(self, folder: Path, sites: Mapping[str, MadeWeb], count: int, **settings: Any) -> None:
        folder.mkdir()
        self.hosts = MadeHosts(sites)
        seeds: Sequence[str] = [f"http://{next(iter(sites))}/"]
        super().__init__(folder, {}, seeds, count, traps=True, **settings)

    def turn(self, number: int) -> bool:
        intake, now = self.open[number], next(self._clock)
        if (due := intake.state.frontier.best_errand(now)) is not None:  # a witness
            request = cast(Request, due[1])
        elif (page := intake.state.frontier.best_page(now, attempts=True)) is not None:
            request = PageTurn(intake.visits, lambda url: True, page)
        else:
            return False
        refusal = request.refusal(now)
        if refusal is not None:
            request.begin(now)
            request.on_refusal(refusal, now)
            return True
        asked = request.in_place()
        asked.begin(now)
        asked.prepare()
        asyncio.run(asked.ask(cast(PageSource, self.hosts), Mock()))
        asked.on_answer(next(self._clock))
        return True
