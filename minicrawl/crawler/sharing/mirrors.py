"""Pages that another partition has, and what they have gathered for it.

home    the partition that has a URL, asks for it and ranks it
mirror  a page here that has its home elsewhere: links lead to it, it is never offered, and has no birth cash

A mirror's cash is emptied at every hand-over. What it has received, and its in-links, go on being counted:
what was sent of them stands beside. So what a page has received is, over all partitions, what its links have sent.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.sharing.outbox import Outbox
from minicrawl.crawler.sharing.share import Share
from minicrawl.crawler.sharing.voices import SharedVoices
from minicrawl.opic.arrays import Flags, IntArray, Pages, flagged, grown
from minicrawl.store.partitions.records import Records
from minicrawl.store.write.transfer_rows import MirrorRow
from minicrawl.store.writer import Writer

UNREACHED = 2**30
"""Depth of a page to which no way is known here."""
_HERE = -1
_NEVER = 2**31 - 1  # more than any depth: nothing was sent of a mirror


class Mirrors:
    """Which pages are mirrors, and their rows.

    Invariant: after a hand-over no mirror holds cash or links, or knows a shorter way, of which nothing was sent.
    What virtual visits bring says nothing of the order in which pages are fetched, and comes again and again: it waits
    for the settling. Then those mirrors hand it over that hold most of it, until that is so little that the ranking is
    settled. `error`: to which it is being settled; None: the crawl goes on. `is_due`: is asked by every commit whether
    it is to hand anything over. Where a crawl ends by its coverage those hand over, too, that keep its bound down.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins
        self,
        share: Share,
        accounts: Accounts,
        url_of: Callable[[int], str],
        outbox: Outbox,
        writer: Writer,
        voices: SharedVoices | None = None,
    ) -> None:
        """The accounts are as the store has them. voices: where walkers jump to sites."""
        self._voices = voices
        self._share = share
        self._accounts = accounts
        self._url_of = url_of
        self._outbox = outbox
        self.is_due: Callable[[], bool] = lambda: True
        self.error: float | None = None
        self._home: npt.NDArray[np.int16] = np.zeros(0, dtype=np.int16)
        self._inlinks: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._depth: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._chain_length: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self._found_on: dict[int, int] = {}  # of mirrors of which nothing was sent
        self._new: list[int] = []
        self._waiting: list[Pages] = []
        self._load(writer)

    def homes(self, urls: Sequence[str]) -> list[int | None]:
        """Where each URL is at home; None: here."""
        here, home_of = self._share.here, self._share.home_of
        return [None if home == here else home for home in map(home_of, urls)]

    def add(self, pages: range, homes: Sequence[int | None], found_on: Sequence[int | None]) -> None:
        """New pages are at home there. found_on: which page made each known; None: it is a seed, as its home knows."""
        self._grow(pages.stop)
        elsewhere = [page for page, home in zip(pages, homes, strict=True) if home is not None]
        if not elsewhere:
            return
        for page, home, source in zip(pages, homes, found_on, strict=True):
            if home is None:
                continue
            self._home[page] = home
            self._depth[page] = 0 if source is None else _NEVER
            if source is not None:
                self._found_on[page] = source
        self._new += elsewhere
        self._accounts.ledger.mirror(np.array(elsewhere))

    def own(self, pages: range) -> IntArray:
        """Those of some pages that are no mirrors."""
        self._grow(pages.stop)
        return np.flatnonzero(self._home[pages.start : pages.stop] == _HERE) + pages.start

    def is_mirror(self, page: int) -> bool:
        return bool(self._home[page] != _HERE)

    def note_known(self, pages: Pages) -> None:
        """The homes of these mirrors know them: nothing is to be sent until a link leads to them."""
        self._depth[pages] = UNREACHED
        for page in pages.tolist():
            self._found_on.pop(page, None)

    def hand_over(self, writer: Writer, touched: Pages) -> Pages:
        """Within a commit: let what mirrors have gathered leave the accounts, if that is due.

        touched: pages whose accounts have changed since the last commit. Returns the mirrors whose accounts did now.
        """
        self._waiting.append(touched[self._home[touched] != _HERE])
        pages: Pages = np.zeros(0, np.int64)
        changed = np.array(self._new, dtype=np.int64)
        if self.is_due():
            waiting = np.unique(np.concatenate(self._waiting))
            self._waiting.clear()
            pages = waiting[self._has_news(waiting)]
            if self._voices is not None:
                pages = np.union1d(pages, self._voices.unsaid())
            if self.error is not None:
                pages = np.union1d(pages, self._unsettled(self.error))
            elif self._accounts.coverage.ends_crawl:
                mirrors = flagged(self.flags())
                pages = np.union1d(pages, mirrors[self._accounts.coverage.matters(mirrors)])
            changed = np.union1d(changed, pages[self._outdate_rows(pages)])
            self._send(pages)
        self._new.clear()
        writer.transfers.save_mirrors(map(self._row, changed.tolist()))
        return pages

    def _has_news(self, pages: Pages) -> Flags:
        """Which of some mirrors know something that the order of fetches depends on, or that is handed over once."""
        has_cash: Flags = self._accounts.book.standing[pages] != 0
        return has_cash | self._outdate_rows(pages)

    def _outdate_rows(self, pages: Pages) -> Flags:
        """Which of some mirrors know something that is handed over once: what was sent of that is in their rows.

        Virtual visits bring nothing of the kind, so while the ranking is settled hardly any row is written again.
        """
        accounts = self._accounts
        is_new: Flags = accounts.inlinks[pages] != self._inlinks[pages]
        is_new |= accounts.depth[pages] < self._depth[pages]
        is_new |= accounts.hops[pages] > self._chain_length[pages]
        return is_new

    def _unsettled(self, error: float) -> Pages:
        """The mirrors that keep the ranking from being settled to `error`."""
        ledger, mirrors = self._accounts.ledger, flagged(self.flags())
        return mirrors[_most(ledger.pending(mirrors))] if ledger.certificate() > error else mirrors[:0]

    def _send(self, pages: Pages) -> None:
        """Put rows into the outbox, one for every home of these mirrors."""
        homes = self._home[pages]
        for home in np.unique(homes).tolist():
            self._outbox.add(home, self._emptied(pages[homes == home]))

    def _emptied(self, pages: Pages) -> Records:
        accounts = self._accounts
        found_on = [self._found_on.pop(page, None) for page in pages.tolist()]
        records = Records(
            urls=list(map(self._url_of, pages.tolist())),
            found_on=["" if page is None else self._url_of(page) for page in found_on],
            cash=accounts.book.hand_over(pages),
            received=accounts.ledger.hand_over(pages),
            inlinks=accounts.inlinks[pages] - self._inlinks[pages],
            depth=accounts.depth[pages].copy(),
            chain_length=accounts.hops[pages].copy(),
        )
        if self._voices is not None:
            records = records._replace(voices=self._voices.hand_over(pages))
        self._inlinks[pages] += records.inlinks
        self._depth[pages] = np.minimum(self._depth[pages], records.depth)
        self._chain_length[pages] = np.maximum(self._chain_length[pages], records.chain_length)
        return records

    def _load(self, writer: Writer) -> None:
        self._grow(self._accounts.size)
        rows = writer.transfers.mirrors()
        for row, found_on in rows:
            self._home[row.page], self._inlinks[row.page] = row.home, row.inlinks
            self._depth[row.page] = _NEVER if row.depth is None else row.depth
            self._chain_length[row.page] = row.chain_length
            if row.depth is None and found_on is not None:
                self._found_on[row.page] = found_on
        self._waiting.append(np.array([row.page for row, _ in rows], dtype=np.int64))

    def _row(self, page: int) -> MirrorRow:
        depth = self._depth.item(page)
        return MirrorRow(
            page,
            self._home.item(page),
            self._inlinks.item(page),
            None if depth == _NEVER else depth,
            self._chain_length.item(page),
        )

    def _grow(self, size: int) -> None:
        was = len(self._home)
        if size <= was:
            return
        self._home = grown(self._home, size)
        self._home[was:] = _HERE
        self._inlinks = grown(self._inlinks, size)
        self._depth = grown(self._depth, size)
        self._chain_length = grown(self._chain_length, size)

    def flags(self) -> Flags:
        """Which pages are mirrors, shape (accounts.size,)."""
        self._grow(self._accounts.size)
        flags: Flags = self._home[: self._accounts.size] != _HERE
        return flags


def _most(units: IntArray) -> Flags:
    """Which hold at least the mean of those that hold any: a fifth of them, mostly, with four fifths of it all."""
    sizes = np.abs(units)
    found: Flags = sizes >= max(1.0, sizes.sum() / max(np.count_nonzero(sizes), 1))
    return found
