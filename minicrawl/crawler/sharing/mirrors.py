"""Pages that another partition has, and what they have gathered for it.

home    the partition that has a URL, asks for it and ranks it
mirror  a page here that has its home elsewhere: links lead to it, it is never offered, and has no birth cash

A mirror's cash and walkers are emptied at every hand-over. What it has received, and its in-links, go on being counted:
what was sent of them stands beside. So what a page has received is, over all partitions, what its links have sent.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.sharing.outbox import Outbox
from minicrawl.crawler.sharing.records import Records
from minicrawl.crawler.sharing.share import Share
from minicrawl.opic.arrays import Flags, Pages, flagged, grown
from minicrawl.store.write.transfer_rows import MirrorRow
from minicrawl.store.writer import Writer

UNREACHED = 2**30
"""Depth of a page to which no way is known here."""
_HERE = -1
_NEVER = 2**31 - 1  # more than any depth: nothing was sent of a mirror


class Mirrors:
    """Which pages are mirrors, and their rows.

    Invariant: after a hand-over of all no mirror holds cash or walkers, and of every one all that it has received is
    sent. `is_due`: whether the next commit is to hand anything over. `hands_all`: or only of those mirrors that have
    news for the order in which pages are fetched: cash, links, a shorter way. Virtual visits bring others news too, and
    the same ones again and again: these may wait until the ranking is settled. `hands_walkers`: also of those at which
    so many walkers wait that they keep the bound of coverage down.
    """

    def __init__(
        self, share: Share, accounts: Accounts, url_of: Callable[[int], str], outbox: Outbox, writer: Writer
    ) -> None:
        """The accounts are as the store has them."""
        self._share = share
        self._accounts = accounts
        self._url_of = url_of
        self._outbox = outbox
        self.is_due = self.hands_all = True
        self.hands_walkers = False
        self._home: npt.NDArray[np.int16] = np.zeros(0, dtype=np.int16)
        self._inlinks: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._depth: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._chain_length: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self._size = 0
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
        rows = slice(pages.start, pages.stop)
        self._home[rows] = [_HERE if home is None else home for home in homes]
        elsewhere = flagged(self._home[rows] != _HERE) + pages.start
        self._depth[elsewhere] = _NEVER
        for page in elsewhere.tolist():
            source = found_on[page - pages.start]
            if source is None:
                self._depth[page] = 0
            else:
                self._found_on[page] = source
        self._new += elsewhere.tolist()
        self._accounts.ledger.mirror(elsewhere)

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
        if self.is_due:
            waiting = np.unique(np.concatenate(self._waiting))
            pages = self._with_news(waiting)
            self._waiting = [] if self.hands_all else [np.setdiff1d(waiting, pages, assume_unique=True)]
            self._send(pages)
        changed = np.union1d(np.array(self._new, dtype=np.int64), pages)
        self._new.clear()
        writer.transfers.save_mirrors(map(self._row, changed.tolist()))
        return pages

    def _with_news(self, pages: Pages) -> Pages:
        """Those of some mirrors that have something to hand over."""
        accounts, ledger = self._accounts, self._accounts.ledger
        is_news = accounts.book.standing[pages] != 0
        if self.hands_all:
            is_news |= accounts.coverage.walkers[pages] != 0
            is_news |= ledger.received[pages] != ledger.forwarded[pages]
        elif self.hands_walkers:
            is_news |= accounts.coverage.matters(pages)
        is_news |= accounts.inlinks[pages] != self._inlinks[pages]
        is_news |= accounts.depth[pages] < self._depth[pages]
        is_news |= accounts.hops[pages] > self._chain_length[pages]
        found: Pages = pages[is_news]
        return found

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
            walkers=accounts.coverage.hand_over(pages),
            inlinks=accounts.inlinks[pages] - self._inlinks[pages],
            depth=accounts.depth[pages].copy(),
            chain_length=accounts.hops[pages].copy(),
        )
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
        was, self._size = self._size, max(self._size, size)
        self._home = grown(self._home, size)
        self._home[was : self._size] = _HERE
        self._inlinks = grown(self._inlinks, size)
        self._depth = grown(self._depth, size)
        self._chain_length = grown(self._chain_length, size)

    def flags(self) -> Flags:
        """Which pages are mirrors, shape (accounts.size,)."""
        self._grow(self._accounts.size)
        flags: Flags = self._home[: self._accounts.size] != _HERE
        return flags
