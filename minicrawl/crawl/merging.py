"""Pages that are one page under several names, where duplicates are merged.

Two pages are merged that have the same bytes, are on one registrable domain, and link to the same pages: links written
relative to two folders lead to different ones. Pages of two domains are not, whoever was read first: else a copy would
get the importance of what it copies. (A page may still say so itself, by rel=canonical or a redirect.)

leader   the one of them that stays a page; the others are aliases of it
own      cash that a page has received, without what its aliases handed over to it

While the crawl goes on the page read first leads. In the end the one that has received the most on its own does: the
one that others link to.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from minicrawl.crawl.aliases import Aliases
from minicrawl.crawl.digest import hash_of
from minicrawl.crawl.duplicates import Duplicates, Runs, Sorted
from minicrawl.crawl.hosts import Host
from minicrawl.crawl.known_web import KnownWeb
from minicrawl.crawl.urls import hostname, site
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.rows import FingerprintColumns


class Merging:
    """Finds the pages that others are merged with. blocks: the fingerprints of all pages that are no aliases."""

    def __init__(
        self, web: KnownWeb, duplicates: Duplicates, aliases: Aliases, blocks: Iterable[FingerprintColumns]
    ) -> None:
        self._web, self._duplicates, self._aliases = web, duplicates, aliases
        self._site_hashes: dict[int, int] = {}
        self._copies = Runs(Sorted)
        for block in blocks:
            is_first = block.is_first != 0
            for page, payload in zip(block.page[is_first].tolist(), block.payload[is_first].tolist(), strict=True):
                self.note(page, payload)

    def leader(self, page: int, fetched: Fetched, parsed: ParsedPage) -> int | None:
        """The page that `page`, which says this, is one with; None where there is none."""
        assert fetched.payload is not None
        for other in sorted(self._copies.candidates(self._key(page, fetched.payload))):
            if other == page or self._web.accounts.ledger.alias[other] or not self._same_site(page, other):
                continue
            row = self._duplicates.row(other)
            if row is not None and row.payload == fetched.payload and self._links_to_the_same(page, parsed, other):
                return other
        return None

    def note(self, page: int, payload: int) -> None:
        """Let others be merged with a page that says this."""
        self._copies.add(self._key(page, payload), page)

    def elect(self) -> int:
        """Let the page of each cluster lead that has received the most on its own, all being committed.

        Returns how many clusters have another leader now.
        """
        clusters: defaultdict[int, list[int]] = defaultdict(list)
        for alias, leader in self._web.writer.merged():
            clusters[leader].append(alias)
        changed = 0
        ledger = self._web.accounts.ledger
        for leader, aliases in clusters.items():
            own = int(ledger.received[leader]) - int(ledger.forwarded[aliases].sum())
            heir = max(aliases, key=lambda alias: int(ledger.received[alias]))
            if ledger.received[heir] > own and not ledger.alias[leader]:
                self._aliases.hand_over(leader, heir, [alias for alias in aliases if alias != heir])
                row = self._duplicates.row(heir)
                if row is not None:
                    self.note(heir, row.payload)
                changed += 1
        return changed

    def _links_to_the_same(self, page: int, parsed: ParsedPage, other: int) -> bool:
        """Whether the links of two copies that are followed are the same, but for those to one another."""
        web = self._web
        depth = int(web.accounts.depth[page]) + 1
        followed = {url for url in parsed.outlinks if web.scope.refuses(url, depth) is None}
        both = {web.known.url(page), web.known.url(other)}
        return followed - both == {web.known.url(target) for target in web.outlinks(other).tolist()} - both

    def _same_site(self, page: int, other: int) -> bool:
        return _site(self._web.frontier.host(page)) == _site(self._web.frontier.host(other))

    def _key(self, page: int, payload: int) -> npt.NDArray[np.uint64]:
        return np.array([(payload ^ self._site_hash(page)) & 0xFFFF_FFFF_FFFF_FFFF], dtype=np.uint64)

    def _site_hash(self, page: int) -> int:
        host = self._web.frontier.host(page)
        found = self._site_hashes.get(host.id)
        if found is None:
            found = self._site_hashes[host.id] = hash_of(_site(host).encode())
        return found


def _site(host: Host) -> str:
    return site(hostname(f"http://{host.name}/"))
