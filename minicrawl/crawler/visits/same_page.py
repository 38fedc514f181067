"""Pages that say what another page says: duplicates, which may be merged, soft 404s, which are errors, and sessions.

How they are told is in `duplicates`, `soft404` and `sessions`; here is what the crawl does about it.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.admission.traps import Said
from minicrawl.crawler.known.known_web import KnownWeb
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.recognise.canonicals import Canonicals, Claim, differs
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.recognise.soft404 import Judged, Soft404s
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.merging import Merging
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.opic.coverage import Found
from minicrawl.store.links import from_bytes
from minicrawl.store.rows import Fingerprint, FingerprintColumns, Restated

MOST_CLAIMS = 256
"""Pages looked at that named one as canonical before: any number may, also such as say the same."""
_NOWHERE: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)


class Repeats:
    """What pages are recognised by: fingerprints of those that were read, answers for those that cannot exist."""

    def __init__(self, web: KnownWeb, aliases: Aliases) -> None:
        self._web = web
        self._aliases = aliases
        self._duplicates = Duplicates(self._of_no_alias(web.writer.fingerprints()), self._kept, self._is_alias)
        secret = bytes.fromhex(str(web.writer.meta("hash_key")))
        fingerprints = web.writer.fingerprints() if web.settings.merge_duplicates else None
        self._merging = Merging(web, self._duplicates, aliases, fingerprints) if fingerprints is not None else None
        self._canonicals = Canonicals(json.loads(str(web.writer.meta("refuted_canonicals") or "[]")))
        self._refuted = len(self._canonicals.refuted)
        probes, lately = web.writer.probes(), web.writer.lately()
        self._soft404s = Soft404s(probes, secret, lately) if web.settings.probe else None
        learns = web.settings.probe and web.traps is not None and not web.settings.keep_parameters
        self._sessions = Sessions(web.writer.parameters()) if learns else None

    def due_probe(self, site: str) -> str | None:
        """What to ask scheme://host[:port] for in place of a page whose turn has come: a page that cannot exist, or one
        without a parameter that may not matter."""
        found = self._soft404s.take_due(site) if self._soft404s is not None else None
        return self._sessions.take_due(site) if found is None and self._sessions is not None else found

    def put_back_probe(self, url: str) -> None:
        """Let a probe be made later: nothing came of it."""
        if self._sessions is not None and self._sessions.is_probe(url):
            self._sessions.put_back(url)
        elif self._soft404s is not None:
            self._soft404s.put_back(url)

    def absorb_probe(self, fetched: Fetched, now: float) -> None:
        """Take in the answer to a probe."""
        if self._sessions is not None and self._sessions.is_probe(fetched.url):
            self._sessions.take_in(fetched)
        else:
            assert self._soft404s is not None, "there are such probes only where soft 404s are looked for"
            self._restate(self._soft404s.take_in(fetched, now))

    def plain(self, url: str) -> str:
        """The normalised URL without what has turned out to be a session's."""
        return url if self._sessions is None else self._sessions.plain(url)

    def plain_links(self, parsed: ParsedPage) -> tuple[Sequence[str], Sequence[str]]:
        """The distinct outlinks of a page without what has turned out to be sessions', and the first anchor of each."""
        if self._sessions is None or not self._sessions.are_known:
            return parsed.outlinks, parsed.anchors
        anchors: dict[str, str] = {}
        for url, anchor in zip(parsed.outlinks, parsed.anchors, strict=True):
            anchors.setdefault(self._sessions.plain(url), anchor)
        return list(anchors), list(anchors.values())

    def note_links(self, pages: Iterable[int], anchors: Sequence[str]) -> None:
        """Take in what links say of the pages that they lead to, as far as it is known."""
        if self._soft404s is not None and any(anchors):
            self._soft404s.note_links(pages, anchors)

    def said(self, page: int, fetched: Fetched) -> Said:
        """What a page says, as traps are to learn of it.

        A page without its session says what it said with it. So when one has been found out nothing counts as said
        before on its host: digests are others from then on.
        """
        is_not_found = self._soft404s is not None and self._soft404s.is_like(page, fetched.url)
        if fetched.digest is None or self._sessions is None:
            return Said(fetched.digest, fetched.wording, is_not_found)
        digest = fetched.digest ^ self._sessions.found_on(politeness_key(fetched.url))
        return Said(digest, fetched.wording, is_not_found)

    def note_parameters(self, fetched: Fetched, said: Said) -> None:
        """Take in a page with parameters, before traps learn what it said."""
        if said.digest is not None and fetched.digest is not None and self._sessions and self._web.traps is not None:
            self._sessions.read(fetched.url, fetched.digest, self._web.traps.novelty(fetched.url, said.digest))

    def recognised(self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage) -> Outcome:
        """The outcome in the light of what is known to say the same: without sessions, a soft 404, or to be merged."""
        if outcome.alias is not None and (plain := self.plain(outcome.alias)) != self.plain(fetched.url):
            outcome = replace(outcome, alias=plain)
        if outcome.reason == "canonical" and not self._is_believed(page, outcome, fetched):
            return replace(outcome, state=State.FETCHED, reason="canonical-differs")
        if outcome.state is not State.FETCHED or fetched.digest is None:
            return outcome
        if self._is_soft_404(page, fetched):
            return Outcome(State.ERROR, "soft-404")
        leader = self._merging.leader(page, fetched, parsed) if self._merging and fetched.payload is not None else None
        if leader is not None:
            return Outcome(State.ALIAS, "duplicate", alias=self._web.known.url(leader), follows=outcome.follows)
        return outcome

    def note(self, page: int, outcome: Outcome, fetched: Fetched) -> None:
        """Take in what a page says, if it says something."""
        says_something = outcome.state in (State.FETCHED, State.ALIAS) and not outcome.is_redirect
        if not says_something or fetched.digest is None or fetched.payload is None:
            if self._web.accounts.book.visited[page]:
                self._duplicates.forget(page)
            return
        if outcome.state is State.ALIAS and outcome.reason != "duplicate":
            self._duplicates.keep(page, fetched.digest, fetched.payload, fetched.sketch)
            return
        likeness = self._duplicates.likeness(page, fetched.payload, fetched.sketch)
        self._duplicates.take_in(page, fetched.digest, fetched.payload, fetched.sketch, likeness)
        if self._merging is not None and outcome.state is State.FETCHED:
            self._merging.note(page, fetched.payload)

    def note_reinstated(self) -> None:
        """Take in what pages say that have come to stand for themselves again."""
        for page in self._aliases.take_reinstated():
            self._duplicates.stand_alone(page)
            row = self._duplicates.row(page)
            if self._merging is not None and row is not None:
                self._merging.note(page, row.payload)

    def elect_leaders(self) -> int:
        """Let those pages lead their copies that others link to; how many are new.

        To be called when all is settled and committed.
        """
        changed = self._merging.elect() if self._merging is not None else 0
        self.note_reinstated()
        return changed

    def save(self) -> None:
        """Write all that has changed since the last commit, within the transaction of the next."""
        self._web.writer.save_fingerprints(self._duplicates.take_rows())
        if self._duplicates.is_mostly_stale:
            self._duplicates.load(self._of_no_alias(self._web.writer.fingerprints()))
            if self._merging is not None:
                self._merging.load(self._web.writer.fingerprints())
        if len(self._canonicals.refuted) > self._refuted:
            self._refuted = len(self._canonicals.refuted)
            self._web.writer.save_meta({"refuted_canonicals": json.dumps(sorted(self._canonicals.refuted))})
        if self._soft404s is not None:
            self._web.writer.save_probes(self._soft404s.take_rows())
            self._web.writer.save_lately(*self._soft404s.take_read())
        if self._sessions is not None:
            self._web.writer.save_parameters(self._sessions.take_rows())

    def _kept(self, page: int) -> Fingerprint | None:
        """The fingerprint that the store has of a page; pages that were never read have none, as most have."""
        return self._web.writer.fingerprint(page) if self._web.accounts.book.visited[page] else None

    def _is_believed(self, page: int, outcome: Outcome, fetched: Fetched) -> bool:
        """Whether a page that names another as canonical stands for it."""
        canonical = outcome.alias or ""
        (target,) = self._web.known.find([canonical])
        there = self._duplicates.row(target) if target is not None else None
        claim = Claim(page, fetched.url, fetched)
        claims = [claim]
        if target is not None and self._canonicals.is_new(canonical):
            claims = [*self._earlier_claims(target), claim]
        if canonical not in self._canonicals.refuted:
            refuting = self._canonicals.take_in(canonical, claims, there)
            if target is not None and refuting:
                self._aliases.void_hints(target, refuting, "differs")
        return canonical not in self._canonicals.refuted or not differs(claim, canonical, there)

    def _earlier_claims(self, target: int) -> Iterator[Claim]:
        """Pages that stand for `target`, which they name as canonical, as far as it is known what they say; some."""
        for page in islice(self._aliases.hinted(target), MOST_CLAIMS):
            row = self._duplicates.row(page)
            if row is not None and self._web.told(page).reason == "canonical":
                yield Claim(page, self._web.known.url(page), row)

    def _is_alias(self, page: int) -> bool:
        return bool(self._web.accounts.ledger.alias[page])

    def _of_no_alias(self, blocks: Iterable[FingerprintColumns]) -> Iterator[FingerprintColumns]:
        """The same, with nothing of pages that stand for others to be found by."""
        for block in blocks:
            is_page = ~self._web.accounts.ledger.alias[block.page]
            yield block._replace(is_first=block.is_first * is_page, leads=block.leads * is_page)

    def _is_soft_404(self, page: int, fetched: Fetched) -> bool:
        """Whether a page is one that its host does not have; what follows for others is seen to."""
        if self._soft404s is None or fetched.status != 200:
            return False
        judged = self._soft404s.read(page, fetched, is_there=bool(self._web.accounts.depth[page] == 0))
        self._restate(judged, but=page)
        return self._soft404s.is_soft_404(page, fetched.url)

    def _restate(self, judged: Judged, but: int = -1) -> None:
        """Take pages that were read before for errors, or for none any more. but: whose turn it is."""
        for page in judged.lost:
            if page != but and self._web.last_state(page) == State.FETCHED:
                self._take_for_error(page)
        for page in judged.regained:
            if page != but and self._web.last_state(page) == State.ERROR and self._web.told(page).reason == "soft-404":
                self._take_for_page(page)

    def _take_for_error(self, page: int) -> None:
        row = self._web.links_row(page)
        self._web.accounts.relink(page, _NOWHERE, from_bytes(row.targets), Found.NOTHING)
        self._web.batch.links[page] = row._replace(targets=b"", own=row.targets)
        self._web.batch.restated[page] = Restated(page, State.ERROR, "soft-404")
        self._duplicates.forget(page)
        self._web.failures["soft-404"] += 1
        self._aliases.void_hints_to(page)

    def _take_for_page(self, page: int) -> None:
        self._aliases.give_links_back(page, "ok")
        self._web.failures["soft-404"] -= 1
