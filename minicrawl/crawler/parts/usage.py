"""Pages withheld for a use that their authors do not want (--respect-usage)."""

from collections.abc import Sequence
from typing import Self

from minicrawl.crawler.outcomes.outcome import said_by
from minicrawl.crawler.robots.preferences import of_page, preferences_of
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import READ


class Usage(Part):
    """Withholds pages that forbid a use that is respected: their texts and items are not kept."""

    def __init__(self, respected: Sequence[str]) -> None:
        """respected: of USES."""
        self._respected = respected

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        respected = opening.settings.respect_usage
        return cls(respected) if respected else None

    def on_turn(self, turn: Turn) -> None:
        if turn.outcome.state in READ and (said := said_by(turn.fetched, turn.parsed)) is not None:
            turn.is_withheld = preferences_of(of_page(said)).forbids(self._respected)
