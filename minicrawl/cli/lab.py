"""minicrawl lab"""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.experiments import graph_argument, shared, show
from minicrawl.cli.graphbench import graphbench
from minicrawl.cli.help import Group
from minicrawl.cli.options import json_option, need_extra

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

    from minicrawl.experiment import Result
    from minicrawl.rank import Graph

_FIGURES = ("2", "3", "4", "5", "6", "discovery", "settle")


@click.group(cls=Group, epilog="Example: minicrawl lab figure 2 --quick")
def command() -> None:
    """Rerun the papers' experiments, with the same code as the live crawl.

    Every experiment writes its rows and a picture, and says which claims held, with what was measured. Needs the
    extra 'lab'. GRAPH is an edge list (.txt, .tsv, also .gz), a CSR matrix (.npz
    with indptr and indices) or a crawl's store (.db).
    """


@command.command(epilog="Example: minicrawl lab figure 4 --nodes 20000 --out data/lab")
@click.argument("name", type=click.Choice((*_FIGURES, "all")))
@click.option("--nodes", type=int, default=100_000, show_default=True, help="Pages of a drawn web.")
@click.option("--graphs", type=int, default=3, show_default=True, help="How many webs the figures are the mean of.")
@click.option("--model", default="power-law", show_default=True,
              help="How webs are drawn: power-law or poisson.")  # fmt: skip
@click.option("--quick", is_flag=True, help="A tenth of the pages, and one web.")
@shared
def figure(name: str, nodes: int, graphs: int, model: str, quick: bool, seed: int, out: Path, as_json: bool) -> None:  # noqa: PLR0913 - one argument per option, as click calls it
    """Figure 2 to 6 of Abiteboul, Preda, Cobena (2003), or one of what goes beyond, on webs drawn from a seed.

    \b
    2 3        error against page visits: all pages, the most important tenth
    4          windows against the rate of change
    5 6        types of windows: what they store, how good they are
    discovery  holding a share of the fetches for pages never read
    settle     the book: exact in the limit
    all        all of them
    """
    need_extra("the lab", "numba", "matplotlib")
    from minicrawl.lab.figures import FIGURES, Setup

    setup = Setup(nodes, seed, graphs, model)
    setup = setup.quick() if quick else setup
    names = _FIGURES if name == "all" else (name,)
    show([(f"figure {each}", partial(FIGURES[each], setup)) for each in names], out, as_json)


@command.command(epilog="Example: minicrawl lab convergence links.txt.gz --visits 10")
@graph_argument
@click.option("--visits", type=click.IntRange(min=1), default=20, show_default=True,
              help="Page visits per page of the graph.")  # fmt: skip
@shared
def convergence(graph: Path, visits: int, seed: int, out: Path, as_json: bool) -> None:
    """Error of every way to work importance out against page visits, on GRAPH."""
    need_extra("the lab", "numba", "matplotlib")
    from minicrawl.graphs.graph_files import load_graph
    from minicrawl.lab.convergence import on_graph

    show([(f"convergence on {graph}", lambda: on_graph(load_graph(graph)[0], seed, visits))], out, as_json)


@command.command(epilog="Example: minicrawl lab refresh --quick")
@click.argument("graph", required=False, type=click.Path(path_type=Path))
@click.option("--pages", type=click.IntRange(min=200), default=5_000, show_default=True, help="Pages of a drawn web.")
@click.option("--worlds", type=click.IntRange(min=1), default=3, show_default=True,
              help="How many drawn webs the figures are the mean of.")  # fmt: skip
@click.option("--quick", is_flag=True, help="A tenth of the pages, and one web.")
@shared
def refresh(  # noqa: PLR0913 - one argument per option, as click calls it
    graph: Path | None, pages: int, worlds: int, quick: bool, seed: int, out: Path, as_json: bool
) -> None:
    """Schedules that fetch pages again, side by side: how much of what they keep is fresh.

    Pages of drawn importance change at drawn rates; each schedule has so many fetches. The first one is that of
    `crawl --refresh`. With GRAPH importance is drawn from the PageRank of its pages.
    """
    need_extra("the lab", "numba", "matplotlib")
    from minicrawl.graphs.graph_files import load_graph
    from minicrawl.lab.refresh import experiment
    from minicrawl.rank import pagerank

    def run() -> "Result":
        importance = None if graph is None else pagerank(load_graph(graph)[0])
        return experiment(max(200, pages // 10) if quick else pages, 1 if quick else worlds, seed, importance)

    show([("refresh" if graph is None else f"refresh of {graph}", run)], out, as_json)


@command.command(epilog="Example: minicrawl lab matrices links.npz")
@click.argument("graph", required=False, type=click.Path(path_type=Path))
@shared
def matrices(graph: Path | None, seed: int, out: Path, as_json: bool) -> None:
    """Importance on line by other matrices of GRAPH: how far off after 2, 5 and 10 visits a page.

    Cash is sent along links, along links either way, more along links between sites, and to pages with the same
    in-links or targets (the authorities and hubs of HITS). Without GRAPH on a drawn web of 2,000 small sites.
    """
    need_extra("the lab", "numba", "matplotlib")
    import numpy as np

    from minicrawl.lab.matrices import experiment
    from minicrawl.lab.webs import small_sites

    def run() -> "Result":
        if graph is None:
            return experiment(*small_sites(2000, np.random.default_rng(seed)))
        loaded, urls = _with_urls(graph)
        return experiment(loaded, None if urls is None else _site_of_each(urls))

    show([("matrices" if graph is None else f"matrices of {graph}", run)], out, as_json)


def _site_of_each(urls: "Iterable[str]") -> "npt.NDArray[np.int64]":
    """The number of the site of each URL."""
    import numpy as np

    from minicrawl.crawler.urls.keys import site_of

    return np.unique([site_of(url) for url in urls], return_inverse=True)[1]


def _with_urls(path: Path) -> "tuple[Graph, tuple[str, ...] | None]":
    """The graph in a file, and the URLs of its pages if it has them."""
    from minicrawl.graphs.graph_files import load_graph

    graph, names = load_graph(path)
    return graph, names if names is not None and all("://" in name for name in names) else None


@command.command(epilog="Example: minicrawl lab lecture")
@json_option
def lecture(as_json: bool) -> None:
    """Work the nine examples of a lecture on link analysis, and print each of its figures beside ours.

    This experiment writes no files, and needs the extra 'analysis' only.
    """
    need_extra("link analysis", "scipy")
    from minicrawl.cli.experiments import documents, lines
    from minicrawl.lab.lecture import examples

    found = examples()
    click.echo(json.dumps(documents(found), indent=2) if as_json else "\n".join(lines(found)))


command.add_command(graphbench)
