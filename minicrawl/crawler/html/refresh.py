"""Refreshes: where a page, or the header of its answer, says to go next, and after how many seconds.

A refresh is a redirect if it is soon, on a page with next to no text of its own: "You will be taken to our new address
in five seconds." Any other is a link: articles reload themselves every half hour, or go back to the front page.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from minicrawl.crawler.html.tree import LIST
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import ParsedPage

SOON = 10
"""Seconds. Pages that have moved wait 10 s at most, time to read a sentence; pages that reload wait for 30 and more."""
LITTLE_TEXT = 300
"""Characters. A page that says where it has moved has fewer, a paragraph of an article has more."""

# Shared declarative refresh steps (WHATWG HTML, 4.2.5.3): a time, a divider, and the rest is the URL.
_REFRESH = re.compile(r"""\s*(?:0*(\d*)|(?=\.))[\d.]*(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(.*)""", re.IGNORECASE | re.DOTALL)
_BEGINS = re.compile(r"\s*[\d.]")


class Refresh(NamedTuple):
    """`url`: normalised, where it leads; `is_soon`: within `SOON` seconds."""

    url: str
    is_soon: bool


def read_refresh(value: str, base: str, encoding: str | None = None) -> Refresh | None:
    """The refresh that a meta element's content, or a header, asks for; None if a browser would not follow it."""
    found = _REFRESH.match(value) if _BEGINS.match(value) else None
    target = normalise(_unquoted(found[2]), base, encoding) if found else None
    if found is None or target is None:
        return None
    seconds = found[1] or "0"
    return Refresh(target, len(seconds) <= len(str(SOON)) and int(seconds) <= SOON)


def has_little_text(blocks: Iterable[str]) -> bool:
    """True if a page of these blocks has next to no text."""
    return sum(len(" ".join(block.split())) for block in blocks) < LITTLE_TEXT


def with_refresh(parsed: ParsedPage, refresh: Refresh, blocks: Iterable[str], *, places: bool) -> ParsedPage:
    """The page with its refresh as a link, and as a redirect if it is one. blocks: of its text. places: those of links
    are kept. The links of a redirect count only where it leads to no page."""
    if refresh.url not in parsed.outlinks:
        parsed = parsed._replace(
            outlinks=(*parsed.outlinks, refresh.url),
            anchors=(*parsed.anchors, ""),
            places=parsed.places + bytes([LIST]) if places else b"",
        )
    return parsed._replace(refresh=refresh.url) if refresh.is_soon and has_little_text(blocks) else parsed


def _unquoted(text: str) -> str:
    """The text between quotes if it starts with one, else all of it."""
    return text[1:].partition(text[0])[0] if text.startswith(("'", '"')) else text
