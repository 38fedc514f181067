"""How the turns of hosts end, and what is learned of the hosts in them."""

import math
from dataclasses import replace

from minicrawl import log
from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import Host, HostTurn
from minicrawl.crawler.hosts.politeness import FRESH, after, delay_of
from minicrawl.crawler.known.known_hosts import KnownHosts
from minicrawl.model import Fetched
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
