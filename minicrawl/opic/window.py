"""How much of the past counts: one frozen value per window policy (paper, section 5).

c         cash spent at this visit
G         the clock: all cash ever spent, by all pages
elapsed   G now less G at the page's last visit: the stretch over which c gathered
T         size of the window on that clock

The clock of a growing crawl speeds up, so T is asked for in *turnovers* of the cash in the pages' hands:
`turnovers * in_hand`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class Measure(NamedTuple):
    """One visit as a window remembers it: cash that gathered from clock `start` on."""

    start: float
    cash: float


@dataclass(frozen=True)
class Basic:
    """All of the past: H := H + c."""

    def record(self, past: float, cash: float, elapsed: float, in_hand: float) -> float:
        return past + cash


@dataclass(frozen=True)
class Interpolation:
    """One number per page, the cash it would have spent in the last T:

    H := H * (T - elapsed) / T + c   if elapsed < T,   else   c * T / elapsed
    """

    turnovers: float = 8.0

    def record(self, past: float, cash: float, elapsed: float, in_hand: float) -> float:
        return interpolated(past, cash, elapsed, self.turnovers * in_hand)


def interpolated(past: float, cash: float, elapsed: float, size: float) -> float:
    """The rule of `Interpolation` for a window of `size`."""
    if elapsed < size:
        return past * (size - elapsed) / size + cash
    # No cash in hand and none spent since: no time has passed.
    return cash * size / elapsed if elapsed else past + cash


@dataclass(frozen=True)
class Variable:
    """The last `count` visits of a page."""

    count: int
    turnovers: ClassVar[float] = 0.0

    def kept(self, measures: Sequence[Measure], now: float, in_hand: float) -> Sequence[Measure]:
        return measures[-self.count :]


@dataclass(frozen=True)
class Fixed:
    """The visits of the last T, and at least the last one."""

    turnovers: float
    count: ClassVar[int] = 1

    def kept(self, measures: Sequence[Measure], now: float, in_hand: float) -> Sequence[Measure]:
        return measures[_first_within(measures, now - self.turnovers * in_hand) :]


@dataclass(frozen=True)
class ImprovedFixed:
    """The visits of the last T, and at least the last `count`."""

    turnovers: float
    count: int

    def kept(self, measures: Sequence[Measure], now: float, in_hand: float) -> Sequence[Measure]:
        within = _first_within(measures, now - self.turnovers * in_hand)
        return measures[max(0, min(within, len(measures) - self.count)) :]


def _first_within(measures: Sequence[Measure], oldest: float) -> int:
    """Index of the first measure whose visit lies after clock `oldest`; a visit ends where the next one starts."""
    for index in range(1, len(measures)):
        if measures[index].start > oldest:
            return index - 1
    return max(0, len(measures) - 1)


SummaryWindow = Basic | Interpolation
"""Policies that keep one number per page."""
MeasureWindow = Variable | Fixed | ImprovedFixed
"""Policies that keep a list of measures per page."""
Window = SummaryWindow | MeasureWindow


def parse_window(text: str, turnovers: float) -> Window:
    """The window policy written as basic, interpolation, variable:K, fixed:T or improved-fixed:T,K.

    turnovers: size of the interpolation window. Raises ValueError.
    """
    name, _, arguments = text.partition(":")
    values = [float(value) for value in arguments.split(",")] if arguments else []
    if any(not value > 0 for value in values):
        raise ValueError(f"{text!r} must have positive sizes")
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
