"""What other partitions have handed over, taken into the accounts here, exactly once."""

from collections.abc import Sequence

import numpy as np

from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.admission.traps.traps import NO_CONTENT
from minicrawl.crawler.sharing.records import Records, from_bytes
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.errors import ConfigError
from minicrawl.model import State
from minicrawl.store.write.transfer_rows import OutboxRow


class Taking:
    """Takes rows of other partitions' outboxes; to be called between two turns of the crawl.

    `is_crawling`: whether pages are handed out. When all have crawled virtual visits move what orders them, and nobody
    asks for the order.
    """

    is_crawling = True

    def __init__(self, absorber: Absorber) -> None:
        assert absorber.outbox is not None, "the crawl has partitions"
        assert absorber.mirrors is not None, "the crawl has partitions"
        self._absorber = absorber
        self._outbox, self._mirrors = absorber.outbox, absorber.mirrors

    def take(self, source: int, rows: Sequence[OutboxRow], now: float) -> int:
        """Take those rows that come next, in order, and leave out all others: taken before, or behind a gap.

        The number of the last one of this source that is in the accounts. It may be confirmed once a commit holds it.
        Raises ConfigError for a row that cannot be meant; those before it are taken.
        """
        for row in rows:
            if row.number == self._outbox.taken(source) + 1:
                records = self._records(row)
                self._apply(records, now)
                self._outbox.note_taken(source, row.number, records)
        return self._outbox.taken(source)

    def _records(self, row: OutboxRow) -> Records:
        """What a row has. Raises ConfigError unless it is what another partition may have to say to this one."""
        try:
            records = from_bytes(row.records)
            is_at_home = self._mirrors.homes(records.urls).count(None) == len(records.urls)
            self._mirrors.homes([url for url in records.found_on if url])
        except (ValueError, IndexError) as error:
            raise ConfigError(f"row {row.number} cannot be read: {error}") from error
        if not is_at_home:
            raise ConfigError(f"row {row.number} has a URL of another partition")
        if (int(records.cash.sum()), int(records.received.sum())) != (row.cash, row.received):
            raise ConfigError(f"row {row.number} has other sums than it says")
        return records

    def _apply(self, records: Records, now: float) -> None:
        absorber = self._absorber
        accounts, discovery, frontier = absorber.accounts, absorber.discovery, absorber.frontier
        first = accounts.size
        pages = np.array(discovery.handed_over(records.urls, records.found_on), dtype=np.int64)
        depths = accounts.depth[pages]
        accounts.take_over(pages, records.cash, records.received)
        if absorber.sites is not None and absorber.sites.shared is not None and len(records.voices):
            absorber.sites.shared.take_over(pages, records.voices)
        accounts.inlinks[pages] += records.inlinks
        accounts.depth[pages] = np.minimum(depths, records.depth)
        absorber.visits.aliases.lengthen(accounts.lengthen(pages, records.chain_length).tolist())
        self._judge(records, pages, first, now)
        if self.is_crawling:
            frontier.pages.credit(pages[pages < discovery.offered])
            discovery.offer_new(now)
        absorber.deep_links.note_nearer(pages.astype(np.int32), depths)

    def _judge(self, records: Records, pages: np.ndarray, first: int, now: float) -> None:
        """Give up those of the pages from `first` on, which are new, that the rules against traps forbid.

        They stay known, as links to them have been counted where these are.
        """
        admission = self._absorber.admission
        admission.protect([url for url, depth in zip(records.urls, records.depth.tolist(), strict=True) if not depth])
        if admission.traps is None:
            return
        for page, url, found_on in zip(pages.tolist(), records.urls, records.found_on, strict=True):
            if page < first:
                continue
            admission.note_links(politeness_key(found_on), [politeness_key(url)])
            rule = next(iter(admission.refusals(found_on, NO_CONTENT, [url])), None)
            if rule is not None:
                self._absorber.visits.give_up(page, State.DISALLOWED, rule, now)
