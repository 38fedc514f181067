"""Where on its page a link stands: in the text, in a list, or in what frames the page.

From the link upwards the first element decides that is made for one (nav, main ...) or whose class is named after one:
sites put all of a page into one wrapper more often than not. In the content, a link beside words is in the text, any
other one in a list. Links in the text tell best what people cite.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from minicrawl.crawler.html.tree import INLINE
from minicrawl.model import Place

CONTENT = Place.LIST
"""Where what decides is content; words beside a link make it one in the text."""

_BY_TAG = {
    "nav": Place.NAVIGATION,
    "menu": Place.NAVIGATION,
    "header": Place.NAVIGATION,
    "footer": Place.NAVIGATION,
    "aside": Place.NAVIGATION,
    "main": CONTENT,
    "article": CONTENT,
    "body": CONTENT,
}
_BY_ROLE = {
    "navigation": Place.NAVIGATION,
    "search": Place.NAVIGATION,
    "menu": Place.NAVIGATION,
    "menubar": Place.NAVIGATION,
    "banner": Place.NAVIGATION,
    "contentinfo": Place.NAVIGATION,
    "complementary": Place.NAVIGATION,
    "main": CONTENT,
}
_OF_FRAME = re.compile(r"nav|menu|side-?bar|foot(?!note)|copyright|header|(?<![a-z])head(?![a-z])|banner|masthead")
_OF_CONTENT = re.compile(r"main-?content|(?<![a-z])(?:content|article|document|body|main)(?![a-z])")
_FEW = 8
"""Characters of a text that says nothing of a link: commas, "and", "see"."""


def place_in(tag: str, attributes: Mapping[str, str | None]) -> Place | None:
    """Where an element says that what it holds stands; None where it says nothing, or both."""
    if tag in _BY_TAG:
        return _BY_TAG[tag]
    if tag in INLINE or not attributes:
        return None
    role = attributes.get("role")
    if role is not None and (place := _BY_ROLE.get(role.strip().lower())) is not None:
        return place
    name = attributes.get("class") or attributes.get("id")
    return _place_named(name) if name else None


@lru_cache(maxsize=10_000)  # pages of a site have most names in common
def _place_named(name: str) -> Place | None:
    """Where what has this class or id stands; None where its name says nothing, or both."""
    name = name.lower()
    frame, content = _OF_FRAME.search(name), _OF_CONTENT.search(name)
    if (frame is None) == (content is None):
        return None
    return Place.NAVIGATION if content is None else CONTENT


def is_text(words: str | None) -> bool:
    """Whether so much is written beside a link that it stands in a text."""
    return words is not None and len(words) > _FEW and len(" ".join(words.split())) > _FEW
