"""How the turns of hosts end: answered, or put off until something is known of the host that was not.

In most turns a page is asked for, in some a sitemap, a robots.txt, what that redirects to, or a page that cannot exist.
"""

import logging
import math

from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import Host, HostTurn
from minicrawl.crawler.hosts.politeness import after, delay_of
from minicrawl.crawler.known.known_hosts import KnownHosts
from minicrawl.model import Fetched
from minicrawl.timing import Timing

_log = logging.getLogger("minicrawl")


class HostTurns:
    """Sets the clocks of hosts by what came of their turns."""

    def __init__(self, frontier: Frontier, hosts: KnownHosts, admission: Admission, timing: Timing) -> None:
        self._frontier = frontier
        self._hosts = hosts
        self._admission = admission
        self._timing = timing

    def heed(self, host: Host, crawl_delay: float, now: float) -> None:
        """Take in what a host's robots.txt asks for; a longer delay runs from now on."""
        before = host.delay
        self._hosts.note_crawl_delay(host, crawl_delay)
        host.delay = delay_of(self._hosts.least_delay(crawl_delay), host.health)
        if host.delay > before:
            self._frontier.rest(host, now + host.delay, now)

    def locate(self, turn: HostTurn, address: str, until: float, now: float) -> None:
        """Take in the IP address of the host that has its turn, good until then; page or sitemap waits again."""
        self._frontier.end_turn(turn, now, asked=False)
        self._frontier.locate(turn.host, address, until, now)
        if address and until < math.inf:  # a name server has said so, not the user
            self._admission.note_address(turn.host.name, address)
        self.put_back(turn, now)

    def hold(self, turn: HostTurn, until: float, now: float) -> None:
        """Let the host that has its turn rest; page or sitemap waits again."""
        self._frontier.end_turn(turn, now, asked=False, not_before=until)
        self.put_back(turn, now)

    def answered(self, turn: HostTurn, fetched: Fetched, now: float, rest: float = 0.0) -> None:
        """The request that was made in a turn is over: set its host's clock by how it was answered."""
        host = turn.host
        self._hosts.note_change(host)
        if fetched.status is not None:
            self._hosts.answered.add(host.id)
        base = self._hosts.least_delay(host.crawl_delay)
        if base:
            host.health = after(host.health, fetched, base, now, self._timing)
            host.delay = delay_of(base, host.health)
        self._hosts.is_urgent |= rest > 0 or host.health.strains > 0
        left = now - fetched.waited if fetched.waited else math.inf
        self._frontier.end_turn(turn, now, left=left, not_before=now + rest)
        if host.health.dead_until > now:
            _log.info("dead for now: %s", host.name)
            self._frontier.free(host, now)

    def spare(self, turn: HostTurn, rest: float, now: float) -> None:
        """A turn has come to nothing, and not for its host's sake: as if it had not been, but for the host's clock."""
        self._hosts.note_change(turn.host)
        self._frontier.end_turn(turn, now, not_before=now + rest)
        self.put_back(turn, now)

    def put_back(self, turn: HostTurn, now: float) -> None:
        """Let what a turn was for wait for another one."""
        if turn.page is not None:
            self._frontier.put_back(turn.page, now)
        elif turn.errand is not None:
            self._frontier.add_errand(turn.host, turn.errand, now)
