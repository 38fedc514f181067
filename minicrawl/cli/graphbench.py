"""minicrawl lab graphbench"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
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
    from minicrawl.rank.growing_distances import Distances

_KINDS = ("complete", "sparse", "cubic", "road")
_BITS = ("8", "16", "32", "64")
_NODES = 300
_MOST = 5000
"""Most pages, as several tables of all pairs are kept."""


@click.command(epilog="Example: minicrawl lab graphbench --kind cubic --trials 5 --validate --memory")
@click.argument("graph", required=False, type=click.Path(path_type=Path))
@click.option("--kind", type=click.Choice(_KINDS), help="Draw such a graph instead of reading one.")
@click.option("--nodes", type=click.IntRange(min=9, max=_MOST), metavar="N",
              help=f"Pages of the drawn graph ({_NODES} by default), or of GRAPH, nearest first.")  # fmt: skip
@click.option("--by-page", is_flag=True, help="Insert the links of GRAPH page by page, as a crawl reads them.")
@click.option("--algorithms", metavar="NAMES", help="Which ones, with commas between; all by default.")
@click.option("--bits", "bits", type=click.Choice(_BITS), multiple=True, default=("16",), show_default=True,
              help="Size of the numbers that distances are. Repeatable.")  # fmt: skip
@click.option("--batch", type=click.IntRange(min=1), default=1, show_default=True, help="Links inserted at once.")
@click.option("--trials", type=click.IntRange(min=1), default=3, show_default=True, help="How often, each drawn anew.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
              help="CPU seconds after which a trial ends.")  # fmt: skip
@click.option("--validate", is_flag=True, help="Hold all distances to scipy's, at eight stops of every trial.")
@click.option("--memory", is_flag=True, help="Print what the arrays of each algorithm take, too.")
@click.option("--print-matrix", is_flag=True, help="Print the distances of all pairs at the end.")
@shared
def graphbench(  # noqa: PLR0913 - one argument per option, as click calls it
    graph: Path | None,
    kind: str | None,
    nodes: int | None,
    by_page: bool,
    algorithms: str | None,
    bits: tuple[str, ...],
    batch: int,
    trials: int,
    timeout: float,
    validate: bool,
    memory: bool,
    print_matrix: bool,
    seed: int,
    out: Path,
    as_json: bool,
) -> None:
    """Keep the distances of all pairs up to date as links arrive, by several algorithms side by side.

    The links of GRAPH, or of a drawn graph, are inserted in random order, and all distances are known after each batch.
    With neither GRAPH nor --kind, graphs of all kinds are drawn.

    \b
    bfs             breadth-first from every page, after each batch
    floyd-warshall  Floyd and Warshall's algorithm, after each batch
    even-gazit      whole rows that a link shortens (Even, Gazit 1985)
    pages           the same, for all links of a page in a batch at once
    trees           trees of shortest paths (Ausiello and others, 1991)
    queues          a queue of links for every source and page, farthest target first (the same authors)

    The kind cubic is the hardest sequence of insertions that there is: 4/3 n - 3 links with some n^3 / 18 updates.
    Updates are pairs of pages that come closer.

    The greatest duration is told before the start: --timeout for each algorithm in every trial, plus compilation and
    --validate.
    """
    need_extra("the lab", "numba", "matplotlib")
    if graph is not None and kind is not None:
        raise SettingError("GRAPH and --kind name two graphs; give one of them")
    if by_page and graph is None:
        raise SettingError("--by-page is for links of a GRAPH; leave it out, or name one")
    setup = _setup(algorithms, bits, batch, trials, timeout, validate)
    kinds = _KINDS if kind is None else (kind,)
    drawn = [_drawn(one, nodes, seed) for one in kinds] if graph is None else [_read(graph, nodes, seed, by_page)]
    for name, draw in drawn:
        _check_bits(draw(0).size, setup)
        teller()(_ahead(name, draw(0), setup))
    progress = Progress()
    trials_of = {name: _Trials(name, draw, setup, progress, several=len(drawn) > 1) for name, draw in drawn}
    show([(f"graphbench on {name}", run) for name, run in trials_of.items()], out, as_json, progress.__str__)
    for name, run in trials_of.items():
        if not as_json:
            click.echo("\n".join([*([f"{name}:"] if len(drawn) > 1 else []), *table(run.done, memory=memory)]))
        if print_matrix:
            click.echo("\n".join(matrix(run.done[0].distance)), err=as_json)


@dataclass
class _Trials:
    """All trials on one graph. several: name the result by the graph, as there are others beside it."""

    name: str
    draw: "Callable[[int], Insertions]"
    setup: "Setup"
    progress: Progress
    several: bool
    done: "list[Trial]" = field(default_factory=list)

    def __call__(self) -> "Result":
        from minicrawl.lab.graphbench.bench import bench

        result, self.done = bench(self.name, self.draw, self.setup, self.progress)
        return replace(result, name=f"graphbench-{self.name}") if self.several else result


def _ahead(name: str, sequence: "Insertions", setup: "Setup") -> str:
    """The longest duration, and the options that shorten it."""
    from minicrawl.lab.graphbench.bench import seconds_left

    trials = setup.trials * len(setup.algorithms) * len(setup.bits)
    return (
        f"{name}: {counted(sequence.size, 'page')}, {counted(len(sequence.links), 'link')}; {counted(trials, 'trial')} "
        f"of at most {setup.timeout:g} s of CPU time each, so {duration(seconds_left(setup) or 0.0)} at most. "
        "Shorter with --timeout, --trials, fewer --algorithms, a larger --batch, or fewer pages by --nodes."
    )


def _setup(  # noqa: PLR0913 - the options of a bench
    algorithms: str | None, bits: tuple[str, ...], batch: int, trials: int, timeout: float, validate: bool
) -> "Setup":
    from minicrawl.lab.graphbench.bench import ALGORITHMS, Setup

    names = tuple(ALGORITHMS) if algorithms is None else tuple(name.strip() for name in algorithms.split(","))
    for name in names:
        if name not in ALGORITHMS:
            raise SettingError(f"--algorithms are some of {', '.join(ALGORITHMS)}, not {name!r}")
    return Setup(tuple(dict.fromkeys(names)), sorted({int(size) for size in bits}), batch, trials, timeout, validate)


def _drawn(kind: str, nodes: int | None, seed: int) -> "tuple[str, Callable[[int], Insertions]]":
    import numpy as np

    from minicrawl.lab.graphbench import sequences

    size = nodes or _NODES
    kinds: dict[str, Callable[[int], Insertions]] = {
        "complete": lambda trial: sequences.complete(size, np.random.default_rng(seed + trial)),
        "sparse": lambda trial: sequences.random_sparse(size, np.random.default_rng(seed + trial)),
        "cubic": lambda trial: sequences.cubic(size),
        "road": lambda trial: sequences.road(size, np.random.default_rng(seed + trial)),
    }
    return kind, kinds[kind]


def _read(graph: Path, nodes: int | None, seed: int, by_page: bool) -> "tuple[str, Callable[[int], Insertions]]":
    import numpy as np

    from minicrawl.graphs.loading import load_graph
    from minicrawl.lab.graphbench.sequences import of_graph

    loaded = load_graph(graph).graph
    if nodes is None and loaded.size > _MOST:
        raise SettingError(
            f"{graph} has {loaded.size:,} pages, too many for the distances of all pairs; take some with --nodes, "
            f"{_MOST:,} at most"
        )
    return str(graph), lambda trial: of_graph(loaded, np.random.default_rng(seed + trial), nodes, by_page=by_page)


def _check_bits(size: int, setup: "Setup") -> None:
    from minicrawl.lab.graphbench.bench import fits

    for bits in setup.bits:
        if not fits(size, bits):
            raise SettingError(
                f"--bits {bits} holds no distances of {size:,} pages; take a larger one, or fewer pages with --nodes"
            )


def table(trials: "Sequence[Trial]", *, memory: bool = False) -> list[str]:
    """A line per algorithm: the median of its trials, and the fastest and the slowest of several."""
    heads = f"{'algorithm':<15} {'bits':>4} {'CPU seconds':>12} {'a link':>12} {'updates':>12}"
    lines = [heads + (f" {'MB':>8}" if memory else "")]
    for kind in dict.fromkeys((trial.algorithm, trial.bits) for trial in trials):
        some = [trial for trial in trials if (trial.algorithm, trial.bits) == kind]
        seconds, first = sorted(trial.seconds for trial in some), some[0]
        updates = "" if first.updates is None else f"{first.updates:,}"
        a_link = f"{1e6 * median(trial.a_link() for trial in some):,.3g} µs"
        line = f"{first.algorithm:<15} {first.bits:>4} {median(seconds):>12.4g} {a_link:>12} {updates:>12}"
        line += f" {first.memory / 1e6:>8,.2f}" if memory else ""
        line += f"  {seconds[0]:.3g} to {seconds[-1]:.3g} s" if len(seconds) > 1 else ""
        ended = [trial.inserted for trial in some if trial.timed_out]
        lines.append(line + (f"  timed out after {min(ended):,} links" if ended else ""))
    return lines


def matrix(distance: "Distances") -> list[str]:
    """A line per page: its distance to every page, a dot if unreachable."""
    from minicrawl.rank.growing_distances import far

    no_way = far(distance)
    width = len(str(distance[distance < no_way].max(initial=0)))
    return [
        " ".join(("." if number == no_way else str(number)).rjust(width) for number in row) for row in distance.tolist()
    ]
