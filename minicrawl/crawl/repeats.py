"""Pages that say what another page says: duplicates, which may be merged, and soft 404s, which are errors.

How they are told is in `duplicates` and `soft404`; here is what the crawl does about it.
"""

import numpy as np
import numpy.typing as npt

from minicrawl.crawl.aliases import Aliases
from minicrawl.crawl.duplicates import Duplicates
from minicrawl.crawl.host_turns import HostTurns
from minicrawl.crawl.hosts import HostTurn
from minicrawl.crawl.known_web import KnownWeb
from minicrawl.crawl.outcome import Outcome
from minicrawl.crawl.soft404 import Soft404s, above, is_error_like, says_the_same
from minicrawl.crawl.urls import origin
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.opic.coverage import Found
from minicrawl.store.links import from_bytes
from minicrawl.store.rows import Fingerprint, Restated

_NOWHERE: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)


class Repeats:
    """What pages are recognised by: fingerprints of those that were read, answers for those that cannot exist."""

    def __init__(self, web: KnownWeb, turns: HostTurns, aliases: Aliases) -> None:
        self._web = web
        self._turns = turns
        self._aliases = aliases
        self._duplicates = Duplicates(web.writer.fingerprints(), self._kept)
        secret = bytes.fromhex(str(web.writer.meta("hash_key")))
        self._soft404s = Soft404s(web.writer.probes(), secret) if web.settings.probe else None

    def due_probe(self, site: str) -> str | None:
        """A page that cannot exist, to be asked for at scheme://host[:port] in place of one whose turn has come."""
        return self._soft404s.take_due(site) if self._soft404s is not None else None

    def put_back_probe(self, url: str) -> None:
        """Let a page that cannot exist be asked for later: nothing came of it."""
        if self._soft404s is not None:
            self._soft404s.put_back(url)

    def absorb_probe(self, turn: HostTurn, fetched: Fetched, title: str | None, now: float) -> None:
        """Take in the answer for a page that cannot exist, asked for in the turn of a page, which waits again."""
        assert self._soft404s is not None, "there are probes only where soft 404s are looked for"
        verdict = self._verdict(fetched)
        for suspect in self._soft404s.take_in(fetched, title, verdict, now):
            if verdict == "soft-404":
                self._retract(suspect, fetched, title)
        self._turns.answered(turn, fetched, now)
        self._turns.put_back(turn, now)

    def recognised(self, page: int, outcome: Outcome, fetched: Fetched, parsed: ParsedPage) -> Outcome:
        """The outcome in the light of what is known to say the same: a soft 404, or a page to be merged with."""
        if outcome.state is not State.FETCHED or fetched.digest is None:
            return outcome
        if self._is_soft_404(page, fetched, parsed.title):
            return Outcome(State.ERROR, "soft-404")
        if self._web.settings.merge_duplicates:
            found = self._duplicates.likeness(page, fetched.payload, None)
            if found is not None:
                leader = self._web.known.url(found.leader)
                return Outcome(State.ALIAS, "duplicate", alias=leader, follows=outcome.follows)
        return outcome

    def note(self, page: int, fetched: Fetched) -> None:
        """Take in what a page says."""
        assert fetched.digest is not None
        assert fetched.payload is not None
        likeness = self._duplicates.likeness(page, fetched.payload, fetched.simhash)
        self._duplicates.take_in(page, fetched.digest, fetched.payload, fetched.simhash, likeness)
        if self._soft404s is None or likeness is None:
            return
        if self._web.frontier.host_of[page] == self._web.frontier.host_of[likeness.leader]:
            self._soft404s.suspect(fetched.url, self._web.known.url(likeness.leader), (page, likeness.leader))

    def forget(self, page: int) -> None:
        """The page says nothing any more."""
        self._duplicates.forget(page)

    def save(self) -> None:
        """Write all that has changed since the last commit, within the transaction of the next."""
        self._web.writer.save_fingerprints(self._duplicates.take_rows())
        if self._soft404s is not None:
            self._web.writer.save_probes(self._soft404s.take_rows())

    def _kept(self, page: int) -> Fingerprint | None:
        """The fingerprint that the store has of a page; pages that were never read have none, as most have."""
        return self._web.writer.fingerprint(page) if self._web.accounts.book.read[page] else None

    def _is_soft_404(self, page: int, fetched: Fetched, title: str | None) -> bool:
        """Whether a page says what its host says of pages that it does not have."""
        if self._soft404s is None:
            return False
        probe = self._soft404s.match(fetched, title)
        if probe is not None and self._is_surely_there(page, fetched.url, probe.url):
            self._soft404s.absolve(probe)
            return False
        return probe is not None

    def _is_surely_there(self, page: int, url: str, probe_url: str) -> bool:
        """Whether a page cannot be an error: a seed, or a folder that what was probed is in."""
        return bool(self._web.accounts.depth[page] == 0) or url in above(probe_url)

    def _verdict(self, answer: Fetched) -> str:
        """What the answer for a page that cannot exist tells of its host."""
        if answer.status != 200 or answer.payload is None:
            return "not-found"
        there = [*above(answer.url), *(seed for seed in self._web.seeds if origin(seed) == origin(answer.url))]
        rows = [self._duplicates.row(page) for page in self._web.known.find(there) if page is not None]
        same = any(says_the_same(answer, row) for row in rows if row is not None)
        return "catch-all" if same else "soft-404"

    def _retract(self, page: int, answer: Fetched, title: str | None) -> None:
        """Take a page that was read before its host was found out for the error it is."""
        row, url = self._duplicates.row(page), self._web.known.url(page)
        if row is None or not is_error_like(answer, title, row, self._web.told(page).title):
            return
        if self._web.last_state(page) != State.FETCHED or self._is_surely_there(page, url, answer.url):
            return
        links = self._web.links_row(page)
        self._web.accounts.relink(page, _NOWHERE, from_bytes(links.targets), Found.NOTHING)
        self._web.batch.links[page] = links._replace(targets=b"")
        self._web.batch.restated[page] = Restated(page, State.ERROR, "soft-404")
        self._duplicates.forget(page)
        self._web.failures["soft-404"] += 1
        self._aliases.void_hints_to(page)
