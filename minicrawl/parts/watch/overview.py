"""A watched list as the dashboard shows it."""

from typing import TYPE_CHECKING, Any  # Any: JSON

from minicrawl.parts.watch import CHECKED, NEXT, ROUND
from minicrawl.parts.watch.messages import event_of, event_words
from minicrawl.parts.watch.tables import ToldRow
from minicrawl.reasons import meaning

if TYPE_CHECKING:
    from minicrawl.store.reader import Store

_PAGES, _EVENTS, _LINES = 500, 200, 40
"""Pages and events that are shown, the latest, and lines of each event."""


def overview(store: "Store") -> dict[str, Any]:
    """`rounds`, with the times of the last and the next one; `pages`: those that changed last first, each with its
    state, as a reason code with its meaning, and the lines behind which it changes at every check; `events`: what was
    told, the latest first. Times: Unix seconds."""
    habits = dict[str, list[str]]()
    for url, said in store.each("SELECT url, said FROM told WHERE what = 'habit' ORDER BY id"):
        habits.setdefault(url, []).append(event_of(said).why)
    rows = store.rows("SELECT url, state, changed_at FROM watched ORDER BY changed_at DESC, url LIMIT ?", (_PAGES,))
    events = store.records(ToldRow, "told ORDER BY id DESC LIMIT ?", _EVENTS)
    return {
        "rounds": int(store.meta(ROUND) or 0),
        "checked_at": store.meta(CHECKED),
        "next_at": store.meta(NEXT),
        "count": store.value("SELECT count(*) FROM watched"),
        "pages": [
            {"url": url, "state": state, "meaning": meaning(state), "changed_at": at, "habits": habits.get(url, [])}
            for url, state, at in rows
        ],
        "events": [_shown(row) for row in events],
    }


def _shown(row: ToldRow) -> dict[str, Any]:
    event = event_of(row.said)
    head, *_ = event_words(event)
    more = max(len(event.removed) - _LINES, 0) + max(len(event.added) - _LINES, 0)
    lines = {"removed": event.removed[:_LINES], "added": event.added[:_LINES], "more": more}
    return {"id": row.id, "at": row.at, "what": row.what, "url": row.url, "title": event.title, "head": head, **lines}
