"""Asking for pages that cannot exist, or that may say the same without a parameter, to learn how their host answers."""

import logging
from collections.abc import Callable
from typing import Protocol

from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.requests.host_turns import HostTurns
from minicrawl.crawler.requests.request import Deliver, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.model import Fetched

_log = logging.getLogger("minicrawl")


class Recognition(Protocol):
    """Who decides what to probe, and learns from the answers, see crawler/visits/same_page.py."""

    def due_probe(self, site: str) -> str | None: ...

    def put_back_probe(self, url: str) -> None: ...

    def absorb_probe(self, fetched: Fetched, now: float) -> None: ...


class Probes:
    """Which probes are due. is_allowed: whether robots.txt, which is known, allows a URL."""

    def __init__(self, recognition: Recognition, is_allowed: Callable[[str], bool]) -> None:
        self.recognition = recognition
        self._is_allowed = is_allowed

    def due(self, url: str) -> str | None:
        """What to ask for in place of a page at `url` that could be asked for now, or None."""
        probe = self.recognition.due_probe(origin_of(url))
        return probe if probe is not None and self._is_allowed(probe) else None


class Probe(Request):
    """A request in place of one for a page, which waits on."""

    def __init__(self, probes: Probes, turns: HostTurns, host: Host, url: str, page: int) -> None:
        super().__init__(turns, host, url, page)
        self._recognition = probes.recognition

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        _log.debug("asking for %s, which cannot exist", self.url)
        self.fetched, _ = await source.page(self.url)

    def on_answer(self, now: float) -> None:
        self._recognition.absorb_probe(self.fetched, now)
        self.turns.answered(self.turn, self.fetched, now)

    def put_back(self, rest: float, now: float) -> None:
        self._recognition.put_back_probe(self.url)
        super().put_back(rest, now)
