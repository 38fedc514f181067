"""A page for the readers of structured data: absolute URLs, and limits that hold for all of them together."""

import re
from collections.abc import Iterator
from functools import cached_property
from urllib.parse import urljoin

from minicrawl.extract.document import Node, Tree

MOST_VALUES = 10_000
"""Maximum values of one page: items can refer to one another, so that a short page expands to any number of them."""
MOST_CHARACTERS = 4_000_000
"""Maximum characters of the values of one page and their source attributes: texts may be nested in one another."""
MOST_ELEMENTS = 1_000_000
"""Maximum elements examined for the items of one page: any number of items can refer to the same part of it."""
DEEPEST = 50
"""Maximum nesting of items."""

URLS = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    "object": "data",
}
"""Attributes whose URL is the value of an element, by its tag."""
_UNSEEN = frozenset({"script", "style", "template"})
_WORD = re.compile(r"[^\t\n\f\r ]+")


class BoundedPage:
    """A page, its base URL, and the room left for its values."""

    def __init__(self, tree: Tree, url: str, failures: list[str]) -> None:
        """failures: gets the reasons why values are left out."""
        self.tree = tree
        self.failures = failures
        self._own_url = url
        self._values_left, self._characters_left, self._elements_left = MOST_VALUES, MOST_CHARACTERS, MOST_ELEMENTS

    @cached_property
    def base(self) -> str:
        """The URL that others are relative to."""
        base = self.tree.css_first("base[href]")
        return self._own_url if base is None else joined(self._own_url, base.attributes["href"] or "")

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """The first element of each id."""
        return {node.attributes["id"] or "": node for node in reversed(self.tree.css("[id]"))}

    @property
    def has_room(self) -> bool:
        return self._values_left > 0 and self._characters_left > 0 and self._elements_left > 0

    def spend(self, *, values: int = 0, elements: int = 0, characters: int = 0) -> None:
        self._values_left -= values
        self._elements_left -= elements
        self._characters_left -= characters

    def attribute(self, element: Node, *names: str) -> str | None:
        """The value of the first of these attributes that an element has, "" if without value; None: it has none."""
        for name in names:
            if name in element.attrs:
                value = element.attrs.get(name) or ""
                self.spend(characters=len(value))
                return value
        return None

    def words(self, element: Node, name: str) -> list[str]:
        """The words of an attribute, without repetition."""
        return list(dict.fromkeys(_WORD.findall(self.attribute(element, name) or "")))

    def url(self, reference: str) -> str:
        """A reference made absolute."""
        url = joined(self.base, reference)
        self.spend(characters=len(url))
        return url

    def shown(self, element: Node) -> Iterator[Node]:
        """The nodes in an element, itself included, but not those of scripts and styles."""
        for node in element.traverse(include_text=True):
            self.spend(elements=1)
            if not self.has_room:
                return
            if not node.is_text_node or node.parent is None or node.parent.tag not in _UNSEEN:
                yield node

    def text(self, element: Node, *, deep: bool = True) -> str:
        """The text of an element, without scripts and styles ("child text content" unless deep)."""
        nodes = self.shown(element) if deep else element.iter(include_text=True)
        text = "".join(node.text(deep=False) for node in nodes if node.is_text_node)
        self.spend(characters=len(text))
        return text


def children(element: Node) -> list[Node]:
    """Child elements."""
    return [child for child in element.iter() if child.is_element_node]


def joined(base: str, reference: str) -> str:
    """A URL made absolute; "" if invalid."""
    try:
        return urljoin(base, reference.strip("\t\n\f\r "))
    except ValueError:
        return ""
