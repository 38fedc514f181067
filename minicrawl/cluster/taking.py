"""Rows of other partitions, taken into the accounts."""

from collections.abc import Sequence

import numpy as np

from minicrawl.crawler.admission.traps import NO_CONTENT
from minicrawl.crawler.intake import Intake
from minicrawl.errors import StoreError
from minicrawl.model import State
from minicrawl.store.partitions.records import Records, joined, sums, unpacked
from minicrawl.store.transfers import OutboxRow


class Taking:
    """Takes rows from other partitions' outboxes into the accounts, between two turns of the crawl.

    `is_crawling`: pages are handed out; after the crawl their order no longer matters.
    """

    is_crawling = True

    def __init__(self, intake: Intake) -> None:
        assert intake.state.outbox is not None, "the crawl has partitions"
        self._intake, self._outbox = intake, intake.state.outbox

    def take_all(self, parcels: Sequence[tuple[int, Sequence[OutboxRow]]], now: float) -> list[int]:
        """Take the next rows of several sources, given with them, all at once; skip rows taken before, or behind a gap.

        Returns for each the number of its last row in the accounts, to be confirmed once committed. Raises StoreError
        for a damaged row, when nothing is taken.
        """
        answers: list[int] = []
        found: list[tuple[int, OutboxRow]] = []
        numbers: dict[int, int] = {}
        for source, rows in parcels:
            number = numbers.get(source, self._outbox.taken(source))
            for row in rows:
                if row.number == number + 1:
                    found.append((source, row))
                    number = row.number
            numbers[source] = number
            answers.append(number)
        if not found:
            return answers
        try:
            records, ends = unpacked([row.records for _, row in found])
        except ValueError as error:
            raise _damaged(str(error)) from error
        of_rows = sums(records, ends)
        if [of_row.received for of_row in of_rows] != [row.received for _, row in found]:
            raise _damaged("it has other sums than it says")
        self._apply(joined(records), now)
        for (source, row), of_row in zip(found, of_rows, strict=True):
            self._outbox.note_taken(source, row.number, of_row)
        return answers

    def _apply(self, records: Records, now: float) -> None:
        intake = self._intake
        accounts, discovery, frontier = intake.state.accounts, intake.state.discovery, intake.state.frontier
        first = accounts.size
        pages = np.array(discovery.handed_over(records.urls, records.found_on), dtype=np.int64)
        depths = accounts.depth[pages]
        accounts.take_over(pages, records.received)
        if intake.state.sites is not None and intake.state.sites.shared is not None and len(records.voices):
            intake.state.sites.shared.take_over(pages, records.voices)
        accounts.inlinks[pages] += records.inlinks
        accounts.depth[pages] = np.minimum(depths, records.depth)
        intake.visits.aliases.lengthen(accounts.lengthen(pages, records.chain_length).tolist())
        self._judge(records, pages, first, now)
        if self.is_crawling:
            frontier.pages.credit(pages[pages < discovery.offered])
            discovery.offer_new(now)
        intake.visits.deep_links.note_nearer(pages.astype(np.int32), depths)

    def _judge(self, records: Records, pages: np.ndarray, first: int, now: float) -> None:
        """Give up new pages (from `first` on) that the trap rules forbid.

        They stay known: the partitions that link to them have counted these links.
        """
        admission = self._intake.state.admission
        admission.protect([url for url, depth in zip(records.urls, records.depth.tolist(), strict=True) if not depth])
        if admission.traps is None:
            return
        for page, url, found_on in zip(pages.tolist(), records.urls, records.found_on, strict=True):
            if page < first:
                continue
            rule = next(iter(admission.refusals(found_on, NO_CONTENT, [url])), None)
            if rule is not None:
                self._intake.visits.give_up(page, State.DISALLOWED, rule, now)


def _damaged(why: str) -> StoreError:
    return StoreError(f"a message between partitions is damaged: {why}; restore all from one copy")
