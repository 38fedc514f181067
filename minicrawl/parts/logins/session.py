"""Log in by a form, and see whether a session is alive.

witness   a page that shows whether the session is alive: without it, it asks for a login, or lacks some links
marks     these links: the paths of those that the witness has with the session alone

A page "asks for a login" if it has the form for that (web/html/forms.py), at its own URL or where it redirects to.
"""

from itertools import islice
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from minicrawl.errors import FetchError, SettingError, quoted
from minicrawl.model import ParsedPage, Wanted
from minicrawl.web.html.forms import (
    Form,
    asks_code,
    asks_password,
    forms_of,
    leads_to_login,
    lines_shown,
    login_form,
    name_form,
    title_of,
)
from minicrawl.web.html.parse import parse_html
from minicrawl.web.http.browsing import Browsed, Browsing
from minicrawl.web.http.cookies import CookieJar, read_logins
from minicrawl.web.urls.keys import origin_of, site_of

_MOST_MARKS = 20
_MOST_WORDS = 200
_MOST_LEADS = 2
"""Pages on the way to a form, each of which leads to the next."""
_UNAUTHORIZED = 401


class Login(Struct, frozen=True):
    """An account of a site, as the cookie file keeps it. `url`: where one begins to log in, perhaps at another site;
    `form`: the page with the form, if known: it may have been for one login. `password_file`: None if it was typed;
    `in_clear`: it may go over plain HTTP. `witness`: None if no page shows whether the session is alive."""

    site: str
    url: str
    user: str
    password_file: str | None = None
    in_clear: bool = False
    witness: str | None = None
    marks: tuple[str, ...] = ()
    form: str | None = None

    def as_json(self) -> str:
        return msgspec.json.encode(self).decode()


def kept_logins(path: Path) -> dict[str, Login]:
    """The accounts in a cookie file, by site. Raises SettingError."""
    try:
        logins = [msgspec.json.decode(line, type=Login) for line in read_logins(path)]
    except msgspec.MsgspecError as error:
        raise SettingError(
            f"--cookie-file {path} has a damaged line about a login ({error}); delete that line"
        ) from error
    return {login.site: login for login in logins}


def read_password(path: Path) -> str:
    """The password in the first line of a file. Raises SettingError."""
    try:
        password = path.read_text("utf-8-sig").partition("\n")[0]
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise SettingError(f"--password-file {path} cannot be read: {why}") from error
    if not password:
        raise SettingError(f"--password-file {path} is empty: write the password in its first line")
    return password


class LoginError(Exception):
    """A login did not work; a sentence without its full stop says why."""


async def log_in(browsing: Browsing, jar: CookieJar, login: Login, password: str) -> Login:
    """Log in at `login.url`. The jar has the session's cookies then. Returns the login, with a witness if
    there is one.

    Raises LoginError, FetchError.
    """
    has_cookies = any(site_of(cookie.domain) == login.site for cookie in jar)
    page = await _page_with_form(browsing, jar, login.url)
    if has_cookies and login_form(_forms(page)) is None:  # a session that is alive may hide the form
        jar.forget(login.site)
        jar.forget(site_of(page.url))  # which may have logged in for it
        page = await _page_with_form(browsing, jar, login.url)
    first, form = page, login_form(_forms(page))
    if form is None and (asks_name := _name_form(page)) is not None and asks_name.user is not None:
        _check_place(asks_name, page, login)
        page = await browsing.send(asks_name.action, asks_name.filled({asks_name.user: login.user}), page.url, jar)
        form = login_form(_forms(page))
        if form is None:
            raise LoginError(f"{page.url} does not ask for a password after the name{_said(page, first)}")
    if form is None and page.status == _UNAUTHORIZED:
        raise LoginError(f"{page.url} asks for a password by HTTP, not by a form: crawl with --auth HOST=NAME:PASSWORD")
    if form is None:
        raise LoginError(
            f"{page.url} has no form with one password field: name the page that has one, or use --browser if "
            "scripts make the form"
        )
    _check_place(form, page, login)
    before = _cookies(jar)
    filled = {form.passwords[0]: password} | ({form.user: login.user} if form.user else {})
    answer = await browsing.send(form.action, form.filled(filled), page.url, jar)
    answer = await _passed_on(browsing, jar, answer, login)
    says = _said(answer, page)
    if login_form(_forms(answer)) is not None:
        raise LoginError(f"{origin_of(answer.url)} did not let {quoted(login.user)} in{says}")
    refused = LoginError(f"{answer.url} answered with status {answer.status}{says}")
    if answer.status >= 400 and answer.url == form.action:
        raise refused
    is_new, found = _cookies(jar) != before, replace(login, form=first.url)
    if login.witness is None:
        found = await _with_witness(browsing, jar, found, answer)
    if await is_alive(browsing, jar, found):
        return found
    if asks_code(_forms(answer)):
        raise LoginError(f"{answer.url} asks for more than a password{says}; use --browser")
    if answer.status >= 400:  # else where it led to may be closed to this account
        raise refused
    if not is_new:  # nor has it the session of before
        raise LoginError(f"{origin_of(answer.url)} set no cookie: its scripts log in; use --browser")
    return found


async def _page_with_form(browsing: Browsing, jar: CookieJar, url: str) -> Browsed:
    """The page at a URL, or the one with a form to log in to which it leads: by a refresh, or by a link of its own site
    that says so."""
    page = first = await browsing.get(url, jar)
    for _ in range(_MOST_LEADS):
        if login_form(_forms(page)) is not None or _name_form(page) is not None:
            return page
        parsed = parse_html(page.body, page.url, page.content_type, Wanted(anchors=True)) if page.body else ParsedPage()
        links = zip(parsed.outlinks, parsed.anchors, strict=False)
        own = (link for link, text in links if leads_to_login(link, text) and site_of(link) == site_of(page.url))
        to = parsed.refresh or next(own, None)
        if to is None:
            break
        page = await browsing.get(to, jar)
    return first


async def is_alive(browsing: Browsing, jar: CookieJar, login: Login) -> bool | None:
    """True if the session of a login is alive; None if no page shows that. Raises FetchError."""
    if login.witness is None:
        return None
    page = await browsing.get(login.witness, jar)
    if site_of(page.url) != site_of(login.witness):
        return False
    if page.status >= 400:
        return None if page.status >= 500 else False
    return not asks_for_login(page) and (not login.marks or bool(_paths(page) & set(login.marks)))


async def _with_witness(browsing: Browsing, jar: CookieJar, login: Login, answer: Browsed) -> Login:
    """The login with the first page as witness that asks for a login without the session, else the first that has
    links with it alone; not the answer to the login, if it asks for a code, nor what leads there."""
    marked: Login | None = None
    unless = answer.url if asks_code(_forms(answer)) else None
    places = [answer.url, login.url, f"{origin_of(answer.url)}/"]  # the first is where a member's pages begin
    for url in dict.fromkeys(places):
        try:
            inside, outside = await browsing.get(url, jar), await browsing.get(url, CookieJar())
        except FetchError:
            continue
        if inside.status >= 400 or asks_for_login(inside) or inside.url == unless:
            continue
        if asks_for_login(outside) or outside.status in (401, 403, 404):
            return replace(login, witness=url, marks=())
        marks = sorted(_paths(inside) - _paths(outside))
        if marks and marked is None:
            marked = replace(login, witness=url, marks=tuple(islice(marks, _MOST_MARKS)))
    return marked or replace(login, witness=None, marks=())


def _check_place(form: Form, page: Browsed, login: Login) -> None:
    """Raise LoginError if a form sends what it asks for elsewhere, or in the clear."""
    if site_of(form.action) not in (site_of(page.url), login.site):
        raise LoginError(
            f"the form of {page.url} sends name and password to another site, {origin_of(form.action)}: log in there"
        )
    if not form.is_post:
        raise LoginError(f"the form of {page.url} sends name and password in a URL, which servers log: use --browser")
    if not form.action.startswith("https:") and not login.in_clear:
        raise LoginError(
            f"{origin_of(form.action)} takes the password over plain HTTP, where others can read it: name the https "
            "URL, or allow that with --in-clear"
        )


async def _passed_on(browsing: Browsing, jar: CookieJar, page: Browsed, login: Login) -> Browsed:
    """What answers the form by which a script of another site tells the login's who has logged in; else the page."""
    is_elsewhere = site_of(page.url) != login.site and b".submit(" in page.body
    for form in _forms(page) if is_elsewhere else []:
        if form.is_post and site_of(form.action) == login.site:
            return await browsing.send(form.action, form.filled({}), page.url, jar)
    return page


def _forms(page: Browsed) -> list[Form]:
    return forms_of(page.body, page.url, page.content_type)


def _name_form(page: Browsed) -> Form | None:
    return name_form(_forms(page), f"{page.url} {title_of(page.body, page.content_type)}")


def asks_for_login(page: Browsed) -> bool:
    """True if a page has the form to log in."""
    return asks_password(page.body) and login_form(_forms(page)) is not None


def _cookies(jar: CookieJar) -> set[tuple[object, ...]]:
    return {(*cookie.key, cookie.value) for cookie in jar}


def _paths(page: Browsed) -> set[str]:
    """The URLs that a page links to, without queries: these may hold a token of each answer."""
    outlinks = parse_html(page.body, page.url, page.content_type, Wanted()).outlinks if page.body else ()
    return {url.partition("?")[0] for url in outlinks}


def _said(page: Browsed, before: Browsed) -> str:
    """What a page says that the one before did not: ": "Wrong password." "."""
    old = set(lines_shown(before.body, before.content_type))
    words = " ".join(line for line in lines_shown(page.body, page.content_type) if line not in old)
    return f': it says "{words[:_MOST_WORDS]}"' if words else ""
