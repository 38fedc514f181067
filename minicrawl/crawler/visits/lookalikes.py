"""Pages that say what another page says: duplicates, which may be merged, soft 404s, which are errors, and sessions.

How they are recognised is in the folder `recognise`; here is what a turn of a page makes of it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from minicrawl.crawler.admission.traps.traps import PageContent, Traps
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.known.known_pages import KnownPages
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.recognise.canonicals import Canonicals, Claim, differs
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.recognise.soft404 import Soft404s
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.merging import Merging
from minicrawl.crawler.visits.soft_errors import SoftErrors
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.store.rows import FingerprintColumns
from minicrawl.store.writer import Writer

MOST_CLAIMS = 256
"""Pages looked at that named one as canonical before: any number may, also such as say the same."""


@dataclass(frozen=True)
class Recognisers:
    """What pages are recognised by: fingerprints of those that were read, answers for those that cannot exist, what
    parameters change. None: switched off."""

    duplicates: Duplicates
    merging: Merging | None
    canonicals: Canonicals
    soft404s: Soft404s | None
    soft_errors: SoftErrors | None
    sessions: Sessions
    traps: Traps | None


class Lookalikes:
    """Outcomes in the light of what other pages say."""

    def __init__(
        self, by: Recognisers, accounts: Accounts, pages: KnownPages, urls: KnownUrls, aliases: Aliases
    ) -> None:
        self._duplicates = by.duplicates
        self._merging = by.merging
        self._canonicals = by.canonicals
        self._soft404s = by.soft404s
        self._soft_errors = by.soft_errors
        self._sessions = by.sessions
        self._traps = by.traps
        self._accounts = accounts
        self._pages = pages
        self._urls = urls
        self._aliases = aliases

    def note_links(self, pages: Iterable[int], anchors: Sequence[str]) -> None:
        """Note what links say of the pages that they lead to."""
        if self._soft404s is not None and any(anchors):
            self._soft404s.note_links(pages, anchors)

    def content(self, page: int, fetched: Fetched) -> PageContent:
        """What a page says, as traps are to learn of it.

        A page without its session says what it said with it. So when one has been found out nothing counts as said
        before on its host: digests are others from then on.
        """
        is_not_found = self._soft404s is not None and self._soft404s.is_like(page, fetched.url)
        if fetched.digest is None:
            return PageContent(None, fetched.wording, is_not_found)
        digest = fetched.digest ^ self._sessions.found_on(politeness_key(fetched.url))
        return PageContent(digest, fetched.wording, is_not_found)

    def note_parameters(self, fetched: Fetched, content: PageContent) -> None:
        """Note a page with parameters, before traps learn what it said."""
        if self._traps is None or not self._sessions.learns:
            return
        if content.digest is not None and fetched.digest is not None:
            self._sessions.note_page(fetched.url, fetched.digest, self._traps.novelty(fetched.url, content.digest))

    def recognised(self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage) -> Outcome:
        """The outcome in the light of what is known to say the same: without sessions, a soft 404, or to be merged."""
        if outcome.alias is not None:
            plain = self._sessions.plain(outcome.alias)
            if plain != self._sessions.plain(fetched.url):
                outcome = replace(outcome, alias=plain)
        if outcome.reason == "canonical" and not self._is_believed(page, outcome, fetched):
            return replace(outcome, state=State.FETCHED, reason="canonical-differs")
        if not outcome.is_redirect and (outcome.state is not State.FETCHED or fetched.digest is None):
            return outcome
        if self._soft_errors is not None and self._soft_errors.is_soft_404(page, fetched):
            return Outcome(State.ERROR, "soft-404")
        if outcome.is_redirect:
            return outcome
        leader = self._merging.leader(page, fetched, parsed) if self._merging and fetched.payload is not None else None
        if leader is not None:
            return Outcome(State.ALIAS, "duplicate", alias=self._urls.url(leader), follows=outcome.follows)
        return outcome

    def note(self, page: int, outcome: Outcome, fetched: Fetched) -> None:
        """Note what a page says, if it says something."""
        says_something = outcome.state in (State.FETCHED, State.ALIAS) and not outcome.is_redirect
        if not says_something or fetched.digest is None or fetched.payload is None:
            if self._accounts.book.visited[page]:
                self._duplicates.forget(page)
            return
        if outcome.state is State.ALIAS and outcome.reason != "duplicate":
            self._duplicates.keep(page, fetched.digest, fetched.payload, fetched.sketch)
            return
        likeness = self._duplicates.likeness(page, fetched.payload, fetched.sketch)
        self._duplicates.add(page, fetched.digest, fetched.payload, fetched.sketch, likeness)
        if self._merging is not None and outcome.state is State.FETCHED:
            self._merging.note(page, fetched.payload)

    def note_reinstated(self) -> None:
        """Note what pages say that have come to stand for themselves again."""
        for page in self._aliases.take_reinstated():
            self._duplicates.stand_alone(page)
            row = self._duplicates.row(page)
            if self._merging is not None and row is not None:
                self._merging.note(page, row.payload)

    def elect_leaders(self, merged: Iterable[tuple[int, int]]) -> int:
        """Let those pages lead their copies that others link to; how many are new.

        To be called when all is settled and committed. merged: (alias, leader), as the store has them.
        """
        changed = self._merging.elect(merged) if self._merging is not None else 0
        self.note_reinstated()
        return changed

    def save(self, writer: Writer) -> None:
        writer.save_fingerprints(self._duplicates.take_rows())
        if self._duplicates.is_mostly_stale:
            self._duplicates.load(of_no_alias(writer.recognised.fingerprints(), self._accounts))
            if self._merging is not None:
                self._merging.load(writer.recognised.fingerprints())
        refuted = self._canonicals.take_refuted()
        if refuted is not None:
            writer.save_meta({"refuted_canonicals": json.dumps(refuted)})

    def _is_believed(self, page: int, outcome: Outcome, fetched: Fetched) -> bool:
        """Whether a page that names another as canonical stands for it."""
        canonical = outcome.alias or ""
        (target,) = self._urls.find([canonical])
        there = self._duplicates.row(target) if target is not None else None
        claim = Claim(page, fetched.url, fetched)
        claims = [claim]
        if target is not None and self._canonicals.is_new(canonical):
            claims = [*self._earlier_claims(target), claim]
        if not self._canonicals.is_refuted(canonical):
            refuting = self._canonicals.add_claims(canonical, claims, there)
            if target is not None and refuting:
                self._aliases.void_hints(target, refuting, "differs")
        return not self._canonicals.is_refuted(canonical) or not differs(claim, canonical, there)

    def _earlier_claims(self, target: int) -> Iterator[Claim]:
        """Pages that stand for `target`, which they name as canonical, as far as it is known what they say; some."""
        for page in islice(self._aliases.hinted(target), MOST_CLAIMS):
            row = self._duplicates.row(page)
            if row is not None and self._pages.last_turn(page).reason == "canonical":
                yield Claim(page, self._urls.url(page), row)


def of_no_alias(blocks: Iterable[FingerprintColumns], accounts: Accounts) -> Iterator[FingerprintColumns]:
    """The same fingerprints, with nothing of pages that stand for others to be found by."""
    for block in blocks:
        is_page = ~accounts.ledger.alias[block.page]
        yield block._replace(is_first=block.is_first * is_page, leads=block.leads * is_page)
