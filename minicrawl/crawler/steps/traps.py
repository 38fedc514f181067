"""Pages in traps, which are not fetched, and URLs with session parameters, aliases of the URL without them.

`admission/traps` finds the traps, `recognise/sessions` the parameters.
"""

from typing import Self

from msgspec.structs import replace

from minicrawl.crawler.admission.traps import Traps
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, State
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import politeness_key


class TrapRefusals(Step):
    """Refuses pages in traps, except seeds and pages that were read and still there the last time; and pages with
    session parameters, even those."""

    def __init__(self, traps: Traps, opening: Opening) -> None:
        self._traps, self._sessions = traps, opening.sessions
        self._accounts, self._pages = opening.state.accounts, opening.state.pages

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        traps = opening.state.admission.traps
        return None if traps is None else cls(traps, opening)

    def refusal(self, page: int, url: str) -> str | None:
        if self._accounts.depth[page] == 0:
            return None
        if self._sessions.plain(url) != url:
            return "trap-session"
        was_there = self._accounts.had_turn[page] and self._pages.was_there(page)
        return None if was_there else self._traps.turns_away(url)

    def save(self, writer: Writer) -> None:
        self._traps.save(writer)


class SessionUrls(Step):
    """Learns session parameters, by requesting pages without one."""

    def __init__(self, opening: Opening) -> None:
        self._sessions, self.wanted = opening.sessions, opening.sessions.wanted
        self._frontier, self._urls, self._pages = opening.state.frontier, opening.state.urls, opening.state.pages
        self._traps = opening.state.admission.traps  # they know what is news

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        return cls(opening) if opening.sessions.learns else None

    def on_probe(self, fetched: Fetched, title: str | None, now: float) -> None:
        self._sessions.note_answer(fetched, title)
        self._refuse_outdated(fetched.url, now)

    def recognise(self, turn: Turn) -> bool:
        outcome, url = turn.outcome, turn.fetched.url
        if outcome.reason == "trap-session" and (plain := self._sessions.plain(url)) != url:
            turn.outcome = Outcome(State.ALIAS, "session", alias=plain, is_redirect=True)
            return True
        if outcome.reason == "trap-duplicates" and (plain := self._sessions.alike(url)) != url:
            (page,) = self._urls.find([plain])
            if self._sessions.answers(plain) or (page is not None and self._pages.was_there(page)):
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
        is_news = self._traps.is_news(digest)
        if not is_news and (linker := self._pages.found_on(turn.page)) is not None:
            same_as = turn.outcome.alias if turn.outcome.reason == "same-page" else None
            news = self._traps.news_of(fetched.url)
            if self._sessions.note_copy(fetched.url, fetched.digest, same_as, self._urls.url(linker), news):
                self._refuse_outdated(fetched.url, turn.now)
        self._sessions.note_page(turn.page, fetched, turn.parsed, is_news=is_news)

    def save(self, writer: Writer) -> None:
        self._sessions.save(writer)

    def _refuse_outdated(self, url: str, now: float) -> None:
        for page in self._sessions.take_outdated(politeness_key(url), self._urls.url):
            self._frontier.put_first(page, now)  # to be refused
