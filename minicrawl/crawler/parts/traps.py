"""Pages in traps, which are not fetched; `admission/traps` finds the traps."""

from typing import Self

from minicrawl.crawler.admission.traps.traps import Traps
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.store.writer import Writer


class TrapRefusals(Part):
    """Refuses pages in traps, except seeds and pages that were read and still there the last time."""

    def __init__(self, traps: Traps, state: CrawlState, sessions: Sessions) -> None:
        self._traps = traps
        self._accounts = state.accounts
        self._pages = state.pages
        self._sessions = sessions

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        traps = opening.state.admission.traps
        return None if traps is None else cls(traps, opening.state, opening.sessions)

    def refusal(self, page: int, url: str) -> str | None:
        if self._accounts.depth[page] == 0 or (self._accounts.had_turn[page] and self._pages.was_there(page)):
            return None
        return "trap-session" if self._sessions.plain(url) != url else self._traps.turns_away(url)

    def save(self, writer: Writer) -> None:
        self._traps.save(writer)
