"""Structured data of a page (docs/extract.md), each syntax as its specification reads it, with limits for all readers
together.

In microdata (WHATWG HTML, 5.2 and 5.4.1) an item inside itself, or too deep, becomes the text ERROR. A property of
OpenGraph (ogp.me) that belongs to another, as og:image:width to the og:image before it, becomes a part of its object,
whose own value is `value`.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from urllib.parse import urljoin

from minicrawl.extract.document import Document, Node, Tree
from minicrawl.web.html.json_ld import json_ld_values

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

    def attribute(self, element: Node, name: str) -> str | None:
        """The value of an attribute, "" if without value; None: the element has none."""
        if name not in element.attrs:
            return None
        value = element.attrs.get(name) or ""
        self.spend(characters=len(value))
        return value

    def words(self, element: Node, name: str) -> list[str]:
        """The words of an attribute, without repetition."""
        return list(dict.fromkeys(_WORD.findall(self.attribute(element, name) or "")))

    def url(self, reference: str) -> str:
        """A reference made absolute."""
        url = joined(self.base, reference)
        self.spend(characters=len(url))
        return url

    def text(self, element: Node, *, deep: bool = True) -> str:
        """The text of an element, without scripts and styles ("child text content" unless deep)."""
        pieces = list[str]()
        for node in element.traverse(include_text=True) if deep else element.iter(include_text=True):
            self.spend(elements=1)
            if not self.has_room:
                break
            if node.is_text_node and (node.parent is None or node.parent.tag not in _UNSEEN):
                pieces.append(node.text(deep=False))
        text = "".join(pieces)
        self.spend(characters=len(text))
        return text


def children(element: Node) -> list[Node]:
    return [child for child in element.iter() if child.is_element_node]


def joined(base: str, reference: str) -> str:
    """A URL made absolute; "" if invalid."""
    try:
        return urljoin(base, reference.strip("\t\n\f\r "))
    except ValueError:
        return ""


_MOST, _DEEPEST = 1_000, 200
"""Maximum scripts and meta elements of a page, and nesting: deeper values break the parsers of who reads the items."""
TOO_DEEP = f"JSON-LD that is nested deeper than {_DEEPEST} levels is left out"


def json_ld(page: BoundedPage) -> list[object]:
    """The objects of a page's scripts, arrays of them taken apart."""
    found: list[object] = []
    for node in page.tree.css("script[type*='ld+json' i]")[:_MOST]:
        if (node.attributes["type"] or "").split(";")[0].strip().lower() != "application/ld+json":
            continue
        try:
            values = json_ld_values(node.text())
        except RecursionError:
            values = None
        if values is None or _is_too_deep(values):
            page.failures.append(TOO_DEEP)
        else:
            found += _objects(values)
    return found


def _objects(values: list[object]) -> Iterator[object]:
    for value in values:
        if isinstance(value, list):
            yield from _objects(value)
        elif isinstance(value, dict) and value:
            yield value


def _is_too_deep(level: list[object]) -> bool:
    for _ in range(_DEEPEST + 1):
        parts = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [part for some in parts for part in some]
    return bool(level)


_ERROR = "ERROR"
_ATTRIBUTES = {"data": "value", "meter": "value", "time": "datetime"}


def microdata(page: BoundedPage) -> list[dict[str, object]]:
    """The top-level items of a page, in document order."""
    items = page.tree.css("[itemscope]:not([itemprop])")
    if not items:
        return []
    reader = _Reader(page)
    return [reader.item(item, ()) for item in items if page.has_room]


class _Reader:
    """Reads the items of one page."""

    def __init__(self, page: BoundedPage) -> None:
        self._page = page
        self._places = {node.mem_id: place for place, node in enumerate(page.tree.css("[itemprop]"))}
        self._items = {node.mem_id for node in page.tree.css("[itemscope]")}

    def item(self, item: Node, above: tuple[int, ...]) -> dict[str, object]:
        """An item ("get the object"). above: the items that contain it."""
        found = dict[str, object]()
        if types := self._page.words(item, "itemtype"):
            found["type"] = types
            if (name := self._page.attribute(item, "itemid")) is not None:
                found["id"] = self._page.url(name)
        properties: dict[str, list[object]] = {}
        for element in self._properties(item):
            for name in self._page.words(element, "itemprop"):
                # Repeated for every name: a value in several places takes its room in each.
                if self._page.has_room:
                    properties.setdefault(name, []).append(self._value(element, (*above, item.mem_id)))
        return found | {"properties": properties}

    def _properties(self, item: Node) -> list[Node]:
        """The elements that are properties of an item, in document order (5.2.5)."""
        referred = self._page.words(item, "itemref")
        pending = children(item)
        if referred:
            pending += [self._page.by_id[name] for name in referred if name in self._page.by_id]
        seen, found = {item.mem_id}, []
        while pending and self._page.has_room:
            element = pending.pop()
            self._page.spend(elements=1)
            if element.mem_id in seen:
                continue
            seen.add(element.mem_id)
            if element.mem_id not in self._items:
                pending += children(element)
            if element.mem_id in self._places:
                found.append(element)
        return sorted(found, key=lambda element: self._places[element.mem_id])

    def _value(self, element: Node, above: tuple[int, ...]) -> object:
        """The value of a property (5.2.4)."""
        page, tag = self._page, element.tag or ""
        page.spend(values=1)
        if element.mem_id in self._items:
            is_part_of_itself = element.mem_id in above or len(above) > DEEPEST
            return _ERROR if is_part_of_itself else self.item(element, above)
        if tag in URLS and (given := page.attribute(element, URLS[tag])) is not None:
            return page.url(given)
        if tag in _ATTRIBUTES and (given := page.attribute(element, _ATTRIBUTES[tag])) is not None:
            return given
        if (given := page.attribute(element, "content")) or tag in URLS or tag in {"meta", "data", "meter"}:
            return given or ""
        return page.text(element, deep=tag != "time")


_PREFIXES = ("og:", "article:", "book:", "profile:", "music:", "video:", "product:", "twitter:")
_DECLARED = re.compile(r"([\w-]+:)\s+\S")


def open_graph(page: BoundedPage) -> dict[str, object]:
    """The OpenGraph properties of a page: texts, objects of structured properties, and lists of both."""
    heads = [node for node in (page.tree.root, page.tree.head) if node is not None and "prefix" in node.attrs]
    declared = (name.lower() for node in heads for name in _DECLARED.findall(node.attributes["prefix"] or ""))
    prefixes = (*_PREFIXES, *declared)
    found: dict[str, list[object]] = {}
    for name, value in _named(page.tree):
        if not name.startswith(prefixes):
            continue
        whole, _, part = name.rpartition(":")
        if part == "url" and whole in {"og:image", "og:video", "og:audio"}:  # "identical to og:image"
            given = found.setdefault(whole, [])
            if not given or _value(given[-1]) != value:
                given.append(value)
        elif whole in found:
            owner = found[whole][-1]
            if not isinstance(owner, dict):
                owner = found[whole][-1] = {"value": owner}
            owner[part] = _joined(owner.get(part), value)
        else:
            found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _named(tree: Tree) -> Iterator[tuple[str, str]]:
    """Names, in lower case, and values."""
    for node in tree.css("meta[content]")[:_MOST]:
        attributes = node.attributes
        name = attributes.get("property") or attributes.get("name")
        if name:
            yield name.strip().lower(), (attributes["content"] or "").strip()


def _joined(before: object, value: str) -> object:
    """A value beside earlier ones of its name."""
    return value if before is None else [*before, value] if isinstance(before, list) else [before, value]


def _value(given: object) -> object:
    return given["value"] if isinstance(given, dict) else given


_READERS: dict[str, Callable[[BoundedPage], object]] = {
    "jsonld": json_ld,
    "microdata": microdata,
    "opengraph": open_graph,
}
SYNTAXES = tuple(_READERS)
"""Names of the syntaxes as fields of items, the most telling first."""


def structured(document: Document, url: str, failures: list[str]) -> dict[str, object]:
    """The values of each syntax that a page has. Reasons why values are left out are added to `failures`."""
    page = BoundedPage(document.tree, url, failures)
    found = {name: read(page) for name, read in _READERS.items()}
    return {name: values for name, values in found.items() if values}
