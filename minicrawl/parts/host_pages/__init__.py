"""A limit of pages for each host, in all runs (--host-pages). A host that has as many gives up the others, which are
ranked all the same."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self  # Any: JSON

from minicrawl.errors import counted
from minicrawl.model import State
from minicrawl.parts.part import Part, own
from minicrawl.setting import LIVE, setting, whole

if TYPE_CHECKING:
    from minicrawl.crawler.visits.step import Opening
    from minicrawl.crawler.visits.turn import Turn
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store

BEYOND = "host-pages"
"""The reason of a page that its host gives up."""


@dataclass(frozen=True)
class HostPagesSettings:
    host_pages: int | None = setting(
        None,
        whole(10**12),
        "Request at most N pages of each host, over all runs, besides seeds. If you raise N, --retry host-pages "
        "requests the others.",
        LIVE,
    )


class HostPages(Part):
    """Counts the pages of each host that have an answer or are requested now, once there is a limit."""

    SETTINGS, TOPIC = HostPagesSettings, "limits"

    def __init__(self, opening: "Opening") -> None:
        self._state = opening.state
        self._limit: int | None = None
        self._before = dict[int, int]()
        self._new = defaultdict[int, set[int]](set)
        self._set(own(opening.settings, HostPagesSettings).host_pages)

    @classmethod
    def of(cls, opening: "Opening") -> Self:
        return cls(opening)

    def _set(self, limit: int | None) -> None:
        if self._limit is None and limit is not None:
            answered = "SELECT host, count(*) FROM pages WHERE fetch IS NOT NULL GROUP BY host"
            self._before = dict(self._state.writer.rows(answered))
        self._limit = limit

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        return {"beyond": store.page_table.counts().get((State.ERROR, BEYOND), 0)}

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        if pages := figures["beyond"]:
            yield f"--host-pages has left out {counted(pages, 'page')}"

    @staticmethod
    def ending(failures: Mapping[str, int], figures: Mapping[str, Any]) -> Iterable[str]:
        if pages := failures.get(BEYOND):
            more = f"a higher limit and --retry {BEYOND} request more"
            yield f"--host-pages left out {counted(pages, 'page')}; {more}."

    def refusal(self, page: int, url: str) -> str | None:
        accounts = self._state.accounts
        if self._limit is None:
            return None
        if accounts.had_turn[page] and self._state.pages.last_turn(page).fetch is not None:
            return None  # it has its place
        host = self._state.frontier.host(page).id
        new = self._new[host]
        if page not in new and accounts.depth[page] and self._before.get(host, 0) + len(new) >= self._limit:
            return BEYOND
        new.add(page)
        return None

    def on_turn(self, turn: "Turn") -> None:
        if self._limit is not None and turn.fetched.status is None:  # robots.txt may forbid it
            self._new[self._state.frontier.host(turn.page).id].discard(turn.page)

    def on_settings(self, settings: "CrawlSettings", changed: Set[str], now: float) -> None:
        if "host_pages" in changed:
            self._set(vars(settings)["host_pages"])
