"""Which page next: selection strategies, and the queue they order.

A strategy gives every page a priority, read from the cash book; the queue hands out the page with the
largest, of equals the one known longest.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from minicrawl.opic.adaptive import GRANT, SEED_GRANTS, Adaptive

_PAGE_BITS = 32
_PAGE_MASK = (1 << _PAGE_BITS) - 1


class Strategy(Protocol):
    follows_cash: ClassVar[bool]
    """Whether a credit changes a page's priority."""
    birth_grants: ClassVar[bool]
    """Whether newly discovered pages are granted cash by the virtual page."""

    def priority(self, page: int, book: Adaptive) -> int:
        """The larger the sooner."""


@dataclass(frozen=True)
class Greedy:
    """The page with the most cash first."""

    follows_cash: ClassVar[bool] = True
    birth_grants: ClassVar[bool] = True

    def priority(self, page: int, book: Adaptive) -> int:
        # The level that read pages are paid leaves their order as it is, so standing will do.
        return int(book.standing[page])


@dataclass(frozen=True)
class Opic(Greedy):
    """Greedy on link cash alone: only seeds are granted cash (Baeza-Yates et al., WWW 2005)."""

    birth_grants: ClassVar[bool] = False


@dataclass(frozen=True)
class Cycle:
    """The page whose last visit (or discovery) is longest ago."""

    follows_cash: ClassVar[bool] = False
    birth_grants: ClassVar[bool] = True

    def priority(self, page: int, book: Adaptive) -> int:
        return -int(book.last[page])


@dataclass(frozen=True)
class BreadthFirst:
    """The page known longest."""

    follows_cash: ClassVar[bool] = False
    birth_grants: ClassVar[bool] = True

    def priority(self, page: int, book: Adaptive) -> int:
        return 0


@dataclass(frozen=True)
class Random:
    """Any page: drawn from the seed, the page and the clock of its last visit, so a restart draws the same."""

    seed: int = 0
    follows_cash: ClassVar[bool] = False
    birth_grants: ClassVar[bool] = True

    def priority(self, page: int, book: Adaptive) -> int:
        return _mixed(hash((self.seed, page, float(book.last[page]))) & _MASK)


_MASK = 2**64 - 1


def _mixed(number: int) -> int:
    """A 64-bit number whose every bit depends on every bit of `number` (the finaliser of SplitMix64)."""
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB & _MASK
    return number ^ (number >> 31)


def seed_grant(strategy: Strategy, book: Adaptive, seeds: int) -> int:
    """Units of cash that the virtual page grants each of so many new seeds.

    Without birth grants the cash of the seeds is all there ever is, and gets spread over every page to come: then
    they share a sixteenth of what the virtual page has. (17 times that, which `damped` takes, still fits 64 bits.)
    """
    return SEED_GRANTS * GRANT if strategy.birth_grants else book.reserve // 16 // seeds


STRATEGIES: dict[str, Strategy] = {
    "greedy": Greedy(),
    "opic": Opic(),
    "random": Random(),
    "cycle": Cycle(),
    "breadth-first": BreadthFirst(),
}


def packed(page: int, priority: int) -> int:
    """One integer that sorts by falling priority, then by rising page."""
    return (-priority << _PAGE_BITS) | page


def unpacked(entry: int) -> int:
    """The page in a packed entry."""
    return entry & _PAGE_MASK


class PageQueue:
    """Pages by falling priority.

    A page's priority only rises while it waits, so an entry that is out of date ranks behind the page's
    newest one: push again at every rise, and skip what is out of date. `is_current(entry)` says whether an
    entry still holds; the queue itself keeps nothing per page.
    """

    __slots__ = ("_entries", "_is_current", "waiting")

    def __init__(self, is_current: Callable[[int], bool]) -> None:
        self._entries: list[int] = []
        self._is_current = is_current
        self.waiting = 0
        """Pages in the queue."""

    def add(self, entry: int) -> None:
        """Let a page wait here that did not."""
        self.waiting += 1
        heapq.heappush(self._entries, entry)

    def rise(self, entry: int) -> None:
        """Move a waiting page up."""
        heapq.heappush(self._entries, entry)
        if len(self._entries) > 64 + 4 * self.waiting:
            self._entries = list({entry for entry in self._entries if self._is_current(entry)})
            heapq.heapify(self._entries)

    def peek(self) -> int | None:
        """The entry of the page whose turn is next; None when no page waits."""
        if not self.waiting:
            self._entries.clear()
            return None
        while not self._is_current(self._entries[0]):
            heapq.heappop(self._entries)
        return self._entries[0]

    def pop(self) -> int | None:
        """Take out the page whose turn is next."""
        entry = self.peek()
        if entry is None:
            return None
        heapq.heappop(self._entries)
        self.waiting -= 1
        return unpacked(entry)
