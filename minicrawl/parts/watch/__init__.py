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
from typing import TYPE_CHECKING, Any  # Any: JSON

from minicrawl.errors import SettingError, counted
from minicrawl.parts.part import Part
from minicrawl.parts.watch import tables

if TYPE_CHECKING:
    from minicrawl.crawler.visits.step import Opening, Step
    from minicrawl.store.reader import Store

__all__ = ["Watch", "tables"]

DUE, NOTHING_DUE = "watch_due", "{}"
"""Key of `meta`: JSON of the URLs that the next crawl asks for, with the selector of what is compared of each; there is
none but in a store of watched pages. And its value between rounds."""
ROUND, CHECKED, NEXT = "watch_round", "watch_checked", "watch_next"
"""Keys of `meta`: number and end of the last round, and start of the next, in Unix seconds; None: when it is called."""


class Watch(Part):
    """Watches pages, in the store of a watched list."""

    @classmethod
    def of(cls, opening: "Opening") -> "Step | None":
        due = opening.state.writer.meta(DUE)
        if due == NOTHING_DUE:
            raise SettingError(
                f"{opening.state.writer.path} is the store of watched pages: use 'minicrawl watch', or another store"
            )
        if due is None:
            return None
        from minicrawl.parts.watch.step import Answers  # noqa: PLC0415 - few stores are of a list

        return Answers(opening.state)

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        rounds = store.meta(ROUND)
        return {} if rounds is None else {"watched": store.value("SELECT count(*) FROM watched"), "rounds": int(rounds)}

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        if figures:
            times = counted(figures["rounds"], "time")
            yield f"watched   {counted(figures['watched'], 'page')}, checked {times}; 'minicrawl changes' says more"
