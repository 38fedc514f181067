"""Files that archived pages need to look as they do (--requisites); crawler/requests/requisite.py asks for them."""

from collections.abc import Iterable
from typing import Self

from minicrawl.crawler.outcomes.reasons import wants
from minicrawl.crawler.requests.requisite import FAILED, RequisiteQueue
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.store.reader import Store
from minicrawl.store.writer import Writer


class Requisites(Part):
    """Notes the requisites of pages that are in the archive. `queue`: those that wait.

    Of a page that was rendered the archive has what Chromium has asked for.
    """

    def __init__(self, queue: RequisiteQueue) -> None:
        self.queue = queue

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        settings, writer = opening.settings, opening.state.writer
        if settings.archive is None or not settings.requisites:
            return None
        failed = {found.reason for found in writer.requisites.counts() if found.state == FAILED}
        again = [reason for reason in failed if wants(reason, settings.retry)]
        if again:
            with writer.transaction():
                writer.ask_for_requisites_again(again)
        return cls(RequisiteQueue(writer))

    @staticmethod
    def explain(store: Store, page: int) -> Iterable[str]:
        counts = store.requisites.counts(page)
        if counts:
            states = ", ".join(f"{found.number:,} {found.state} ({found.reason})" for found in counts)
            yield f"requisites  needed by it first: {states}"

    def on_turn(self, turn: Turn) -> None:
        if turn.parsed.requisites and turn.fetched.record is not None:
            self.queue.note(turn.page, turn.parsed.requisites)

    def save(self, writer: Writer) -> None:
        self.queue.save(writer)
