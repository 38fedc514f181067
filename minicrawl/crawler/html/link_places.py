"""Where on its page a link stands: in the text, in a list, or in what frames the page.

From the link upwards the first element decides that is made for one (nav, main ...) or whose class is named after one:
sites put all of a page into one wrapper more often than not. In the content, a link beside words is in the text, any
other one in a list. Links in the text tell best what people cite.
"""

import re
from collections.abc import Mapping

from minicrawl.crawler.html.trees.tree import INLINE
from minicrawl.model import Place

TEXT, LIST, NAVIGATION = map(int, Place)  # plain numbers: there are a hundred a page
CONTENT = LIST
"""Where what decides is content; words beside a link make it one in the text."""

BY_TAG = dict.fromkeys(("nav", "menu", "header", "footer", "aside"), NAVIGATION) | dict.fromkeys(
    ("main", "article", "body"), CONTENT
)
_BY_ROLE = dict.fromkeys(
    ("navigation", "search", "menu", "menubar", "banner", "contentinfo", "complementary"), NAVIGATION
) | {"main": CONTENT}
_OF_FRAME = re.compile(r"nav|menu|side-?bar|foot(?!note)|copyright|header|(?<![a-z])head(?![a-z])|banner|masthead")
_OF_CONTENT = re.compile(r"main-?content|(?<![a-z])(?:content|article|document|body|main)(?![a-z])")
FEW = 8
"""Characters of a text that says nothing of a link: commas, "and", "see"."""
_HEAD = 64
_KEPT_NAMES = 10_000
_by_name: dict[str, int | None] = {}  # pages of a site have most names in common


def place_in(tag: str, attributes: Mapping[str, str | None]) -> int | None:
    """Where an element says that what it holds stands; None where it says nothing, or both."""
    if tag in BY_TAG:
        return BY_TAG[tag]
    return place_by(attributes) if attributes and tag not in INLINE else None


def place_by(attributes: Mapping[str, str | None]) -> int | None:
    """The same of a block whose tag says nothing."""
    if "role" in attributes and (place := _BY_ROLE.get((attributes["role"] or "").strip().lower())) is not None:
        return place
    name = attributes.get("class") or attributes.get("id")
    if not name:
        return None
    return _by_name[name] if name in _by_name else _place_named(name)


def _place_named(name: str) -> int | None:
    """Where what has this class or id stands; None where its name says nothing, or both."""
    lower = name.lower()
    frame, content = _OF_FRAME.search(lower), _OF_CONTENT.search(lower)
    place = None
    if (frame is None) != (content is None):
        place = CONTENT if frame is None else NAVIGATION
    if len(_by_name) >= _KEPT_NAMES:
        _by_name.clear()
    _by_name[name] = place
    return place


def is_text(words: str | None) -> bool:
    """Whether so much is written beside a link that it stands in a text."""
    if words is None or len(words) <= FEW:
        return False
    # What is written is told by how a long text begins, most often.
    return len(" ".join(words[:_HEAD].split())) > FEW or (len(words) > _HEAD and len(" ".join(words.split())) > FEW)
