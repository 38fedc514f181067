"""The pages that wait on every host, never read ones apart from read ones, and the best page among them.

A page waits until it is handed out. Then it is held until it is put back, and so is a page that rests before another
try, or is gone. Hosts are put on and off offer by `offer` and `withdraw`; their clocks are not kept here.
"""

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.addresses import Lane
from minicrawl.crawler.frontier.due_pages import FIRST, DuePages
from minicrawl.crawler.hosts import Address, Host
from minicrawl.opic import DiscoveryBudget, Strategy
from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, flagged, grown, slices
from minicrawl.opic.strategy import Jumps, bests, packed, unpacked

_BEHIND = 2**62  # more than any page's cash
_MOST = 2.0**61
_SEED = 1000  # pages that a seed counts for where the virtual page pays all alike: links lead to the others


class WaitingPages:
    """Every page that may be fetched, by host."""

    def __init__(  # noqa: PLR0913 - the parts that it joins
        self,
        hosts: list[Host],
        accounts: Accounts,
        strategy: Strategy,
        budget: DiscoveryBudget,
        loaded_at_once: int,
        due: DuePages | None = None,
    ) -> None:
        """hosts: grows as hosts become known. loaded_at_once: as in `Sizes`. due: due times of read pages; None:
        no page is read again."""
        self._hosts = hosts
        self._accounts = accounts
        self._book = accounts.book
        self._strategy = strategy
        self._budget = budget
        self._loaded_at_once = loaded_at_once
        self._due = due
        self.early: Callable[[], FloatArray] | None = None
        """Units of birth cash that pages never read have more for their order alone, by number."""
        self._jumps: Jumps = np.zeros(0, dtype=np.float32)
        """As of when pages were last ordered; 0 for pages known since."""
        self.interest: npt.NDArray[np.float32] | None = None
        """How much more the user wants each page than others: a factor on its priority, if cash orders pages."""
        self.host_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        # Pages handed out, resting before another try, or gone.
        self._held: Flags = np.zeros(0, dtype=np.bool_)
        self._is_put_off: Flags = np.zeros(0, dtype=np.bool_)
        self._puts_off = False  # any page
        self._reads_new = True  # pages never read
        self.first: set[int] = set()  # pages before all others; they are read again even if no others are
        self._resting: list[tuple[float, int]] = []
        self._discovery, self._refresh = (
            Lane(hosts, partial(self._is_current, read=read), partial(self._waiting_of, read=read))
            for read in (False, True)
        )

    def grow(self, size: int) -> None:
        self.host_of = grown(self.host_of, size)
        self._held = grown(self._held, size)
        self._is_put_off = grown(self._is_put_off, size)
        self._jumps = grown(self._jumps, size)
        if self.interest is not None:
            self.interest = grown(self.interest, size)
        if self._due is not None:
            self._due.grow(size)

    def by_host(self) -> dict[str, int]:
        """The number of known pages of each host, by its name."""
        counts = np.bincount(self.host_of[: self._book.size], minlength=len(self._hosts))
        return {host.name: count for host, count in zip(self._hosts, counts.tolist(), strict=True)}

    def add(self, pages: Iterable[int]) -> Collection[Host]:
        """Let pages wait for their turn: those never read, and read ones if pages are read again. Returns the hosts of
        those that wait, each once."""
        hosts: dict[int, Host] = {}
        for page in pages:
            if self._is_done(page):
                continue
            number = self.host_of.item(page)
            host = hosts[number] = self._hosts[number]
            self._lane(page).add(host, self._entry(page))
        for host in hosts.values():
            self.offer(host)
        return hosts.values()

    def limit_to(self, pages: Pages) -> None:
        """Give these read pages one more turn, and no other page any, new ones included. To be called before `load`."""
        assert self._due is not None, "they wait by their value"
        are_others = np.ones(len(self._held), dtype=np.bool_)
        are_others[pages] = False
        self._held |= are_others
        self._reads_new = False
        self._due.rests_again = False

    def load(self, size: int, now: float) -> None:
        """`add` pages 0..size-1 at once, but for forgotten ones, before any other page waits.

        `offer` all hosts then.
        """
        if self._due is not None:
            self._held[self._due.load(self._waiting_read(size), now)] = True
            self._load_lane(self._refresh, size, read=True)
        self._load_unread(size)

    def reorder(self) -> None:
        """Order pages never read anew. `offer` all hosts then."""
        self._discovery.clear()
        self._load_unread(self._book.size)

    def _waiting_read(self, size: int) -> Pages:
        return flagged(self._accounts.had_turn[:size] & ~self._held[:size])

    def _load_unread(self, size: int) -> None:
        if self._strategy.follows_cash:
            self._jumps = np.zeros(len(self.host_of), dtype=np.float32)
            for rows in slices(size):
                self._jumps[rows] = self._book.held() * self._book.birth(rows)
                if self._book.are_born_alike:
                    self._jumps[rows][self._accounts.depth[rows] == 0] *= _SEED
            if self.early is not None:
                self._jumps[:size] += self._book.held() * self.early()
        self._load_lane(self._discovery, size, read=False)

    def _load_lane(self, lane: Lane, size: int, *, read: bool) -> None:
        """Let those among pages 0..size-1 wait that may be handed out: read ones, or ones never read."""
        for hosts in self._host_groups(size):
            host_of = self.host_of[:size]
            here = flagged((host_of >= hosts.start) & (host_of < hosts.stop) & ~self._held[:size])
            pages = here[self._accounts.had_turn[here] == read]
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
        """All hosts in groups with a limited number of pages: sorting millions at once takes much memory."""
        known = np.zeros(len(self._hosts), dtype=np.int64)
        for rows in slices(size):
            known += np.bincount(self.host_of[rows], minlength=len(known))
        firsts = np.searchsorted(known.cumsum(), np.arange(0, size, self._loaded_at_once), side="right")
        return (range(*hosts) for hosts in pairwise([*dict.fromkeys(firsts.tolist()), len(known)]))

    def credit(self, pages: Pages) -> None:
        """Move up pages whose cash rose by a visit. To be called before anything else is asked of the frontier."""
        if not (self._strategy.follows_cash and len(pages) and self._reads_new):
            return
        pages = pages[~(self._held.take(pages) | self._accounts.had_turn.take(pages))]
        hosts = self.host_of.take(pages).tolist()
        self._discovery.rise_all(pages, hosts, self._priorities(pages, read=False))
        for number in set(hosts):
            host = self._hosts[number]
            if host.is_offered:
                self.offer(host)

    def moved(self, pages: Pages) -> None:
        """Move pages never read to the place of their current priority, up or down. To be called before anything else
        is asked of the frontier."""
        if not self._reads_new:
            return
        waiting = pages[~self._held[pages] & ~self._accounts.had_turn[pages]].tolist()
        for page in waiting:
            self._discovery.fall(self._hosts[self.host_of[page]], self._entry(page))
        for host in {self.host_of.item(page) for page in waiting}:
            self._discovery.offer(self._hosts[host])

    def best(self, *, attempts: bool) -> int | None:
        """The page to fetch now among the hosts on offer, or None. attempts: as in `Frontier.best_page`."""
        discovery, refresh = (lane.best(attempts=attempts) for lane in (self._discovery, self._refresh))
        for best in (discovery, refresh) if self.first else ():
            if best is not None and unpacked(best[0]) in self.first:
                return unpacked(best[0])
        discovers = self._budget.discovers(discovery is not None, refresh is not None)
        if discovers is None:
            return None
        best = discovery if discovers else refresh
        assert best is not None
        return unpacked(best[0])

    def hand_out(self, page: int, host: Host) -> None:
        """Hold the best page."""
        popped = self._hand_out(self._lane(page), host)
        assert popped == page, "only the best page of a host is handed out"

    def hand_out_of(self, host: Host) -> int | None:
        """Hold the best page of a host, if any waits there."""
        lane = self._discovery if self._discovery.has_page(host) else self._refresh
        return self._hand_out(lane, host) if lane.has_page(host) else None

    def _hand_out(self, lane: Lane, host: Host) -> int:
        page = lane.pop(host)
        self._held[page] = True
        if self._due is not None and self._accounts.had_turn.item(page):
            self._due.hand_out(page)
        return page

    def put_back(self, page: int, now: float, not_before: float) -> Host | None:
        """Let a page that was handed out wait for another turn, from `not_before` on, if it is to have one. Returns its
        host if it waits already."""
        if not_before > now and not self._is_done(page):
            heapq.heappush(self._resting, (not_before, page))
            return None
        if self._due is not None and self._accounts.had_turn.item(page):
            self._due.rest(page)
            return None
        self._held[page] = False
        return next(iter(self.add((page,))), None)

    def set_aside(self, page: int) -> None:
        """Let a read page that was handed out wait for another turn, if it is to have one."""
        if self._due is not None:
            self._due.rest(page)

    def rested(self, now: float) -> Iterator[int]:
        """The pages whose rest is over: each may wait again."""
        while self._resting and self._resting[0][0] <= now:
            _, page = heapq.heappop(self._resting)
            self._held[page] = False
            yield page
        if self._due is not None:
            if self._due.is_outdated(now):
                self._due.value_all(self._waiting_read(self._book.size), now)
                self._refresh.clear()
                self._load_lane(self._refresh, self._book.size, read=True)
                for number in self._refresh.hosts:
                    self._refresh.offer(self._hosts[number])
            for page in self._due.rested(now):
                if self._held.item(page):
                    self._held[page] = False
                    yield page
                else:
                    self._move_read([page])

    @property
    def next_rested(self) -> float | None:
        """Unix seconds at which the next rest ends that the crawl waits for, if any."""
        due = None if self._due is None else self._due.next_rested
        resting = self._resting[0][0] if self._resting else None
        return min((time for time in (due, resting) if time is not None), default=None)

    def is_empty(self, but_for: Collection[Host]) -> bool:
        """True if nothing waits or rests, but for pages set aside, and pages of some hosts."""
        waiting = self._discovery.waiting + self._refresh.waiting
        if waiting and but_for:
            waiting -= self._discovery.waiting_on(but_for) + self._refresh.waiting_on(but_for)
        is_waited_for = self._due is not None and self._due.is_waited_for
        return not (self._resting or waiting or is_waited_for)

    def note_changed(self, pages: Iterable[int]) -> None:
        """Record read pages believed to have changed."""
        assert self._due is not None, "they wait by their value"
        self._move_read([page for page in self._due.note_changed(pages) if not self._held[page]])

    def _move_read(self, pages: Iterable[int]) -> None:
        """Move waiting pages to the place of their present value."""
        for page in pages:
            host = self._hosts[self.host_of[page]]
            self._refresh.fall(host, self._entry(page))
            self._refresh.offer(host)

    def put_off(self, pages: Pages) -> None:
        """Put pages behind all others."""
        if not len(pages):
            return
        self._is_put_off[pages] = self._puts_off = True
        self.moved(pages)

    def let_others_first(self, page: int) -> bool:
        """Put off a page that was handed out and does not wait now; True if it was not put off before, and is now."""
        was_put_off = bool(self._is_put_off[page])
        self.put_off(np.array([page]))
        return bool(self._is_put_off[page]) and not was_put_off

    def is_put_off(self, pages: Pages) -> Flags:
        """True for each page that was put off."""
        return self._is_put_off[pages]

    def charge(self, page: int) -> None:
        """Count a page that was handed out and is fetched toward the discovery share."""
        self._budget.charge(discovers=not self._accounts.had_turn[page])

    def forget(self, page: int | Pages) -> None:
        """Never hand out a page, or these pages, again."""
        self._held[page] = True

    def offer(self, host: Host) -> None:
        """Offer the best pages of a host that is on offer."""
        self._discovery.offer(host)
        self._refresh.offer(host)

    def offer_address(self, address: Address) -> None:
        """Offer the best pages of an address, or withdraw them if it is off offer."""
        self._discovery.offer_address(address)
        self._refresh.offer_address(address)

    def withdraw(self, host: Host) -> None:
        host.is_offered = False
        self._discovery.withdraw(host)
        self._refresh.withdraw(host)

    def put_first(self, page: int, *, is_new: bool) -> Host | None:
        """Put a page before all others, now or when it waits next. Returns its host if it waits now.

        is_new: it did not wait, but may from now on.
        """
        if page in self.first:
            return None
        was_done = self._is_done(page)
        self.first.add(page)
        if self._held[page] and self._due is not None and self._due.end_rest(page):
            is_new = True
        if is_new:
            self._held[page] = False
        if self._held[page]:
            return None
        host: Host = self._hosts[self.host_of[page]]
        (self._lane(page).add if is_new or was_done else self._lane(page).rise)(host, self._entry(page))
        self.offer(host)
        return host

    def is_given_up(self, page: int) -> bool:
        """True if a page at which nothing was found neither waits nor is in flight."""
        return self._due is None or self._due.is_resting(page)

    def has_page(self, host: Host) -> bool:
        return self._discovery.has_page(host) or self._refresh.has_page(host)

    def _is_done(self, page: int) -> bool:
        """True if a page is not to be read: it was read and is not read again, or new pages are not read."""
        if not self._accounts.had_turn.item(page):
            return not self._reads_new
        return self._due is None and page not in self.first

    def _lane(self, page: int) -> Lane:
        return self._refresh if self._accounts.had_turn.item(page) else self._discovery

    def _entry(self, page: int) -> int:
        if self.first and page in self.first:
            return packed(page, FIRST)
        if self._due is not None and self._accounts.had_turn.item(page):
            return packed(page, self._due.priority(page))
        priority = self._strategy.priority(page, self._book, self._jumps)
        if self.interest is not None and self._strategy.follows_cash:
            priority = int(min(priority * self.interest.item(page), _MOST))
        return packed(page, priority - _BEHIND if self._puts_off and self._is_put_off[page] else priority)

    def _is_current(self, entry: int, *, read: bool) -> bool:
        page = unpacked(entry)
        # For a number, item() takes half as long as an index.
        return self._accounts.had_turn.item(page) is read and not self._held.item(page) and self._entry(page) == entry

    def _waiting_of(self, pages: Pages, *, read: bool) -> tuple[Pages, IntArray]:
        pages = pages[(self._accounts.had_turn[pages] == read) & ~self._held[pages]]
        return pages, self._priorities(pages, read=read)

    def _priorities(self, pages: Pages, *, read: bool) -> IntArray:
        """Priorities of pages that were all read, or all never read."""
        if read and self._due is not None:
            priorities = self._due.priorities(pages)
        else:
            priorities = self._strategy.priorities(pages, self._book, self._jumps)
            if self.interest is not None and self._strategy.follows_cash:
                priorities = np.minimum(priorities * self.interest.take(pages), _MOST).astype(np.int64)
            if self._puts_off:
                priorities = priorities - _BEHIND * self._is_put_off[pages]
        if self.first:
            priorities = np.where(np.isin(pages, list(self.first)), FIRST, priorities)
        return priorities


def order_of(numbers: Pages) -> IntArray:
    """Indices that sort the numbers, stably. numbers: 0 to 2^32 - 1.

    Half by half, the lower first: NumPy sorts 16 bits by counting, in a fourth of the time for 32.
    """
    order = numbers.astype(np.uint16).argsort(kind="stable")
    return order[(numbers >> 16).astype(np.uint16)[order].argsort(kind="stable")]
