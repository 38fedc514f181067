"""Figures 9, 12 and 14 of J. Shantz, "SPAWC: A Scalable Parallel Web Crawler" (2010), with its axes and its graphs.

Times are CPU seconds for all insertions of a graph: the least of some runs of each trial, as runs of milliseconds say
more of what else the machine does; the mean of the trials. A claim that one algorithm is faster fails only where it is
slower by a quarter.
"""

from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np

from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.graphbench.algorithms import BITS, algorithms_of, closure
from minicrawl.lab.graphbench.bench import Setup, tried
from minicrawl.lab.graphbench.sequences import BENCHMARKS, Insertions, appendix

_COMPLETE = ("c100", "c400")
_ALLOCATED = (500, 2000, 8000)
"""Pages of the closures whose memory is measured."""
_DRAWN = (2000, 50_000, 100_000, 150_000, 200_000, 250_000)
"""Pages on the axis of figure 12."""

_RUNS, _ENOUGH = 9, 1.0
"""Runs of a trial at most, and the CPU seconds after which no more are needed."""
_SLOWER = 1.25
"""Times whose ratio is less are alike: those of the same code on the same graph differ by a fifth."""

_Times = dict[str, dict[str, float]]
"""Seconds by graph and algorithm (with its bits, if several are tried)."""


def _times(names: str, bits: Sequence[int], trials: int, seed: int) -> _Times:
    setup = Setup(algorithms_of(names), bits)
    found: _Times = {}
    for graph in BENCHMARKS:
        sequences = [appendix(graph, np.random.default_rng(seed + trial)) for trial in range(trials)]
        found[graph] = {
            f"{name}, {each} bits" if len(bits) > 1 else name: fmean(
                _least(lambda: tried(name, each, sequence, setup, {}).seconds)  # noqa: B023 - called at once
                for sequence in sequences
            )
            for name, each in setup.kinds()
        }
    return found


def _least(run: Callable[[], float]) -> float:
    seconds = [run()]
    while len(seconds) < _RUNS and sum(seconds) < _ENOUGH:
        seconds.append(run())
    return min(seconds)


def is_faster(times: dict[str, float], one: str, other: str) -> bool:
    """True unless `one` is slower than `other` by a quarter."""
    return times[one] < _SLOWER * times[other]


def _result(number: int, title: str, times: _Times, claims: Sequence[Claim]) -> Result:
    names = list(times[BENCHMARKS[0]])
    graphs = range(1, len(BENCHMARKS) + 1)
    curves = [Curve(name, graphs, [times[graph][name] for graph in BENCHMARKS]) for name in names]
    rows = [(at, graph, name, times[graph][name]) for at, graph in enumerate(BENCHMARKS, 1) for name in names]
    panel = Panel(", ".join(f"{at} {name}" for at, name in enumerate(BENCHMARKS, 1)), "graph", "execution time in s",
                  curves, log=True)  # fmt: skip
    return Result(f"spawc{number}", title, ("graph", "file", "algorithm", "CPU seconds"), rows, [panel], claims)


def _figures(times: _Times, graphs: Sequence[str], names: Sequence[str]) -> str:
    return "; ".join(f"{graph} " + " and ".join(f"{times[graph][name]:.3g}" for name in names) for graph in graphs)


def figure_9(seed: int, trials: int = 3) -> Result:
    """Algorithm 1 (rows) and Ausiello's trees on graphs 1 to 6."""
    times, both = _times("rows,trees", (16,), trials, seed), ("rows", "trees")
    others = [graph for graph in BENCHMARKS if graph not in _COMPLETE]
    claims = [
        Claim(
            "Algorithm 1 is faster than Ausiello's on sparse graphs (1, 2, 5, 6)",
            all(is_faster(times[graph], "rows", "trees") for graph in others),
            f"seconds of both: {_figures(times, others, both)}",
        ),
        Claim(
            "Ausiello's is faster on complete graphs (3, 4)",
            all(is_faster(times[graph], "trees", "rows") for graph in _COMPLETE),
            f"seconds of both: {_figures(times, _COMPLETE, both)}",
        ),
        Claim(
            "on the sequences with n^3 updates (1, 2) Ausiello's needs orders of magnitude more time",
            all(10 * times[graph]["rows"] < times[graph]["trees"] for graph in others[:2]),
            f"seconds of both: {_figures(times, others[:2], both)}",
        ),
    ]
    return _result(9, "Figure 9: distances of all pairs", times, claims)


def figure_12(seed: int, trials: int = 1) -> Result:
    """Memory of the closure by bits, in blocks of 64, and by bytes, against the number of pages."""
    links = np.zeros((0, 2), np.int32)
    kept = {size: closure(Insertions("none", size, links), BITS[64]).memory for size in _ALLOCATED}
    by_bits = {size: size * -(-size // 64) * 8 for size in _DRAWN}
    rows = [(size, "bits", bytes_, "measured") for size, bytes_ in kept.items()]
    rows += [(size, "bits", bytes_, "by formula") for size, bytes_ in by_bits.items()]
    rows += [(size, "bytes", size**2, "by formula") for size in _DRAWN]
    claims = [
        Claim(
            "2,000 pages take 4,096,000 bits, as bytes 32,000,000 bits",
            8 * kept[2000] == 4_096_000,
            f"{8 * kept[2000]:,} bits, {kept[2000]:,} bytes; one byte each: {2000**2:,} bytes",
        ),
        Claim(
            "bits save about seven eighths at every size",
            all(7.5 < size**2 / bytes_ <= 8.0 for size, bytes_ in kept.items()),
            ", ".join(f"{size:,} pages {size**2 / bytes_:.2f} times less" for size, bytes_ in kept.items()),
        ),
    ]
    sizes = {"bits": list(by_bits.values()), "bytes": [size**2 for size in _DRAWN]}
    curves = [Curve(name, _DRAWN, [size / 1e9 for size in some]) for name, some in sizes.items()]
    panel = Panel("transitive closure", "vertices", "memory in GB", curves)
    title = "Figure 12: space of bit and byte matrices"
    return Result("spawc12", title, ("pages", "matrix", "bytes", "how"), rows, [panel], claims)


def figure_14(seed: int, trials: int = 3) -> Result:
    """The closure of graphs 1 to 6 in blocks of 8, 16, 32 and 64 bits."""
    times = _times("closure", tuple(BITS), trials, seed)
    names = list(times[BENCHMARKS[0]])
    fastest = [graph for graph in BENCHMARKS if all(is_faster(times[graph], names[-1], name) for name in names)]
    claim = Claim(
        "blocks of 64 bits are the fastest on all graphs",
        len(fastest) == len(BENCHMARKS),
        f"on {', '.join(fastest) or 'none'}; seconds by 8, 16, 32, 64 bits: {_figures(times, BENCHMARKS, names)}",
    )
    return _result(14, "Figure 14: strong components by block width", times, [claim])


FIGURES: dict[str, Callable[[int, int], Result]] = {"9": figure_9, "12": figure_12, "14": figure_14}
