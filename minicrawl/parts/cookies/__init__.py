"""Cookies (--cookies, --cookie-file): accepted, sent back, and kept from run to run. `step` does that."""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple  # Any: messages

from minicrawl import log
from minicrawl.errors import counted
from minicrawl.parts.part import Part, own
from minicrawl.setting import FLAG, ONE_MACHINE, can_be_file, file, setting
from minicrawl.store.declaration import Time, table
from minicrawl.web.urls.shapes import without_way_back

if TYPE_CHECKING:
    from minicrawl.crawler.visits.step import Opening, Step
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store

SET_COOKIE = "set-cookie"
log.declare(
    "cookies-expired",
    "{expired:,} of {of:,} cookies in --cookie-file {file} have expired and are not sent; log in again",
)


class CookieRow(NamedTuple):
    """A cookie, see minicrawl.web.http.cookies."""

    domain: Annotated[str, "host, or domain with all hosts below it"]
    path: str
    name: str
    value: str
    host_only: Annotated[int, "1: for the host alone"]
    secure: Annotated[int, "1: over https alone"]
    http_only: int
    expires: Annotated[Time | None, "NULL: without an end"]
    created: Annotated[Time, "it was first set then"]
    changed: Annotated[Time, "it was set last then"]


table("cookies", "cookies of hosts, with --cookies, in the clear", CookieRow, keys="domain path name")


@dataclass(frozen=True)
class CookieSettings:
    cookies: bool = setting(
        False, FLAG, "Accept cookies and send them back. The store keeps them in the clear, so only you may read it."
    )
    cookie_file: Path | None = setting(
        None,
        file("FILE", can_be_file),
        "Accept cookies, starting with those in this Netscape-format file. Every run saves them there when it ends.",
        ONE_MACHINE,
    )


class Cookies(Part):
    """Cookies of the crawl's own process: a cookie of a domain reaches its hosts whichever process asks them."""

    SETTINGS, TOPIC = CookieSettings, "logins"

    @classmethod
    def of(cls, opening: "Opening") -> "Step | None":
        from minicrawl.parts.cookies.step import CookieStep, Gates  # noqa: PLC0415

        return CookieStep(opening) if _are_taken(opening.settings) else Gates(opening)

    @staticmethod
    def check(settings: "CrawlSettings") -> None:
        if (path := own(settings, CookieSettings).cookie_file) is not None:
            from minicrawl.web.http.cookies import read_cookie_file  # noqa: PLC0415

            cookies, now = read_cookie_file(path), time.time()
            if expired := sum(not cookie.is_alive(now) for cookie in cookies):
                log.event("cookies-expired", file=str(path), expired=expired, of=len(cookies))

    @staticmethod
    def wants(settings: "CrawlSettings") -> Collection[str]:
        return [SET_COOKIE] if _are_taken(settings) else []

    @staticmethod
    def starting(settings: "CrawlSettings") -> Iterable[str]:
        if _are_taken(settings):
            yield "The store keeps cookies in the clear; only you may read it (0600)."

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        gates = store.meta_json(GATES)
        pages = Counter(starmap(without_way_back, store.rows(_LED) if gates else ()))
        found = [gate | {"pages": max(pages[name], 1)} for name, gate in gates.items()]
        return {"gates": sorted(found, key=lambda gate: -int(gate["pages"]))}

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        yield from (f"gate      {_sentence(gate)}" for gate in figures.get("gates", ())[:_SHOWN])

    @staticmethod
    def ending(failures: Mapping[str, int], figures: Mapping[str, Any]) -> Iterable[str]:
        yield from (f"{_sentence(gate)}." for gate in figures.get("gates", ())[:_SHOWN])

    @staticmethod
    def explain(store: "Store", page: int) -> Iterable[str]:
        rows = store.rows(f"{_LED} AND (pages.id = ? OR pages.stands_for = ?)", (page, page))
        gates, names = store.meta_json(GATES), set(starmap(without_way_back, rows))
        yield from (f"gate        {_gate(gate)}" for name, gate in gates.items() if name in names)

    @staticmethod
    def conclude(settings: "CrawlSettings", finals: Sequence[Any]) -> None:
        if (path := own(settings, CookieSettings).cookie_file) is not None:
            from minicrawl.web.http.cookies import write_cookie_file  # noqa: PLC0415

            write_cookie_file(path, [cookie for of_one in finals for cookie in of_one])


GATES, _SHOWN = "gates", 3
"""Key of `meta`: JSON of pages that need a cookie or a password, by URL without the way back; and gates in a text."""
_LED = """
    SELECT gate.url, pages.url FROM pages JOIN pages AS gate ON gate.id = pages.stands_for
    WHERE pages.reason GLOB 'redirect-*'"""


def _sentence(gate: Mapping[str, Any]) -> str:
    return f"{counted(gate['pages'], 'page')} redirect{'s' if gate['pages'] == 1 else ''} to {_gate(gate)}"


def _gate(gate: Mapping[str, Any]) -> str:
    asks = "asks for a password; 'minicrawl login' logs in"
    sets = "sets a cookie and leads back; a crawl with --cookies, into a new --store, gets past it"
    return f"{log.printable(gate['url'])}, which {asks if gate['needs'] == 'password' else sets}"


def _are_taken(settings: "CrawlSettings") -> bool:
    asked = own(settings, CookieSettings)
    return asked.cookies or asked.cookie_file is not None
