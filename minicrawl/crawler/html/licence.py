"""The licence of a page's content: by its links with rel=license (HTML, 4.6.7.8), else by JSON-LD about the page.

A page that names several has none, as it is not known which holds for its text.
"""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any  # Any: JSON

from minicrawl.crawler.urls.normalise import normalise

_SCRIPT = re.compile(rb"<script\b[^<>]{0,200}?\bapplication/ld\+json\b[^<>]{0,200}>", re.IGNORECASE)
_MOST, _LONGEST = 20, 200_000
"""Scripts that are looked at, and bytes of each."""
_OF_MEDIA = ("ImageObject", "VideoObject", "AudioObject")


def licence_of(page: bytes, references: Collection[str], base: str, encoding: str | None) -> str | None:
    """The URL of the licence of a page in UTF-8. references: those of its links with rel=license."""
    named: Collection[str] = references
    if not named and b'"license"' in page:
        named = tuple(_in_json_ld(page))
    found = {normalise(reference, base, encoding) for reference in named}
    return found.pop() if len(found) == 1 else None


def _in_json_ld(page: bytes) -> Iterator[str]:
    from minicrawl.extract.structured.json_ld import read  # noqa: PLC0415 - a crawl without texts needs it not

    for number, opening in enumerate(_SCRIPT.finditer(page)):
        end = page.find(b"</script", opening.end(), opening.end() + _LONGEST)
        if end < 0 or number == _MOST:
            return
        with suppress(RecursionError):  # values nested too deeply say nothing
            yield from _licences(read(page[opening.end() : end].decode("utf-8", "replace")))


def _licences(value: Any) -> Iterator[str]:
    """Licences of objects, and of those in their @graph; without those of pictures and films."""
    for thing in value if isinstance(value, list) else [value]:
        if isinstance(thing, list):
            yield from _licences(thing)
        if not isinstance(thing, dict) or any(kind in str(thing.get("@type")) for kind in _OF_MEDIA):
            continue
        yield from _licences(thing.get("@graph", []))
        licence = thing.get("license")
        if isinstance(licence, dict):
            licence = licence.get("@id") or licence.get("url")
        if isinstance(licence, str) and licence.startswith(("http:", "https:")):
            yield licence
