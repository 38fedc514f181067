"""Pages that are one page under several names, where duplicates are merged.

Two pages are merged that have the same bytes, the same owner, and link to the same pages: links written relative to two
folders lead to different ones. Pages of two owners are not, whoever was read first: else a copy would get the
importance of what it copies. (A page may still say so itself, by rel=canonical or a redirect.) An owner is a
registrable domain, or a user of a shared one.

leader   the one of them that stays a page; the others are aliases of it
own      cash that a page has received, without what its aliases handed over to it

While the crawl goes on the page read first leads. In the end the one that has received the most on its own does: the
one that others link to.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np

from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.html.fingerprint import hash_of
from minicrawl.crawler.known.known_pages import KnownPages
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.recognise.duplicates import Duplicates, Runs
from minicrawl.crawler.urls.keys import site_of
from minicrawl.crawler.visits.aliases import Aliases
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.rows import FingerprintColumns

MOST_COMPARED = 16
"""Copies of a page whose links are compared with its own, the first ones: a site may have any number that differ."""


class Merging:
    """Finds the pages that others are merged with. blocks: the fingerprints of all pages."""

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        blocks: Iterable[FingerprintColumns],
        accounts: Accounts,
        pages: KnownPages,
        urls: KnownUrls,
        frontier: Frontier,
        admission: Admission,
        duplicates: Duplicates,
        aliases: Aliases,
    ) -> None:
        self._accounts = accounts
        self._pages = pages
        self._urls = urls
        self._frontier = frontier
        self._admission = admission
        self._duplicates = duplicates
        self._aliases = aliases
        self._owner_hashes: dict[int, int] = {}
        self.load(blocks)

    def load(self, blocks: Iterable[FingerprintColumns]) -> None:
        """Find copies by these fingerprints alone."""
        self._copies = Runs()
        keys, pages = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int64)]
        for block in blocks:
            # Whatever other owners say: also those that were not the first with their bytes.
            owners = map(self._owner_hash, block.page.tolist())
            keys.append(block.payload.astype(np.uint64) ^ np.fromiter(map(_unsigned, owners), np.uint64))
            pages.append(block.page)
        self._copies.load(np.concatenate(keys), np.concatenate(pages))

    def leader(self, page: int, fetched: Fetched, parsed: ParsedPage) -> int | None:
        """The page that `page`, which says this, is one with; None where there is none."""
        assert fetched.payload is not None
        candidates = sorted(self._copies.candidates(self._key(page, fetched.payload)))
        for other in islice(filter(self._may_lead(page), candidates), MOST_COMPARED):
            row = self._duplicates.row(other)
            if row is not None and row.payload == fetched.payload and self._links_to_the_same(page, parsed, other):
                return other
        return None

    def note(self, page: int, payload: int) -> None:
        """Let others be merged with a page that says this; once, however often it is read."""
        key = self._key(page, payload)
        if page not in self._copies.candidates(key):
            self._copies.add(key, page)

    def elect(self, merged: Iterable[tuple[int, int]]) -> int:
        """Let the page of each cluster lead that has received the most on its own, all being committed.

        merged: (alias, leader), as the store has them.
        Returns how many clusters have another leader now.
        """
        clusters: defaultdict[int, list[int]] = defaultdict(list)
        for alias, leader in merged:
            clusters[leader].append(alias)
        changed = 0
        ledger = self._accounts.ledger
        for leader, aliases in clusters.items():
            own = int(ledger.received[leader]) - int(ledger.forwarded[aliases].sum())
            heir = max(aliases, key=lambda alias: int(ledger.received[alias]))
            if ledger.received[heir] > own and not ledger.alias[leader]:
                self._aliases.hand_over(leader, heir, [alias for alias in aliases if alias != heir])
                changed += 1
        return changed

    def _links_to_the_same(self, page: int, parsed: ParsedPage, other: int) -> bool:
        """Whether the links of two copies that are followed are the same, but for those to one another."""
        depth = int(self._accounts.depth[page]) + 1
        refuses, url_of = self._admission.scope.refuses, self._urls.url
        followed = {url for url in parsed.outlinks if refuses(url, depth) is None}
        both = {url_of(page), url_of(other)}
        return followed - both == set(map(url_of, self._pages.outlinks(other).tolist())) - both

    def _may_lead(self, page: int) -> Callable[[int], bool]:
        """Whether another page may be what `page` is one with, as far as can be told without a look at the store."""
        own, is_alias = self._owner_hash(page), self._accounts.ledger.alias
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
