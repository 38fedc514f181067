"""Requests for the IP address of a host."""

from collections.abc import Callable

from minicrawl.crawler.hosts.outage import SILENT
from minicrawl.crawler.requests.request import Deliver, HostTurns, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, Located


class LookUp(Request):
    """An errand that makes another request possible. Meanwhile the pages of the host wait.

    clocked: maps URL and address to the address whose clock the host shares.
    """

    opens = True
    takes_slot = False
    obeys_robots = False

    def __init__(self, turns: HostTurns, request: Request, clocked: Callable[[str, str], str], lifetime: float) -> None:
        super().__init__(turns, request.host, request.url, request.page)
        self.checks_life = request.checks_life
        self._request = request
        self._clocked = clocked
        self._lifetime = lifetime
        self._located = Located()

    @property
    def shows_life(self) -> bool | None:
        if self.reason is None:
            return None  # the name server is not the host
        return False if self.checks_life or self.reason in SILENT else None

    def begin(self, now: float) -> None:
        super().begin(now)
        self.turns.frontier.close(self.host, now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        self._located = await source.locate(self.url)
        self.fetched = Fetched(self.url, reason=self._located.reason)

    def on_arrival(self, now: float) -> None:
        self.turns.frontier.looked_up(self.reason != "dns-unanswered", now)

    def on_answer(self, now: float) -> None:
        frontier = self.turns.frontier
        if self.reason is None:
            frontier.end_turn(self.turn, now, asked=False)
            self.turns.located(self.host, self._clocked(self.url, self._located.address), now + self._lifetime, now)
            self._request.on_located(now)
        else:
            self._request.fail(self.turn, self.reason, now)
        frontier.open(self.host, now)

    def put_back(self, rest: float, now: float) -> None:
        super().put_back(rest, now)
        self.turns.frontier.open(self.host, now)
