"""The pages that wait on every host, those never read apart from those to be read again, and which is best.

A page waits until it is handed out. Then it is held, until it is put back, and so is a page that rests before another
try, or has gone. Whether a host may be asked is not decided here: `offer` and `withdraw` say so.
"""

import heapq
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.anticipated_cash import AnticipatedCash
from minicrawl.crawler.frontier.due_pages import FIRST, DuePages
from minicrawl.crawler.frontier.lanes import Lane
from minicrawl.crawler.hosts.host import Address, Host
from minicrawl.opic import Adaptive, DiscoveryRule, Ledger, PageQueue, Strategy
from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, flagged, grown, order_of, slices
from minicrawl.opic.strategy import bests, packed, priority_in, unpacked

_BEHIND = 2**62  # more than any page's cash


class WaitingPages:
    """Every page that may be fetched, by host.

    `anticipated`: what the strategy adds to the cash of never read pages, if it does.
    """

    def __init__(  # noqa: PLR0913 - the parts that it joins
        self,
        hosts: list[Host],
        book: Adaptive,
        strategy: Strategy,
        budget: DiscoveryRule,
        loaded_at_once: int,
        due: DuePages | None = None,
        least_age: float = 0.0,
    ) -> None:
        """hosts: grows as hosts become known. loaded_at_once: as in `Sizes`. due: when read pages are fetched again;
        None: by the strategy, as all pages, `least_age` seconds after their last fetch or later."""
        self._hosts = hosts
        self._book = book
        self._strategy = strategy
        self._budget = budget
        self._loaded_at_once = loaded_at_once
        self._due = due
        self._least_age = least_age
        self.ledger: Ledger | None = None
        """By what pages never read hold there they are in order; None: by their cash."""
        self._by_jumps: npt.NDArray[np.float32] = np.zeros(0, dtype=np.float32)
        """What jumps would bring each page when they were last put in order; 0 of those known since."""
        self.anticipated = AnticipatedCash(book, lambda host: hosts[host].name) if strategy.anticipates else None
        self.host_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        # Pages handed out, resting before another try, or gone.
        self._held: Flags = np.zeros(0, dtype=np.bool_)
        self._is_put_off: Flags = np.zeros(0, dtype=np.bool_)
        self._puts_off = False  # any
        self._reads_new = True  # pages never read
        self.first: set[int] = set()  # these come before all others, and are read again even where none is
        self._resting: list[tuple[float, int]] = []
        self._set_aside: list[tuple[float, int]] = []  # the same, but not worth waiting for
        firsts = (self._first_unread if strategy.anticipates else None, due.first if due is not None else None)
        self._discovery, self._refresh = (
            Lane(hosts, partial(self._is_current, read=read), partial(self._waiting_of, read=read), first)
            for read, first in zip((False, True), firsts, strict=True)
        )

    def grow(self, size: int) -> None:
        self.host_of = grown(self.host_of, size)
        self._held = grown(self._held, size)
        self._is_put_off = grown(self._is_put_off, size)
        if self.ledger is not None:
            self._by_jumps = grown(self._by_jumps, size)
        if self._due is not None:
            self._due.grow(size, self.host_of)
        if self.anticipated is not None:
            self.anticipated.grow(size, self.host_of)

    def by_host(self) -> dict[str, int]:
        """How many pages are known on each host."""
        counts = np.bincount(self.host_of[: self._book.size], minlength=len(self._hosts))
        return {host.name: count for host, count in zip(self._hosts, counts.tolist(), strict=True)}

    def place(self, page: int, host: Host, *, is_seed: bool = False) -> None:
        """Say which host a new page is on; it does not wait yet."""
        self.host_of[page] = host.id
        if self.anticipated is not None:
            self.anticipated.note_birth(page, host.id, is_seed=is_seed)

    def add(self, page: int) -> Host | None:
        """Let a page wait for its turn: a never-read one, or one that was read if pages are read again. Its host, if it
        does."""
        if self._is_done(page):
            return None
        host: Host = self._hosts[self.host_of[page]]
        self._lane(page).add(host, self._entry(page))
        return host

    def limit_to(self, pages: Pages) -> None:
        """Let these read pages have one turn more, in this order, and no other one: none that becomes known, either.
        To be called before `load`."""
        assert self._due is not None, "they wait by when they are due"
        are_others = np.ones(len(self._held), dtype=np.bool_)
        are_others[pages] = False
        self._held |= are_others
        self._reads_new = False
        self._due.limit_to(pages)

    @property
    def is_by_strategy(self) -> bool:
        """Whether read pages are read again, and the strategy says which."""
        return self._due is None and self._budget.share < 1.0

    def load_last_fetches(self, pages: Pages, fetched_at: FloatArray, now: float) -> None:
        """Set read pages aside that are not of the least age. To be called before `load`."""
        until = np.minimum(fetched_at, now) + self._least_age
        is_young = until > now
        pages = pages[is_young]
        self._set_aside = list(zip(until[is_young].tolist(), pages.tolist(), strict=True))
        heapq.heapify(self._set_aside)
        self._held[pages] = True

    def load(self, size: int, now: float) -> None:
        """`add` for pages 0..size-1 at once, but for forgotten ones, before any other page waits.

        `offer` all hosts then.
        """
        if self._due is not None:
            pages = flagged(self._book.visited[:size] & ~self._held[:size])
            self._due.load(pages, self.host_of[pages].astype(np.int64), now)
            self._held[pages] = True
        self._load_unread(size)
        if self.is_by_strategy:
            self._load_lane(self._refresh, size, read=True)

    def reorder(self) -> None:
        """Let pages never read wait in the order of now. `offer` all hosts then."""
        self._discovery.clear()
        self._load_unread(self._book.size)

    def _load_unread(self, size: int) -> None:
        if self.ledger is not None:
            self._by_jumps = np.zeros(len(self.host_of), dtype=np.float32)
            for rows in slices(size):
                self._by_jumps[rows] = self.ledger.held() * self.ledger.birth(rows)
        self._load_lane(self._discovery, size, read=False)

    def _load_lane(self, lane: Lane, size: int, *, read: bool) -> None:
        """Let those of pages 0..size-1 wait that are read, or are not, and may be handed out."""
        for hosts in self._host_groups(size):
            host_of = self.host_of[:size]
            here = flagged((host_of >= hosts.start) & (host_of < hosts.stop) & ~self._held[:size])
            pages = here[self._book.visited[here] == read]
            among = host_of[pages] - hosts.start
            pages = pages[order_of(among)]
            waiting = np.bincount(among, minlength=len(hosts))
            with_pages = np.flatnonzero(waiting)
            ends = waiting.cumsum()[with_pages]
            starts = ends - waiting[with_pages]
            first = bests(pages, self._priorities(pages, read=read), starts) if len(pages) else []
            numbers = (with_pages + hosts.start).tolist()
            for number, start, end, best in zip(numbers, starts.tolist(), ends.tolist(), first, strict=True):
                lane.load(self._hosts[number], pages[start:end], best)

    def _host_groups(self, size: int) -> Iterator[range]:
        """All hosts, as many at a time as have some pages: to sort millions of these takes much memory."""
        known = np.zeros(len(self._hosts), dtype=np.int64)
        for rows in slices(size):
            known += np.bincount(self.host_of[rows], minlength=len(known))
        firsts = np.searchsorted(known.cumsum(), np.arange(0, size, self._loaded_at_once), side="right")
        return (range(*hosts) for hosts in pairwise([*np.unique(firsts).tolist(), len(known)]))

    def credit(self, pages: Pages) -> None:
        """The cash of these pages has risen, by a visit. To be told before anything else is asked of the frontier."""
        hosts = self._note_risen(pages)
        if self.anticipated is not None:
            hosts |= self.anticipated.take_touched()
        for host_id in hosts:
            self.offer(self._hosts[host_id])

    def _note_risen(self, pages: Pages) -> set[int]:
        """Move these pages up where they wait; on which hosts that is."""
        if not (self._strategy.follows_cash and len(pages) and self._reads_new):
            return set()
        pages = pages[~self._held.take(pages)]
        is_read = self._book.visited.take(pages)
        hosts = self._rise(pages[~is_read], read=False)
        if self.is_by_strategy:
            hosts |= self._rise(pages[is_read], read=True)
        return hosts

    def _rise(self, pages: Pages, *, read: bool) -> set[int]:
        hosts = self.host_of.take(pages)
        (self._refresh if read else self._discovery).rise_all(pages, hosts, self._priorities(pages, read=read))
        return set(hosts.tolist())

    def note_moved(self, pages: Pages) -> None:
        """What these pages hold in the ledger is otherwise than before. To be told like `moved`."""
        if self.ledger is not None:
            self.moved(pages)

    def moved(self, pages: Pages) -> None:
        """Let pages never read wait by their keys of now, be these larger or smaller than before. To be told before
        anything else is asked of the frontier."""
        if not self._reads_new:
            return
        waiting = pages[~self._held[pages] & ~self._book.visited[pages]].tolist()
        for page in waiting:
            self._discovery.fall(self._hosts[self.host_of[page]], self._entry(page))
        for host in {self.host_of.item(page) for page in waiting}:
            self._discovery.offer(self._hosts[host])

    def best(self, *, attempts: bool) -> int | None:
        """The page to fetch now, of the hosts on offer, or None. attempts: as in `Frontier.best_page`."""
        discovery = self._discovery.best(attempts=attempts)
        if self._due is None:
            refresh = self._refresh.best(attempts=attempts)
        else:
            refresh = self._due.best(self._refresh, attempts=attempts)
        for best in (discovery, refresh) if self.first else ():
            if best is not None and unpacked(best[0]) in self.first:
                return unpacked(best[0])
        lead = 0 if discovery is None or refresh is None else priority_in(discovery[0]) - priority_in(refresh[0])
        discovers = self._budget.discovers(discovery is not None, refresh is not None, lead)
        if discovers is None:
            return None
        best = discovery if discovers else refresh
        assert best is not None
        return unpacked(best[0])

    def hand_out(self, page: int, host: Host) -> None:
        """Hold the best page."""
        if self._due is not None and self._book.visited.item(page) and page not in self.first:
            self._due.hand_out(page, host)
        popped = self._lane(page).pop(host)
        assert popped == page, "only the best page of a host is handed out"
        self._held[page] = True

    def hand_out_of(self, host: Host) -> int | None:
        """Hold the best page of a host, if any waits there."""
        lane = self._discovery if self._discovery.has_page(host) else self._refresh
        if not lane.has_page(host):
            return None
        page = lane.pop(host)
        self._held[page] = True
        return page

    def put_back(self, page: int, now: float, not_before: float, *, is_read: bool = False) -> Host | None:
        """Let a page that was handed out wait for another turn, from `not_before` on, if it is to have one. Its host,
        if it waits already. is_read: it was read just now."""
        if is_read and self.is_by_strategy:
            self.set_aside(page, now + self._least_age)
            return None
        if not_before > now and not self._is_done(page):
            heapq.heappush(self._resting, (not_before, page))
            return None
        if self._due is not None and self._book.visited.item(page):
            self._due.rest(page)
            return None
        self._held[page] = False
        return self.add(page)

    def set_aside(self, page: int, until: float) -> None:
        """Let a read page that was handed out wait for another turn from `until` on, if the crawl lasts that long."""
        if self._due is not None:
            self._due.rest(page)
        elif self._budget.share < 1.0:
            heapq.heappush(self._set_aside, (until, page))

    def rested(self, now: float) -> Iterator[int]:
        """The pages whose rest is over: each may wait again."""
        for resting in (self._resting, self._set_aside):
            while resting and resting[0][0] <= now:
                _, page = heapq.heappop(resting)
                self._held[page] = False
                yield page
        if self._due is not None:
            for page in self._due.rested(now):
                self._held[page] = False
                yield page

    @property
    def next_rested(self) -> float | None:
        """Unix seconds at which the next rest is over that is worth waiting for, if any is."""
        due = None if self._due is None else self._due.next_rested
        resting = self._resting[0][0] if self._resting else None
        return min((time for time in (due, resting) if time is not None), default=None)

    def is_empty(self, but_for: Collection[Host]) -> bool:
        """Whether nothing waits or rests, but for pages set aside, and pages of some hosts."""
        waiting = self._discovery.waiting + self._refresh.waiting
        if waiting and but_for:
            waiting -= self._discovery.waiting_on(but_for) + self._refresh.waiting_on(but_for)
        is_waited_for = self._due is not None and self._due.is_waited_for
        return not (self._resting or waiting or is_waited_for)

    def note_changed(self, pages: Iterable[int]) -> Iterable[tuple[int, float]]:
        """Read pages have changed, as is believed. Those that are due sooner, and when that is (Unix seconds)."""
        assert self._due is not None, "they wait by when they are due"
        moved = self._due.note_changed(pages)
        waiting = [page for page in moved if not self._held[page]]
        for page in waiting:
            self._refresh.rise(self._hosts[self.host_of[page]], self._entry(page))
        for host in {self.host_of.item(page) for page in waiting}:
            self._refresh.offer(self._hosts[host])
        return moved.items()

    def put_off(self, pages: Pages) -> None:
        """Let pages wait behind all that are not put off, unless the strategy goes by the clock of visits."""
        if self._strategy.follows_clock or not len(pages):
            return
        self._is_put_off[pages] = self._puts_off = True
        self.moved(pages)

    def let_others_first(self, page: int) -> bool:
        """Put off a page that was handed out, and does not wait now; whether it was not, and is from now on."""
        was_put_off = bool(self._is_put_off[page])
        self.put_off(np.array([page]))
        return bool(self._is_put_off[page]) and not was_put_off

    def is_put_off(self, pages: Pages) -> Flags:
        """Which of some pages were put off."""
        return self._is_put_off[pages]

    def charge(self, page: int) -> None:
        """A page that was handed out is fetched indeed: that counts for the discovery share."""
        self._budget.charge(discovers=not self._book.visited[page])

    def forget(self, page: int | Pages) -> None:
        """Never hand a page, or some pages, out again."""
        self._held[page] = True

    def offer(self, host: Host) -> None:
        """Let a host that is on offer stand in for its best pages."""
        self._discovery.offer(host)
        self._refresh.offer(host)

    def offer_address(self, address: Address) -> None:
        """Let an address stand in for the best pages of its hosts, or no longer."""
        self._discovery.offer_address(address)
        self._refresh.offer_address(address)

    def withdraw(self, host: Host) -> None:
        """The host is no longer on offer."""
        host.is_offered = False
        self._discovery.withdraw(host)
        self._refresh.withdraw(host)

    def put_first(self, page: int, *, is_new: bool) -> Host | None:
        """Let a page come before all others when it is next to wait. Its host, if it waits now.

        is_new: it does not wait, but may from now on.
        """
        if page in self.first:
            return None
        was_done = self._is_done(page)
        self.first.add(page)
        if self._held[page] and (self._is_set_aside(page) if self._due is None else self._due.end_rest(page)):
            is_new = True
        if is_new:
            self._held[page] = False
            self._set_aside = [rest for rest in self._set_aside if rest[1] != page]
            heapq.heapify(self._set_aside)
        if self._held[page]:
            return None
        host: Host = self._hosts[self.host_of[page]]
        (self._lane(page).add if is_new or was_done else self._lane(page).rise)(host, self._entry(page))
        self.offer(host)
        return host

    def is_given_up(self, page: int) -> bool:
        """Whether a page at which nothing was found does not wait, nor is it asked for again just now."""
        if self._due is not None:
            return self._due.is_resting(page)
        return self._budget.share >= 1.0 or self._is_set_aside(page)

    def has_page(self, host: Host) -> bool:
        return self._discovery.has_page(host) or self._refresh.has_page(host)

    def _is_set_aside(self, page: int) -> bool:
        return any(rest[1] == page for rest in self._set_aside)

    def _is_done(self, page: int) -> bool:
        """Whether a page was read, and is not read again; or was never read, and is not to be."""
        if not (self._reads_new or self._book.visited[page]):
            return True
        return bool(self._book.visited[page]) and self._budget.share >= 1.0 and page not in self.first

    def _lane(self, page: int) -> Lane:
        return self._refresh if self._book.visited.item(page) else self._discovery

    def _entry(self, page: int) -> int:
        if self.first and page in self.first:
            return packed(page, FIRST)
        if self._due is not None and self._book.visited.item(page):
            return packed(page, self._due.priority(page))
        if self.ledger is None or self._book.visited.item(page):
            priority = self._strategy.priority(page, self._book)
        else:
            priority = int(self.ledger.received.item(page) + self._by_jumps.item(page))
        return packed(page, priority - _BEHIND if self._puts_off and self._is_put_off[page] else priority)

    def _first_unread(self, host: Host, queue: PageQueue) -> int | None:
        """The entry by which a host is in order: of its first never read page, by what that is expected to get, too."""
        entry = queue.peek()
        if entry is None or self.anticipated is None:
            return entry
        page = unpacked(entry)
        if page in self.first or (self._puts_off and self._is_put_off[page]):
            return entry
        return packed(page, self.anticipated.key(page, host.id))

    def _is_current(self, entry: int, *, read: bool) -> bool:
        page = unpacked(entry)
        # For a number, item() takes half as long as an index.
        return self._book.visited.item(page) is read and not self._held.item(page) and self._entry(page) == entry

    def _waiting_of(self, pages: Pages, *, read: bool) -> tuple[Pages, IntArray]:
        pages = pages[(self._book.visited[pages] == read) & ~self._held[pages]]
        return pages, self._priorities(pages, read=read)

    def _priorities(self, pages: Pages, *, read: bool) -> IntArray:
        """Of pages that were all read, or of none that was."""
        if read and self._due is not None:
            priorities = self._due.priorities(pages)
        else:
            if read or self.ledger is None:
                priorities = self._strategy.priorities(pages, self._book)
            else:
                worths = self.ledger.received.take(pages) + self._by_jumps.take(pages)
                priorities = worths.astype(np.int64)
            if self._puts_off:
                priorities = priorities - _BEHIND * self._is_put_off[pages]
        if self.first:
            priorities = np.where(np.isin(pages, list(self.first)), FIRST, priorities)
        return priorities
