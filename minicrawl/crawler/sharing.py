"""Messages between the partitions of one crawl; unused in a crawl without partitions.

home    the partition that has a URL, asks for it and ranks it
mirror  a page here that has its home elsewhere: links lead to it, it is never offered, and has no birth cash

A mirror's cash is emptied at every hand-over. Its received cash and in-links continue to be counted; the part already
sent stands beside. So the received cash of a page, over all partitions, is what its links have sent.

Rows sent to a home are numbered 1, 2, 3 ... The commit that takes cash out of the accounts here adds the row; it stays
until its home has confirmed that a commit there put the cash into its own. So it may be sent any number of times, and
is taken once: a home takes only the row after the last that it has taken.

A site is whole in one partition, and so are its links. So the home of a page needs only the sum of the voices elsewhere
for it (opic/sites.py), which are handed over with the rest that mirrors gather.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.errors import StoreError
from minicrawl.opic.arrays import Flags, IntArray, Pages, flagged, grown
from minicrawl.store.transfers import MirrorRow, NeighbourRow, OutboxRow, Records, Sums, packed, sums
from minicrawl.store.writer import Writer


class Share(Struct, frozen=True):
    """`here`: the number of this partition. `home_of`: that of the partition that has a normalised URL."""

    here: int
    home_of: Callable[[str], int]

    def has(self, url: str) -> bool:
        return self.home_of(url) == self.here


_ELSEWHERE = 0
"""Key of the stored voices of sites elsewhere, which have no numbers here."""


class SharedVoices:
    """Invariant: the voices in all partitions for a page are those its home has, plus those on their way."""

    def __init__(self, stored: IntArray) -> None:
        """stored: rows of the table `voices`, shape (voices, 3)."""
        self.heard: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        """VOICE_UNITs: of a page at home, the voices elsewhere for it; of a mirror, those here that its home knows."""
        self._news: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        self.is_named: Flags = np.zeros(0, dtype=np.bool_)
        """Pages at home that others have links to: those of which something was heard."""
        self._changed: list[tuple[Pages, IntArray]] = []
        page, _, count = stored[stored[:, 1] == _ELSEWHERE].T
        self.grow(int(page.max(initial=-1)) + 1)
        self.heard[page] = count
        self.is_named[page] = True

    def grow(self, size: int) -> None:
        self.heard = grown(self.heard, size)
        self._news = grown(self._news, size)
        self.is_named = grown(self.is_named, size)

    def note(self, mirrors: Pages, counts: IntArray) -> None:
        """Note the voices here for each mirror; `mirrors` are all of them."""
        self._news[mirrors] = counts - self.heard[mirrors]

    def unsaid(self) -> Pages:
        """The mirrors whose homes know others."""
        return flagged(self._news != 0)

    def hand_over(self, mirrors: Pages) -> IntArray:
        """Changes in the voices for some mirrors, for their homes."""
        self.grow(int(mirrors.max(initial=-1)) + 1)
        counts = self._news[mirrors].astype(np.int64)
        self._news[mirrors] = 0
        self._tell(mirrors, counts)
        return counts

    def take_over(self, pages: Pages, counts: IntArray) -> None:
        """Add changes in the voices elsewhere for pages at home."""
        self.grow(int(pages.max(initial=-1)) + 1)
        self.is_named[pages] = True
        self._tell(pages, counts)

    def take_changed(self) -> list[tuple[int, int, int]]:
        """Changes since the last call, as rows of the table `voices`."""
        rows = [
            (page, _ELSEWHERE, change)
            for pages, changes in self._changed
            for page, change in zip(pages.tolist(), changes.tolist(), strict=True)
            if change
        ]
        self._changed.clear()
        return rows

    def _tell(self, pages: Pages, counts: IntArray) -> None:
        self.heard[pages] += counts.astype(np.int32)
        self._changed.append((pages, counts))


class Outbox:
    """Invariant: after a commit the file has exactly the rows that their homes had not confirmed by then.

    Rows may be read and confirmed while another thread commits. `on_committed`: called after every commit, in that.
    """

    def __init__(self, writer: Writer) -> None:
        self._rows: dict[int, list[OutboxRow]] = {}
        self._new: list[OutboxRow] = []
        self._confirmed: deque[tuple[int, int]] = deque()
        self._neighbours = {row.partition: row for row in writer.transfers.neighbours()}
        self._changed: set[int] = set()
        for row in writer.transfers.outbox():
            self._rows.setdefault(row.home, []).append(row)
        self._committed = {home: row.sent for home, row in self._neighbours.items()}
        self.on_committed: Callable[[], None] = lambda: None

    # Sending.

    def add(self, homes: Sequence[int], ends: Sequence[int], records: Records) -> None:
        """Within a commit: add a row for each of some homes, of records that have left the accounts.

        ends: for each home, the index behind its last record.
        """
        for home, row, of_row in zip(homes, packed(records, ends), sums(records, ends), strict=True):
            was = self._neighbour(home)
            self._neighbours[home] = was._replace(
                sent=was.sent + 1, credit_sent=was.credit_sent + of_row.credit, debit_sent=was.debit_sent + of_row.debit
            )
            self._new.append(OutboxRow(home, was.sent + 1, of_row.received, row))
            self._changed.add(home)

    def committed(self) -> None:
        """Note that the rows added are in the file: from now on they may be sent."""
        for row in self._new:
            self._committed[row.home] = row.number
            self._rows.setdefault(row.home, []).append(row)
        self._new.clear()
        self.on_committed()

    def homes(self) -> Sequence[int]:
        """Homes with rows to be sent."""
        return [home for home, rows in list(self._rows.items()) if rows]

    def rows(self, home: int) -> Sequence[OutboxRow]:
        """The rows that a home has not confirmed, in order."""
        return tuple(self._rows.get(home, ()))

    def confirm(self, home: int, number: int) -> None:
        """Delete rows that a home has committed, up to this one. Raises StoreError if fewer were made."""
        if number > self._committed.get(home, 0):
            raise StoreError(
                f"partition {home} has taken {number} messages from this one, which has sent only "
                f"{self._committed.get(home, 0)}: this store is older than that one; restore all from one copy"
            )
        rows = self._rows.get(home, [])
        del rows[: sum(row.number <= number for row in tuple(rows))]  # no new list: more rows may be added meanwhile
        self._confirmed.append((home, number))

    # Receiving.

    def taken(self, source: int) -> int:
        """Number of the last row of another partition in the accounts here."""
        return self._neighbour(source).taken

    @property
    def counters(self) -> tuple[int, int]:
        """Rows made and rows taken since the crawl began."""
        neighbours = self.neighbours.values()
        return sum(row.sent for row in neighbours), sum(row.taken for row in neighbours)

    def note_taken(self, source: int, number: int, of_row: Sums) -> None:
        """Note that a row is in the accounts; it must be the one after the last."""
        was = self._neighbour(source)
        assert number == was.taken + 1, f"row {number} of partition {source} is not the next"
        self._neighbours[source] = was._replace(
            taken=number, credit_taken=was.credit_taken + of_row.credit, debit_taken=was.debit_taken + of_row.debit
        )
        self._changed.add(source)

    @property
    def neighbours(self) -> dict[int, NeighbourRow]:
        """Rows and units sent and taken since the crawl began, by partition."""
        return dict(self._neighbours)  # a copy, as another thread may add to it

    def save(self, writer: Writer) -> None:
        writer.add(OutboxRow, self._new)
        writer.remove_sent([self._confirmed.popleft() for _ in range(len(self._confirmed))])
        writer.put(NeighbourRow, map(self._neighbour, sorted(self._changed)))
        self._changed.clear()

    def _neighbour(self, partition: int) -> NeighbourRow:
        return self._neighbours.get(partition) or NeighbourRow(partition, 0, 0)


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
        elsewhere: list[int] = []
        for page, home, source in zip(pages, homes, found_on, strict=True):
            if home is not None:
                elsewhere.append(page)
                self._home[page] = home
                self._depth[page] = 0 if source is None else _NEVER
                if source is not None:
                    self._found_on[page] = source
        self._new += elsewhere
        self._accounts.book.mirror(np.array(elsewhere, dtype=np.int64))

    def own(self, pages: range) -> IntArray:
        """The pages that are not mirrors."""
        self._grow(pages.stop)
        return np.flatnonzero(self._home[pages.start : pages.stop] == _HERE) + pages.start

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
            voices=np.zeros(len(pages), np.int64) if self._voices is None else self._voices.hand_over(pages),
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
