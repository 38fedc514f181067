"""Windows on the past: one frozen value per window policy (paper, section 5).

c         cash spent at this visit
G         the clock: all cash ever spent, by all pages
elapsed   G now less G at the page's last visit: the stretch in which c gathered
T         size of the window on that clock

The clock of a growing crawl speeds up, so T is asked for in *turnovers* of the cash in the pages' hands:
`turnovers * in_hand`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from minicrawl.opic.arrays import Flags, FloatArray, IntArray


class Measure(NamedTuple):
    """A visit in a window's memory: cash that gathered from clock `start` on."""

    start: float
    cash: float


class Sizes(NamedTuple):
    """A window policy in numbers, as a store keeps them for its SQL; None where the policy has no such number.

    interpolation_size, window_size: T on the current clock. window_visits: least number of visits that count.
    """

    interpolation_size: float | None = None
    window_size: float | None = None
    window_visits: int | None = None


@dataclass(frozen=True, eq=False)
class Pasts:
    """The cash book's records of the past of all pages; arrays of shape (pages,).

    history: see the policies. elapsed: clock time since a page's last visit, or its birth. cash: cash that a visit now
    would spend. is_newcomer: pages found on the way that were never visited. visits: by page, those that a policy
    keeps. newcomer_cash, newcomer_stretch: the means of recent newcomers at their first visit. clock, in_hand: current
    values.
    """

    history: FloatArray
    elapsed: FloatArray
    cash: FloatArray
    is_newcomer: Flags
    visits: Mapping[int, Sequence[Measure]]
    newcomer_cash: float
    newcomer_stretch: float
    clock: float
    in_hand: float


class _OfOneNumber:
    """A policy that keeps one number per page, updated by each visit."""

    keeps_visits: ClassVar[bool] = False

    def kept(self, visits: Sequence[Measure], now: float, in_hand: float) -> Sequence[Measure]:
        return ()

    def counts(self, newer: IntArray, end: FloatArray, now: float, in_hand: float) -> Flags:
        return np.zeros(len(newer), dtype=np.bool_)


@dataclass(frozen=True)
class Basic(_OfOneNumber):
    """All of the past: H := H + c."""

    def record(self, past: float, cash: float, elapsed: float, in_hand: float) -> float:
        return past + cash

    def now(self, pasts: Pasts) -> FloatArray:
        """Every page's history as of now, independent of time."""
        return pasts.history.copy()

    def sizes(self, in_hand: float) -> Sizes:
        return Sizes()


@dataclass(frozen=True)
class Interpolation(_OfOneNumber):
    """The cash that a page would have spent in the last T:

    H := H * (T - elapsed) / T + c   if elapsed < T,   else   c * T / elapsed
    """

    turnovers: float = 8.0

    def record(self, past: float, cash: float, elapsed: float, in_hand: float) -> float:
        return interpolated(past, cash, elapsed, self.turnovers * in_hand)

    def now(self, pasts: Pasts) -> FloatArray:
        """Every page's history, as if all were visited now."""
        size = self.turnovers * pasts.in_hand
        brought = pasts.history * (size - pasts.elapsed) / max(size, 1.0) + pasts.cash
        return np.where(pasts.elapsed >= size, pasts.cash * size / np.maximum(pasts.elapsed, 1.0), brought)

    def sizes(self, in_hand: float) -> Sizes:
        return Sizes(interpolation_size=self.turnovers * in_hand)


def interpolated(past: float, cash: float, elapsed: float, size: float) -> float:
    """The rule of `Interpolation` for a window of `size`."""
    if elapsed < size:
        return past * (size - elapsed) / size + cash
    # No cash in hand and none spent since: no time has passed.
    return cash * size / elapsed if elapsed else past + cash


@dataclass(frozen=True)
class ImprovedFixed:
    """The visits of the last T, and at least the last `count` of a page. Its history is the cash spent by them."""

    turnovers: float
    count: int
    keeps_visits: ClassVar[bool] = True

    def record(self, past: float, cash: float, elapsed: float, in_hand: float) -> float:
        """Return `past` unchanged: the history follows from the kept visits."""
        return past

    def kept(self, visits: Sequence[Measure], now: float, in_hand: float) -> Sequence[Measure]:
        """The visits of a page, oldest first, that count at clock `now`."""
        within = _first_within(visits, now - self.turnovers * in_hand)
        return visits[max(0, min(within, len(visits) - self.count)) :]

    def counts(self, newer: IntArray, end: FloatArray, now: float, in_hand: float) -> Flags:
        """`kept` for the visits of many pages: flags of those that count, by the number of later visits of the same
        page and the clock at the end of each."""
        return (end > now - self.turnovers * in_hand) | (newer < self.count)

    def now(self, pasts: Pasts) -> FloatArray:
        """The rate at which every page has spent cash since the oldest visit that counts, times the clock.

        A newcomer that was never visited counts as if visited now.
        """
        spent, stretches = pasts.newcomer_cash + pasts.cash, pasts.newcomer_stretch + pasts.elapsed
        rates: FloatArray = np.zeros(len(pasts.cash))
        np.divide(spent, stretches, out=rates, where=pasts.is_newcomer & (stretches > 0))
        for page, visits in pasts.visits.items():
            kept = self.kept(visits, pasts.clock, pasts.in_hand)
            stretch = pasts.clock - kept[0].start
            rates[page] = sum(visit.cash for visit in kept) / stretch if stretch else 0.0
        return rates * pasts.clock

    def sizes(self, in_hand: float) -> Sizes:
        return Sizes(window_size=self.turnovers * in_hand, window_visits=self.count)


@dataclass(frozen=True)
class Variable(ImprovedFixed):
    """The last `count` visits of a page, at any time."""

    turnovers: float = field(default=0.0, init=False)
    count: int


@dataclass(frozen=True)
class Fixed(ImprovedFixed):
    """The visits of the last T, and at least the last one."""

    turnovers: float
    count: int = field(default=1, init=False)


def _first_within(visits: Sequence[Measure], oldest: float) -> int:
    """Index of the first visit after clock `oldest`; a visit ends where the next one starts."""
    for index in range(1, len(visits)):
        if visits[index].start > oldest:
            return index - 1
    return max(0, len(visits) - 1)


Window = Basic | Interpolation | Variable | Fixed | ImprovedFixed


MOST = 10**6
"""Largest number of turnovers, or of visits of a page, in a window."""


def parse_window(text: str, turnovers: float) -> Window:
    """The window policy written as basic, interpolation, variable:K, fixed:T or improved-fixed:T,K.

    turnovers: size of the interpolation window. Raises ValueError.
    """
    name, _, arguments = text.partition(":")
    values = [float(value) for value in arguments.split(",")] if arguments else []
    if any(not 0 < value <= MOST for value in values):
        raise ValueError(f"{text!r} must have sizes of more than 0 and at most {MOST}")
    match name, values:
        case "basic", []:
            return Basic()
        case "interpolation", []:
            return Interpolation(turnovers)
        case "variable", [count] if count.is_integer():
            return Variable(int(count))
        case "fixed", [size]:
            return Fixed(size)
        case "improved-fixed", [size, count] if count.is_integer():
            return ImprovedFixed(size, int(count))
    raise ValueError(f"{text!r} is no window policy")
