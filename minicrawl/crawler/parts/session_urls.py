"""URLs with session parameters, aliases of the URL without them; `recognise/sessions` finds the parameters."""

from dataclasses import replace
from typing import Self

from minicrawl.crawler.admission.traps.traps import Traps
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, State
from minicrawl.store.writer import Writer


class SessionUrls(Part):
    """Learns session parameters, by requesting pages without one."""

    def __init__(self, sessions: Sessions, traps: Traps | None) -> None:
        """traps: know the novelty of pages."""
        self._sessions = sessions
        self._traps = traps

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        return cls(opening.sessions, opening.state.admission.traps) if opening.sessions.learns else None

    def due_probe(self, origin: str) -> str | None:
        return self._sessions.take_due(origin)

    def put_back_probe(self, url: str) -> None:
        self._sessions.put_back(url)

    def on_probe(self, fetched: Fetched, now: float) -> None:
        self._sessions.note_answer(fetched)

    def recognise(self, turn: Turn) -> bool:
        outcome, url = turn.outcome, turn.fetched.url
        if outcome.reason == "trap-session" and (plain := self._sessions.plain(url)) != url:
            turn.outcome = Outcome(State.ALIAS, "session", alias=plain, is_redirect=True)
            return True
        if outcome.alias is not None:
            plain = self._sessions.plain(outcome.alias)
            if plain != self._sessions.plain(url):
                turn.outcome = replace(outcome, alias=plain)
        return False

    def before_links(self, turn: Turn) -> None:
        """Note a page with parameters, before traps learn its content."""
        fetched, digest = turn.fetched, turn.content.digest
        if self._traps is None or "?" not in fetched.url or digest is None or fetched.digest is None:
            return
        self._sessions.note_page(fetched.url, fetched.digest, self._traps.novelty(fetched.url, digest))

    def save(self, writer: Writer) -> None:
        self._sessions.save(writer)
