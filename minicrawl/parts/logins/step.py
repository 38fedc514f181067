"""Sessions in a crawl: what ends them waits, and answers without one are requested again with a new one."""

import json
import time
from collections import defaultdict
from functools import cached_property, lru_cache

from minicrawl.crawler.outcomes.outcome import directives_of, judge
from minicrawl.crawler.sources.local import fetch_options
from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, PageRequest, ParsedPage, State
from minicrawl.parts.logins import ACCOUNTS, LOST, ActingRow, LoginSettings
from minicrawl.parts.logins.guard import Guard, shape
from minicrawl.parts.logins.session import kept_logins
from minicrawl.parts.logins.words import acting_links, acting_name, names_action, without_numbers
from minicrawl.parts.part import own
from minicrawl.store.writer import Writer
from minicrawl.web.http.browsing import Browsing
from minicrawl.web.http.cookies import CookieJar
from minicrawl.web.http.credentials import Headers
from minicrawl.web.urls.keys import origin_of, site_of

_ENDERS = "session_enders"
"""Key of `meta`. JSON: the sites whose session was ended, by the shapes of the URLs that did."""
_MOST_SHOWN = 10_000
_SEEDS_WITH_NOFOLLOW = """
    SELECT url FROM pages JOIN fetches ON fetches.id = fetch WHERE depth = 0 AND robots GLOB '*nofollow*'"""


class Sessions(Step):
    """Keeps what acts, or ends a session, from being asked; guards the session of each site."""

    def __init__(self, opening: Opening) -> None:
        """Raises SettingError."""
        self._state, self._settings = opening.state, opening.settings
        file = getattr(opening.settings, "cookie_file", None)
        logins = {} if file is None else kept_logins(file)
        jars = (getattr(step, "jar", None) for step in opening.opened)  # of the part for cookies, if it is installed
        jar = next(filter(None, jars), None) or CookieJar()
        sites = logins.keys() | ({site_of(cookie.domain) for cookie in jar} if file is not None else set())
        self._options = fetch_options(opening.settings)
        enders: dict[str, str] = opening.state.writer.meta_json(_ENDERS)
        shapes = {site: {each for each, of in enders.items() if of == site} for site in sites}
        self._guards = {site: Guard(site, logins.get(site), jar, self._browsing, shapes[site]) for site in sites}
        self._follows = own(opening.settings, LoginSettings).follow_actions
        self._acting: dict[int, str] = dict(opening.state.writer.rows("SELECT page, name FROM acting"))
        self._unsaved: dict[int, str] = {}
        self._shown: set[str] = set()
        """URLs of pages read, their numbers as 0: where one number shows a page, so do others."""
        self._doubtful = defaultdict[str, list[int]](list)
        """By such URLs the pages that wait because of the words of a link."""
        self._accounts = {site: login.user for site, login in logins.items()}
        self._carries = lru_cache(maxsize=1_000)(self._carries_now)
        self._hidden = defaultdict[str, set[str]](set)
        """By site the seeds that say nofollow."""
        for (url,) in opening.state.writer.rows(_SEEDS_WITH_NOFOLLOW):
            self._hidden[site_of(url)].add(url)

    def _browsing(self) -> Browsing:
        return Browsing(self._options, time.time, self._seed_origins)

    @cached_property
    def _seed_origins(self) -> frozenset[str]:
        """Asked for once the seeds are known."""
        accounts = self._state.accounts
        seeds = (accounts.depth[: accounts.size] == 0).nonzero()[0].tolist()
        return frozenset(origin_of(self._state.urls.url(page)) for page in seeds)

    def _carries_now(self, origin: str) -> bool:
        """True if requests to an origin carry a session or a password."""
        if site_of(f"{origin}/") in self._guards:
            return True
        return bool(Headers((), self._seed_origins, self._settings.auth).going_to(origin))

    def lets_wait(self, page: int, url: str) -> bool:
        guard = self._guards.get(site_of(url))
        if guard is not None and guard.lost is not None:
            return True
        name = self._name(page, url)
        if name is None:
            return False
        if not names_action(name):
            self._doubtful[without_numbers(url)].append(page)
        self._note(page, name)
        return True

    def spares(self, page: int, url: str) -> bool:
        return self._name(page, url) is not None

    def _name(self, page: int, url: str) -> str | None:
        """What says that a page acts or ends the session; empty if the answer of one like it did."""
        if self._follows or not self._state.accounts.depth[page] or not self._carries(origin_of(url)):
            return None
        name, guard = self._acting.get(page), self._guards.get(site_of(url))
        if name and not names_action(name) and without_numbers(url) in self._shown:
            name = None
        if name is None and guard is not None and shape(url) in guard.shapes:
            return ""
        return acting_name(url) if name is None else name

    def _note(self, page: int, name: str) -> None:
        if page not in self._acting:
            self._acting[page] = self._unsaved[page] = name

    def source(self, source: PageSource) -> PageSource:
        return Guarded(source, self._guards) if self._guards else source

    def on_answer(self, turn: Turn) -> bool:
        """Follow the links of a page that says nofollow where a seed says it, too: that is said of all that is behind
        the login, to search engines."""
        outcome, url = turn.outcome, turn.fetched.url
        is_page = outcome.state in (State.FETCHED, State.ALIAS) and not outcome.is_redirect
        if not is_page or not self._carries(origin_of(url)):
            return False
        hidden, follows = self._hidden[site_of(url)], directives_of(turn.fetched, turn.parsed).follow
        if not self._state.accounts.depth[turn.page]:
            (hidden.discard if follows else hidden.add)(url)
        if hidden and not follows:
            turn.outcome = judge(turn.fetched, turn.parsed, now=turn.now, heeds_robots=False)
        return False

    def on_links(self, turn: Turn) -> None:
        if self._follows:
            return
        links = dict(zip(turn.parsed.outlinks, turn.parsed.anchors, strict=False))
        acting = list(acting_links(links, dict(turn.parsed.buttons)))
        for url, page in zip(acting, self._state.urls.find(acting), strict=True):
            if page is not None and self._carries(origin_of(url)):
                self._note(page, links[url] or "a button")

    def on_turn(self, turn: Turn) -> None:
        guard = self._guards.get(site_of(turn.fetched.url))
        while guard is not None and guard.ended:
            (page,) = self._state.urls.find([guard.ended.pop()])
            if page is not None:
                self._note(page, "")
        url, like = turn.fetched.url, without_numbers(turn.fetched.url)
        is_shown = turn.outcome.state is State.FETCHED and "?" not in like != url and self._carries(origin_of(url))
        if is_shown and like not in self._shown and len(self._shown) < _MOST_SHOWN:
            self._shown.add(like)
            self._state.frontier.bring_back(self._doubtful.pop(like, ()), turn.now)

    def save(self, writer: Writer) -> None:
        writer.put(ActingRow, (ActingRow(*row) for row in self._unsaved.items()))
        self._unsaved.clear()
        lost = {site: guard.lost for site, guard in self._guards.items() if guard.lost is not None}
        enders = {each: guard.site for guard in self._guards.values() for each in list(guard.shapes)}
        writer.save_meta({LOST: json.dumps(lost), ACCOUNTS: json.dumps(self._accounts), _ENDERS: json.dumps(enders)})


class Guarded:
    """A source around another one: the guard of each site looks at its answers."""

    def __init__(self, source: PageSource, guards: dict[str, Guard]) -> None:
        self._source, self._guards = source, guards
        self.robots, self.locate, self.sitemap = source.robots, source.locate, source.sitemap

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        guard = self._guards.get(site_of(request.url))
        if guard is None or request.requisite is not None:
            return await self._source.page(request)
        return await guard.answered(request.url, lambda: self._source.page(request))
