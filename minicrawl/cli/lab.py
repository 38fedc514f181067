"""minicrawl lab"""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from minicrawl import log
from minicrawl.cli.help import Group
from minicrawl.cli.options import Choice, about_store, json_option, need_extra, teller
from minicrawl.cli.output import duration, reassuring
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from minicrawl.experiment import Result
    from minicrawl.lab.figures import Setup as Webs
    from minicrawl.lab.graphbench.bench import Setup, Trial
    from minicrawl.lab.graphbench.sequences import Insertions
    from minicrawl.lab.sites import SiteWeb
    from minicrawl.rank import Graph
    from minicrawl.store.reader import Store

    _Draw = Callable[[int], Insertions]
    """Draws the sequence for a trial, from 0 on."""

_Command = TypeVar("_Command", bound=Callable[..., object])
_FIGURES_OF_OPIC = ("2", "3", "4", "5", "6")
OPIC_NAMES = (*_FIGURES_OF_OPIC, "convergence", "discovery", "matrices", "refresh")
SEEDS_NAMES = ("7", "11", "13", "14", "18")
SPAWC_NAMES = ("9", "12", "14")
_BITS = ("8", "16", "32", "64")
_MOST = 5000
"""Most pages, as several tables of all pairs are kept."""
_QUICK_SITES = 1000

graph_option = click.option("--graph", type=click.Path(path_type=Path), metavar="GRAPH",
                            help="Use this web instead of generated ones.")  # fmt: skip
quick_option = click.option("--quick", is_flag=True, help="Use webs with a tenth of the pages.")


out_option = click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("data/lab"),
                          show_default=True,
                          help="Write the rows (.csv) and the picture (.svg) to this folder.")  # fmt: skip
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draw from this.")


class Experiment(NamedTuple):
    """An experiment by its title."""

    title: str
    run: "Callable[[], Result]"


def shared(command: _Command) -> _Command:
    """Add the options of every experiment."""
    for option in (json_option, out_option, seed_option):
        command = option(command)
    return command


class Source(NamedTuple):
    """What makes the webs of experiments, for whoever repeats them: a seed, and the links of a given graph."""

    seed: int
    graph: str = ""
    sha256: str = ""

    @classmethod
    def of(cls, seed: int, name: Path | None, graph: "Graph | None") -> "Source":
        if name is None or graph is None:
            return cls(seed)
        arrays = graph.indptr.astype("<i8").tobytes() + graph.targets.astype("<i4").tobytes()
        return cls(seed, str(name), hashlib.sha256(arrays).hexdigest())

    def __str__(self) -> str:
        graph = f"{printable(self.graph)}, links with SHA-256 {self.sha256[:16]}..., " if self.graph else ""
        return f"({graph}--seed {self.seed})"


def show(experiments: Sequence[Experiment], out: Path, as_json: bool, source: Source | None = None) -> None:
    """Run experiments one after the other, write the files of those that draw, and print their results."""
    documents, say = [], teller()
    for title, run in experiments:
        say(f"Running {title} ...")
        started = time.perf_counter()
        with reassuring(title, say):
            result = run()
        log.event("experiment-over", experiment=title, seconds=time.perf_counter() - started)
        files = []
        if result.panels:
            from minicrawl.lab.chart import write

            files = [str(path) for path in write(result, out)]
        made_of = {} if source is None else source._asdict()
        documents.append({**result.as_json(), "files": files, **made_of})
        if not as_json:
            heading = result.title if source is None else f"{result.title} {source}"
            click.echo("\n".join([heading, *(f"- {claim}" for claim in result.claims), *files, ""]))
    if as_json:
        click.echo(json.dumps(documents if len(documents) > 1 else documents[0], indent=2))


@click.group(cls=Group, epilog="Example: minicrawl lab all --quick")
def command() -> None:
    """Rerun the papers' experiments, with the same code as the live crawl.

    A command for each document; minicrawl/lab/README.md has its claims one by one. Every experiment says which claims
    hold, with what was measured; those with a picture write it and its rows. Needs the extra 'lab'.

    GRAPH is an edge list (.txt, .tsv, also .gz), a CSR matrix (.npz with indptr and indices) or a crawl's store (.db).
    """


@command.command(epilog="Example: minicrawl lab opic 4 --nodes 20000 --out data/lab")
@click.argument("names", nargs=-1, type=Choice(OPIC_NAMES), metavar="[NAME]...")
@click.option("--nodes", type=click.IntRange(2000, 2**31 - 1), default=100_000, show_default=True,
              help="Generate webs of this many pages.")  # fmt: skip
@click.option("--graphs", type=click.IntRange(min=1), default=3, show_default=True,
              help="Average over this many webs.")  # fmt: skip
@click.option("--model", type=Choice(("power-law", "poisson")), default="power-law", show_default=True,
              help="How to generate webs.")  # fmt: skip
@graph_option
@quick_option
@shared
def opic(  # noqa: PLR0913 - one argument per option, as click calls it
    names: tuple[str, ...], nodes: int, graphs: int, model: str, graph: Path | None, quick: bool, seed: int, out: Path,
    as_json: bool,
) -> None:  # fmt: skip
    """Adaptive On-Line Page Importance Computation (Abiteboul, Preda, Cobena 2003); without NAME, its figures 2 to 6.

    \b
    2 3          error against page visits: all pages, the most important tenth
    4            windows against the rate of change
    5 6          types of windows: what they store, how good they are
    convergence  visits that every method needs for an error, the book among them
    discovery    holding a share of the fetches for pages never read
    matrices     importance by other matrices, on line
    refresh      schedules that fetch pages again
    """
    need_extra("the lab", "matplotlib")
    from minicrawl.lab.figures import Setup as Webs

    web = None if graph is None else _with_sites(graph)
    webs = Webs(nodes, seed, graphs, model, web)
    source = Source.of(seed, graph, web and web[0])
    show(_opic(names or _FIGURES_OF_OPIC, webs, quick), out, as_json, source)


def _opic(names: Sequence[str], webs: "Webs", quick: bool) -> list[Experiment]:
    from minicrawl.lab.figures import OPIC

    webs = webs.quick() if quick else webs
    return [Experiment(_titled("opic", name), partial(OPIC[name], webs)) for name in names]


def _titled(document: str, name: str) -> str:
    return f"{document}, figure {name}" if name.isdigit() else f"{document}, {name}"


def _with_sites(path: Path) -> "tuple[Graph, npt.NDArray[np.int64] | None]":
    """The graph in a file, and the number of the site of each page; None: it has no URLs."""
    import numpy as np

    from minicrawl.graphs.graph_files import load_graph
    from minicrawl.web.urls.keys import site_of

    graph, names = load_graph(path)
    if names is None or not all("://" in name for name in names):
        return graph, None
    return graph, np.unique([site_of(name) for name in names], return_inverse=True)[1]


@command.command(epilog="Example: minicrawl lab seeds 14")
@click.argument("names", nargs=-1, type=Choice(SEEDS_NAMES), metavar="[NAME]...")
@graph_option
@quick_option
@shared
def seeds(  # noqa: PLR0913 - one argument per option, as click calls it
    names: tuple[str, ...], graph: Path | None, quick: bool, seed: int, out: Path, as_json: bool
) -> None:
    """A fast community based algorithm for crawler seeds (Daneshpajouh, Nasiri, Ghodsi 2008); without NAME, all.

    \b
    7   degrees (figures 7 to 10)
    11  sizes of the cores (11, 12)
    13  distances of the cores
    14  PageRank and pages by depth (14 to 17)
    18  the same for old seeds in a newer web (18, 19)

    On a random web of communities, or on a GRAPH whose pages have URLs: links inside a site do not count.
    """
    need_extra("the lab", "matplotlib")
    web = None if graph is None else _with_sites(graph)
    if web is not None and web[1] is None:
        raise SettingError(
            f"{graph} has no URLs, which tell the links inside a site; name a store or a list of links with URLs"
        )
    source = Source.of(seed, graph, web and web[0])
    show(_seeds(names or SEEDS_NAMES, web, quick, seed), out, as_json, source)


def _seeds(
    names: Sequence[str], given: "tuple[Graph, npt.NDArray[np.int64] | None] | None", quick: bool, seed: int
) -> list[Experiment]:
    import numpy as np

    from minicrawl.lab.seeds import FIGURES, Study
    from minicrawl.lab.webs import communities

    number = _QUICK_SITES * (1 if quick else 10)
    web, sites = communities(number, np.random.default_rng(seed)) if given is None else given
    assert sites is not None
    study = Study(web, sites, seed)
    return [Experiment(_titled("seeds", name), partial(FIGURES[name], study)) for name in names]


@command.command(epilog="Example: minicrawl lab lecture")
@json_option
def lecture(as_json: bool) -> None:
    """Link Analysis in Web Search: its nine worked examples, each figure beside ours, and what it says of rounds.

    This command writes no files, and needs the extra 'analysis' only.
    """
    need_extra("link analysis", "scipy")
    show(_lecture(), Path(), as_json)


def _lecture() -> list[Experiment]:
    from minicrawl.lab.lecture import result

    return [Experiment("the lecture's examples", result)]


@command.command(epilog="Example: minicrawl lab sites --json")
@about_store
@seed_option
def sites(store: Path, as_json: bool, seed: int) -> None:
    """Measure how well rankings of your crawl agree with links hidden from them. Needs the extra 'analysis'."""
    need_extra("link analysis", "scipy")
    from minicrawl.lab.sites import result
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        web = site_web(reader)
    source = Source.of(seed, store, web.graph)
    show([Experiment("jumps to sites", partial(result, web, seed))], Path(), as_json, source)


def site_web(store: "Store") -> "SiteWeb":
    """The web of a store. Raises StoreError."""
    from minicrawl.analysis.link_graph import folded_pages
    from minicrawl.analysis.sites import site_pages
    from minicrawl.lab.sites import SiteWeb
    from minicrawl.rank.graph import Graph

    with store.snapshot():
        folded, links = folded_pages(store), store.link_table.graph()
        pages = site_pages(store, folded)
    graph = Graph.from_edges(links.link_sources(), links.targets, links.size)
    of_pages = pages.seed, pages.entrance, pages.read, ~pages.gone
    return SiteWeb(graph, pages.site - 1, folded.stands_for, *of_pages, links.places)


@command.command("all", epilog="Example: minicrawl lab all --quick")
@quick_option
@shared
def everything(quick: bool, seed: int, out: Path, as_json: bool) -> None:
    """Run the experiments of all four documents: in some minutes with --quick, else in an hour."""
    need_extra("the lab", "numba", "matplotlib")
    from minicrawl.lab.figures import Setup as Webs

    experiments = [
        *_opic(OPIC_NAMES, Webs(seed=seed), quick),
        *_spawc(SPAWC_NAMES, 1 if quick else 3, seed),
        *_seeds(SEEDS_NAMES, None, quick, seed),
        *_lecture(),
    ]
    show(experiments, out, as_json, Source(seed))


@command.command(epilog="Example: minicrawl lab spawc a300 --trials 5 --validate")
@click.argument("names", nargs=-1, metavar="[NAME|GRAPH]...")
@click.option("--algorithms", "--algorithm", metavar="NAMES", default="distances", show_default=True,
              help="Run these algorithms, or all algorithms for these problems, separated by commas.")  # fmt: skip
@click.option("--bits", "bits", type=Choice(_BITS), multiple=True, default=("16",), show_default=True,
              help="Size of the blocks of a matrix of bits. Repeatable.")  # fmt: skip
@click.option(
    "--batch", type=click.IntRange(min=1), default=1, show_default=True, help="Insert this many links at once."
)
@click.option("--trials", type=click.IntRange(min=1), default=1, show_default=True, help="Run this many trials.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=60.0, show_default=True,
              help="End a trial after this many CPU seconds, between two batches.")  # fmt: skip
@click.option(
    "--nodes", type=click.IntRange(min=9, max=_MOST), metavar="N", help="Take this many pages of GRAPH, nearest first."
)
@click.option("--validate", is_flag=True, help="Check all results against independent ones, eight times a trial.")
@shared
def spawc(  # noqa: PLR0913 - one argument per option, as click calls it
    names: tuple[str, ...],
    algorithms: str,
    bits: tuple[str, ...],
    batch: int,
    trials: int,
    timeout: float,
    nodes: int | None,
    validate: bool,
    seed: int,
    out: Path,
    as_json: bool,
) -> None:
    """SPAWC, A Scalable Parallel Web Crawler (Shantz 2010), and its GraphBench; without NAME, figures 9, 12 and 14.

    A NAME that is not a figure is one of the twelve graphs of appendix C: a1500 a300 a900 (the hardest sequence), c100
    c200 c400 c800 (complete), ga id (roads), sc1 sc2 sc3. Their links, or those of GRAPH, are inserted one after the
    other (--batch: so many), and distances or components of all pages are known after each; the options are for
    these. Figures take --trials only.

    \b
    distances    of all pairs:
      bfs, floyd-warshall  again after each batch
      rows                 Algorithm 1: whole rows that a link shortens
      trees                trees of shortest paths (Ausiello and others, 1991)
    strong       components:
      tarjan, warshall     again after each batch; warshall by a matrix of bits
      closure              Algorithm 1: a matrix of bits, row by row

    Updates are pairs of pages that come closer. The longest possible duration is printed first.
    """
    need_extra("the lab", "numba", "matplotlib")
    from minicrawl.lab.graphbench.algorithms import algorithms_of
    from minicrawl.lab.graphbench.bench import Setup

    graphs = [name for name in names if name not in SPAWC_NAMES]
    setup = Setup(algorithms_of(algorithms), sorted({int(size) for size in bits}), batch, trials, timeout, validate)
    runs = _spawc([name for name in names or SPAWC_NAMES if name in SPAWC_NAMES], trials, seed)
    done: dict[str, list[Trial]] = {}
    for name in graphs:
        draw = _drawing(name, nodes, seed)
        teller()(_ahead(name, draw(0), setup, timeout))
        runs.append(Experiment(f"GraphBench on {name}", partial(_run, name, draw, setup, done)))
    show(runs, out, as_json, Source(seed))
    for name, trials_of_it in done.items():
        if not as_json:
            click.echo("\n".join([*([f"{name}:"] if len(done) > 1 else []), *table(trials_of_it)]))


def _spawc(names: Sequence[str], trials: int, seed: int) -> list[Experiment]:
    from minicrawl.lab.graphbench.figures import FIGURES

    return [Experiment(_titled("spawc", name), partial(FIGURES[name], seed, trials)) for name in names]


def _run(name: str, draw: "_Draw", setup: "Setup", done: "dict[str, list[Trial]]") -> "Result":
    """All trials on one graph, which are put into `done`. The result is named by a graph of the appendix."""
    from minicrawl.lab.graphbench.bench import bench

    result, done[name] = bench(name, draw, setup)
    return replace(result, name=f"graphbench-{Path(name).stem}")


def _ahead(name: str, sequence: "Insertions", setup: "Setup", timeout: float) -> str:
    """The longest duration, and the options that shorten it."""
    trials = setup.trials * len(setup.kinds())
    return (
        f"{name}: {counted(sequence.size, 'page')}, {counted(len(sequence.links), 'link')}; {counted(trials, 'trial')} "
        f"of at most {timeout:g} s of CPU time each, so {duration(trials * timeout)} at most. "
        "Shorter with --timeout, --trials, fewer --algorithms or a larger --batch."
    )


def _drawing(name: str, nodes: int | None, seed: int) -> "_Draw":
    import numpy as np

    from minicrawl.graphs.graph_files import load_graph
    from minicrawl.lab.graphbench.sequences import APPENDIX, appendix, of_graph

    if name in APPENDIX:
        return lambda trial: appendix(name, np.random.default_rng(seed + trial))
    loaded, _ = load_graph(name)
    if nodes is None and loaded.size > _MOST:
        raise SettingError(
            f"{name} has {loaded.size:,} pages, too many for tables of all pairs; take some with --nodes, "
            f"{_MOST:,} at most"
        )
    return lambda trial: of_graph(loaded, np.random.default_rng(seed + trial), nodes)


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
