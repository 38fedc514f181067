"""minicrawl login"""

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click

from minicrawl.cli.options import given_options, is_quiet, logging_options, setting_options
from minicrawl.errors import FetchError, MinicrawlError, SettingError, counted
from minicrawl.log import printable
from minicrawl.parts import module
from minicrawl.settings import CrawlSettings
from minicrawl.system import run_loop
from minicrawl.web.urls.keys import origin_of, site_of

if TYPE_CHECKING:
    from minicrawl.web.http.browsing import Browsing
    from minicrawl.web.http.cookies import CookieJar

PASSWORD = "MINICRAWL_PASSWORD"
_SETTINGS = (
    "user_agent",
    "contact",
    "header",
    "proxy",
    "connect_to",
    "ca_file",
    "client_cert",
    "allow_private",
    "timeout",
)


class NotLoggedInError(MinicrawlError):
    """A login failed, or a session is over."""

    exit_code = 1


@click.command(epilog="Example: minicrawl login https://wiki.example.org/login --user me")
@click.argument("url", required=False)
@click.option("--user", metavar="NAME", help="Log in with this name; by default, ask for it.")
@click.option("--password-file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Read the password from the first line of this file, so that crawls can log in again. By default, "
              f"take it from {PASSWORD} in the environment, or ask for it.")  # fmt: skip
@click.option("--cookie-file", type=click.Path(dir_okay=False, path_type=Path), default=Path("data/cookies.txt"),
              show_default=True, metavar="FILE",
              help="Keep the session in this file, together with those of other sites.")  # fmt: skip
@click.option("--browser", is_flag=True, help="Open Chromium, where you log in by hand, and take its cookies.")
@click.option("--chromium", type=click.Path(path_type=Path), metavar="FILE", help="Use this Chromium for --browser.")
@click.option(
    "--check", is_flag=True, help="Only check whether the sessions in the file are alive; exit with 1 if one is not."
)
@click.option("--in-clear", is_flag=True, help="Send the password even over plain HTTP, where others can read it.")
@setting_options(*_SETTINGS)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    url: str | None,
    user: str | None,
    password_file: Path | None,
    cookie_file: Path,
    browser: bool,
    chromium: Path | None,
    check: bool,
    in_clear: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Log in at URL, by the form of that page or the one it leads to, and keep the session for crawls.

    URL may be any page that asks for a login. Continue with 'minicrawl crawl SEEDS --cookie-file FILE': such a crawl
    follows no link that logs out or deletes, notices a lost session, and logs in again if it has the password's file.
    """
    from minicrawl.analysis.explain import meant_by
    from minicrawl.web.http.cookies import CookieJar, read_cookie_file, write_cookie_file

    session = module("logins.session")
    given, _ = given_options(click.get_current_context(), options, None, Path())
    logins, jar = session.kept_logins(cookie_file), CookieJar()
    for cookie in read_cookie_file(cookie_file):
        jar.add(cookie)
    if check:
        _check(given, jar, list(logins.values()), cookie_file, as_json=as_json)
        return
    if url is None:
        raise SettingError("name the login page, such as https://wiki.example.org/login")
    place = meant_by(url)[0].partition("#")[0]
    try:
        if browser:
            login = _by_hand(place, user, jar, chromium)
        else:
            login = _by_form(place, user, password_file, jar, given, in_clear=in_clear)
    except (session.LoginError, FetchError) as error:
        raise NotLoggedInError(f"not logged in at {printable(place)}: {printable(str(error))}") from error
    kept = {**logins, login.site: login}
    try:
        cookie_file.parent.mkdir(parents=True, exist_ok=True)
        is_kept = write_cookie_file(cookie_file, jar, [one.as_json() for one in kept.values()])
    except OSError:
        is_kept = False
    if not is_kept:
        raise NotLoggedInError(f"logged in, but --cookie-file {cookie_file} cannot be written; name another file")
    if as_json:
        click.echo(
            json.dumps({"site": login.site, "user": login.user, "file": str(cookie_file), "witness": login.witness})
        )
    elif not is_quiet():
        seed = login.witness if login.witness not in (None, login.form) else f"{origin_of(place)}/"
        shows = f"; {printable(login.witness)} shows whether it lasts" if login.witness else ""
        click.echo(f"Logged in at {login.site} as {printable(login.user)}{shows}.")
        click.echo(f"Next: minicrawl crawl {printable(seed)} --cookie-file {cookie_file}")


def _browsing(given: dict[str, Any], *urls: str) -> "Browsing":
    """Asks as the options say; secret headers and a certificate are for the origins of these URLs."""
    from minicrawl.crawler.sources.local import fetch_options
    from minicrawl.web.http.browsing import Browsing

    return Browsing(fetch_options(CrawlSettings.of(given)), time.time, frozenset(map(origin_of, urls)))


def _by_form(  # noqa: PLR0913 - what the command was told
    url: str, user: str | None, password_file: Path | None, jar: "CookieJar", given: dict[str, Any], *, in_clear: bool
) -> Any:
    session = module("logins.session")
    user = user or _asked("User", is_secret=False)
    password = session.read_password(password_file) if password_file else os.environ.get(PASSWORD) or _asked("Password")
    kept_file = None if password_file is None else str(password_file.absolute())
    login = session.Login(site_of(url), url, user, kept_file, in_clear)

    async def log_in() -> Any:
        async with _browsing(given, url) as browsing:
            found: Any = await session.log_in(browsing, jar, login, password)
            return found

    return run_loop(log_in())


def _asked(what: str, *, is_secret: bool = True) -> str:
    if not sys.stdin.isatty():
        way_out = f"give --password-file, or set {PASSWORD}" if is_secret else "give --user"
        raise SettingError(f"there is no terminal to ask for the {what.lower()}; {way_out}")
    answer: str = click.prompt(what, hide_input=is_secret, err=True)
    return answer


def _by_hand(url: str, user: str | None, jar: "CookieJar", chromium: Path | None) -> Any:
    from minicrawl.installed import CHROMIUMS, WITHOUT_WINDOWS, find_chromium
    from minicrawl.web.http.cookies import cookies_of_rows

    session = module("logins.session")
    names = [name for name in CHROMIUMS if name != WITHOUT_WINDOWS]
    with_windows = next(filter(None, map(shutil.which, names)), None)
    program = find_chromium(chromium or (Path(with_windows) if with_windows else None))
    rows = run_loop(
        module("logins.browser").cookies_of_browser(
            program, url, lambda: click.pause("Log in in the window, then press any key here ...", err=True)
        )
    )
    for cookie in cookies_of_rows(rows, time.time()):
        jar.add(cookie)
    found: Any = session.Login(site_of(url), url, user or "", witness=url, form=url)
    return found


def _check(given: dict[str, Any], jar: "CookieJar", logins: list[Any], file: Path, *, as_json: bool) -> None:
    session = module("logins.session")
    if not logins:
        raise SettingError(f"{file} has no login yet; run 'minicrawl login URL --cookie-file {file}'")

    async def each() -> dict[str, bool | None]:
        async with _browsing(given, *(login.url for login in logins)) as browsing:
            return {login.site: await session.is_alive(browsing, jar, login) for login in logins}

    try:
        alive = run_loop(each())
    except FetchError as error:
        raise NotLoggedInError(f"the session cannot be checked: {printable(str(error))}") from error
    says = {True: "is alive", False: "is over", None: "may be alive, but no page shows it"}
    if as_json:
        click.echo(json.dumps(alive))
    else:
        for login in logins:
            click.echo(f"{login.site}  {printable(login.user)}  {says[alive[login.site]]}")
    if over := sum(state is False for state in alive.values()):
        raise NotLoggedInError(f"{counted(over, 'session')} over; log in again by 'minicrawl login'")
