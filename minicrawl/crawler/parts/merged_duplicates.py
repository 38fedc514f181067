"""Copies of a page merged into one (--merge-duplicates).

Two pages are merged if they have the same bytes and the same owner, and link to the same pages: links written relative
to two folders lead to different ones. Pages of two owners are not, whichever was read first: else a copy would get
the importance of its original. (A page may still declare it itself, by rel=canonical or a redirect.) An owner is a
registrable domain, or a user of a shared one.

leader   the one of them that stays a page; the others are aliases of it
own      cash that a page has received, less that handed over by its aliases

While the crawl goes on the page read first leads. In the end the one that has received the most on its own does: the
one that others link to.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Self

import numpy as np

from minicrawl.crawler.html.fingerprint import hash_of
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.parts.duplicates import DuplicatePages
from minicrawl.crawler.recognise.duplicates import Runs
from minicrawl.crawler.urls.keys import site_of
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import State
from minicrawl.store.rows import FingerprintColumns
from minicrawl.store.writer import Writer

MOST_COMPARED = 16
"""Copies of a page whose links are compared with its own, the first ones: a site may have any number that differ."""


class MergedDuplicates(Part):
    """Makes copies aliases of their page (--merge-duplicates)."""

    def __init__(self, state: CrawlState, duplicates: DuplicatePages, aliases: Aliases) -> None:
        self._writer = state.writer
        self._accounts = state.accounts
        self._pages = state.pages
        self._urls = state.urls
        self._frontier = state.frontier
        self._admission = state.admission
        self._duplicates = duplicates
        self._fingerprints = duplicates.fingerprints
        self._aliases = aliases
        self._owner_hashes: dict[int, int] = {}
        self._load(state.writer.recognised.fingerprints())

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        if not opening.settings.merge_duplicates:
            return None
        return cls(opening.state, opening.part(DuplicatePages), opening.aliases)

    def recognise(self, turn: Turn) -> bool:
        outcome = turn.outcome
        if outcome.is_redirect or outcome.state is not State.FETCHED or turn.fetched.digest is None:
            return False
        leader = self._leader(turn)
        if leader is not None:
            alias = self._urls.url(leader)
            turn.outcome = Outcome(State.ALIAS, "duplicate", alias=alias, follows=outcome.follows)
        return leader is not None

    def on_links(self, turn: Turn) -> None:
        fetched, outcome = turn.fetched, turn.outcome
        is_page = outcome.state is State.FETCHED and not outcome.is_redirect and fetched.digest is not None
        if is_page and fetched.payload is not None:
            self._note(turn.page, fetched.payload)

    def on_turn(self, turn: Turn) -> None:
        self._note_reinstated(turn.reinstated)

    def save(self, writer: Writer) -> None:
        if self._duplicates.is_reloaded:
            self._load(writer.recognised.fingerprints())

    def elect_leaders(self) -> int:
        """Make the page of each cluster its leader that has received the most on its own.

        To be called when all is settled and committed. Returns the number of clusters with a new leader.
        """
        changed = self._elect(self._writer.link_table.merged())
        self._note_reinstated(self._duplicates.note_reinstated())
        return changed

    def _note_reinstated(self, pages: Iterable[int]) -> None:
        for page in pages:
            row = self._fingerprints.row(page)
            if row is not None:
                self._note(page, row.payload)

    def _load(self, blocks: Iterable[FingerprintColumns]) -> None:
        """Build the index of copies from these fingerprints alone."""
        self._copies = Runs()
        keys, pages = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int64)]
        for block in blocks:
            # Also those that were not the first with their bytes: the first may have another owner.
            owners = map(self._owner_hash, block.page.tolist())
            keys.append(block.payload.astype(np.uint64) ^ np.fromiter(map(_unsigned, owners), np.uint64))
            pages.append(block.page)
        self._copies.load(np.concatenate(keys), np.concatenate(pages))

    def _leader(self, turn: Turn) -> int | None:
        """The page that a page is a copy of; None if there is none."""
        page, payload = turn.page, turn.fetched.payload
        if payload is None:
            return None
        candidates = sorted(self._copies.candidates(self._key(page, payload)))
        for other in islice(filter(self._may_lead(page), candidates), MOST_COMPARED):
            row = self._fingerprints.row(other)
            if row is not None and row.payload == payload and self._links_to_the_same(turn, other):
                return other
        return None

    def _note(self, page: int, payload: int) -> None:
        """Let later copies be merged with a page; once, however often it is read."""
        key = self._key(page, payload)
        if page not in self._copies.candidates(key):
            self._copies.add(key, page)

    def _elect(self, merged: Iterable[tuple[int, int]]) -> int:
        """Make the page of each cluster its leader that has received the most on its own.

        merged: (alias, leader), as in the store.
        Returns the number of clusters with a new leader.
        """
        clusters: defaultdict[int, list[int]] = defaultdict(list)
        for alias, leader in merged:
            clusters[leader].append(alias)
        changed = 0
        book = self._accounts.book
        for leader, aliases in clusters.items():
            received = dict(zip(aliases, book.received(np.array(aliases)).tolist(), strict=True))
            own = book.cash.item(leader) + book.forwarded.item(leader) - int(book.forwarded[aliases].sum())
            heir = max(aliases, key=lambda alias: received[alias])
            if received[heir] > own and not book.alias[leader]:
                self._aliases.hand_over(leader, heir, [alias for alias in aliases if alias != heir])
                changed += 1
        return changed

    def _links_to_the_same(self, turn: Turn, other: int) -> bool:
        """True if the followed links of two copies are the same, except those to one another."""
        page, parsed = turn.page, turn.parsed
        depth = int(self._accounts.depth[page]) + 1
        refuses, url_of = self._admission.scope.refuses, self._urls.url
        source = turn.fetched.url
        followed = {url for url in parsed.outlinks if refuses(url, depth, source=source) is None}
        both = {url_of(page), url_of(other)}
        return followed - both == set(map(url_of, self._pages.outlinks(other).tolist())) - both

    def _may_lead(self, page: int) -> Callable[[int], bool]:
        """Predicate: another page may be the leader of `page`, judged without reading the store."""
        own, is_alias = self._owner_hash(page), self._accounts.book.alias
        return lambda other: other != page and not is_alias[other] and self._owner_hash(other) == own

    def _key(self, page: int, payload: int) -> int:
        return payload ^ self._owner_hash(page)

    def _owner_hash(self, page: int) -> int:
        host = self._frontier.host(page)
        found = self._owner_hashes.get(host.id)
        if found is None:
            found = self._owner_hashes[host.id] = hash_of(site_of(host.name).encode())
        return found


def _unsigned(number: int) -> int:
    return number & 0xFFFF_FFFF_FFFF_FFFF
