"""Microformats as JSON (microformats2 parsing, microformats.org/wiki/microformats2-parsing).

Not read: classic names without a prefix, as hentry, and classes of style sheets, as h-full. Dates are as published.
"""

import re

from minicrawl.extract.document import Node
from minicrawl.extract.structured.bounded_page import DEEPEST, URLS, BoundedPage, children

_CLASS = re.compile(r"(p|e|u|dt|h)-((?:[a-z0-9]+-)?[a-z]+(?:-[a-z]+)*)")
_STYLES = frozenset({"auto", "dvh", "fit", "full", "lvh", "max", "min", "px", "screen", "svh"})
_VALUE = {"abbr": "title", "data": "value", "input": "value"}
_SOURCES = {
    "p": _VALUE | {"link": "title", "img": "alt", "area": "alt"},
    "dt": _VALUE | dict.fromkeys(("time", "ins", "del"), "datetime"),
    "u": _VALUE | URLS,
}
"""Attributes with the value of an element, by the prefix of the property and the tag."""

Item = dict[str, object]


def microformats(page: BoundedPage) -> list[Item]:
    """The items of a page that are in no other, in document order."""
    reader, found = _Reader(page), list[Item]()
    for element in page.tree.css("[class*='h-']"):
        types, _ = reader.classes(element)
        if types and page.has_room and element.mem_id not in reader.read:
            found.append(reader.item(element, types, 0))
    return found


class _Reader:
    """Reads the items of one page."""

    def __init__(self, page: BoundedPage) -> None:
        self._page = page
        self.read = set[int]()
        """The elements that are items read already."""

    def classes(self, element: Node) -> tuple[list[str], list[tuple[str, str]]]:
        """The types of an item, and the properties that an element is, each with its prefix."""
        found = [match for name in self._page.words(element, "class") if (match := _CLASS.fullmatch(name))]
        types = sorted(match[0] for match in found if match[1] == "h" and match[2] not in _STYLES)
        return types, [(match[1], match[2]) for match in found if match[1] != "h"]

    def item(self, element: Node, types: list[str], depth: int) -> Item:
        """The item of an element, with all items in it."""
        properties: dict[str, list[object]] = {}
        inner, prefixes = list[Item](), set[str]()
        self.read.add(element.mem_id)
        pending = children(element)[::-1]
        while pending and self._page.has_room:
            child = pending.pop()
            inner_types, names = self.classes(child)
            self._page.spend(elements=1, values=len(names))
            is_item = bool(inner_types) and depth < DEEPEST
            prefixes.update(["h"] if inner_types else [], (prefix for prefix, _ in names))
            for prefix, name in names:
                value = self._value(child, prefix) if self._page.has_room else ""
                # Read again for every name: an item in several places takes its room in each.
                nested = self.item(child, inner_types, depth + 1) if is_item and self._page.has_room else None
                properties.setdefault(name, []).append(value if nested is None else _valued(nested, prefix, value))
            if is_item and not names:
                inner.append(self.item(child, inner_types, depth + 1))
            if not inner_types:
                pending += children(child)[::-1]
        self._imply(element, properties, prefixes)
        found: Item = {"type": types, "properties": properties}
        if own_id := self._page.attribute(element, "id"):
            found["id"] = own_id
        return found | ({"children": inner} if inner else {})

    def _imply(self, element: Node, properties: dict[str, list[object]], prefixes: set[str]) -> None:
        """Add name, photo and URL where an item has no properties that rule them out."""
        if "name" not in properties and not prefixes & {"p", "e", "h"}:
            source = self._lone(element, ("img", "area", "abbr"), is_alone=True)
            given = None if source is None else self._page.attribute(source, _SOURCES["p"][source.tag or ""])
            properties["name"] = [given or self._text(element, has_sources=False)]
        for name, tags in (("photo", ("img", "object")), ("url", ("a", "area"))):
            source = None if name in properties or prefixes & {"u", "h"} else self._lone(element, tags)
            if source is not None and self._page.attribute(source, _SOURCES["u"][source.tag or ""]) is not None:
                properties[name] = [self._value(source, "u")]

    def _lone(self, element: Node, tags: tuple[str, ...], *, is_alone: bool = False) -> Node | None:
        """An element if it has one of these tags; or its only child with it, or that of its only child; no item.

        is_alone: it must be the only child of any tag.
        """
        for _ in range(3):
            if element.tag in tags:
                return element
            inner = children(element)
            for tag in tags:
                same = [child for child in inner if child.tag == tag]
                if len(same) == 1 and (len(inner) == 1 or not is_alone):
                    return None if self.classes(same[0])[0] else same[0]
            if len(inner) != 1 or self.classes(inner[0])[0]:
                return None
            element = inner[0]
        return None

    def _value(self, element: Node, prefix: str) -> object:
        """The value of an element for a property with that prefix."""
        page, tag = self._page, element.tag or ""
        if prefix == "e":
            markup = "".join(child.html or "" for child in element.iter(include_text=True)).strip()
            page.spend(characters=len(markup))
            return {"html": markup, "value": self._text(element)}
        inner = children(element)
        page.spend(elements=len(inner))
        parts = [child for child in inner if {"value", "value-title"} & set(page.words(child, "class"))]
        if parts and not (prefix == "u" and tag in _SOURCES["u"]):
            text = (" " if prefix == "dt" else "").join(self._part(part, prefix) for part in parts)
        else:
            text = self._part(element, prefix)
        if prefix != "u":
            return text
        alternative = page.attribute(element, "alt") if tag == "img" else None
        return page.url(text) if alternative is None else {"value": page.url(text), "alt": alternative}

    def _part(self, element: Node, prefix: str) -> str:
        """The value of an element: of an attribute, or its text."""
        if "value-title" in self._page.words(element, "class"):
            return self._page.attribute(element, "title") or ""
        name = _SOURCES[prefix].get(element.tag or "")
        given = None if name is None else self._page.attribute(element, name)
        return self._text(element) if given is None else given

    def _text(self, element: Node, *, has_sources: bool = True) -> str:
        """The text of an element, images by their alternative text, or else their URL."""
        words = list[str]()
        for node in self._page.shown(element):
            if node.is_text_node:
                words.append(node.text(deep=False))
            elif node.tag == "img":
                name = self._page.attribute(node, "alt")
                if name is None and has_sources:
                    name = self._page.url(self._page.attribute(node, "src") or "")
                words.append(f" {name or ''} ")
            elif node.tag in {"br", "p"}:
                words.append("\n")
        text = "".join(words)
        self._page.spend(characters=len(text))
        return "\n".join(line for each in text.split("\n") if (line := " ".join(each.split())))


def _valued(nested: Item, prefix: str, value: object) -> Item:
    """An item that is a property, with its simple value."""
    if isinstance(value, dict) and prefix == "e":
        return nested | value
    properties = nested["properties"]
    assert isinstance(properties, dict)
    simple = (properties.get({"p": "name", "u": "url"}.get(prefix, "")) or [value])[0]
    return nested | {"value": simple["value"] if isinstance(simple, dict) else simple}
