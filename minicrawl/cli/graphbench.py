"""minicrawl lab graphbench"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import click

from minicrawl.cli.experiments import Progress, shared, show
from minicrawl.cli.options import need_extra, teller
from minicrawl.cli.output import duration
from minicrawl.errors import SettingError, counted

if TYPE_CHECKING:
    from minicrawl.experiment import Result
    from minicrawl.lab.graphbench.bench import Setup, Trial
    from minicrawl.lab.graphbench.sequences import Insertions

    _Draw = Callable[[int | None, int], Insertions]
    """Draws the sequence of so many pages, None: the usual number, for a trial, from 0 on."""

_KINDS = ("complete", "sparse", "cubic", "road")
_BITS = ("8", "16", "32", "64")
_NODES = 300
_MOST = 5000
"""Most pages, as several tables of all pairs are kept."""


@click.command(epilog="Example: minicrawl lab graphbench --kind cubic --trials 5 --validate")
@click.argument("graph", required=False, type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(_KINDS), help="Draw such a graph instead of reading one.")
@click.option("--nodes", type=click.IntRange(min=9, max=_MOST), metavar="N",
              help=f"Pages of the drawn graph ({_NODES} by default), or of GRAPH, nearest first.")  # fmt: skip
@click.option("--algorithms", "--algorithm", metavar="NAMES", default="distances", show_default=True,
              help="Algorithms, or problems (all of theirs), with commas between.")  # fmt: skip
@click.option("--bits", "bits", type=click.Choice(_BITS), multiple=True, default=("16",), show_default=True,
              help="Size of distances, and of the blocks of a matrix of bits. Repeatable.")  # fmt: skip
@click.option("--batch", type=click.IntRange(min=1), default=1, show_default=True, help="Links inserted at once.")
@click.option("--trials", type=click.IntRange(min=1), default=3, show_default=True, help="How often, each drawn anew.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
              help="CPU seconds after which a trial ends, between two batches.")  # fmt: skip
@click.option("--validate", is_flag=True, help="Hold all answers to independent ones, at eight stops of a trial.")
@shared
def graphbench(  # noqa: PLR0913 - one argument per option, as click calls it
    graph: Path | None,
    kind: str | None,
    nodes: int | None,
    algorithms: str,
    bits: tuple[str, ...],
    batch: int,
    trials: int,
    timeout: float,
    validate: bool,
    seed: int,
    out: Path,
    as_json: bool,
) -> None:
    """Follow distances or components as links arrive, by several algorithms side by side.

    The links of GRAPH, or of a drawn graph, are inserted in random order, and all is known after each batch. With
    neither GRAPH nor --kind, graphs of all kinds are drawn.

    \b
    distances    of all pairs:
      bfs, floyd-warshall  anew after each batch
      even-gazit           whole rows that a link shortens (Even, Gazit 1985)
      pages                the same, for all links of a page in a batch at once
      trees                trees of shortest paths (Ausiello and others, 1991)
    strong       components:
      tarjan, warshall     anew after each batch; warshall by a matrix of bits
      closure              a matrix of bits, row by row

    The kind cubic is the hardest sequence of insertions that there is: 4/3 n - 3 links with some n^3 / 18 updates.
    Updates are pairs of pages that come closer.

    The greatest duration is told before the start: --timeout for each algorithm in every trial, plus compilation and
    --validate.
    """
    need_extra("the lab", "numba", "matplotlib")
    if graph is not None and kind is not None:
        raise SettingError("GRAPH and --kind name two graphs; give one of them")
    from minicrawl.lab.graphbench.algorithms import algorithms_of
    from minicrawl.lab.graphbench.bench import Setup

    sizes = sorted({int(size) for size in bits})
    setup = Setup(algorithms_of(algorithms), sizes, batch, trials, timeout, validate)
    kinds = _KINDS if kind is None else (kind,)
    sources = [_drawn(one, seed) for one in kinds] if graph is None else [_read(graph, nodes, seed)]
    progress, runs = Progress(), []
    done: dict[str, list[Trial]] = {name: [] for name, _ in sources}
    for name, draw in sources:
        largest = draw(nodes, 0)
        _check_bits(largest.size, setup)
        teller()(_ahead(name, largest, setup))
        runs.append((f"graphbench on {name}", partial(_run, name, partial(draw, nodes), setup, progress, done)))
    show(runs, out, as_json, progress.__str__)
    for name, trials_of_it in done.items():
        if not as_json:
            click.echo("\n".join([*([f"{name}:"] if len(done) > 1 else []), *table(trials_of_it)]))


def _run(
    name: str, draw: "Callable[[int], Insertions]", setup: "Setup", progress: Progress, done: "dict[str, list[Trial]]"
) -> "Result":
    """All trials on one graph, which are put into `done`. The result is named by the graph if there are several."""
    from minicrawl.lab.graphbench.bench import bench

    result, done[name] = bench(name, draw, setup, progress)
    return replace(result, name=f"graphbench-{name}") if len(done) > 1 else result


def _ahead(name: str, sequence: "Insertions", setup: "Setup") -> str:
    """The longest duration, and the options that shorten it."""
    from minicrawl.lab.graphbench.bench import seconds_left

    trials, longest = setup.trials * len(setup.kinds()), seconds_left(setup) or 0.0
    return (
        f"{name}: {counted(sequence.size, 'page')}, {counted(len(sequence.links), 'link')}; {counted(trials, 'trial')} "
        f"of at most {setup.timeout:g} s of CPU time each, so {duration(longest)} at most. "
        "Shorter with --timeout, --trials, fewer --algorithms, a larger --batch, or fewer pages by --nodes."
    )


def _drawn(kind: str, seed: int) -> "tuple[str, _Draw]":
    import numpy as np

    from minicrawl.lab.graphbench import sequences

    def draw(nodes: int | None, trial: int) -> "Insertions":
        size, rng = nodes or _NODES, np.random.default_rng(seed + trial)
        if kind == "cubic":
            return sequences.cubic(size)
        kinds = {"complete": sequences.complete, "sparse": sequences.random_sparse, "road": sequences.road}
        return kinds[kind](size, rng)

    return kind, draw


def _read(graph: Path, nodes: int | None, seed: int) -> "tuple[str, _Draw]":
    import numpy as np

    from minicrawl.graphs.graph_files import load_graph
    from minicrawl.lab.graphbench.sequences import of_graph

    loaded, _ = load_graph(graph)
    if nodes is None and loaded.size > _MOST:
        raise SettingError(
            f"{graph} has {loaded.size:,} pages, too many for tables of all pairs; take some with --nodes, "
            f"{_MOST:,} at most"
        )
    return str(graph), lambda nodes, trial: of_graph(loaded, np.random.default_rng(seed + trial), nodes)


def _check_bits(size: int, setup: "Setup") -> None:
    from minicrawl.lab.graphbench.algorithms import DISTANCES
    from minicrawl.lab.graphbench.bench import fits

    has_distances = any(one.problem == DISTANCES and one.has_bits for one in setup.algorithms.values())
    for bits in setup.bits:
        if has_distances and not fits(size, bits):
            raise SettingError(
                f"--bits {bits} holds no distances of {size:,} pages; take a larger one, or fewer pages with --nodes"
            )


def table(trials: "Sequence[Trial]") -> list[str]:
    """A line per algorithm: the median of its trials, and the fastest and the slowest of several."""
    lines = [f"{'algorithm':<15} {'bits':>4} {'CPU seconds':>12} {'a link':>12} {'updates':>12}"]
    for kind in dict.fromkeys((trial.algorithm, trial.bits) for trial in trials):
        some = [trial for trial in trials if (trial.algorithm, trial.bits) == kind]
        seconds, first = sorted(trial.seconds for trial in some), some[0]
        updates = "" if first.updates is None else f"{first.updates:,}"
        a_link = f"{1e6 * median(one.a_link() for one in some):,.3g} µs"
        line = f"{first.algorithm:<15} {first.bits or '':>4} {median(seconds):>12.4g} {a_link:>12} {updates:>12}"
        line += f"  {seconds[0]:.3g} to {seconds[-1]:.3g} s" if len(seconds) > 1 else ""
        ended = [trial.inserted for trial in some if trial.timed_out]
        lines.append(line + (f"  timed out after {min(ended):,} links" if ended else ""))
    return lines
