"""Microdata of a page as JSON, by the algorithm of the HTML standard (WHATWG HTML, 5.2 and 5.4.1).

An element with itemscope is an item; elements below it with itemprop, and below those that its itemref names, are its
properties. A value is a text, a URL made absolute, or an item. Where an item would be part of itself, the standard has
the text ERROR in its place, and so has this for one that is too deep.
"""

from collections.abc import Iterator
from functools import cached_property
from urllib.parse import urljoin

from minicrawl.extract.document import Node, Tree

MOST_VALUES = 10_000
"""Of one page: items can name one another, so that a short page has any number of them."""
MOST_CHARACTERS = 4_000_000
"""Of the values of one page: one may stand in the text of another."""
_DEEPEST = 50
_ERROR = "ERROR"
_URLS = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    "object": "data",
}
_ATTRIBUTES = {"meta": "content", "data": "value", "meter": "value"}


def microdata(tree: Tree, url: str) -> list[dict[str, object]]:
    """The items of a page that are no property of another, in document order. url: of the page."""
    items = tree.css("[itemscope]:not([itemprop])")
    return _Reader(tree, url).objects(items) if items else []


class _Reader:
    """Reads the items of one page."""

    def __init__(self, tree: Tree, url: str) -> None:
        base = tree.css_first("base[href]")
        self._base = _joined(url, base.attributes["href"] or "") if base is not None else url
        self._tree = tree
        self._places = {node.mem_id: place for place, node in enumerate(tree.css("[itemprop]"))}
        self._values_left, self._characters_left = MOST_VALUES, MOST_CHARACTERS

    def objects(self, items: list[Node]) -> list[dict[str, object]]:
        """Items as JSON, as many as there is room for."""
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
        """An item ("get the object"). above: the items that it is a part of."""
        attributes, found = item.attributes, dict[str, object]()
        if types := (attributes.get("itemtype") or "").split():
            found["type"] = types
            if "itemid" in attributes:
                found["id"] = _joined(self._base, attributes["itemid"] or "")
        properties: dict[str, list[object]] = {}
        for element in self._properties(item):
            names = list(dict.fromkeys((element.attributes["itemprop"] or "").split()))
            if names and self._has_room():
                value = self._value(element, (*above, item.mem_id))
                for name in names:
                    properties.setdefault(name, []).append(value)
        return found | {"properties": properties}

    def _properties(self, item: Node) -> list[Node]:
        """The elements that are properties of an item, in document order (5.2.5)."""
        referred = (item.attributes.get("itemref") or "").split()
        pending = [*_children(item), *(self._by_id[name] for name in referred if name in self._by_id)]
        seen, found = {item.mem_id}, []
        while pending:
            element = pending.pop()
            if element.mem_id in seen:
                continue
            seen.add(element.mem_id)
            attributes = element.attributes
            if "itemscope" not in attributes:
                pending.extend(_children(element))
            if "itemprop" in attributes:
                found.append(element)
        return sorted(found, key=lambda element: self._places[element.mem_id])

    def _value(self, element: Node, above: tuple[int, ...]) -> object:
        """The value of a property (5.2.4)."""
        self._values_left -= 1
        attributes, tag = element.attributes, element.tag or ""
        if "itemscope" in attributes:
            is_part_of_itself = element.mem_id in above or len(above) > _DEEPEST
            return _ERROR if is_part_of_itself else self._object(element, above)
        if tag in _URLS:
            given = attributes.get(_URLS[tag])
            value = "" if given is None else _joined(self._base, given)
        elif tag in _ATTRIBUTES:
            value = attributes.get(_ATTRIBUTES[tag]) or ""
        elif tag == "time":
            value = attributes["datetime"] or "" if "datetime" in attributes else element.text(deep=False)
        else:
            value = element.text(separator="")
        self._characters_left -= len(value)
        return value

    def _has_room(self) -> bool:
        return self._values_left > 0 and self._characters_left > 0


def _children(element: Node) -> Iterator[Node]:
    """Elements right below one."""
    return element.iter(include_text=False)


def _joined(base: str, reference: str) -> str:
    """A URL made absolute; "" for what is none."""
    try:
        return urljoin(base, reference.strip("\t\n\f\r "))
    except ValueError:
        return ""
