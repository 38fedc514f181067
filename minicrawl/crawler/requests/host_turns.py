"""How the turns of hosts end, and what is learned of the hosts in them."""

import logging
import math

from minicrawl.crawler.hosts.host import Host, HostTurn
from minicrawl.crawler.hosts.politeness import after, delay_of
from minicrawl.crawler.known.known_web import KnownWeb
from minicrawl.model import Fetched

_log = logging.getLogger("minicrawl")


class HostTurns:
    """Sets the clocks of hosts by what came of their turns."""

    def __init__(self, web: KnownWeb) -> None:
        self._web = web
        self.frontier = web.frontier

    def set_crawl_delay(self, host: Host, crawl_delay: float, now: float) -> None:
        """Take in what a host's robots.txt asks for; a longer delay runs from now on."""
        self._web.batch.hosts.add(host.id)
        self._web.batch.is_urgent |= crawl_delay > self._web.settings.delay > 0
        before, host.crawl_delay = host.delay, crawl_delay
        host.delay = delay_of(self._web.base_delay(crawl_delay), host.health)
        if host.delay > before:
            self.frontier.rest(host, now + host.delay, now)

    def located(self, host: Host, address: str, until: float, now: float) -> None:
        """Take in the IP address of a host, good until then."""
        self.frontier.locate(host, address, until, now)
        if self._web.traps is not None and address and until < math.inf:  # a name server has said so, not the user
            self._web.traps.budgets.located(host.name, address)

    def answered(self, turn: HostTurn, fetched: Fetched, now: float, rest: float = 0.0) -> None:
        """The request that was made in a turn is over: set its host's clock by how it was answered."""
        host = turn.host
        self._web.batch.hosts.add(host.id)
        if fetched.status is not None:
            self._web.answered.add(host.id)
        base = self._web.base_delay(host.crawl_delay)
        if base:
            host.health = after(host.health, fetched, base, now, self._web.timing)
            host.delay = delay_of(base, host.health)
        self._web.batch.is_urgent |= rest > 0 or host.health.strains > 0
        left = now - fetched.waited if fetched.waited else math.inf
        self.frontier.end_turn(turn, now, left=left, not_before=now + rest)
        if host.health.dead_until > now:
            _log.info("dead for now: %s", host.name)
            self.frontier.free(host, now)

    def spare(self, turn: HostTurn, rest: float, now: float) -> None:
        """A turn has come to nothing, and not for its host's sake: as if it had not been, but for the host's clock."""
        self._web.batch.hosts.add(turn.host.id)
        self.frontier.end_turn(turn, now, not_before=now + rest)
