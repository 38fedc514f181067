"""Changes of pages, as an Atom feed.

Source: RFC 4287. An entry's identifier is permanent for one change of one page, so that a feed reader shows the entry
once, however often the feed is written.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
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
    latest = sorted(changes, key=lambda page: -page.at)[:_MOST]
    feed = ET.Element("feed", xmlns=_ATOM)
    _add(feed, "id", _name(crawl))
    _add(feed, "title", "Pages that are new, changed or gone")
    _add(feed, "updated", _time(latest[0].at if latest else since))
    _add(ET.SubElement(feed, "author"), "name", "minicrawl")
    for page in latest:
        entry = ET.SubElement(feed, "entry")
        _add(entry, "id", _name(f"{crawl} {page.what} {page.at} {page.url}"))
        _add(entry, "title", f"{page.what}: {page.title or page.url}")
        _add(entry, "updated", _time(page.at))
        ET.SubElement(entry, "link", href=page.url)
        _add(entry, "summary", _summary(page))
        lines = difference(page) if page.what == "changed" else None
        if lines:
            _add_content(entry, lines)
    with renamed_when_whole(path) as temporary:
        ET.ElementTree(feed).write(temporary, encoding="utf-8", xml_declaration=True)


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
