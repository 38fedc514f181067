"""Challenges: refusals that ask for a signature, a login or a browser."""

from typing import Self

from minicrawl.crawler.http.response_fields import REFUSALS
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.store.rows import ChallengeRow
from minicrawl.store.writer import Writer


class Challenges(Part):
    """Notes the challenge of a page that is refused."""

    def __init__(self) -> None:
        self._noted: dict[int, str | None] = {}

    @classmethod
    def of(cls, opening: Opening) -> Self:
        return cls()

    def on_turn(self, turn: Turn) -> None:
        if turn.fetched.status in REFUSALS:
            self._noted[turn.page] = turn.fetched.challenge

    def save(self, writer: Writer) -> None:
        if self._noted:
            rows = [ChallengeRow(page, fields) for page, fields in self._noted.items() if fields is not None]
            writer.save_challenges(rows, [page for page, fields in self._noted.items() if fields is None])
            self._noted.clear()
