"""Pages that are soft 404s: they are errors from then on, and pages again should they turn out to be none.

`recognise/soft404` finds them.
"""

from typing import Self

from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.parts.duplicates import DuplicatePages
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.recognise.soft404 import Judged, Soft404s, comparable
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, State
from minicrawl.opic.coverage import PageKind
from minicrawl.store.links import NOWHERE, placed
from minicrawl.store.writer import Writer


class SoftErrors(Part):
    """Makes pages read before errors, or pages again, as the evidence grows."""

    def __init__(self, soft404s: Soft404s, state: CrawlState, aliases: Aliases, fingerprints: Duplicates) -> None:
        self._soft404s = soft404s
        self._accounts = state.accounts
        self._admission = state.admission
        self._pages = state.pages
        self._tally = state.tally
        self._aliases = aliases
        self._fingerprints = fingerprints
        self._is_settled = False

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        if not opening.settings.traps:
            return None
        writer = opening.state.writer
        stored, secret = writer.recognised, bytes.fromhex(str(writer.meta("hash_key")))
        soft404s = Soft404s(stored.probes(), secret, stored.recent_pages())
        return cls(soft404s, opening.state, opening.aliases, opening.part(DuplicatePages).fingerprints)

    def due_probe(self, origin: str) -> str | None:
        return self._soft404s.take_due(origin)

    def origins_to_probe(self) -> list[str]:
        return self._soft404s.origins_due()

    def put_back_probe(self, url: str) -> None:
        self._soft404s.put_back(url)

    def on_probe(self, fetched: Fetched, now: float) -> None:
        self._restate(self._soft404s.note_answer(fetched, now))

    def recognise(self, turn: Turn) -> bool:
        outcome = turn.outcome
        if not outcome.is_redirect and (outcome.state is not State.FETCHED or turn.fetched.digest is None):
            return False
        if self._admission.scope.only_checks(turn.fetched.url):
            return False
        parsed = turn.parsed
        heading = "" if parsed.facts is None else f"{parsed.title or ''} {parsed.facts.h1 or ''}"
        if not self._is_soft_404(turn.page, turn.fetched, heading):
            return False
        turn.outcome = Outcome(State.ERROR, "soft-404")
        return True

    def before_links(self, turn: Turn) -> None:
        """Tell traps that the page is like its host's answers for missing pages."""
        if self._soft404s.is_like(turn.page, turn.fetched.url):
            turn.content = turn.content._replace(is_not_found=True)

    def on_settled(self) -> None:
        self._is_settled = True

    def save(self, writer: Writer) -> None:
        self._soft404s.save(writer, is_last=self._is_settled)

    def _is_soft_404(self, page: int, fetched: Fetched, heading: str) -> bool:
        """True if a page that was just read is a soft 404; other pages are restated accordingly."""
        answer, is_seed = comparable(fetched), bool(self._accounts.depth[page] == 0)
        if answer is None or (is_seed and answer is not fetched):
            return False
        judged = self._soft404s.read(page, answer, is_there=is_seed, heading=heading)
        self._restate(judged, but=page)
        return self._soft404s.is_soft_404(page, fetched.url)

    def _restate(self, judged: Judged, but: int = -1) -> None:
        """but: the page whose turn it is."""
        for page in judged.lost:
            if page != but and self._is_read_or_redirect(page):
                self._take_for_error(page)
        for page in judged.regained:
            is_error = page != but and self._pages.last_state(page) == State.ERROR
            if is_error and self._pages.last_turn(page).reason == "soft-404" and self._own(page) is not None:
                self._take_for_page(page)

    def _own(self, page: int) -> bytes | None:
        """The links of a page itself if others, or none, count in their place; None: it is or was a redirect."""
        return self._pages.links_row(page).own

    def _is_read_or_redirect(self, page: int) -> bool:
        state = self._pages.last_state(page)
        return state == State.FETCHED or (state == State.ALIAS and self._own(page) is None)

    def _take_for_error(self, page: int) -> None:
        row = self._pages.links_row(page)
        self._accounts.relink(page, NOWHERE, placed(row.targets, row.places), PageKind.NOTHING)
        if self._pages.last_state(page) == State.ALIAS:
            row = row._replace(targets=b"", places=None)
        else:
            row = row._replace(targets=b"", own=row.targets, places=None, own_places=row.places)
        self._pages.relink(row)
        self._pages.restate(page, State.ERROR, "soft-404")
        self._fingerprints.forget(page)
        self._tally.failures["soft-404"] += 1
        self._aliases.void_hints_to(page)

    def _take_for_page(self, page: int) -> None:
        self._aliases.give_links_back(page, "ok")
        self._tally.failures["soft-404"] -= 1
