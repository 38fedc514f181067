"""Facts of pages for an audit (--audit)."""

from typing import Self

from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.store.facts import FactsRow
from minicrawl.store.writer import Writer


class Facts(Part):
    """Keeps the facts of every HTML page as of its last answer. A store that has facts goes on without stale ones."""

    def __init__(self) -> None:
        self._rows: dict[int, FactsRow] = {}
        self._gone: set[int] = set()

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        return cls() if opening.settings.audit or opening.state.writer.facts.is_there() else None

    def on_turn(self, turn: Turn) -> None:
        facts = turn.parsed.facts
        if facts is None:
            self._rows.pop(turn.page, None)
            self._gone.add(turn.page)
            return
        self._gone.discard(turn.page)
        mixed = " ".join(facts.mixed) or None
        self._rows[turn.page] = FactsRow(
            turn.page, facts.description, facts.language, facts.h1s, facts.without_alt, mixed
        )

    def save(self, writer: Writer) -> None:
        writer.put(FactsRow, self._rows.values())
        writer.remove(FactsRow, ((page,) for page in self._gone))
        self._rows.clear()
        self._gone.clear()
