"""Notices when the session of a site is lost, and renews it.

An answer is suspect if it leads or links to a login, asks for a password or is refused, or if it takes a cookie of the
session away. Then the witness of the login is asked (session.py); without one, the page that was read last. If the
session is over, the login is made again, and the page requested again with it: nobody else sees the answer without a
session.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

from minicrawl import log
from minicrawl.errors import FetchError, MinicrawlError
from minicrawl.model import Fetched, ParsedPage
from minicrawl.parts.logins.session import Login, LoginError, asks_for_login, is_alive, log_in, read_password
from minicrawl.web.http.browsing import Browsing
from minicrawl.web.http.cookies import CookieJar, Key
from minicrawl.web.http.response_fields import REDIRECTS
from minicrawl.web.urls.keys import site_of
from minicrawl.web.urls.normalise import normalise

MOST_LOGINS, FEW = 3, 10
"""Logins that a run makes at a site in a row, each for fewer than so many pages: a session may be short."""
_LOOKED_INTO = 3
"""Suspects of a shape in a row that are looked into each; then the 4th, 8th, 16th and so on: some pages ask for a
password while the session is alive, to change it, or to confirm something."""
_READ_FOR_A_LOOK = 8
"""Pages read for each further look: of refusals and ways to a login, many come with the session alive."""
_CLOSED = {401, 403, 404}
_BLAMED = 2
"""Sessions that pages of a shape have ended, at least one in two of those read, before the shape is blamed."""
_MOST_SHAPES = 10_000

Answered = tuple[Fetched, ParsedPage]


class Guard:
    """Guards the session of one site.

    login: None if the user's cookies come from elsewhere. `lost`: why there is no session any more. `ended`: URLs that
    have ended it, until they are taken; `shapes`: of all of these, also in earlier runs.
    """

    def __init__(
        self, site: str, login: Login | None, jar: CookieJar, browsing: Callable[[], Browsing], shapes: set[str]
    ) -> None:
        self.site, self.login, self._jar, self._browsing, self.shapes = site, login, jar, browsing, shapes
        self.lost: str | None = None
        self.ended: list[str] = []
        self._keys = self._session_keys()
        self._lock = asyncio.Lock()
        self._epoch = self._logins = self._read = self._looks = self._doubts = 0
        self._well: str | None = None
        self._blamed, self._asked = Counter[str](), Counter[str]()
        self._suspects = Counter[str]()
        """By the shape of their URLs, pages in a row that ask for a password."""
        form = login and (login.form or login.url)
        self._login_pages = {shape(form) if "?" in form else _place(form): form} if form else {}
        """By their places or shapes, the URLs that stand for pages to log in."""
        self._offers_login = False  # its pages link to the login, also in a session
        self._led = dict[str, str]()  # by the shape of what redirects lead to, the first page that did

    async def answered(self, url: str, again: Callable[[], Awaitable[Answered]]) -> Answered:
        """The answer for a page by `again`, with a session."""
        if self.lost is not None:
            return _without_session(url)
        epoch = self._epoch
        fetched, parsed = await again()
        was_ended = self._is_ended()
        if not was_ended and not await self._is_suspect(url, fetched, parsed):
            if fetched.status == 200:
                self._note_well(url)
            return fetched, parsed
        async with self._lock:
            if self.lost is None and epoch == self._epoch:
                if await self._is_alive():
                    self._keys = self._session_keys()
                    self._offers_login |= fetched.status == 200 and self._links_to_login(parsed)
                    return self._of_login(fetched), parsed
                self._blame(url, surely=was_ended)
                if not await self._renewed():
                    return (fetched, parsed) if was_ended else _without_session(url)
                self._epoch += 1
        if was_ended:
            return fetched, parsed  # it would end this one, too
        return _without_session(url) if self.lost is not None else await again()

    def _of_login(self, fetched: Fetched) -> Fetched:
        """An answer that leads to a login leads to one page, whatever page that is to lead back to (`?next=`)."""
        target = _target(fetched)
        page = None if target is None else self._login_page(target)
        return fetched if page is None else fetched._replace(location=page)

    def _login_page(self, url: str) -> str | None:
        """The page to log in that a URL is for, if it is for one."""
        return self._login_pages.get(_place(url)) or self._login_pages.get(shape(url))

    def _links_to_login(self, parsed: ParsedPage) -> bool:
        return any(self._login_page(link) is not None for link in parsed.outlinks)

    def _note_well(self, url: str) -> None:
        self._well = url
        self._read, self._doubts = self._read + 1, 0
        if len(self._asked) > _MOST_SHAPES:
            self._asked.clear()
            self._suspects.clear()
        self._asked[shape(url)] += 1

    def _session_keys(self) -> frozenset[Key]:
        return frozenset(cookie.key for cookie in self._jar if site_of(cookie.domain) == self.site)

    def _is_ended(self) -> bool:
        """True if a cookie of the session is gone."""
        return any(self._jar.get(key) is None for key in self._keys)

    async def _is_suspect(self, url: str, fetched: Fetched, parsed: ParsedPage) -> bool:
        if (target := _target(fetched)) is not None:
            return _place(target) != _place(url) and await self._is_login(target, url)
        if parsed.asks_password and self._login_page(url) is None:
            self._suspects[shape(url)] += 1
            seen = self._suspects[shape(url)]
            return seen <= _LOOKED_INTO or seen & (seen - 1) == 0
        if fetched.status == 200:
            self._suspects.pop(shape(url), None)
        is_refused = fetched.status in _CLOSED
        return (is_refused or (not self._offers_login and self._links_to_login(parsed))) and self._may_look()

    def _may_look(self) -> bool:
        """True if a doubt is looked into: of many in a row the 4th, 8th, 16th and so on always."""
        self._doubts += 1
        is_turn = self._doubts > _LOOKED_INTO and self._doubts & (self._doubts - 1) == 0
        if not is_turn and (self._looks - _LOOKED_INTO) * _READ_FOR_A_LOOK >= self._read:
            return False
        self._looks += 1
        return True

    async def _is_login(self, location: str, url: str) -> bool:
        """True if a redirect leads to a login. Places of a shape are looked at once, at the latest when two pages have
        led there."""
        if self._login_page(location) is not None:
            return True
        like = shape(location)
        first = self._led.setdefault(like, url)
        if site_of(location) != self.site or not first or (first == url and not self._may_look()):
            return False
        self._led[like] = ""
        try:
            async with self._browsing() as browsing:
                page = await browsing.get(location, CookieJar())
        except FetchError:
            return False
        if asks_for_login(page):
            self._login_pages[like] = location
        return like in self._login_pages

    async def _is_alive(self) -> bool:
        """True if the session is alive, as far as one can see."""
        try:
            async with self._browsing() as browsing:
                alive = None if self.login is None else await is_alive(browsing, self._jar, self.login)
                if alive is None and self._well:
                    alive = not asks_for_login(await browsing.get(self._well, self._jar))
        except FetchError:
            return True  # which tells of the host, not of the session
        return alive is not False

    def _blame(self, url: str, *, surely: bool) -> None:
        """Note the URL that has ended the session: this one, or the last one read, if its like was before."""
        before = url if surely else self._well
        if before is None:
            return
        like = shape(before)
        self._blamed[like] += 1
        if surely or self._blamed[like] >= max(_BLAMED, self._asked[like] / 2):
            log.event("ended-session", url=before, site=self.site)
            self.shapes.add(like)
            self.ended.append(before)

    async def _renewed(self) -> bool:
        """True if the login was made again; else `lost` says why not."""
        self.lost = await self._try_login()
        if self.lost is not None:
            log.event("session-lost", site=self.site, why=self.lost)
        return self.lost is None

    async def _try_login(self) -> str | None:
        login = self.login
        if login is None or login.password_file is None:
            return "no --password-file was given to 'minicrawl login'"
        self._logins, self._read, self._looks = self._logins + 1 if self._read < FEW else 1, 0, 0
        if self._logins > MOST_LOGINS:
            return f"{MOST_LOGINS} logins in a row brought fewer than {FEW} pages each"
        try:
            password = read_password(Path(login.password_file))
            async with self._browsing() as browsing:
                self.login = await log_in(browsing, self._jar, login, password)
        except (LoginError, MinicrawlError) as error:
            return str(error)
        self._keys = self._session_keys()
        self._suspects.clear()
        log.event("logged-in-again", site=self.site, user=login.user)
        return None


def shape(url: str) -> str:
    """The place of a URL with its numbers as 0, and the names of its parameters."""
    parts = urlsplit(url)
    names = sorted({pair.partition("=")[0] for pair in parts.query.split("&")})
    digits = "".join("0" if letter.isdigit() else letter for letter in parts.path)
    return f"{parts.netloc}{digits}?{'&'.join(names)}"


def _target(fetched: Fetched) -> str | None:
    """Where an answer redirects to."""
    if fetched.status not in REDIRECTS or not fetched.location:
        return None
    return normalise(fetched.location, fetched.url)


def _place(url: str) -> str:
    """Host and path of a URL."""
    return url.partition("?")[0].partition("//")[2]


def _without_session(url: str) -> Answered:
    return Fetched(url, reason="session-lost"), ParsedPage()
