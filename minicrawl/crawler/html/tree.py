"""The interface of both parsers of HTML (browser_tree.py, plain_tree.py), and the place of a link on its page.

The place of a link is decided by the nearest element around it that is made for content or for navigation (main,
nav ...), or whose role, class or id is named after one: most sites wrap the whole page in one element, so outer ones
say little. A link in content stands in text if there are words beside it, else in a list. Links in text are the best
sign of what people cite.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from minicrawl.model import Place
from minicrawl.store.texts.marked_text import BETWEEN_BLOCKS, plain

TAGS = ("a", "area", "base", "frame", "iframe", "link", "meta", "title")
"""Names of the elements that a crawler reads."""

# Elements that belong to the line of text around them. All others begin and end a block of text.
INLINE = frozenset(
    {"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img"}
    | {"ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike"}
    | {"strong", "sub", "sup", "time", "tt", "u", "var", "wbr"}
)
# Elements whose content is not shown. Both parsers drop templates on their own.
HIDDEN = frozenset({"iframe", "noembed", "noframes", "script", "style", "template", "title"})
HEADINGS = frozenset({"h1", "h2", "h3"})
FORMATS = b"b big code em font i nobr s small strike strong tt u".split()
"""Elements that are opened again in the next block if they were not closed (HTML 13.2.4.3). So is an a, but none is
inside another."""
KEPT = frozenset(TAGS) | HIDDEN - {"template"} | {"plaintext", "textarea", "xmp"}
"""Elements that the plain parser keeps."""
NAMES_KEPT = b"(?:%b)" % "|".join(sorted(KEPT)).encode()
"""Their names, as a regular expression."""
REST_OF_TAG = rb"""[^<>"']*+(?:(?:"[^"<>]*"|'[^'<>]*')[^<>"']*+)*+"""
"""The rest of a tag behind its name, where its end is unambiguous."""

TEXT, LIST, NAVIGATION = map(int, Place)  # plain numbers: there are a hundred a page
CONTENT = LIST
"""The place inside an element of content; words beside a link make it TEXT."""
BY_TAG = dict.fromkeys(("nav", "menu", "header", "footer", "aside"), NAVIGATION) | dict.fromkeys(
    ("main", "article", "body"), CONTENT
)
_BY_ROLE = dict.fromkeys(
    ("navigation", "search", "menu", "menubar", "banner", "contentinfo", "complementary"), NAVIGATION
) | {"main": CONTENT}
_NAVIGATION_NAME = re.compile(
    r"nav|menu|side-?bar|foot(?!note)|copyright|header|(?<![a-z])head(?![a-z])|banner|masthead"
)
_CONTENT_NAME = re.compile(r"main-?content|(?<![a-z])(?:content|article|document|body|main)(?![a-z])")
FEW = 8
"""Characters too few to count as text beside a link: commas, "and", "see"."""
_HEAD = 24
_MOST_NAMES = 10_000
_LONGEST_NAME = 1_000
_by_name: dict[str, int | None] = {}  # the pages of a site share most names


class Text(NamedTuple):
    """The visible text of a page in document order, white space as written.

    `blocks`: text between two block elements, headings included; `headings`: tags h1 to h3 with their texts.
    """

    blocks: list[str]
    headings: list[tuple[str, str]]


class Marked(NamedTuple):
    """The visible text of a page with the marks of minicrawl.store.texts.marked_text, white space as written.

    `references`: of its links, up to and with the "#", in document order; `headings`: see `Text`.
    """

    text: str
    references: list[str]
    headings: list[tuple[str, str]]

    @property
    def plain(self) -> Text:
        """The text without marks."""
        return Text(plain(self.text).split(BETWEEN_BLOCKS), self.headings)


class Tree(Protocol):
    """A parsed page. `place`, `words` and `is_in_head` tell about the element that `elements` has come to."""

    def elements(self) -> Iterator[tuple[str, Mapping[str, str | None]]]:
        """Tag and attributes of the elements in `TAGS`, in document order. An empty attribute value may be None."""

    def place(self, best: int | None) -> int:
        """The number of the `minicrawl.model.Place` of a link. best: of the links before it with the same reference;
        it is returned where this link cannot better it."""

    def words(self) -> Callable[[], str]:
        """A function that returns the text inside the element."""

    def is_in_head(self) -> bool:
        """True for a child of the head."""

    def requiring(self, selector: str) -> Iterator[tuple[str, Mapping[str, str | None], Callable[[], str]]]:
        """Tag in lower case, attributes and text of elements in document order: those that a selector finds, or more.

        Elements of images are included; those of templates are not."""

    def language(self) -> str | None:
        """The lang attribute of the html element."""

    def h1(self) -> str | None:
        """The text of the first h1 element."""

    def text(self) -> Text:
        """The visible text. Call it last: it takes the tree apart."""

    def marked_text(self) -> Marked:
        """The visible text with marks. Call it last, in place of `text`."""


def up_to_fragment(reference: str) -> str:
    """A reference without its fragment. The "#" stays, as white space before it is part of the URL."""
    return reference[: reference.index("#") + 1] if "#" in reference else reference


def place_in(tag: str, attributes: Mapping[str, str | None]) -> int | None:
    """The place inside an element by its tag, role, class or id; None if they give none, or both."""
    if tag in BY_TAG:
        return BY_TAG[tag]
    return place_by(attributes) if attributes and tag not in INLINE else None


def place_by(attributes: Mapping[str, str | None]) -> int | None:
    """The place inside a block element by its role, class or id."""
    if "role" in attributes and (place := _BY_ROLE.get((attributes["role"] or "").strip().lower())) is not None:
        return place
    name = attributes.get("class") or attributes.get("id")
    if not name:
        return None
    return _by_name[name] if name in _by_name else _place_named(name)


def _place_named(name: str) -> int | None:
    lower = name.lower()
    navigation, content = _NAVIGATION_NAME.search(lower), _CONTENT_NAME.search(lower)
    place = None
    if (navigation is None) != (content is None):
        place = CONTENT if navigation is None else NAVIGATION
    if len(_by_name) >= _MOST_NAMES:
        _by_name.clear()
    if len(name) <= _LONGEST_NAME:
        _by_name[name] = place
    return place


def is_text(words: str | None) -> bool:
    """True if a link with these words beside it stands in text."""
    if words is None or len(words) <= FEW:
        return False
    # The beginning of a long text is mostly enough.
    return len(" ".join(words[:_HEAD].split())) > FEW or (len(words) > _HEAD and len(" ".join(words.split())) > FEW)
