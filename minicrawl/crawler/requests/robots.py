"""Asking for robots.txt files, and for what they redirect to.

A robots.txt is asked for in a turn of its host, before what the turn was for. If it redirects, the next request is an
errand of the host it leads to, at that host's own time, and so on; meanwhile the site's pages wait. No robots.txt is
asked what it says of that: "/robots.txt" is always allowed (RFC 9309 2.2.2), and so is what stands for it.
"""

from dataclasses import replace
from itertools import count
from typing import NamedTuple

from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.crawler.hosts.stored_times import Past
from minicrawl.crawler.http.retry_after import LONGEST_REST
from minicrawl.crawler.http.unread import unread
from minicrawl.crawler.known.batch import Batch
from minicrawl.crawler.known.host_turns import HostTurns
from minicrawl.crawler.known.known_hosts import KnownHosts
from minicrawl.crawler.outcomes.outcome import REDIRECTS
from minicrawl.crawler.robots.rules import LIFETIME, MAX_REDIRECTS, RobotsState, judged, restored
from minicrawl.crawler.sitemaps.queue import MOST_IN_ALL
from minicrawl.crawler.urls.keys import origin_of, politeness_key
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import Fetched
from minicrawl.store.reader import Store
from minicrawl.store.rows import RobotsRow
from minicrawl.timing import Timing


class Hop(NamedTuple):
    """The robots.txt of `site`, scheme://host[:port], is to be had at `url`, behind so many redirects."""

    site: str
    url: str
    redirects: int


class RobotsTurns:
    """What is known of every site's robots.txt, and requests for those that is not known of.

    Invariant: a site that is followed has one hop, which waits for a turn of its host or is in flight. Hops are not in
    the store: after a kill, a site that was followed is asked again.
    """

    def __init__(
        self,
        store: Store,
        past: Past,
        frontier: Frontier,
        hosts: KnownHosts,
        batch: Batch,
        turns: HostTurns,
        *,
        user_agent: str,
        timing: Timing,
    ) -> None:
        self._store = store
        self._past = past
        self._frontier = frontier
        self._hosts = hosts
        self._batch = batch
        self._turns = turns
        self._user_agent = user_agent
        self._timing = timing
        self._states: dict[str, RobotsState] = {}
        self._hops: dict[int, Hop] = {}  # by errand
        self._followed: set[str] = set()
        self._errands = count(MOST_IN_ALL)  # behind the numbers of sitemaps

    def state(self, site: str) -> RobotsState | None:
        """What is known of a site's robots.txt, be it out of date."""
        if site not in self._states:
            row = self._store.hosts.robots(site)
            if row is None:
                return None
            self._states[site] = self._restored(row)
        return self._states[site]

    def _restored(self, row: RobotsRow) -> RobotsState:
        robots, past = restored(row), self._past
        expires = past.until(robots.expires, LONGEST_REST if robots.is_undecided else LIFETIME)
        if expires != robots.expires:
            robots = replace(robots, expires=expires, fetched_at=past.since(robots.fetched_at))
            self._batch.robots.append(robots.row(row.origin))
        return robots

    def hop(self, turn: HostTurn) -> Hop | None:
        """The redirect that a turn is for, if it is for one."""
        return None if turn.errand is None else self._hops.get(turn.errand)

    def is_held(self, turn: HostTurn, site: str, now: float) -> bool:
        """Whether a site's robots.txt is being followed; what the turn was for waits then."""
        if site not in self._followed:
            return False
        self._turns.hold(turn, now + max(turn.host.delay, self._timing.robots_look), now)
        return True

    def absorb(self, turn: HostTurn, site: str, fetched: Fetched, now: float) -> None:
        """Take in an answer for the robots.txt of a site, or for what it redirects to if the turn is for that."""
        hop = self._end_hop(turn)
        redirects = 1 if hop is None else hop.redirects + 1
        try:
            target = normalise(fetched.location, fetched.url) if fetched.location else None
        except Exception as error:
            fetched, target = unread(fetched, error), None
        if fetched.status in REDIRECTS and target is not None and redirects <= MAX_REDIRECTS:
            self._follow(Hop(site, target, redirects), now)
        else:
            self._decide(site, fetched, now)
        self._turns.answered(turn, fetched, now)
        if hop is None:
            self._turns.put_back(turn, now)

    def drop(self, turn: HostTurn, reason: str, now: float) -> None:
        """Take in that a redirect whose turn has come is not to be followed."""
        hop = self._end_hop(turn)
        assert hop is not None
        self._frontier.end_turn(turn, now, asked=False)
        self._decide(hop.site, Fetched(hop.url, reason=reason), now)

    def _end_hop(self, turn: HostTurn) -> Hop | None:
        hop = self.hop(turn)
        if hop is not None:
            assert turn.errand is not None
            del self._hops[turn.errand]
            self._followed.remove(hop.site)
        return hop

    def _follow(self, hop: Hop, now: float) -> None:
        if hop.site in self._followed:
            return  # two requests for it were under way
        there = origin_of(hop.url)
        known = self.state(there) if hop.url == f"{there}/robots.txt" else None
        if known is not None and known.rules is not None and now < known.expires:
            self._take(hop.site, known, now)
            return
        errand, host = next(self._errands), self._hosts.host(politeness_key(hop.url))
        self._hops[errand] = hop
        self._followed.add(hop.site)
        # Other hosts' redirects must not keep a host's own pages waiting; its own ones are what these wait for.
        self._frontier.add_errand(host, errand, now, first=host is self._hosts.host(politeness_key(hop.site)))

    def _decide(self, site: str, fetched: Fetched, now: float) -> None:
        """Take in the last answer for a site's robots.txt, which may be that of another site as well."""
        before = self._states.get(site)
        robots = judged(fetched, now, before.attempts if before else 0, self._timing)
        self._take(site, robots, now)
        there = origin_of(fetched.url)
        is_its_own = fetched.url == f"{there}/robots.txt" and fetched.status not in REDIRECTS
        if there != site and is_its_own and robots.rules is not None:
            self._take(there, robots, now)

    def _take(self, site: str, robots: RobotsState, now: float) -> None:
        self._states[site] = robots
        self._batch.robots.append(robots.row(site))
        if robots.rules is not None:
            # http and https have one clock: what either asks for holds for both.
            host = self._hosts.host(politeness_key(site))
            states = map(self.state, {site, f"http://{host.name}", f"https://{host.name}"})
            self._turns.heed(host, max(map(self._crawl_delay, states)), now)

    def _crawl_delay(self, robots: RobotsState | None) -> float:
        rules = None if robots is None else robots.rules
        return 0.0 if rules is None else rules.crawl_delay(self._user_agent) or 0.0
