"""Changes of pages, as an Atom feed.

Source: RFC 4287. An entry's identifier is permanent for one change of one page, so that a feed reader shows the entry
once, however often the feed is written.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from minicrawl.export.tables import renamed_when_whole
from minicrawl.store.refreshes import ChangedPage
from minicrawl.store.texts.difference import CAME, MOVED, WENT, Line

_ATOM = "http://www.w3.org/2005/Atom"
_XHTML = "http://www.w3.org/1999/xhtml"
_ELEMENTS = {CAME: "ins", WENT: "del", MOVED: "em"}
_BLOCKS, _ROOM = 20, 4_000
"""Blocks of an entry, and characters of these."""
_MOST = 1_000
"""Maximum number of entries in a feed, a size that readers handle."""


class FeedEntry(NamedTuple):
    """An entry. key: tells it from all others of the feed for ever; at: Unix seconds; lines: that have come or gone."""

    key: str
    at: float
    title: str
    url: str
    summary: str
    lines: Sequence[Line] = ()


def write_feed(
    path: Path,
    changes: Sequence[ChangedPage],
    crawl: str,
    since: float,
    difference: Callable[[ChangedPage], Sequence[Line] | None] = lambda _: None,
) -> None:
    """Write changes as a feed, the latest first, 1,000 at most; replaces an old file atomically. Raises SettingError.

    crawl: identifier of the crawl. since: Unix seconds, the time of a feed without entries. difference: the blocks of a
    changed page that differ, if that is known.
    """

    def entry(page: ChangedPage) -> FeedEntry:
        lines = difference(page) if page.what == "changed" else None
        key = f"{page.what} {page.at} {page.url}"
        title = f"{page.what}: {page.title or page.url}"
        return FeedEntry(key, page.at, title, page.url, _summary(page), lines or ())

    latest = sorted(changes, key=lambda page: -page.at)[:_MOST]
    write_entries(path, list(map(entry, latest)), crawl, "Pages that are new, changed or gone", since)


def write_entries(path: Path, entries: Sequence[FeedEntry], feed: str, title: str, since: float = 0.0) -> None:
    """Write a feed, the latest entries first; replaces an old file atomically. feed: its identifier; since: Unix
    seconds, its time without entries. Raises SettingError."""
    latest = sorted(entries, key=lambda entry: -entry.at)
    root = ET.Element("feed", xmlns=_ATOM)
    _add(root, "id", _name(feed))
    _add(root, "title", title)
    _add(root, "updated", _time(latest[0].at if latest else since))
    _add(ET.SubElement(root, "author"), "name", "minicrawl")
    for one in latest:
        entry = ET.SubElement(root, "entry")
        _add(entry, "id", _name(f"{feed} {one.key}"))
        _add(entry, "title", one.title)
        _add(entry, "updated", _time(one.at))
        ET.SubElement(entry, "link", href=one.url)
        _add(entry, "summary", one.summary)
        if one.lines:
            _add_content(entry, one.lines)
    with renamed_when_whole(path) as temporary:
        ET.ElementTree(root).write(temporary, encoding="utf-8", xml_declaration=True)


def _summary(page: ChangedPage) -> str:
    counts = f": {page.added:,} came, {page.removed:,} went ({', '.join(page.kinds) or 'text'})"
    blocks = counts if page.what == "changed" and (page.added or page.removed) else ""
    return f"{page.url} is {page.what}{blocks}. Importance {page.importance:.3g}."


def _add_content(entry: ET.Element, lines: Sequence[Line]) -> None:
    """Add the first lines as XHTML: a list, with insertions and deletions."""
    div = ET.SubElement(ET.SubElement(entry, "content", type="xhtml"), "div", xmlns=_XHTML)
    blocks, room = ET.SubElement(div, "ul"), _ROOM
    for shown, line in enumerate(lines):
        if shown == _BLOCKS or room <= 0:
            _add(div, "p", f"and {len(lines) - shown:,} more")
            return
        item = ET.SubElement(blocks, "li")
        _add(item, _ELEMENTS[line.sign], f"{line.text[:room]}{'…' if len(line.text) > room else ''}")
        room -= len(line.text)


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = "".join(letter if letter.isprintable() else " " for letter in text)


def _name(text: str) -> str:
    return uuid5(NAMESPACE_URL, text).urn


def _time(seconds: float) -> str:
    """The time in RFC 3339."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
