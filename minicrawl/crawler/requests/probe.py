"""Asking for pages that cannot exist, or that may say the same without a parameter, to learn how their host answers."""

from typing import Protocol

from minicrawl import log
from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.requests.host_turns import HostTurns
from minicrawl.crawler.requests.request import Deliver, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, PageRequest


class Probes(Protocol):
    """Which probe is due at an origin, and who learns from the answer, see crawler/visits/due_probes.py."""

    def due(self, origin: str) -> str | None: ...

    def put_back(self, url: str) -> None: ...

    def absorb(self, fetched: Fetched, now: float) -> None: ...


class Probe(Request):
    """A request in place of one for a page, which waits on."""

    def __init__(self, probes: Probes, turns: HostTurns, host: Host, url: str, page: int) -> None:
        super().__init__(turns, host, url, page)
        self._probes = probes

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        log.asking_for_missing(url=self.url)
        self.fetched, _ = await source.page(PageRequest(self.url))

    def on_answer(self, now: float) -> None:
        self._probes.absorb(self.fetched, now)
        self.turns.answered(self.turn, self.fetched, now)

    def put_back(self, rest: float, now: float) -> None:
        self._probes.put_back(self.url)
        super().put_back(rest, now)
