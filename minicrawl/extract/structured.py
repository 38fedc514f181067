"""What a page says about itself for machines: JSON-LD, microdata, and the properties of OpenGraph and its like."""

import json
import math
from collections.abc import Iterable

from minicrawl.extract.document import Document
from minicrawl.extract.microdata import microdata

STRUCTURED = ("jsonld", "opengraph", "microdata")
"""The fields of `structured`."""
_MOST = 1_000
_DEEPEST = 200
"""Of what JSON-LD nests: more is no data, and whoever reads the items gets into trouble by it."""
_PREFIXES = ("og:", "article:", "book:", "profile:", "music:", "video:", "product:", "twitter:")


def structured(document: Document, url: str) -> dict[str, object]:
    """`jsonld`: the objects of its JSON-LD; `opengraph`: its properties, those that it gives more than once as lists;
    `microdata`: its items, see that module.

    Without what it does not have. JSON that cannot be read, or nests without end, is left out.
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
    """A number; None for one that is too large, which JSON could not say again."""
    read = float(number)
    return read if math.isfinite(read) else None


def _is_too_deep(read: object) -> bool:
    level = [read]
    for _ in range(_DEEPEST):
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
