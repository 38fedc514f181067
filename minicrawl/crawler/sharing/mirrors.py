"""Pages that another partition has, and the cash and links they gather for it.

home    the partition that has a URL, asks for it and ranks it
mirror  a page here that has its home elsewhere: links lead to it, it is never offered, and has no birth cash

A mirror's cash is emptied at every hand-over. Its received cash and in-links go on being counted; the part already
sent stands beside. So the received cash of a page, over all partitions, is what its links have sent.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.sharing.outbox import Outbox
from minicrawl.crawler.sharing.share import Share
from minicrawl.crawler.sharing.voices import SharedVoices
from minicrawl.opic.arrays import Flags, IntArray, Pages, flagged, grown
from minicrawl.store.partitions.records import Records
from minicrawl.store.transfers import MirrorRow
from minicrawl.store.writer import Writer

UNREACHED = 2**30
"""Depth of a page with no known way here."""
_HERE = -1
_NEVER = 2**31 - 1  # more than any depth: the mirror was never sent


class Mirrors:
    """The mirrors and their rows.

    Invariant: after a hand-over no mirror holds unsent cash or links, or an unsent shorter way.
    The proceeds of virtual visits do not affect the fetch order, and come again and again: they wait for the settling,
    which sets `hands_over_all`. `is_due`: tells every commit whether to hand anything over. In a crawl that ends by
    coverage, mirrors that keep its bound down hand over, too.
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
        """The accounts are as in the store. voices: where walkers jump to sites."""
        self._voices = voices
        self._share = share
        self.here = share.here
        self._accounts = accounts
        self._url_of = url_of
        self._outbox = outbox
        self.is_due: Callable[[], bool] = lambda: True
        self.hands_over_all = False
        self._home: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._inlinks: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._depth: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self._chain_length: npt.NDArray[np.int8] = np.zeros(0, dtype=np.int8)
        self._found_on: dict[int, int] = {}  # of mirrors never sent
        self._new: list[int] = []
        self._waiting: list[Pages] = []
        self._load(writer)

    def homes(self, urls: Sequence[str]) -> list[int | None]:
        """The home of each URL; None: here."""
        return [None if home == self.here else home for home in map(self._share.home_of, urls)]

    def add(self, pages: range, homes: Sequence[int | None], found_on: Sequence[int | None]) -> None:
        """Add new pages with their homes. found_on: the page that made each known; None: a seed, known at home."""
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
        self._accounts.book.mirror(np.array(elsewhere))

    def own(self, pages: range) -> IntArray:
        """The pages that are no mirrors."""
        self._grow(pages.stop)
        return np.flatnonzero(self._home[pages.start : pages.stop] == _HERE) + pages.start

    def by_home(self) -> Iterator[tuple[int, Pages]]:
        """Partitions with their mirrors here."""
        mirrors = flagged(self.flags())
        homes = self._home[mirrors]
        return ((home, mirrors[homes == home]) for home in np.unique(homes).tolist())

    def is_mirror(self, page: int) -> bool:
        return bool(self._home[page] != _HERE)

    def note_known(self, pages: Pages) -> None:
        """Note that the homes of these mirrors know them: send nothing until a link leads to them."""
        self._depth[pages] = UNREACHED
        for page in pages.tolist():
            self._found_on.pop(page, None)

    def hand_over(self, writer: Writer, touched: Pages) -> Pages:
        """Within a commit: move the gathered cash and links of mirrors out of the accounts, if that is due.

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
            book, coverage = self._accounts.book, self._accounts.coverage
            if self.hands_over_all or coverage.ends_crawl:
                mirrors = flagged(self.flags())
                matters = book.cash_of(mirrors) != 0 if self.hands_over_all else coverage.matters(mirrors)
                pages = np.union1d(pages, mirrors[matters])
            changed = np.union1d(changed, pages[self._has_news(pages)])
            self._send(pages)
        self._new.clear()
        writer.put(MirrorRow, self._rows(changed))
        return pages

    def _has_news(self, pages: Pages) -> Flags:
        """True for mirrors with unsent in-links, depth or chain length; their rows hold the values sent.

        Virtual visits change none of these, so while the ranking is settled hardly any row is rewritten.
        """
        accounts = self._accounts
        is_new: Flags = accounts.inlinks[pages] != self._inlinks[pages]
        is_new |= accounts.depth[pages] < self._depth[pages]
        is_new |= accounts.hops[pages] > self._chain_length[pages]
        return is_new

    def _send(self, pages: Pages) -> None:
        """Put a row into the outbox for every home of these mirrors."""
        pages = pages[np.argsort(self._home[pages], kind="stable")]
        homes, records = np.unique_counts(self._home[pages])
        self._outbox.add(homes.tolist(), np.cumsum(records).tolist(), self._emptied(pages))

    def _emptied(self, pages: Pages) -> Records:
        accounts = self._accounts
        found_on = [self._found_on.pop(page, None) for page in pages.tolist()]
        records = Records(
            urls=list(map(self._url_of, pages.tolist())),
            found_on=["" if page is None else self._url_of(page) for page in found_on],
            received=accounts.book.hand_over(pages),
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

    def _rows(self, pages: Pages) -> Iterator[MirrorRow]:
        columns = (self._home, self._inlinks, self._depth, self._chain_length)
        values = zip(pages.tolist(), *(column[pages].tolist() for column in columns), strict=True)
        for page, home, inlinks, depth, chain_length in values:
            yield MirrorRow(page, home, inlinks, None if depth == _NEVER else depth, chain_length)

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
        """True for mirrors, shape (accounts.size,)."""
        self._grow(self._accounts.size)
        flags: Flags = self._home[: self._accounts.size] != _HERE
        return flags
