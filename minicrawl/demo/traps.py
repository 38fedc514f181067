"""Traps under one folder: pages that are made up when they are asked for, without end.

shop/1f0c.../boots    a shop with four pages; every answer has new session ids in its links
about/team/           relative links that are taken from any folder, and answered there too
search?color=red...   five parameters of six values, one changed at a time; what they find differs
lost/any-word         "not found" with status 200, and links to more of the kind
"""

import hashlib
import re
from collections.abc import Iterator
from random import Random

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
    """Title, a seed of what is said, and the paths linked, of a path under the traps' folder; None: no such page."""
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
