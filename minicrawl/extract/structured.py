"""Structured data of a page: JSON-LD, OpenGraph and similar properties, and microdata (WHATWG HTML, 5.2 and 5.4.1).

An element with itemscope is an item; descendants with itemprop, also of the elements that itemref names, are its
properties. A value is a text, an absolute URL, or an item. An item inside itself, or too deep, becomes the text ERROR.
"""

import json
import math
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from urllib.parse import urljoin

from minicrawl.extract.document import Document, Node, Tree

MOST_VALUES = 10_000
"""Maximum values of one page: items can refer to one another, so that a short page expands to any number of them."""
MOST_CHARACTERS = 4_000_000
"""Maximum characters of the values of one page and their source attributes: texts may be nested in one another."""
MOST_ELEMENTS = 1_000_000
"""Maximum elements examined for the items of one page: any number of items can refer to the same part of it."""
_DEEPEST = 50
_ERROR = "ERROR"
_URLS = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    "object": "data",
}
_ATTRIBUTES = {"meta": "content", "data": "value", "meter": "value"}


def microdata(tree: Tree, url: str) -> list[dict[str, object]]:
    """The top-level items of a page, in document order. url: of the page."""
    items = tree.css("[itemscope]:not([itemprop])")
    return _Reader(tree, url).objects(items) if items else []


class _Reader:
    """Reads the items of one page."""

    def __init__(self, tree: Tree, url: str) -> None:
        base = tree.css_first("base[href]")
        self._base = _joined(url, base.attributes["href"] or "") if base is not None else url
        self._tree = tree
        self._places = {node.mem_id: place for place, node in enumerate(tree.css("[itemprop]"))}
        self._items = {node.mem_id for node in tree.css("[itemscope]")}
        self._values_left, self._characters_left, self._elements_left = MOST_VALUES, MOST_CHARACTERS, MOST_ELEMENTS

    def objects(self, items: list[Node]) -> list[dict[str, object]]:
        """Items as JSON, up to the limits."""
        found = []
        for item in items:
            if not self._has_room():
                break
            found.append(self._object(item, ()))
        return found

    @cached_property
    def _by_id(self) -> dict[str, Node]:
        """The first element of each id."""
        return {node.attributes["id"] or "": node for node in reversed(self._tree.css("[id]"))}

    def _object(self, item: Node, above: tuple[int, ...]) -> dict[str, object]:
        """An item ("get the object"). above: the items that contain it."""
        found = dict[str, object]()
        if types := (self._attribute(item, "itemtype") or "").split():
            found["type"] = types
            if (name := self._attribute(item, "itemid")) is not None:
                found["id"] = self._url(name)
        properties: dict[str, list[object]] = {}
        for element in self._properties(item):
            for name in dict.fromkeys((self._attribute(element, "itemprop") or "").split()):
                # Repeated for every name: a value in several places takes its room in each.
                if self._has_room():
                    properties.setdefault(name, []).append(self._value(element, (*above, item.mem_id)))
        return found | {"properties": properties}

    def _properties(self, item: Node) -> list[Node]:
        """The elements that are properties of an item, in document order (5.2.5)."""
        referred = (self._attribute(item, "itemref") or "").split()
        pending = [*_children(item), *(self._by_id[name] for name in referred if name in self._by_id)]
        seen, found = {item.mem_id}, []
        while pending and self._elements_left > 0:
            element = pending.pop()
            self._elements_left -= 1
            if element.mem_id in seen:
                continue
            seen.add(element.mem_id)
            if element.mem_id not in self._items:
                pending.extend(_children(element))
            if element.mem_id in self._places:
                found.append(element)
        return sorted(found, key=lambda element: self._places[element.mem_id])

    def _value(self, element: Node, above: tuple[int, ...]) -> object:
        """The value of a property (5.2.4)."""
        self._values_left -= 1
        tag = element.tag or ""
        if element.mem_id in self._items:
            is_part_of_itself = element.mem_id in above or len(above) > _DEEPEST
            return _ERROR if is_part_of_itself else self._object(element, above)
        if tag in _URLS:
            given = self._attribute(element, _URLS[tag])
            return "" if given is None else self._url(given)
        if tag in _ATTRIBUTES:
            return self._attribute(element, _ATTRIBUTES[tag]) or ""
        if tag == "time" and "datetime" in element.attrs:
            return self._attribute(element, "datetime") or ""
        self._elements_left -= sum(1 for _ in islice(element.traverse(), max(self._elements_left, 0)))
        value = element.text(deep=tag != "time", separator="")
        self._characters_left -= len(value)
        return value

    def _attribute(self, element: Node, name: str) -> str | None:
        """The value of an attribute, "" if it has none; None: no such attribute."""
        if name not in element.attrs:
            return None
        value = element.attrs.get(name) or ""
        self._characters_left -= len(value)
        return value

    def _url(self, reference: str) -> str:
        """The absolute URL for a reference."""
        url = _joined(self._base, reference)
        self._characters_left -= len(url)
        return url

    def _has_room(self) -> bool:
        return min(self._values_left, self._characters_left, self._elements_left) > 0


def _children(element: Node) -> Iterator[Node]:
    """Child elements."""
    return element.iter(include_text=False)


def _joined(base: str, reference: str) -> str:
    """A URL made absolute; "" if invalid."""
    try:
        return urljoin(base, reference.strip("\t\n\f\r "))
    except ValueError:
        return ""


STRUCTURED = ("jsonld", "opengraph", "microdata")
"""The fields of `structured`."""
_MOST = 1_000
_DEEPEST_JSON = 200
"""Maximum nesting of JSON-LD: deeper values are no data, and break the parsers of whoever reads the items."""
_PREFIXES = ("og:", "article:", "book:", "profile:", "music:", "video:", "product:", "twitter:")


def structured(document: Document, url: str) -> dict[str, object]:
    """Structured data of a page. `jsonld`: its JSON-LD objects; `opengraph`: its properties, repeated ones as lists;
    `microdata`: its items, see that module.

    Missing formats are left out, and so is JSON that is invalid or too deeply nested.
    """
    found: dict[str, object] = {}
    if objects := _json_ld(document):
        found["jsonld"] = objects
    if properties := _properties(document):
        found["opengraph"] = properties
    if items := microdata(document.tree, url):
        found["microdata"] = items
    return found


def _json_ld(document: Document) -> list[object]:
    objects: list[object] = []
    for node in document.tree.css("script[type='application/ld+json' i]")[:_MOST]:
        try:
            read = json.loads(node.text(), parse_constant=lambda _: None, parse_float=_finite)
        except (ValueError, RecursionError):
            continue
        if _is_too_deep(read):
            continue
        objects.extend(read if isinstance(read, list) else [read])
    return objects


def _finite(number: str) -> float | None:
    """A number; None if it is too large, and so would be infinite in JSON."""
    read = float(number)
    return read if math.isfinite(read) else None


def _is_too_deep(read: object) -> bool:
    level = [read]
    for _ in range(_DEEPEST_JSON):
        level = [part for whole in level for part in _parts(whole)]
    return bool(level)


def _parts(whole: object) -> Iterable[object]:
    return whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()


def _properties(document: Document) -> dict[str, object]:
    values: dict[str, list[str]] = {}
    for node in document.tree.css("meta[content]")[:_MOST]:
        attributes = node.attributes
        name = (attributes.get("property") or attributes.get("name") or "").strip().lower()
        if name.startswith(_PREFIXES):
            values.setdefault(name, []).append((attributes["content"] or "").strip())
    return {name: given[0] if len(given) == 1 else given for name, given in values.items()}
