"""Watched pages (`minicrawl watch`): each is requested again and again, and a message tells what changed
(docs/watch.md).

step        takes the answers of a crawl of the list alone
rounds      checks the list: crawls it, asks again where it differs, and keeps what is told
tables      what is stored
messages    what is told, in words and as JSON, and who is told
overview    the list as the dashboard shows it

A round is a few crawls of the list, so politeness, robots.txt, ill hosts, logins and proxies are the crawl's. No page
of the list ever has its turn: the step takes its answer, and the page waits for the next crawl.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self  # Any: JSON

from minicrawl.errors import SettingError, counted
from minicrawl.parts.part import Part
from minicrawl.parts.watch import tables

if TYPE_CHECKING:
    from minicrawl.crawler.visits.step import Opening
    from minicrawl.crawler.visits.turn import Turn
    from minicrawl.model import PageRequest
    from minicrawl.store.reader import Store
    from minicrawl.store.writer import Writer

__all__ = ["Watch", "tables"]

DUE = "watch_due"
"""Key of `meta`: JSON of the URLs that the next crawl asks for, with the selector of what is compared of each; there is
none but in a store of watched pages."""
NOTHING_DUE = "{}"
"""Its value between rounds."""
ROUND = "watch_round"
"""Key of `meta`: the number of the last round."""
CHECKED = "watch_checked"
"""Key of `meta`: when it ended, in Unix seconds."""
NEXT = "watch_next"
"""Key of `meta`: when the next one begins, in Unix seconds; None: when somebody calls for it."""


class Watch(Part):
    """Takes the answers for the pages that are due, in the store of a watched list."""

    def __init__(self, opening: "Opening") -> None:
        from minicrawl.parts.watch.step import Answers  # noqa: PLC0415 - few stores are of a list

        self._answers = Answers(opening.state)

    @classmethod
    def of(cls, opening: "Opening") -> Self | None:
        due = opening.state.writer.meta(DUE)
        if due == NOTHING_DUE:
            raise SettingError(
                f"{opening.state.writer.path} is the store of watched pages: use 'minicrawl watch', or another store"
            )
        return None if due is None else cls(opening)

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        rounds = store.meta(ROUND)
        return {} if rounds is None else {"watched": store.value("SELECT count(*) FROM watched"), "rounds": int(rounds)}

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        if figures:
            times = counted(figures["rounds"], "time")
            yield f"watched   {counted(figures['watched'], 'page')}, checked {times}; 'minicrawl changes' says more"

    def lets_wait(self, page: int, url: str) -> bool:
        return self._answers.lets_wait(page, url)

    def request(self, page: int, asked: "PageRequest") -> "PageRequest":
        return self._answers.request(page, asked)

    def on_answer(self, turn: "Turn") -> bool:
        return self._answers.take(turn)

    def on_turn(self, turn: "Turn") -> None:
        self._answers.note_failed(turn)

    def save(self, writer: "Writer") -> None:
        self._answers.save(writer)
