"""Pages that browsers get another one for (--check-cloaking); crawler/requests/cloaking.py asks for them."""

from typing import Self

from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.store.rows import CloakingRow, SpamSign
from minicrawl.store.writer import Writer

CLOAKED = "cloaked"


class Cloaking(Part):
    """Saves the results of checks."""

    def __init__(self) -> None:
        self._results: dict[int, str] = {}
        self._signs: list[SpamSign] = []

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        return cls() if opening.settings.check_cloaking else None

    def note(self, page: int, result: str, told: str = "") -> None:
        """Note the result of a check. told: what differs, if it is cloaked."""
        self._results[page] = result
        if result == CLOAKED:
            self._signs.append(SpamSign(page, CLOAKED, told))

    def save(self, writer: Writer) -> None:
        writer.save_cloaking(CloakingRow(*result) for result in self._results.items())
        writer.save_spam_signs(self._results, (CLOAKED,), self._signs)
        self._results.clear()
        self._signs.clear()
