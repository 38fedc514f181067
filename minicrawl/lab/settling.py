"""The ledger on a fixed graph: exact in the limit, with two numbers per page.

Error against visits, with the certificate beside it. N: pages of the graph.
"""

from collections.abc import Sequence

from minicrawl.experiment import Claim, Panel, Result
from minicrawl.lab.convergence import (
    LEVELS,
    POWER,
    Traces,
    X,
    traces,
)
from minicrawl.rank import Graph

_HELD = "greedy, held"
_METHODS = ("greedy", "off-line", _HELD)
_COLUMNS = ("visits in N", "method", "estimator", "error of all pages in %", "error of the top tenth in %")
_PER_N = 4
_BOUNDS = (5.25, 8.0, 11.5)
"""Upper bounds of the visits in N for 1, 0.1 and 0.01 %."""


def figure(graphs: Sequence[Graph], seed: int, turns: int = 16) -> Result:
    """Error against visits if the virtual page holds its cash."""
    by_name = traces(graphs, _METHODS, seed, turns * _PER_N, _PER_N)
    claims = [
        _arrives(by_name[_HELD], _BOUNDS),
        _beats_power_iteration(by_name),
        _is_certified(by_name[_HELD]),
    ]
    rows = [row for one in by_name.values() for row in one.rows()]
    panels = [
        Panel(
            title,
            "page visits / N",
            "mean relative error in %",
            [by_name[name].curve(POWER if name == "off-line" else X, part) for name in _METHODS],
            log=True,
        )
        for part, title in (("all", "all pages"), ("top", "the most important tenth"))
    ]
    return Result("settle", "The ledger, its virtual page holding the cash", _COLUMNS, rows, panels, claims)


def _arrives(one: Traces, bounds: Sequence[float]) -> Claim:
    reached = [one.reaches(X, level) for level in LEVELS]
    return Claim(
        f"'{one.name}' reaches "
        + ", ".join(f"{level:g} % by {at:g}N" for level, at in zip(LEVELS, bounds, strict=True)),
        all(at is not None and at <= bound for at, bound in zip(reached, bounds, strict=True)),
        ", ".join(
            f"{level:g} % {'never' if at is None else f'at {at:g}N'}" for level, at in zip(LEVELS, reached, strict=True)
        ),
    )


def _beats_power_iteration(by_name: dict[str, Traces]) -> Claim:
    off_line = by_name["off-line"].errors(POWER)
    step = min(10 * _PER_N, len(off_line)) - 1
    held = by_name[_HELD].errors(X)[step].all
    return Claim(
        "with its cash held, greedy is ahead of power iteration on all pages",
        held < off_line[step].all,
        f"{held:.2g} %, power iteration {off_line[step].all:.2g} %, "
        f"OPIC's X {by_name['greedy'].errors(X)[step].all:.2g} % at {(step + 1) / _PER_N:g}N",
    )


def _is_certified(one: Traces) -> Claim:
    """The claim that the certificate bounds H/G once all pages are read; X is a step of power iteration closer."""
    pairs = [pair for traced in one.of for pair in zip(traced.distances, traced.certificates, strict=True)]
    worst = max(distance / certificate for distance, certificate in pairs)
    return Claim(
        "the L1 distance of X is never above the certificate",
        all(distance <= certificate for distance, certificate in pairs),
        f"at most {worst:.2f} of it, at {len(pairs)} points",
    )
