"""Uses that a crawl respects (--respect-usage): pages that robots.txt or tdmrep.json does not want used so are refused.

A tdmrep.json is asked for before the first page of its origin, as robots.txt is, if that allows it.
"""

from collections.abc import Sequence
from dataclasses import replace

from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.http.failures import parser_failed, unread
from minicrawl.crawler.requests.request import Refusal, Request
from minicrawl.crawler.requests.robots import FileErrand, OriginFiles, RobotsFiles
from minicrawl.crawler.robots.preferences import USAGE
from minicrawl.crawler.robots.rules import LIFETIME
from minicrawl.crawler.robots.tdmrep import PATH, TdmrepState, judged_tdmrep, restored_tdmrep
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.model import Fetched, State
from minicrawl.store.reader import Store


class TdmrepFiles(OriginFiles[TdmrepState]):
    """The tdmrep.json files of all origins."""

    path = PATH

    def _kept(self, store: Store, origin: str) -> TdmrepState | None:
        row = store.hosts.tdmrep(origin)
        if row is None:
            return None
        kept = restored_tdmrep(row)
        return replace(kept, expires=self._past.until(kept.expires, LIFETIME))

    def _judged(self, fetched: Fetched, now: float, attempts: int) -> TdmrepState:
        try:
            return judged_tdmrep(fetched, now, attempts, self._timing)
        except Exception as error:
            return judged_tdmrep(unread(fetched, error), now, attempts, self._timing)

    def _is_known(self, state: TdmrepState) -> bool:
        return state.reason is None

    def _take(self, origin: str, state: TdmrepState, now: float) -> None:
        self._states[origin] = state
        self._batch.tdmrep.append(state.row(origin))

    def _request(self, host: Host, origin: str, url: str, redirects: int, page: int | None) -> "TdmrepErrand":
        return TdmrepErrand(self, self._turns, host, origin, url, redirects, page)


class TdmrepErrand(FileErrand):
    """A request for a tdmrep.json."""

    obeys_usage = False


class UsageRefusals:
    """Refuses URLs whose site disallows a use that is respected. uses: of USES."""

    def __init__(self, uses: Sequence[str], agent: str, robots: RobotsFiles, tdmrep: TdmrepFiles) -> None:
        self._uses = uses
        self._agent = agent
        self._robots = robots
        self._tdmrep = tdmrep

    def errand(self, request: Request, now: float) -> FileErrand | None:
        """The request for a tdmrep.json that must come before another request; None if that file is known."""
        origin = origin_of(request.url)
        known = self._tdmrep.state(origin)
        is_known = known is not None and now < known.expires
        return None if is_known else self._tdmrep.errand(request.host, origin, request.page)

    def refusal(self, url: str) -> Refusal | None:
        """The refusal of a URL that may be fetched, by the files that are known."""
        origin = origin_of(url)
        robots, tdmrep = self._robots.state(origin), self._tdmrep.state(origin)
        rules = None if robots is None else robots.rules
        try:
            if robots and rules and rules.preferences(self._agent, url).forbids(self._uses):
                return Refusal(State.DISALLOWED, USAGE, robots.expires)
            if tdmrep and tdmrep.preferences(url).forbids(self._uses):
                return Refusal(State.DISALLOWED, USAGE, tdmrep.expires)
        except Exception as error:
            return Refusal(State.DISALLOWED, parser_failed(url, error), 0.0)
        return None
