"""Items extracted from pages (--items)."""

from pathlib import Path
from typing import TYPE_CHECKING, Self

from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import READ
from minicrawl.store.writer import Writer

if TYPE_CHECKING:
    from minicrawl.extract.item_file import ItemFile


class Items(Part):
    """Writes the items of pages that were read into the user's file."""

    def __init__(self, file: "ItemFile") -> None:
        self._file = file

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        settings = opening.settings
        if not settings.items:
            return None
        from minicrawl.extract.item_file import ItemFile  # noqa: PLC0415
        from minicrawl.extract.selectors import columns_of  # noqa: PLC0415 - few crawls extract items

        columns = columns_of(settings.extract, is_structured=settings.extract_structured)
        return cls(ItemFile(opening.state.writer, Path(settings.items), columns))

    def on_turn(self, turn: Turn) -> None:
        if turn.outcome.state in READ and not turn.is_withheld:
            self._file.note(turn.fetched.url, turn.now, turn.parsed.items)

    def save(self, writer: Writer) -> None:
        self._file.save(writer)

    def finish(self) -> None:
        self._file.finish()
