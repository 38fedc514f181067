"""A request for a page as witness: whether its host is well, see crawler/visits/host_judge.py."""

from collections.abc import Callable

from minicrawl import log
from minicrawl.crawler.hosts.clocks import Host
from minicrawl.crawler.known.known_pages import KnownHosts
from minicrawl.crawler.requests.request import Deliver, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, PageRequest, ParsedPage

OnWitness = Callable[[Host, int, Fetched, ParsedPage, float], None]


class WitnessRequest(Request):
    """An errand of a host that is closed until the answer is there. The answer is no turn of the page.

    on_witness: judges the host by the answer; dismiss: opens it, as the page must not be asked for.
    """

    opens = waits = True

    def __init__(  # noqa: PLR0913 - who is asked, and who judges
        self,
        hosts: KnownHosts,
        host: Host,
        url: str,
        witness: int,
        on_witness: OnWitness,
        dismiss: Callable[[Host, float], None],
    ) -> None:
        super().__init__(hosts, host, url)
        self._witness, self._on_witness, self._dismiss = witness, on_witness, dismiss
        self._parsed = ParsedPage()

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        super().on_refusal(refusal, now)
        self._dismiss(self.host, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        log.event("asking-witness", url=self.url)
        self.fetched, self._parsed = await source.page(PageRequest(self.url))

    def on_answer(self, now: float) -> None:
        self.hosts.end_turn(self.turn, self.fetched, now)
        self._on_witness(self.host, self._witness, self.fetched, self._parsed, now)
