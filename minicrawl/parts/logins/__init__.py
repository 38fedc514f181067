"""Logins (docs/logins.md): a session is protected, and logged in again.

session  log in by a form, and see whether the session is alive
browser  log in by hand, in a Chromium
words    names of links that end a session or act
guard    notices a lost session at the answers of a site
step     all that in a crawl
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from logging import INFO
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple  # Any: JSON

from minicrawl import log
from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.parts.part import Part
from minicrawl.setting import FLAG, setting
from minicrawl.store.declaration import PageId, table

if TYPE_CHECKING:
    from minicrawl.crawler.visits.step import Opening, Step
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store

LOST = "sessions_lost"
"""Key of `meta`. JSON: why the session of each site could not be renewed, by site."""
ACCOUNTS = "accounts"
"""Key of `meta`. JSON: the user of each site that the crawl is logged in at."""
log.declare("logged-in-again", "logged in again at {site} as {user}: the session was over", INFO)
log.declare("session-lost", "the session at {site} is over: {why}")
log.declare("ended-session", "{url} ended the session at {site}, and will not be requested again", INFO)


_LISTED = 1_000
"""Pages in JSON."""


class ActingRow(NamedTuple):
    """A page that would end the session or act."""

    page: PageId
    name: Annotated[str, "the part of its URL, or the words of a link to it, that say so; empty: its answer did"]


table("acting", "pages that end a session, or act: not asked while there is one", ActingRow, keys="page")


@dataclass(frozen=True)
class LoginSettings:
    follow_actions: bool = setting(
        False, FLAG, "While logged in, also follow links that end the session, delete, unsubscribe and the like."
    )


class Logins(Part):
    """Keeps sessions of the crawl alive: those of --cookie-file, --auth and `minicrawl login`."""

    SETTINGS, TOPIC = LoginSettings, "logins"

    @classmethod
    def of(cls, opening: "Opening") -> "Step | None":
        if not has_session(opening.settings):
            return None
        from minicrawl.parts.logins.step import Sessions  # noqa: PLC0415 - few crawls are logged in

        return Sessions(opening)

    @staticmethod
    def gathers(settings: "CrawlSettings") -> Collection[str]:
        return ("anchors", "forms") if has_session(settings) else ()

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        waiting = "FROM acting CROSS JOIN pages ON id = page WHERE pages.state = 'waiting'"
        rows = store.rows(f"SELECT url, name {waiting} ORDER BY page LIMIT {_LISTED}")
        acting = [{"url": url, "name": name} for url, name in rows]
        known = {"accounts": store.meta_json(ACCOUNTS), "lost": store.meta_json(LOST)}
        return {"left_out": store.value(f"SELECT count(*) {waiting}"), "acting": acting, **known}

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        for site, user in figures.get("accounts", {}).items():
            if site not in figures["lost"]:
                yield f"login     {printable(site)} as {printable(user)}"
        yield from (f"login     {line}" for line in _sentences(figures))

    @staticmethod
    def ending(failures: Mapping[str, int], figures: Mapping[str, Any]) -> Iterable[str]:
        yield from (f"{line[0].upper()}{line[1:]}." for line in _sentences(figures))

    @staticmethod
    def explain(store: "Store", page: int) -> Iterable[str]:
        query = "SELECT name FROM acting CROSS JOIN pages ON id = page WHERE page = ? AND pages.state = 'waiting'"
        for (name,) in store.rows(query, (page,)):
            why = f"{printable(name)!r} says that it ends a session or acts" if name else "its answer ended the session"
            yield f"minicrawl skips it during a session: {why}; --follow-actions follows it."


def _sentences(figures: Mapping[str, Any]) -> Iterable[str]:
    """Sentences without full stop."""
    for site, why in figures.get("lost", {}).items():
        yield (
            f"the session at {printable(site)} is lost, and its pages wait: {printable(why)}; run 'minicrawl "
            "login', then continue"
        )
    if acting := figures.get("acting"):
        example = acting[0]
        name = printable(example["name"]) or "its answer did"
        yield (
            f"{counted(figures['left_out'], 'page')} skipped that would end the session or act, such as "
            f"{printable(example['url'])} ({name}); --follow-actions follows them"
        )


def has_session(settings: "CrawlSettings") -> bool:
    """True if requests of a crawl may carry the user's session or password."""
    return bool(settings.auth) or getattr(settings, "cookie_file", None) is not None
