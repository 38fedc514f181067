"""Fingerprints of pages that were read, and the decision whether to believe a canonical.

`recognise/duplicates` finds the duplicates.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Self

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.recognise.canonicals import Canonicals, Claim, differs
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import State
from minicrawl.store.rows import Fingerprint, FingerprintColumns
from minicrawl.store.writer import Writer

MOST_CLAIMS = 256
"""Pages checked that named one as canonical before: any number may, also with the same content."""


class DuplicatePages(Part):
    """Keeps `fingerprints` of pages, and refutes wrong canonicals. `is_reloaded`: the last commit loaded them anew."""

    def __init__(self, state: CrawlState, aliases: Aliases) -> None:
        self._accounts = state.accounts
        self._pages = state.pages
        self._urls = state.urls
        self._aliases = aliases
        stored, accounts = state.writer.recognised, state.accounts

        def kept(page: int) -> Fingerprint | None:
            """The fingerprint of a page in the store; pages that were never visited have none, as most have."""
            return stored.fingerprint(page) if accounts.had_turn[page] else None

        fingerprints = of_no_alias(stored.fingerprints(), accounts)
        self.fingerprints = Duplicates(fingerprints, kept, is_alias=lambda page: bool(accounts.book.alias[page]))
        self._canonicals = Canonicals(json.loads(str(state.writer.meta("refuted_canonicals") or "[]")))
        self.is_reloaded = False

    @classmethod
    def of(cls, opening: Opening) -> Self:
        return cls(opening.state, opening.aliases)

    def recognise(self, turn: Turn) -> bool:
        if turn.outcome.reason != "canonical" or self._is_believed(turn):
            return False
        turn.outcome = replace(turn.outcome, state=State.FETCHED, reason="canonical-differs")
        return True

    def on_links(self, turn: Turn) -> None:
        """Note the fingerprint of a page, if it has content."""
        page, outcome, fetched, fingerprints = turn.page, turn.outcome, turn.fetched, self.fingerprints
        says_something = outcome.state in (State.FETCHED, State.ALIAS) and not outcome.is_redirect
        if not says_something or fetched.digest is None or fetched.payload is None:
            if self._accounts.had_turn[page]:
                fingerprints.forget(page)
        elif outcome.state is State.ALIAS and outcome.reason != "duplicate":
            fingerprints.keep(page, fetched.digest, fetched.payload, fetched.sketch)
        else:
            says_something = bool(fetched.payload & 1)
            likeness = fingerprints.likeness(page, fetched.payload, fetched.sketch) if says_something else None
            fingerprints.add(page, fetched.digest, fetched.payload, fetched.sketch, likeness)

    def on_turn(self, turn: Turn) -> None:
        turn.reinstated = self.note_reinstated()

    def note_reinstated(self) -> list[int]:
        """Note the fingerprints of pages that stand for themselves again, and return these."""
        reinstated = self._aliases.take_reinstated()
        for page in reinstated:
            self.fingerprints.stand_alone(page)
        return reinstated

    def save(self, writer: Writer) -> None:
        writer.save_fingerprints(self.fingerprints.take_rows())
        self.is_reloaded = self.fingerprints.is_mostly_stale
        if self.is_reloaded:
            self.fingerprints.load(of_no_alias(writer.recognised.fingerprints(), self._accounts))
        refuted = self._canonicals.take_refuted()
        if refuted is not None:
            writer.save_meta({"refuted_canonicals": json.dumps(refuted)})

    def _is_believed(self, turn: Turn) -> bool:
        """True if a page that names another as canonical stands for it."""
        canonical = turn.outcome.alias or ""
        (target,) = self._urls.find([canonical])
        there = self.fingerprints.row(target) if target is not None else None
        claim = Claim(turn.page, turn.fetched.url, turn.fetched)
        claims = [claim]
        if target is not None and self._canonicals.is_new(canonical):
            claims = [*self._earlier_claims(target), claim]
        if not self._canonicals.is_refuted(canonical):
            refuting = self._canonicals.add_claims(canonical, claims, there)
            if target is not None and refuting:
                self._aliases.void_hints(target, refuting, "differs")
        return not self._canonicals.is_refuted(canonical) or not differs(claim, canonical, there)

    def _earlier_claims(self, target: int) -> Iterator[Claim]:
        """Some pages that stand for `target`, which they name as canonical, if their fingerprints are known."""
        for page in islice(self._aliases.hinted(target), MOST_CLAIMS):
            row = self.fingerprints.row(page)
            if row is not None and self._pages.last_turn(page).reason == "canonical":
                yield Claim(page, self._urls.url(page), row)


def of_no_alias(blocks: Iterable[FingerprintColumns], accounts: Accounts) -> Iterator[FingerprintColumns]:
    """The same fingerprints, with aliases excluded from the indexes."""
    for block in blocks:
        is_page = ~accounts.book.alias[block.page]
        yield block._replace(is_first=block.is_first * is_page, leads=block.leads * is_page)
