"""Microdata as JSON (WHATWG HTML, 5.2 and 5.4.1).

An element with itemscope is an item; descendants with itemprop, also of the elements that itemref names, are its
properties. A value is a text, an absolute URL, or an item. An item inside itself, or too deep, becomes the text ERROR.
Pages have more than the standard: `content` is read on any element, and scripts in texts are left out.
"""

from minicrawl.extract.document import Node
from minicrawl.extract.structured.bounded_page import DEEPEST, URLS, BoundedPage, children

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
