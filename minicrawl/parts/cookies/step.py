"""Cookies (--cookies), added to requests for pages, accepted from their answers, and kept from run to run.

A cookie wall sets a cookie and redirects to the requested page, at once, or by a page to sign on or to agree. Such
a page is requested again, twice at most, as long as it would be sent other cookies than the last time.

The jar is in the crawl's own process, so a cookie of a domain reaches its hosts whichever process asks them. An answer
keeps its fields Set-Cookie only if the same request would be sent with other cookies now.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from minicrawl.crawler.sources.source import PageSource
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, PageRequest, ParsedPage
from minicrawl.parts.cookies import GATES, SET_COOKIE, CookieRow, CookieSettings
from minicrawl.parts.part import own
from minicrawl.reasons import MAX_HOPS
from minicrawl.store.database import keep_private
from minicrawl.store.writer import Writer
from minicrawl.web.http.response_fields import REDIRECTS
from minicrawl.web.urls.shapes import without_way_back

if TYPE_CHECKING:
    from minicrawl.web.http.cookies import CookieJar


MOST_WALLS, _MOST_GATES = 2, 1_000
"""How often a page is requested again in a run, because it sets cookies and leads back; and gates that are kept."""


class CookieStep(Step):
    """Sends cookies with requests, and saves them. A partition has the cookies of its own hosts, and leaves the user's
    file to be written with those of all."""

    def __init__(self, opening: Opening) -> None:
        self._state, share = opening.state, opening.state.terms.share
        file = own(opening.settings, CookieSettings).cookie_file

        def is_own(host: str) -> bool:
            return share is None or share.has(f"http://{host}/")

        self.jar = kept_cookies(opening.state.writer, file, is_own)
        self._file, self._is_of_file = (file, False) if share is None else (None, file is not None)
        self._asked_again = Counter[int]()
        self._sent: dict[str, str | None] = {}

    def source(self, source: PageSource) -> PageSource:
        return WithCookies(source, self.jar, self._sent)

    def on_answer(self, turn: Turn) -> bool:
        """Ask again for a page that has set cookies and redirects to itself."""
        is_wall = turn.outcome.reason == "redirect-loop" and turn.fetched.values(SET_COOKIE)
        if not is_wall or not self._may_ask(turn.page):
            return False
        self._state.pages.note_failure(turn.page, "cookie-wall")
        self._state.frontier.put_back(turn.page, turn.now, turn.now)
        return True

    def on_turn(self, turn: Turn) -> None:
        """Ask again for a page that redirects, if it would be sent other cookies now, and may be let in."""
        for page in self._doubted(turn):
            url = self._state.urls.url(page)
            has_others = url in self._sent and self.jar.header(url, turn.now) != self._sent[url]
            if has_others and self._may_ask(page):
                self._state.frontier.put_first(page, turn.now)
                return

    def _doubted(self, turn: Turn) -> Iterator[int]:
        """Pages that an answer may have opened: one that this page is known by and leads back to; or those that it is
        redirected to, in a loop or by an answer that sets cookies."""
        book, pages = self._state.accounts.book, self._state.pages
        agrees = turn.outcome.is_redirect and turn.fetched.values(SET_COOKIE)
        if not (turn.outcome.reason == "redirect-loop" or agrees) or turn.outcome.alias is None:
            source = pages.found_on(turn.page) if self._sent else None
            if source is not None and book.alias[source] and source in turn.targets:
                yield source
            return
        (page,) = self._state.urls.find([turn.outcome.alias])
        for _ in range(MAX_HOPS):
            if page is None or page == turn.page or (agrees and not book.alias[page]):
                return
            yield page
            links = pages.outlinks(page)
            page = int(links[0]) if len(links) else None

    def _may_ask(self, page: int) -> bool:
        self._asked_again[page] += 1
        return self._asked_again[page] <= MOST_WALLS

    def save(self, writer: Writer) -> None:
        save_cookies(writer, self.jar)
        writer.save_meta({GATES: None})

    def final(self) -> object:
        """A partition's cookies, if the user has a file for those of all."""
        return list(self.jar) if self._is_of_file else None

    def finish(self) -> None:
        if self._file is not None:
            from minicrawl.web.http.cookies import write_cookie_file  # noqa: PLC0415

            write_cookie_file(self._file, self.jar)


class Gates(Step):
    """Without cookies, notes pages that are known by redirects alone, and ask for a password, or set a cookie and lead
    only back, other than where a site begins; and loops of redirects in which a cookie is set."""

    def __init__(self, opening: Opening) -> None:
        self._state, self._gates = opening.state, opening.state.writer.meta_json(GATES)
        self._led = dict[int, tuple[int, bool]]()
        """By page that waits: the first that redirects there, and whether a cookie was set on the way."""

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        return asked._replace(is_led_to=True) if page in self._led else asked

    def on_turn(self, turn: Turn) -> None:
        source, sets = self._led.pop(turn.page, (None, False))
        outcome, sets = turn.outcome, sets or bool(turn.fetched.values(SET_COOKIE))
        if outcome.is_redirect and outcome.alias is not None:
            (target,) = self._state.urls.find([outcome.alias])
            if target is not None and not self._state.accounts.had_turn[target]:
                self._led.setdefault(target, (turn.page, sets))
        else:
            self._note(turn, source, sets=sets)

    def _note(self, turn: Turn, source: int | None, *, sets: bool) -> None:
        is_loop = sets and turn.outcome.reason == "redirect-loop"
        if not is_loop and (source is None or self._state.pages.found_on(turn.page) != source):
            return
        url = turn.fetched.url
        name = without_way_back(url, self._state.urls.url(turn.page if source is None else source))
        leads_back = source in turn.targets and (len(turn.targets) == 1 or name != url)
        needs = "password" if turn.parsed.asks_password else "cookie" if is_loop or (sets and leads_back) else ""
        if needs and len(self._gates) < _MOST_GATES:
            self._gates.setdefault(name, {"url": url, "needs": needs})

    def save(self, writer: Writer) -> None:
        if self._gates:
            writer.save_meta({GATES: json.dumps(self._gates)})


def kept_cookies(writer: Writer, file: Path | None, is_own: Callable[[str], bool] = lambda host: True) -> "CookieJar":
    """The cookies of the store, which only the user may read from now on, and those of the user's file.

    Of a cookie that both have, the newer one counts. is_own: True for hosts whose cookies are for this store, as the
    file may have others. Raises SettingError, StoreError.
    """
    from minicrawl.web.http.cookies import Cookie, CookieJar, read_cookie_file  # noqa: PLC0415 - few crawls keep any

    jar = CookieJar()
    keep_private(writer.path)
    for row in writer.records(CookieRow, "cookies ORDER BY changed"):
        jar.add(Cookie._make(row))
    jar.touched.clear()
    now = time.time()
    for cookie in read_cookie_file(file) if file is not None else ():
        kept = jar.get(cookie.key)
        if is_own(cookie.domain) and cookie.is_alive(now) and (kept is None or kept.changed < cookie.changed):
            jar.add(cookie)
    return jar


def save_cookies(writer: Writer, jar: "CookieJar") -> None:
    """Save the cookies that changed since the last commit."""
    found = {key: jar.get(key) for key in jar.touched}
    jar.touched.clear()
    writer.remove(CookieRow, (key for key, cookie in found.items() if cookie is None))
    writer.put(CookieRow, (CookieRow._make(cookie) for cookie in found.values() if cookie is not None))


MOST_SENT = 10_000
"""Redirected requests whose cookies are remembered, the latest ones."""


class WithCookies:
    """A source around another one."""

    def __init__(self, source: PageSource, jar: "CookieJar", sent: dict[str, str | None]) -> None:
        """sent: takes the cookies of the latest requests that were redirected, by URL."""
        self._source, self._jar, self._sent = source, jar, sent
        # Without cookies: robots.txt files and sitemaps need no login.
        self.robots, self.locate, self.sitemap = source.robots, source.locate, source.sitemap

    async def page(self, request: PageRequest) -> tuple[Fetched, ParsedPage]:
        value = self._jar.header(request.url, time.time())
        if value is not None:
            request = request._replace(headers=(*request.headers, ("Cookie", value)))
        fetched, parsed = await self._source.page(request)
        if fetched.status in REDIRECTS:
            self._sent[request.url] = value
            if len(self._sent) > MOST_SENT:
                del self._sent[next(iter(self._sent))]
        if fetched.fields and (cookies := fetched.values(SET_COOKIE)):
            self._jar.take(request.url, cookies, time.time())
            if self._jar.header(request.url, time.time()) == value:
                others = (field for field in fetched.fields if field[0] != SET_COOKIE)
                fetched = fetched._replace(fields=tuple(others))
        return fetched, parsed
