"""Results of the last turns of pages, and their links: from the batch, else from the store."""

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.known.batch import Batch
from minicrawl.model import READ, State
from minicrawl.store.link_table import Links, Refused
from minicrawl.store.links import PlacedLinks, from_bytes, placed
from minicrawl.store.pages import LastAnswer, LastTurn, Restated, Retry, Turn
from minicrawl.store.writer import Writer


class KnownPages:
    """The pages that had a turn. `attempts`: failed requests in a row, by page."""

    def __init__(self, writer: Writer, batch: Batch) -> None:
        self._writer = writer
        self._batch = batch
        self.attempts: dict[int, int] = {}

    # Reading.

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks of a visited page at its last visit."""
        return from_bytes(self.links_row(page).targets)

    def placed_outlinks(self, page: int) -> PlacedLinks:
        """The same, with their places on the page."""
        row = self.links_row(page)
        return placed(row.targets, row.places)

    def links_row(self, page: int) -> Links:
        row = self._batch.links.get(page) or self._writer.link_table.row(page)
        assert row is not None, "every visited page has a row of links"
        return row

    def refused_row(self, page: int) -> Refused | None:
        """The links of a page that are not followed."""
        return self._batch.refused.get(page) or self._writer.link_table.refused(page)

    def refused_rows(self) -> list[Refused]:
        """The uncommitted rows of links that are not followed."""
        return list(self._batch.refused.values())

    def was_there(self, page: int) -> bool:
        """True if the last turn of a page found something."""
        return self.last_state(page) in READ

    def last_state(self, page: int) -> str:
        if page in self._batch.restated:
            return self._batch.restated[page].state
        turn = self._batch.turns.get(page)
        return turn.state if turn else self._writer.page_table.state(page)

    def last_turn(self, page: int) -> LastTurn:
        """Reason and title of the last turn of a visited page."""
        turn = self._batch.turns.get(page)
        last = (
            self._writer.page_table.last_turn(page)
            if turn is None
            else LastTurn(turn.reason, turn.fetch.title if turn.fetch else None)
        )
        restated = self._batch.restated.get(page)
        return last if restated is None else last._replace(reason=restated.reason)

    def last_answer(self, page: int) -> LastAnswer | None:
        """The last answer of a page that was there, but for those that said it was unchanged."""
        turn = self._batch.turns.get(page)
        if page in self._batch.restated or turn is not None:
            if not self.was_there(page):
                return None
            if turn is not None and turn.fetch is not None:
                return LastAnswer(turn.fetch.fetched_at, turn.fetch.validators)
        return self._writer.page_table.last_answer(page)

    # Writing.

    def note_turn(self, turn: Turn, links: Links) -> None:
        self.attempts.pop(turn.id, None)
        self._batch.add_turn(turn, links)

    def note_unchanged(self, page: int) -> None:
        """Note a page that is as at its last turn."""
        self.attempts.pop(page, None)
        self._batch.add_unchanged(page)

    def note_failure(self, page: int, reason: str) -> None:
        """Note a failed request for a page; another will follow."""
        attempts = self.attempts[page] = self.attempts.get(page, 0) + 1
        self._batch.retries[page] = Retry(page, attempts, reason)

    def ask_again(self, page: int) -> None:
        """Let a page that was given up wait as if it had never had a turn."""
        reason = self.last_turn(page).reason
        self._batch.take_turn_back(page)
        self.attempts.pop(page, None)
        self.restate(page, State.WAITING, reason)

    def note_refused(self, row: Refused) -> None:
        self._batch.refused[row.source] = row

    def relink(self, row: Links) -> None:
        """Replace the links of a page outside its turn."""
        self._batch.links[row.source] = row

    def restate(self, page: int, state: State, reason: str) -> None:
        """Change the state of a page outside its turn."""
        self._batch.restated[page] = Restated(page, state, reason)
