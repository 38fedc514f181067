"""What a round tells, in words and as JSON."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any  # Any: JSON

from msgspec import json as msgspec_json

from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.model import WatchEvent
from minicrawl.parts.watch.tables import ToldRow
from minicrawl.reasons import meaning
from minicrawl.store.writer import Writer

SENT, SENT_BY = "watch_sent", "watch_sent_by"
"""Keys of `meta`: the number of the last `told` row that was sent in every way; and JSON of those by way."""
_SHOWN, _LONGEST = 20, 300
"""Lines of a page that a message has, and characters of each."""


def stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def as_json(events: Sequence[WatchEvent], at: float, number: int) -> dict[str, Any]:
    """What is told, by what became of the pages. at: Unix seconds."""

    def those(*whats: str) -> list[dict[str, Any]]:
        return [json.loads(msgspec_json.encode(event)) | {"url": event.url} for event in events if event.what in whats]

    pages = [event for event in events if not event.pages]
    return {
        "at": datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds"),
        "round": number,
        "changed": [_changed_json(event) for event in pages if event.what == "changed"],
        "lost": those("lost", "replaced"),
        "back": those("back"),
        "selectors": those("selector"),
        "habits": those("habit"),
        "unreadable": those("unreadable"),
        "readable": those("readable"),
        "hosts": [
            _changed_json(event) | {"pages": list(event.pages)}
            for event in events
            if event.what == "changed" and event.pages
        ],
    }


def _changed_json(event: WatchEvent) -> dict[str, Any]:
    return {
        "url": event.url,
        "title": event.title,
        "kinds": list(event.kinds),
        "removed": list(event.removed),
        "added": list(event.added),
        "beside": not event.sends,
    }


def words(events: Sequence[WatchEvent], of: int, at: float) -> Iterator[str]:
    """The lines of a message. of: pages of the list; at: Unix seconds."""
    changed = {
        url
        for event in events
        if event.what in ("changed", "lost", "replaced", "back")
        for url in (event.pages or (event.url,))
    }
    if changed:
        yield f"{len(changed):,} of {counted(of, 'page')} changed ({stamp(at)})"
    for event in events:
        yield from event_words(event)


def event_words(event: WatchEvent) -> Iterator[str]:
    url = printable(event.url)
    match event.what:
        case "changed" if event.pages:
            yield f"On {len(event.pages)} pages of {url}: {', '.join(map(printable, event.pages[:3]))} ..."
            yield from _lines(event)
        case "changed":
            yield f"{url}  {', '.join(event.kinds)}{'' if event.sends else ' (beside the content)'}"
            yield from _lines(event)
        case "lost":
            yield f"{url}  lost: {_why(event.why)}"
        case "replaced" | "unreadable" if event.pages and event.address:
            yield f"{counted(len(event.pages), 'page')} of {url} lead to its front page now"
        case "replaced":
            where = f" at {printable(event.address)}" if event.address else ""
            yield f"{url}  lost: another page is there, {printable(event.why) or 'without a title'!r}{where}"
        case "back":
            yield f"{url}  back as it was"
        case "selector":
            yield f"{url}  the selector matches nothing"
        case "habit":
            behind = f"the line after {printable(event.why)[:60]!r}" if event.why else "its first line"
            yield f"{url}  {behind} changes at every check, and is no longer reported; --selector watches it"
        case "unreadable":
            yield f"{counted(len(event.pages), 'page')} of {url} could not be checked: {_why(event.why)}"
        case "readable":
            yield f"{counted(len(event.pages), 'page')} of {url} could be checked again"


def _why(reason: str) -> str:
    return meaning(reason) or f"{printable(reason)!r} stands in their place"


def _lines(event: WatchEvent) -> Iterator[str]:
    lines = [*(f"  - {line}" for line in event.removed), *(f"  + {line}" for line in event.added)]
    for line in lines[:_SHOWN]:
        yield printable(line[:_LONGEST])
    if len(lines) > _SHOWN:
        yield f"  and {len(lines) - _SHOWN:,} more lines"


def told(store: Path, since: float) -> list[tuple[ToldRow, WatchEvent]]:
    """What was told since, the oldest first. since: Unix seconds."""
    from minicrawl.store.reader import open_store  # noqa: PLC0415 - a check needs the writer alone

    with open_store(store) as reader:
        rows = reader.records(ToldRow, "told WHERE at >= ? ORDER BY id", since)
    return [(row, event_of(row.said)) for row in rows]


def event_of(said: str) -> WatchEvent:
    return msgspec_json.decode(said, type=WatchEvent)


class Message:
    """What was told and not yet sent in one of the ways in which it is to be sent: to a service, say."""

    def __init__(self, store: Path, pages: int, way: str, ways: Sequence[str]) -> None:
        self._store, self._pages, self._way, self._ways = store, pages, way, ways
        with closing(Writer(store)) as writer:
            sent = _sent(writer, ways)[way]
            rows = writer.records(ToldRow, "told WHERE id > ? ORDER BY id", sent)
        self.events = [event_of(row.said) for row in rows]
        self.is_due = any(row.sends for row in rows)
        self._last, self._at, self._round = (rows[-1].id, rows[-1].at, rows[-1].round) if rows else (sent, 0.0, 0)

    def lines(self) -> list[str]:
        return list(words(self.events, self._pages, self._at))

    def json(self) -> dict[str, Any]:
        return as_json(self.events, self._at, self._round)

    def note_sent(self) -> None:
        with closing(Writer(self._store)) as writer, writer.transaction():
            sent = _sent(writer, self._ways) | {self._way: self._last}
            writer.save_meta({SENT: min(sent.values()), SENT_BY: json.dumps(sent)})


def _sent(writer: Writer, ways: Sequence[str]) -> dict[str, int]:
    by_all, by_way = int(writer.meta(SENT) or 0), writer.meta_json(SENT_BY)
    return {way: by_way.get(way, by_all) for way in ways}
