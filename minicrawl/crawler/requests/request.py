"""A request: the protocol of every kind, as the engine knows it, and the end of a host's turn.

A request begins when the turn of its host has come: it is refused, or asked. Its answer is absorbed once it is there,
or the request is put back as if it had never been made.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from minicrawl import log
from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import Host, HostTurn
from minicrawl.crawler.hosts.outage import SILENT
from minicrawl.crawler.hosts.politeness import FRESH, after, delay_of
from minicrawl.crawler.http.transport import PROXY
from minicrawl.crawler.known.known_hosts import KnownHosts
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, State
from minicrawl.timing import Timing


class HostTurns:
    """Sets the clocks of hosts by what came of their turns."""

    def __init__(self, frontier: Frontier, hosts: KnownHosts, admission: Admission, timing: Timing) -> None:
        self.frontier = frontier
        self._hosts = hosts
        self._admission = admission
        self._timing = timing

    def set_least_delay(self, delay: float, now: float) -> None:
        """Let all hosts be asked that often at most; what they or their robots.txt files ask for holds as before."""
        self._hosts.delays = replace(self._hosts.delays, least=delay)
        for host in self.frontier.hosts:
            least = self._hosts.delays.of(host.name, host.crawl_delay)
            if not least:
                host.health = FRESH
            delay_now = delay_of(least, host.health)
            if delay_now != host.delay:
                self.frontier.set_delay(host, delay_now, now)
                self._hosts.note_change(host)

    def revive(self, host: Host) -> None:
        """Take a host for alive that may be dead: somebody wants to know."""
        if host.health.strains or host.health.dead_until:
            host.health = replace(host.health, strains=0, dead_until=0.0)
            self._hosts.note_change(host)

    def set_crawl_delay(self, host: Host, crawl_delay: float, now: float) -> None:
        """Take in what a host's robots.txt asks for; a longer delay runs from now on."""
        before = host.delay
        self._hosts.note_crawl_delay(host, crawl_delay)
        host.delay = delay_of(self._hosts.delays.of(host.name, crawl_delay), host.health)
        if host.delay > before:
            self.frontier.rest(host, now + host.delay, now)

    def located(self, host: Host, address: str, until: float, now: float) -> None:
        """Take in the IP address of a host, good until then."""
        clock = "" if self._hosts.delays.is_shorter(host.name) else address
        self.frontier.locate(host, clock, until, now)
        if address and until < math.inf:  # a name server has said so, not the user
            self._admission.note_address(host.name, address)

    def answered(self, turn: HostTurn, fetched: Fetched, now: float, rest: float = 0.0) -> None:
        """The request that was made in a turn is over: set its host's clock by how it was answered."""
        host = turn.host
        self._hosts.note_change(host)
        if fetched.status is not None:
            self._hosts.answered.add(host.id)
        base = self._hosts.delays.of(host.name, host.crawl_delay)
        if base:
            host.health = after(host.health, fetched, base, now, self._timing)
            host.delay = delay_of(base, host.health)
        self._hosts.is_urgent |= rest > 0 or host.health.strains > 0
        left = now - fetched.waited if fetched.waited else math.inf
        self.frontier.end_turn(turn, now, left=left, not_before=now + rest)
        if host.health.dead_until > now:
            log.host_dead(host=host.name)
            self.frontier.free(host, now)

    def spare(self, turn: HostTurn, rest: float, now: float) -> None:
        """A turn has come to nothing, and not for its host's sake: as if it had not been, but for the host's clock."""
        self._hosts.note_change(turn.host)
        self.frontier.end_turn(turn, now, not_before=now + rest)


HOST_BANNED = "host-banned"
"""The reason code of what waits on a banned host."""


class Refusal(NamedTuple):
    """Why a request is not to be made before `until`."""

    state: State
    reason: str
    until: float


class Arrival(NamedTuple):
    """What has come, to be taken in by the loop. `links`: how many URLs it leads to."""

    links: int
    take: Callable[[float], None]


Deliver = Callable[[Arrival], None]


class Request(ABC):
    """One request to a host.

    `page`: for whose sake it is made. `fetched`: the answer, or why there is none, once it is there.
    `opens`: it asks for what keeps hosts closed. `waits`: it waits for its turn among the errands of its host.
    `is_page`: it counts among the pages that a crawl is to fetch, and is waited for when the crawl stops.
    `takes_slot`: it counts among the requests that may be in flight. `obeys_robots`: robots.txt may forbid it.
    `checks_life`: it asks only whether anybody answers.
    """

    opens = False
    waits = False
    is_page = False
    takes_slot = True
    obeys_robots = True
    checks_life = False
    fetched: Fetched

    def __init__(self, turns: HostTurns, host: Host, url: str, page: int | None = None) -> None:
        self.turns = turns
        self.host = host
        self.url = url
        self.page = page

    @property
    def turn(self) -> HostTurn:
        """The turn of its host in which it is made."""
        return HostTurn(self.host, errand=self)

    @property
    def links(self) -> int:
        """How many URLs the answer leads to."""
        return 0

    @property
    def reason(self) -> str | None:
        """Why there is no answer, or None."""
        return self.fetched.reason

    @property
    def failure(self) -> str | None:
        """Why there is no usable answer, or None."""
        return self.reason

    @property
    def shows_life(self) -> bool | None:
        """Whether the host, or whoever was asked of it, is there; None: nobody can tell."""
        if self.reason in SILENT:
            return False
        return None if self.reason in ("worker-died", PROXY) else True

    def refusal(self, now: float) -> Refusal | None:
        """Why this is not to be asked for, whatever robots.txt says."""
        if self.host.is_banned:
            return Refusal(State.ERROR, HOST_BANNED, now)
        dead_until = self.host.health.dead_until
        return Refusal(State.ERROR, "host-dead", dead_until) if dead_until > now else None

    def in_place(self) -> "Request":
        """What to ask for in this turn, this or something else that is due there."""
        return self

    def begin(self, now: float) -> None:
        """The turn has come."""
        if self.waits:
            self.turns.frontier.hand_out_errand(self.host, self, now)
        else:
            self.turns.frontier.begin(self.host, self, now)

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        """Take in that a request that was begun is not to be made."""
        raise NotImplementedError("is never refused")

    @abstractmethod
    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        """Ask, and keep the answer. deliver: takes what is to be taken in before all of it is there."""

    def on_arrival(self, now: float) -> None:  # noqa: B027 - most kinds have nothing to do then
        """The answer is there, whatever becomes of it."""

    def on_located(self, now: float) -> None:  # noqa: B027 - the same
        """Take in that the address of the host is known now."""

    @abstractmethod
    def on_answer(self, now: float) -> None:
        """Take in the answer, or that there is none. The turn is over then."""

    def put_back(self, rest: float, now: float) -> None:
        """Let this be asked for another time, as if it had not been; its host rests as long."""
        self.turns.spare(self.turn, rest, now)
        if self.waits:
            self.turns.frontier.add_errand(self.host, self, now)

    def fail(self, turn: HostTurn, reason: str, now: float) -> None:
        """Take in that this cannot be asked for, in a turn that was to make it possible, and is over then."""
        self.turns.frontier.pass_on(turn, self, now)
        self.fetched = Fetched(self.url, reason=reason)
        self.on_answer(now)


class Kind:
    """A kind of request, as far as it gives hosts errands by itself."""

    def line_up(self, now: float) -> None:
        """Give hosts the errands for which it is time. Called before every choice: is to be quick."""

    def next_ready(self) -> float | None:
        """Unix seconds at which there will be an errand next; None when there is none to wait for."""
        return None

    def on_commit(self, now: float) -> None:
        """Everything so far is in the store."""

    def on_nothing_left(self, now: float) -> bool:
        """Nothing else is left to do, and everything is in the store; returns whether that has changed."""
        return False
