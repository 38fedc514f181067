"""The pages that wait on every host, never read ones apart from read ones, and the best page among them.

A page waits until it is handed out. Then it is held until it is put back, and so is a page that rests before another
try, or is gone. Hosts are put on and off offer by `offer` and `withdraw`; their clocks are not kept here. No choice
looks at more than a few heap tops.

lane     one kind of page: never read (discovery), or read (refresh)
entry    a page and its priority in one integer, see minicrawl.opic.strategy

A page that waits is in the queue of its host, in its lane, and nowhere else. A host on offer has one entry for each of
its queues in the lane's offers, that of the best page; a host off offer has none. One turn in SITE_TURN of pages never
read is a site's (site_turns.py).
"""

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.due_pages import FIRST, DuePages
from minicrawl.crawler.frontier.offers import HostOffers
from minicrawl.crawler.frontier.site_turns import SITE_TURN, SiteTurns
from minicrawl.crawler.hosts.clocks import Address, Host
from minicrawl.opic import DiscoveryBudget, PageQueue, Strategy
from minicrawl.opic.arrays import Flags, FloatArray, IntArray, Pages, flagged, grown, slices
from minicrawl.opic.strategy import Jumps, bests, priority_in, unpacked
from minicrawl.sizes import STANDARD_SIZES

_BEHIND = 2**62  # more than any page's cash
_MOST = 2.0**61
_LEAST = 2**14  # units that any page on the topic has, less than a link brings
_MUCH = 30.0
"""How much more a page is wanted, so that another one waits until its host has answered: a word of a topic of three."""
_SEED = 1000  # pages that a seed counts for where the virtual page pays all alike: links lead to the others


class Lane:
    """Pages of one kind: a queue per host, and in `offers` the best page of every host on offer."""

    def __init__(
        self, priority_of: Callable[[int], int | None], waiting_of: Callable[[Pages], tuple[Pages, IntArray]]
    ) -> None:
        """priority_of, waiting_of: as in `PageQueue`."""
        self._priority_of = priority_of
        self._waiting_of = waiting_of
        self.clear()

    def clear(self) -> None:
        self.queues: dict[int, PageQueue] = {}
        """By number of a host, of all hosts that have had a page here."""
        self.waiting = 0
        self.offers = HostOffers()

    def add(self, host: Host, page: int) -> int:
        """Let a page wait; `offer` its host then. Returns its priority."""
        queue = self.queues.get(host.id)
        if queue is None:
            queue = self.queues[host.id] = PageQueue(self._priority_of, self._waiting_of)
        self.waiting += 1
        return queue.add(page)

    def load(self, host: int, pages: Pages, best: int) -> None:
        """Load the pages of a host, by number, that has none here; `offer` it then. best: the entry of the page whose
        turn is next."""
        self.queues[host] = PageQueue(self._priority_of, self._waiting_of, pages, best)
        self.waiting += len(pages)

    def pop(self, host: Host) -> int | None:
        """Remove the best page of a host; `withdraw` the host then."""
        page = self.queues[host.id].pop()
        self.waiting -= page is not None
        return page

    def waiting_on(self, hosts: Iterable[Host]) -> int:
        return sum(self.queues[host.id].waiting for host in hosts if host.id in self.queues)

    def offer(self, host: Host) -> None:
        """Put the best page of a host that is on offer among the offers."""
        entry = self.entry(host)
        if entry is not None:
            self.offers.put(host, entry)

    def entry(self, host: Host) -> int | None:
        """The entry of the best page of a host; None if it has none here."""
        queue = self.queues.get(host.id)
        return None if queue is None else queue.peek()


class Order(Struct, frozen=True):
    """The order of pages: `strategy` of those never read, `due` of those to be read again, None for none; `budget` has
    the share of either kind. loaded_at_once: as in `Sizes`. has_site_turns: sites have turns where cash orders pages;
    where walkers jump to any page, these would go to whoever makes most of them."""

    strategy: Strategy
    budget: DiscoveryBudget
    due: DuePages | None = None
    loaded_at_once: int = STANDARD_SIZES.loaded
    has_site_turns: bool = True


class WaitingPages:
    """Every page that may be fetched, by host."""

    def __init__(self, hosts: list[Host], accounts: Accounts, order: Order) -> None:
        """hosts: grows as hosts become known."""
        self._hosts = hosts
        self._accounts = accounts
        self._book = accounts.book
        self._strategy = order.strategy
        self._budget = order.budget
        self._due = order.due
        self._loaded_at_once = order.loaded_at_once
        self.early: Callable[[], FloatArray] | None = None
        """Units of birth cash that pages never read have more for their order alone, by number."""
        self._jumps: Jumps = np.zeros(0, dtype=np.float32)
        """As of when pages were last ordered; 0 for pages known since."""
        self.interest: npt.NDArray[np.float32] | None = None
        """How much more the user wants each page than others: a factor on its priority, if cash orders pages."""
        self.is_off_topic: Flags | None = None
        """True for each page of which too little is said: seeds and linked ones have their turn by age, whatever their
        cash. None if the interest is in no topic; else, pages of much less are not read while a host answers that has
        more, but for the turns of sites."""
        self.host_of: npt.NDArray[np.int32] = np.zeros(0, dtype=np.int32)
        # Pages handed out, resting before another try, or gone.
        self._held: Flags = np.zeros(0, dtype=np.bool_)
        self._is_put_off: Flags = np.zeros(0, dtype=np.bool_)
        self._puts_off = False  # any page
        self._reads_new = True  # pages never read
        self.laid_up: set[int] = set()  # held until they are brought back
        self.first: set[int] = set()  # pages before all others; they are read again even if no others are
        self._resting: list[tuple[float, int]] = []
        self._discovery = Lane(self._unread_priority, partial(self._waiting_of, read=False))
        self._refresh = Lane(self._read_priority, partial(self._waiting_of, read=True))
        self._lanes = (self._discovery, self._refresh)  # by whether their pages were read
        has_site_turns = order.has_site_turns and self._strategy.follows_cash
        self._sites = SiteTurns(hosts, self._discovery.entry, self._by_cash) if has_site_turns else None
        self._turns = 0
        """Turns of pages never read."""

    def grow(self, size: int) -> None:
        self.host_of = grown(self.host_of, size)
        self._held = grown(self._held, size)
        self._is_put_off = grown(self._is_put_off, size)
        self._jumps = grown(self._jumps, size)
        if self.interest is not None:
            self.interest = grown(self.interest, size)
        if self.is_off_topic is not None:
            self.is_off_topic = grown(self.is_off_topic, size)
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
            is_read = self._accounts.had_turn.item(page)
            priority = self._lanes[is_read].add(host, page)
            if self._sites is not None and not is_read:
                self._sites.note(page, host, priority)
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
        self._turns = self._accounts.turns  # so that stopping often takes no turn from sites
        if self._due is not None:
            self._held[self._due.load(self._waiting_read(size), now)] = True
            self._load_lane(self._refresh, size, read=True)
        self._load_unread(size)

    def reorder(self) -> None:
        """Reorder pages never read. `offer` all hosts then."""
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
        if self._sites is not None:
            read = np.bincount(self.host_of[flagged(self._accounts.had_turn[:size])], minlength=len(self._hosts))
            self._sites.begin(read, len(self.host_of))
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
            priorities = self._priorities(pages, read=read)
            first = bests(pages, priorities, starts) if len(pages) else []
            if self._sites is not None and not read:
                self._sites.load(pages, self.host_of[pages], priorities)
            numbers = (with_pages + hosts.start).tolist()
            for number, start, end, best in zip(numbers, starts.tolist(), ends.tolist(), first, strict=True):
                lane.load(number, pages[start:end], best)

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
        queues = self._discovery.queues
        priorities = self._priorities(pages, read=False)
        if self._sites is not None:
            self._sites.note_all(pages, hosts, priorities)
        for page, number, priority in zip(pages.tolist(), hosts, priorities.tolist(), strict=True):
            queue = queues[number]
            if priority >= queue.least:  # most are not
                queue.rise(page, priority)
        for number in set(hosts):
            host = self._hosts[number]
            if host.is_offered:
                self.offer(host)

    def moved(self, pages: Pages) -> None:
        """Move pages never read to the place of their current priority, up or down. To be called before anything else
        is asked of the frontier."""
        if self._reads_new:
            self._move(self._discovery, pages[~self._held[pages] & ~self._accounts.had_turn[pages]].tolist())

    def _move(self, lane: Lane, pages: Iterable[int]) -> None:
        """Move pages that wait in a lane to the place of their present priority."""
        hosts = {page: self.host_of.item(page) for page in pages}
        for page, number in hosts.items():
            priority = lane.queues[number].fall(page)
            if self._sites is not None and lane is self._discovery:
                self._sites.note(page, self._hosts[number], priority)
        for number in set(hosts.values()):
            self.offer(self._hosts[number])

    def best(self, *, attempts: bool) -> int | None:
        """The page to fetch now among the hosts on offer, or None. attempts: as in `Frontier.best_page`."""
        unread = self._discovery.offers.best(attempts=attempts) if self._discovery.waiting else None
        read = self._refresh.offers.best(attempts=attempts) if self._refresh.waiting else None
        for page in (unread, read) if self.first else ():
            if page in self.first:
                return page
        discovers = self._budget.discovers(unread is not None, read is not None)
        if discovers is None:
            return None
        if discovers and (sites := self._sites_on_turn()) is not None:
            return sites.best(attempts=attempts)
        return unread if discovers else read

    def _sites_on_turn(self) -> SiteTurns | None:
        """The sites, if the next turn of pages never read is one of theirs."""
        is_theirs = self._turns % SITE_TURN == SITE_TURN - 1
        return self._sites if is_theirs and self._sites is not None and self._sites.is_on else None

    def is_of_less_interest(self, page: int, host: Host) -> bool:
        """True if the user wants the next page of a host much more than this one, which was never read; False at the
        turn of a site."""
        if self._sites_on_turn() is not None:
            return False
        queue = self._discovery.queues.get(host.id)
        entry = None if queue is None or self._accounts.had_turn.item(page) or page in self.first else queue.peek()
        if entry is None or self.interest is None:
            return False
        is_behind = self._puts_off and self._is_put_off[page] and priority_in(entry) > 0
        return is_behind or self.interest.item(unpacked(entry)) > _MUCH * self.interest.item(page)

    def hand_out(self, page: int, host: Host) -> None:
        """Hold the best page of a host; `withdraw` the host then."""
        is_read = self._accounts.had_turn.item(page)
        popped = self._lanes[is_read].pop(host)
        assert popped == page, "only the best page of a host is handed out"
        self._held[page] = True
        self._turns += not is_read
        if self._sites is not None and not is_read:
            self._sites.hand_out(page, host)
        if is_read and self._due is not None:
            self._due.hand_out(page)

    def hand_out_of(self, host: Host) -> int | None:
        """Hold the best page of a host, if any waits there; `withdraw` the host then."""
        for lane in self._lanes:
            queue = lane.queues.get(host.id)
            entry = None if queue is None else queue.peek()
            if entry is not None:
                self.hand_out(unpacked(entry), host)
                return unpacked(entry)
        return None

    def put_back(self, page: int, now: float, not_before: float, *, had_turn: bool) -> Host | None:
        """Let a page that was handed out wait for another turn, from `not_before` on, if it is to have one. Returns its
        host if it waits already. had_turn: as in `Frontier.put_back`."""
        if not_before > now and not self._is_done(page):
            heapq.heappush(self._resting, (not_before, page))
            return None
        if self._due is not None and had_turn:
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
                for number in self._refresh.queues:
                    self.offer(self._hosts[number])
            for page in self._due.rested(now):
                if self._held.item(page):
                    self._held[page] = False
                    yield page
                else:
                    self._move(self._refresh, [page])

    @property
    def next_rested(self) -> float | None:
        """Unix seconds at which the next rest ends that the crawl waits for, if any."""
        due = None if self._due is None else self._due.next_rested
        resting = self._resting[0][0] if self._resting else None
        return min((time for time in (due, resting) if time is not None), default=None)

    def is_empty(self, but_for: Collection[Host]) -> bool:
        """True if nothing waits or rests, but for pages set aside, and pages of some hosts."""
        waiting = sum(lane.waiting - lane.waiting_on(but_for) for lane in self._lanes)
        is_waited_for = self._due is not None and self._due.is_waited_for
        return not (self._resting or waiting or is_waited_for)

    def left(self) -> Counter[int]:
        """The number of pages that wait, or rest before another try, by the number of their host."""
        left = Counter(self.host_of.item(page) for _, page in self._resting)
        for lane in self._lanes:
            left.update({number: queue.waiting for number, queue in lane.queues.items() if queue.waiting})
        return left

    def note_changed(self, pages: Iterable[int]) -> None:
        """Record read pages believed to have changed."""
        assert self._due is not None, "they wait by their value"
        self._move(self._refresh, [page for page in self._due.note_changed(pages) if not self._held[page]])

    def put_off(self, pages: Pages) -> None:
        """Put pages behind all others."""
        if not len(pages):
            return
        self._is_put_off[pages] = self._puts_off = True
        self.moved(pages)

    def is_put_off(self, pages: Pages) -> Flags:
        """True for each page that was put off."""
        return self._is_put_off[pages]

    def charge(self, page: int) -> None:
        """Count a page that was handed out and is fetched toward the discovery share."""
        self._budget.charge(discovers=not self._accounts.had_turn[page])

    def forget(self, page: int | Pages) -> None:
        """Never hand out a page, or these pages, again."""
        self._held[page] = True

    def bring_back(self, pages: Iterable[int]) -> Collection[Host]:
        """Let pages wait again that were laid up. Returns the hosts of those that wait, each once."""
        laid_up = [page for page in dict.fromkeys(pages) if page in self.laid_up]
        self.laid_up.difference_update(laid_up)
        self._held[laid_up] = False
        return self.add(laid_up)

    def offer(self, host: Host) -> None:
        """Offer the best pages of a host that is on offer."""
        if not host.is_offered or host.opening or host.is_banned:
            return
        for lane in self._lanes:
            if lane.queues:
                lane.offer(host)
        if self._sites is not None:
            self._sites.offer(host)

    def offer_address(self, address: Address) -> None:
        """Offer the best pages of an address, or withdraw them if it is off offer."""
        for lane in self._lanes:
            lane.offers.change(address)
        if self._sites is not None:
            self._sites.offers.change(address)

    def withdraw(self, host: Host) -> None:
        """Take a host off offer, with its pages."""
        if host.is_offered:
            host.is_offered = False
            for lane in self._lanes:
                if lane.queues:
                    lane.offers.withdraw(host)
            if self._sites is not None:
                self._sites.offers.withdraw(host)

    def put_first(self, page: int, *, is_new: bool) -> Host | None:
        """Put a page before all others, now or when it waits next. Returns its host if it waits now.

        is_new: it did not wait, but may from now on.
        """
        if page in self.first:
            return None
        was_done = self._is_done(page)
        self.first.add(page)
        is_new = is_new or page in self.laid_up
        self.laid_up.discard(page)
        if self._held[page] and self._due is not None and self._due.end_rest(page):
            is_new = True
        if is_new:
            self._held[page] = False
        if self._held[page]:
            return None
        host: Host = self._hosts[self.host_of[page]]
        lane = self._lanes[self._accounts.had_turn.item(page)]
        if is_new or was_done:
            lane.add(host, page)
        else:
            lane.queues[host.id].rise(page, FIRST)
            if self._sites is not None and lane is self._discovery:
                self._sites.note(page, host, FIRST)
        self.offer(host)
        return host

    def is_given_up(self, page: int) -> bool:
        """True if a page at which nothing was found neither waits nor is in flight."""
        return self._due is None or self._due.is_resting(page)

    def has_page(self, host: Host) -> bool:
        for lane in self._lanes:
            queue = lane.queues.get(host.id)
            if queue is not None and queue.waiting:
                return True
        return False

    def unread_of(self, host: Host) -> int:
        """The number of pages of a host that wait and were never read."""
        return self._discovery.waiting_on([host])

    def _is_done(self, page: int) -> bool:
        """True if a page is not to be read: it was read and is not read again, or new pages are not read."""
        if not self._accounts.had_turn.item(page):
            return not self._reads_new
        return self._due is None and page not in self.first

    def _unread_priority(self, page: int) -> int | None:
        """Priority of a page that waits for its first turn; None if it does not."""
        # For a number, item() takes half as long as an index.
        if self._held.item(page) or self._accounts.had_turn.item(page):
            return None
        if self.first and page in self.first:
            return FIRST
        priority = self._strategy.priority(page, self._book, self._jumps)
        if self.interest is not None and self._strategy.follows_cash:
            if self.is_off_topic is not None:
                by_age = _LEAST * (self._book.cash.item(page) > 0 or self._accounts.depth.item(page) == 0)
                priority = by_age if self.is_off_topic.item(page) else max(priority, _LEAST)
            priority = int(min(priority * self.interest.item(page), _MOST))
        return priority - _BEHIND if self._puts_off and self._is_put_off[page] else priority

    def _read_priority(self, page: int) -> int | None:
        """Priority of a page that waits to be read again; None if it does not."""
        if self._held.item(page) or not self._accounts.had_turn.item(page):
            return None
        if page in self.first:
            return FIRST
        return None if self._due is None else self._due.priority(page)

    def _by_cash(self, pages: Pages | list[int]) -> IntArray | None:
        """Priorities by cash alone, for the turns of sites, while there is a topic; else None."""
        if self.is_off_topic is None:
            return None
        return self._strategy.priorities(np.asarray(pages, dtype=np.int64), self._book, self._jumps)

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
                if self.is_off_topic is not None:
                    by_age = _LEAST * ((self._book.cash.take(pages) > 0) | (self._accounts.depth.take(pages) == 0))
                    are_off = self.is_off_topic.take(pages)
                    priorities = np.where(are_off, by_age, np.maximum(priorities, _LEAST))
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
