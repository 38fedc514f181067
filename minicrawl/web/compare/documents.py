"""The lines of a document that is not HTML page: JSON, feeds and other XML, CSV and plain text."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any  # Any: JSON

from minicrawl.web.html.decode import encoding_of
from minicrawl.web.http.response_fields import media_type

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_MOST_BYTES = 4_000_000
"""Of a larger one only the bytes are compared."""
_MOST_LINES = 20_000
_ENTRIES = ("item", "entry")


def lines_of(body: bytes, content_type: str | None) -> tuple[str, ...]:
    """The lines of a document; none of another kind of file, or of one that cannot be read. content_type: as sent."""
    kind = media_type(content_type) or ""
    if len(body) > _MOST_BYTES:
        return ()
    try:
        if kind.endswith("json"):
            lines = json_lines(json.loads(body), "", of_list="[]")
        elif kind.endswith("xml"):
            lines = _xml_lines(body)
        elif kind.startswith("text/"):
            text = body.decode(encoding_of(body, content_type), "replace")
            lines = (" ".join(line.split()) for line in text.splitlines())
        else:
            return ()
        return tuple(line for line, _ in zip(filter(None, lines), range(_MOST_LINES), strict=False))
    except (ValueError, LookupError, RecursionError, SyntaxError):
        return ()


def json_lines(value: Any, path: str, *, of_list: str) -> Iterator[str]:
    """A line for each value: "items[].price: 3". of_list: what stands behind the path of a list."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from json_lines(each, f"{path}.{name}" if path else name, of_list=of_list)
    elif isinstance(value, list):
        for each in value:
            yield from json_lines(each, f"{path}{of_list}", of_list=of_list)
    elif value is not None:
        yield f"{path}: {' '.join(str(value).split())}"


def _xml_lines(body: bytes) -> Iterator[str]:
    """The entries of a feed, a line each; of other XML the text of every element. Raises SyntaxError."""
    from xml.etree import ElementTree  # noqa: PLC0415 - few documents are of it

    root = ElementTree.fromstring(body)
    entries = [node for node in root.iter() if _name(node) in _ENTRIES]
    if not entries:
        for node in root.iter():
            yield " ".join((node.text or "").split())
        return
    for node in root.iter():
        if _name(node) == "title":
            yield " ".join((node.text or "").split())
            break
    for entry in entries:
        parts = {
            _name(node): node
            for node in reversed(list(entry))
            if _name(node) in ("title", "link", "summary", "description")
        }
        words = (" ".join("".join(node.itertext()).split()) or node.get("href", "") for node in parts.values())
        yield " | ".join(filter(None, reversed(list(words))))


def _name(node: "Element") -> str:
    return str(node.tag).rpartition("}")[2]
