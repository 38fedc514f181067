"""Results of an experiment: rows, curves, and claims with their measurements."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any  # Any: JSON


@dataclass(frozen=True)
class Claim:
    """A claim that may hold or not. `measured`: the figures that decide."""

    sentence: str
    held: bool
    measured: str

    def __str__(self) -> str:
        return f"{'holds' if self.held else 'does not hold'}: {self.sentence}. Measured: {self.measured}."


@dataclass(frozen=True)
class Curve:
    """One line of a panel: y[k] over x[k]."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """One system of axes. `log`: the y axis is logarithmic."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    log: bool = False


@dataclass(frozen=True)
class Result:
    """An experiment's outcome. rows: one value per column, in plain Python numbers and strings."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    panels: Sequence[Panel]
    claims: Sequence[Claim]

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "title": self.title,
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "claims": [
                {"said": claim.sentence, "held": claim.held, "measured": claim.measured} for claim in self.claims
            ],
        }


def rounded(value: object) -> object:
    """A float as text with four significant digits, so that rows compare well; anything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else value
