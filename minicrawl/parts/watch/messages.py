"""What a round tells, in words and as JSON."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any  # Any: JSON

from msgspec import json as msgspec_json

from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.model import WatchEvent, WatchRound
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
    return [(row, msgspec_json.decode(row.said, type=WatchEvent)) for row in rows]


@dataclass(frozen=True)
class Message:
    """What one way has not sent yet. pages: of the list."""

    rows: Sequence[ToldRow]
    pages: int

    @property
    def is_due(self) -> bool:
        return any(row.sends for row in self.rows)

    @property
    def events(self) -> list[WatchEvent]:
        return [msgspec_json.decode(row.said, type=WatchEvent) for row in self.rows]

    def lines(self) -> list[str]:
        return list(words(self.events, self.pages, self.rows[-1].at)) if self.rows else []

    def json(self) -> dict[str, Any]:
        return as_json(self.events, self.rows[-1].at, self.rows[-1].round)


class Unsent:
    """What was told, and not yet sent in each of some ways: to a service, say. ways: their names."""

    def __init__(self, store: Path, ways: Sequence[str], pages: int) -> None:
        self._store, self._pages = store, pages
        with closing(Writer(store)) as writer:
            by_all, by_way = int(writer.meta(SENT) or 0), writer.meta_json(SENT_BY)
            self._rows = writer.records(ToldRow, "told WHERE id > ? ORDER BY id", by_all)
        self._sent: dict[str, int] = {way: by_way.get(way, by_all) for way in ways}

    def message(self, way: str) -> Message:
        return Message([row for row in self._rows if row.id > self._sent[way]], self._pages)

    def note_sent(self, way: str) -> None:
        self._sent[way] = self._rows[-1].id
        by_all = min(self._sent.values())
        ahead = {way: number for way, number in self._sent.items() if number > by_all}
        with closing(Writer(self._store)) as writer, writer.transaction():
            writer.save_meta({SENT: by_all, SENT_BY: json.dumps(ahead)})


def summary(done: WatchRound) -> Iterator[str]:
    """What is said of a first round."""
    if done.fresh:
        yield f"{counted(len(done.fresh), 'page')} {'are' if len(done.fresh) > 1 else 'is'} watched from now on."
