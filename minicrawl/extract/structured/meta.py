"""Properties in <meta>: OpenGraph and its relatives (ogp.me).

A property that belongs to another, as og:image:width to the og:image before it, becomes a part of its object, whose
own value is `value`: {"og:image": {"value": "a.png", "width": "600"}}. Repeated properties are lists.
"""

import re
from collections.abc import Iterator

from minicrawl.extract.document import Tree
from minicrawl.extract.structured.bounded_page import BoundedPage

_MOST = 1_000
"""Maximum elements of a page."""
_PREFIXES = ("og:", "article:", "book:", "profile:", "music:", "video:", "product:", "twitter:")
_DECLARED = re.compile(r"([\w-]+:)\s+\S")


def prefixes_of(tree: Tree) -> tuple[str, ...]:
    """The prefixes of properties: those known, and those that <html> and <head> declare."""
    nodes = [node for node in (tree.root, tree.head) if node is not None and "prefix" in node.attrs]
    declared = (name.lower() for node in nodes for name in _DECLARED.findall(node.attributes["prefix"] or ""))
    return (*_PREFIXES, *declared)


def open_graph(page: BoundedPage) -> dict[str, object]:
    """The OpenGraph properties of a page: texts, objects of structured properties, and lists of both."""
    prefixes = prefixes_of(page.tree)
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
