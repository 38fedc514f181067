"""How the turns of hosts end: answered, or put off until something is known of the host that was not.

In most turns a page is asked for, in some a sitemap, a robots.txt, or a page that cannot exist.
"""

import logging
import math

from minicrawl.crawl.hosts import HostTurn
from minicrawl.crawl.known_web import KnownWeb
from minicrawl.crawl.politeness import after, delay_of
from minicrawl.crawl.robots import RobotsState
from minicrawl.model import Fetched

_log = logging.getLogger("minicrawl")


class HostTurns:
    """Sets the clocks of hosts by what came of their turns."""

    def __init__(self, web: KnownWeb) -> None:
        self._web = web

    def absorb_robots(
        self, turn: HostTurn, origin: str, robots: RobotsState, crawl_delay: float | None, fetched: Fetched, now: float
    ) -> None:
        """Take in a robots.txt that was asked for in the turn of a page or a sitemap, which waits again.

        crawl_delay: what it asks for; None: nothing is known of that.
        """
        if crawl_delay is not None:
            turn.host.crawl_delay = crawl_delay
            self._web.batch.is_urgent |= crawl_delay > self._web.settings.delay > 0
        self._web.batch.robots.append(robots.row(origin))
        self.answered(turn, fetched, now)
        self.put_back(turn, now)

    def locate(self, turn: HostTurn, address: str, until: float, now: float) -> None:
        """Take in the IP address of the host that has its turn, good until then; page or sitemap waits again."""
        self._web.frontier.end_turn(turn, now, asked=False)
        self._web.frontier.locate(turn.host, address, until, now)
        self.put_back(turn, now)

    def hold(self, turn: HostTurn, until: float, now: float) -> None:
        """Let the host that has its turn rest; page or sitemap waits again."""
        self._web.frontier.end_turn(turn, now, asked=False, not_before=until)
        self.put_back(turn, now)

    def answered(self, turn: HostTurn, fetched: Fetched, now: float, rest: float = 0.0) -> None:
        """The request that was made in a turn is over: set its host's clock by how it was answered."""
        host = turn.host
        self._web.batch.hosts.add(host.id)
        base = self._web.base_delay(host.crawl_delay)
        if base:
            host.health = after(host.health, fetched, base, now)
            host.delay = delay_of(base, host.health)
        self._web.batch.is_urgent |= rest > 0 or host.health.strains > 0
        left = now - fetched.waited if fetched.waited else math.inf
        self._web.frontier.end_turn(turn, now, left=left, not_before=now + rest)
        if host.health.dead_until > now:
            _log.info("dead for now: %s", host.name)
            self._web.frontier.free(host, now)

    def put_back(self, turn: HostTurn, now: float) -> None:
        """Let what a turn was for wait for another one."""
        if turn.page is not None:
            self._web.frontier.put_back(turn.page, now)
        elif turn.errand is not None:
            self._web.frontier.add_errand(turn.host, turn.errand, now)
