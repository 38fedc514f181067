"""Requests for robots.txt files, and for the targets of their redirects.

A robots.txt is an errand of its host, in place of the page whose turn has come. If it redirects, the next request is an
errand of the target's host, at that host's own time, and so on; meanwhile the first host is closed. No robots.txt is
consulted for a robots.txt: "/robots.txt" is always allowed (RFC 9309 2.2.2), and so are the targets of its redirects.

Pages that robots.txt does not want used as the crawl would (--respect-usage) are refused.
"""

from collections.abc import Callable

from msgspec.structs import replace

from minicrawl.crawler.hosts.clocks import Host, HostTurn
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.requests.request import Deliver, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, State
from minicrawl.settings import CrawlSettings
from minicrawl.store.hosts import RobotsRow
from minicrawl.store.reader import Store
from minicrawl.store.writer import Writer
from minicrawl.web.http.response_fields import LONGEST_REST, REDIRECTS, asked_rest
from minicrawl.web.http.transport import parser_failed, unread
from minicrawl.web.robots.preferences import USAGE
from minicrawl.web.robots.rules import LIFETIME, MAX_REDIRECTS, RobotsState, is_unreachable, judged, restored
from minicrawl.web.urls.keys import origin_of, politeness_key
from minicrawl.web.urls.normalise import normalise

_PATH = "/robots.txt"


Judge = Callable[[Host, int | None, Fetched, float], bool]
"""Judges the answer of a host for its robots.txt, for which a page waits, at a time; returns True if the host was well
before: it is ill now, and asked for the file again after each rest."""


class RobotsFiles:
    """The robots.txt files of all origins, and requests for unknown ones.

    Invariant: the host of an origin is closed from the request for its robots.txt until that is known, or known to be
    unreachable. Redirects are not in the store: after a kill, the origin is requested again.
    """

    def __init__(self, state: CrawlState, settings: CrawlSettings) -> None:
        self._store = state.writer if state.accounts.size else None  # all are in memory, as an empty one has none
        self._opened_at, self.hosts = state.opened_at, state.hosts
        self._user_agent, self._timing = settings.user_agent, state.timing
        self._ignores, self._respected = settings.ignore_robots, settings.respect_usage
        self._states: dict[str, RobotsState] = {}
        self._unsaved: list[RobotsRow] = []
        self.judge: Judge | None = None

    def save(self, writer: Writer) -> None:
        writer.put(RobotsRow, self._unsaved)
        self._unsaved.clear()

    def state(self, origin: str) -> RobotsState | None:
        """The robots.txt of an origin as far as it is known, even if out of date."""
        if origin not in self._states and self._store is not None:
            kept = self._kept(self._store, origin)
            if kept is not None:
                self._states[origin] = kept
        return self._states.get(origin)

    def errand(self, host: Host, origin: str, page: int | None) -> "RobotsErrand":
        """A request for an unknown file. page: the page that needs it."""
        return RobotsErrand(self, host, origin, f"{origin}{_PATH}", 0, page)

    def host(self, origin: str) -> Host:
        """The host whose pages wait until the file of an origin is known."""
        return self.hosts.host(politeness_key(origin))

    def absorb(self, errand: "RobotsErrand", fetched: Fetched, now: float) -> None:
        """Absorb an answer for the file of an origin, or for the target of its redirect."""
        redirects = errand.redirects + 1
        try:
            target = normalise(fetched.location, fetched.url) if fetched.location else None
        except Exception as error:
            fetched, target = unread(fetched, error), None
        is_over = True
        if fetched.status in REDIRECTS and target is not None and redirects <= MAX_REDIRECTS:
            is_over = not self._follow(errand.origin, target, redirects, now)
        else:
            self.decide(errand.origin, fetched, now)
        self.hosts.end_turn(errand.turn, fetched, now, asked_rest(fetched, now))
        if errand.redirects == 0 and self.judge is not None and self.judge(errand.host, errand.page, fetched, now):
            failed = replace(self._states[errand.origin], attempts=1, expires=now)
            self._states[errand.origin] = failed
            self._unsaved.append(row_of(errand.origin, failed))
        if is_over:
            self.hosts.frontier.open(self.host(errand.origin), now)

    def _follow(self, origin: str, url: str, redirects: int, now: float) -> bool:
        """Ask for the target of a file's redirect; False if it is known."""
        there = origin_of(url)
        known = self.state(there) if url == f"{there}{_PATH}" else None
        if known is not None and known.rules is not None and now < known.expires:
            self._take(origin, known, now)
            return False
        host = self.hosts.host(politeness_key(url))
        hop = RobotsErrand(self, host, origin, url, redirects)
        # Redirects from other hosts must not delay a host's pages; its pages wait for its own redirects.
        self.hosts.frontier.add_errand(host, hop, now, first=host is self.host(origin))
        return True

    def decide(self, origin: str, fetched: Fetched, now: float) -> None:
        """Absorb the last answer for an origin's file, which may also be that of another origin."""
        before = self._states.get(origin)
        state = judged(fetched, now, before.attempts if before else 0, self._timing)
        self._take(origin, state, now)
        there = origin_of(fetched.url)
        is_its_own = fetched.url == f"{there}{_PATH}" and fetched.status not in REDIRECTS
        if there != origin and is_its_own and state.rules is not None:
            self._take(there, state, now)

    def allows(self, url: str) -> bool:
        """True if robots.txt allows a URL and its uses, or is not known."""
        robots = None if self._ignores else self.state(origin_of(url))
        is_allowed = robots is None or robots.refusal(self._user_agent, url) is None
        return is_allowed and self.usage_refusal(url) is None

    def usage_refusal(self, url: str) -> Refusal | None:
        """The refusal of a URL that may be fetched, whose robots.txt, if that is known, disallows a use that the crawl
        respects."""
        robots = self.state(origin_of(url)) if self._respected else None
        try:
            if robots and robots.rules and robots.rules.preferences(self._user_agent, url).forbids(self._respected):
                return Refusal(State.DISALLOWED, USAGE, robots.expires)
        except Exception as error:
            return Refusal(State.DISALLOWED, parser_failed(url, error), 0.0)
        return None

    def forget_failure(self, origin: str, now: float) -> None:
        """Let an unreachable robots.txt be requested again."""
        robots = self.state(origin)
        if robots is not None and robots.reason is not None:
            robots = self._states[origin] = replace(robots, expires=now, attempts=0)
            self._unsaved.append(row_of(origin, robots))

    def _kept(self, store: Store, origin: str) -> RobotsState | None:
        row = store.hosts.robots(origin)
        if row is None:
            return None
        robots, now = restored(*row), self._opened_at
        expires = min(robots.expires, now + (LIFETIME if robots.reason is None else LONGEST_REST))
        if expires != robots.expires:
            robots = replace(robots, expires=expires, fetched_at=min(robots.fetched_at, now))
            self._unsaved.append(row_of(row.origin, robots))
        return robots

    def _take(self, origin: str, state: RobotsState, now: float) -> None:
        self._states[origin] = state
        self._unsaved.append(row_of(origin, state))
        if state.rules is not None:
            # http and https share a clock: the delay of either holds for both.
            host = self.hosts.host(politeness_key(origin))
            states = filter(None, map(self.state, {origin, f"http://{host.name}", f"https://{host.name}"}))
            self.hosts.set_crawl_delay(host, max(state.crawl_delay(self._user_agent) for state in states), now)


def row_of(origin: str, state: RobotsState) -> RobotsRow:
    """The file of an origin as a row of the store."""
    return RobotsRow(origin, state.status, state.reason, state.body, state.fetched_at, state.expires, state.attempts)


class RobotsErrand(Request):
    """A request for the robots.txt of `origin`, or for the target after so many `redirects`."""

    opens = True
    obeys_robots = False

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self, files: RobotsFiles, host: Host, origin: str, url: str, redirects: int = 0, page: int | None = None
    ) -> None:
        super().__init__(files.hosts, host, url, page)
        self.origin = origin
        self.redirects = redirects
        self.waits = redirects > 0
        self._files = files

    def begin(self, now: float) -> None:
        super().begin(now)
        self._close(now)

    def on_refusal(self, refusal: Refusal, now: float) -> None:
        super().on_refusal(refusal, now)
        self._files.decide(self.origin, Fetched(self.url, reason=refusal.reason), now)
        self.hosts.frontier.open(self._files.host(self.origin), now)

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        self.fetched = await source.robots(self.url)

    def on_answer(self, now: float) -> None:
        self._files.absorb(self, self.fetched, now)

    def put_back(self, rest: float, now: float) -> None:
        super().put_back(rest, now)
        if not self.waits:
            self.hosts.frontier.open(self._files.host(self.origin), now)

    def fail(self, turn: HostTurn, reason: str, now: float) -> None:
        self._close(now)
        super().fail(turn, reason, now)

    def _close(self, now: float) -> None:
        """Let the pages wait, if they do not already."""
        if not self.waits:
            self.hosts.frontier.close(self._files.host(self.origin), now)

    @property
    def failure(self) -> str | None:
        is_failing = self.reason is None and is_unreachable(self.fetched)
        return f"http-{self.fetched.status}" if is_failing else self.reason
