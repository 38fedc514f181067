"""A request: the protocol of every kind, as the engine knows it.

A request begins when the turn of its host has come: it is refused, or asked. Its answer is absorbed once it is there,
or the request is put back as if it had never been made.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from minicrawl.crawler.hosts.clocks import Host, HostTurn
from minicrawl.crawler.known.known_pages import KnownHosts
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, State
from minicrawl.reasons import NO_HOST, SILENT, has

HOST_BANNED = "host-banned"
"""The reason code of pages that wait on a banned host."""


class Refusal(NamedTuple):
    """The reason for which a request is not to be made before `until`."""

    state: State
    reason: str
    until: float


Deliver = Callable[[int, Callable[[float], None]], None]
"""Hands an answer or command to the loop: the number of URLs that it leads to, and what absorbs it then."""


class Request(ABC):
    """One request to a host.

    `page`: the page that needs it. `fetched`: the answer, or the reason for its absence, once it is there.
    `opens`: hosts are closed without its answer. `waits`: it waits for its turn among the errands of its host.
    `alternates`: it may have every second turn of a host with pages.
    `is_page`: it counts among the pages to fetch, and is waited for when the crawl stops. `takes_slot`: it counts
    among the requests in flight. `obeys_robots`: robots.txt may forbid it; `obeys_usage`: so may preferences on use.
    `checks_life`: any answer will do.
    """

    opens = False
    waits = False
    alternates = False
    is_page = False
    takes_slot = True
    obeys_robots = True
    obeys_usage = True
    checks_life = False
    fetched: Fetched

    def __init__(self, hosts: KnownHosts, host: Host, url: str, page: int | None = None) -> None:
        self.hosts = hosts
        self.host = host
        self.url = url
        self.page = page

    @property
    def turn(self) -> HostTurn:
        return HostTurn(self.host, errand=self)

    @property
    def links(self) -> int:
        """The number of URLs that the answer leads to."""
        return 0

    @property
    def reason(self) -> str | None:
        """The reason for the absence of an answer, or None."""
        return self.fetched.reason

    @property
    def failure(self) -> str | None:
        """The reason for the absence of a usable answer, or None."""
        return self.reason

    @property
    def shows_life(self) -> bool | None:
        """True if the host is alive, False if it was silent; None: the answer does not tell."""
        if self.reason is None:
            return True
        if has(self.reason, SILENT):
            return False
        return None if has(self.reason, NO_HOST) else True

    def refusal(self, now: float) -> Refusal | None:
        """The refusal of this request for another reason than robots.txt, or None."""
        return Refusal(State.ERROR, HOST_BANNED, now) if self.host.is_banned else None

    def in_place(self) -> "Request":
        """The request to make in this turn: this one, or another that is due there."""
        return self

    def begin(self, now: float) -> None:
        if self.waits:
            self.hosts.frontier.hand_out_errand(self.host, self, now)
        else:
            self.hosts.frontier.begin(self.host, self, now)

    def prepare(self) -> None:  # noqa: B027 - most kinds know what they ask for
        """Work out what to request, once it has begun and is not refused. Here the store may be read: while it is
        asked, a commit may be under way."""

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        """Record that a request that was begun is refused. Ends the turn."""
        self.hosts.frontier.end_turn(self.turn, now, asked=False)

    @abstractmethod
    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        """Send the request and keep its answer. deliver: takes parts of the answer before all of it is there."""

    def on_arrival(self, now: float) -> None:  # noqa: B027 - most kinds have nothing to do then
        """Called when the answer is there, whatever becomes of it."""

    @abstractmethod
    def on_answer(self, now: float) -> None:
        """Absorb the answer, or its absence. Ends the turn."""

    def put_back(self, rest: float, now: float) -> None:
        """Let this wait for another turn as if it had not had one; its host rests for `rest` seconds."""
        self.hosts.spare(self.turn, rest, now)
        if self.waits:
            self.hosts.frontier.add_errand(self.host, self, now)

    def fail(self, turn: HostTurn, reason: str, now: float) -> None:
        """Fail without a request, because the errand that it waited for failed; ends the turn of that errand."""
        self.hosts.frontier.pass_on(turn, self, now)
        self.fetched = Fetched(self.url, reason=reason)
        self.on_answer(now)


class Kind:
    """A source of errands: a kind of request that gives hosts errands by itself. `outlasts_pages`: a crawl that has its
    pages ends once these have been asked for, too."""

    outlasts_pages = False

    def line_up(self, now: float) -> None:
        """Give hosts the errands that are due. Called before every choice, so it must be quick."""

    def next_ready(self) -> float | None:
        """Unix seconds at which the next errand will be due; None if none will."""
        return None

    def on_commit(self, now: float) -> None:
        """Called after a commit."""

    def on_nothing_left(self, now: float) -> bool:
        """Called when nothing is left to do and everything is committed; returns True if there is more to do now."""
        return False
