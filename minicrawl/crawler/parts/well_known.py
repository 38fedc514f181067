"""Files at places that everybody knows, such as llms.txt (--well-known); requests/well_known.py asks for them."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Self

from minicrawl.crawler.urls.keys import origin_of
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import State
from minicrawl.store.reader import Store
from minicrawl.store.rows import WELL_KNOWN_TABLE, WellKnownRow
from minicrawl.store.writer import Writer

if TYPE_CHECKING:
    from minicrawl.crawler.requests.well_known import WellKnownQueue


class WellKnown(Part):
    """Lets every origin be asked, once a page of it was read. `queue`: the files to ask for."""

    def __init__(self, queue: "WellKnownQueue", names: Sequence[str]) -> None:
        self.queue = queue
        self._names = names
        self._origins: set[str] = set()

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        if not opening.settings.well_known:
            return None
        from minicrawl.crawler.requests.well_known import WellKnownQueue  # noqa: PLC0415 - few crawls ask for any

        writer = opening.state.writer
        part = cls(
            WellKnownQueue(WellKnownRow(*row) for row in writer.part_rows(WELL_KNOWN_TABLE)),
            opening.settings.well_known,
        )
        for origin, page in writer.page_table.origins_read():  # by runs that asked for other files, or for none
            part._note(origin, page)
        return part

    @staticmethod
    def explain(store: Store, page: int) -> Iterable[str]:
        for row in store.part_rows(WELL_KNOWN_TABLE, store.page_table.url(page)):
            yield f"well-known  found as the {WellKnownRow(*row).name} of its origin (--well-known)"

    def on_turn(self, turn: Turn) -> None:
        if turn.fetched.status == 200 and turn.outcome.state is State.FETCHED:
            self._note(origin_of(turn.fetched.url), turn.page)

    def _note(self, origin: str, page: int) -> None:
        if origin not in self._origins:
            self._origins.add(origin)
            self.queue.note(origin, self._names, page)

    def save(self, writer: Writer) -> None:
        rows = self.queue.take_rows()
        if rows:
            writer.save_part_rows(WELL_KNOWN_TABLE, WellKnownRow._fields, rows)
