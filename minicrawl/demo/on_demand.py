"""Pages made up when they are asked for: the calendar, a page a month, and traps without end under one folder.

shop/1f0c.../boots    a shop with four pages; every answer has new session ids in its links
about/team/           relative links that are resolved against any folder, and answered there too
search?color=red...   five parameters of six values, one changed at a time; the results differ
lost/any-word         "not found" with status 200, and links to more of the kind
"""

import hashlib
import re
from collections.abc import Iterator
from random import Random

from minicrawl.demo.resources import Page

CALENDAR_START = 12 * 2026 + 10
"""The month that is linked: November 2026, months counted from the year 0."""
CALENDAR_MONTHS = 240
"""Months of the calendar in each direction."""


def month_url(calendar: str, month: int) -> str:
    return f"{calendar}{month // 12}/{month % 12 + 1:02}"


def month_page(calendar: str, url: str, months: int | None) -> Page | None:
    """The calendar's page for a month, which links to the months beside it and to the host's home page.

    months: their number in each direction; None: no end.
    """
    match = re.fullmatch(r"(\d{4})/(0[1-9]|1[0-2])", url.removeprefix(calendar))
    if match is None:
        return None
    month = 12 * int(match[1]) + int(match[2]) - 1
    if months is not None and abs(month - CALENDAR_START) > months:
        return None
    page = Page(url, f"Calendar {match[0]}")
    page.link(calendar.removesuffix("calendar/"), "Home")
    for text, beside in (("Previous month", month - 1), ("Next month", month + 1)):
        if months is None or abs(beside - CALENDAR_START) <= months:
            page.link(month_url(calendar, beside), text)
    return page


ENTRANCES = (
    "shop/0123456789abcdef0123456789abcdef/boots",
    "about/",
    "search?color=red&size=s&sort=price&view=list&brand=north",
    "lost/and-found",
)

_GOODS = ("boots", "coats", "gloves", "hats")
_FOLDERS = ("team/", "history/", "contact/")
_CHOICES = {
    "color": ("red", "blue", "green", "black", "white", "grey"),
    "size": ("xs", "s", "m", "l", "xl", "xxl"),
    "sort": ("price", "name", "age", "rating", "stock", "weight"),
    "view": ("list", "grid", "table", "tiles", "map", "text"),
    "brand": ("north", "south", "east", "west", "up", "down"),
}
_SYLLABLES = ("al", "be", "co", "du", "el", "fi", "go", "ha")


def trap_page(path: str) -> tuple[str, str, Iterator[str]] | None:
    """Title, seed of the text and linked paths for a path under the traps' folder; None: no such page."""
    kind, _, rest = re.sub(r"[/?]", " ", path, count=1).partition(" ")
    if kind == "shop":
        session, goods = _digest(path), rest.rpartition("/")[2]
        return goods.title(), goods, (f"shop/{session}/{other}" for other in _GOODS)
    if kind == "about" and (not rest or rest.endswith("/")):
        return "About us", "about", (f"about/{rest}{folder}" for folder in _FOLDERS)
    if kind == "search":
        return "Found", rest, _other_searches(rest)
    if kind == "lost":
        rng = Random(rest)
        return "Nothing here", "lost", (f"lost/{''.join(rng.choices(_SYLLABLES, k=4))}" for _ in range(10))
    return None


def _other_searches(query: str) -> Iterator[str]:
    chosen = dict(part.partition("=")[::2] for part in query.split("&"))
    for name, values in _CHOICES.items():
        for value in values:
            yield "search?" + "&".join(f"{key}={old}" for key, old in (chosen | {name: value}).items())


def _digest(path: str) -> str:
    return hashlib.blake2b(path.encode(), digest_size=16).hexdigest()
