"""minicrawl graph"""

import json
import math
from pathlib import Path

import click

from minicrawl.cli.help import Group
from minicrawl.cli.options import json_option, store_option, teller
from minicrawl.cli.output import document, reassuring
from minicrawl.cli.shape import shape_document, shape_lines
from minicrawl.errors import counted


@click.group(cls=Group, epilog="Example: minicrawl graph export links.graphml")
def command() -> None:
    """The graph that a crawl has found: pages and the links between them."""


@command.command(epilog="Example: minicrawl graph export links.npz")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
@json_option
def export(file: Path, store: Path, as_json: bool) -> None:
    """Write all known pages and all counted links to FILE, for graph programs.

    \b
    .graphml    Gephi, networkx, igraph: with URL, importance, state and title of every page
    .txt        source and target of every link, as page numbers, as SNAP and WebGraph read arcs
    .npz        scipy.sparse.load_npz

    All but the first get the URLs beside them, in NAME.urls.txt: line i is page i. A page that is only
    another name of a page, such as a redirect, links to that. A file appears whole or not at all.
    """
    from minicrawl.graphs.saving import export_graph
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        written = export_graph(reader, file)
    files = [str(path) for path in written.files]
    if as_json:
        click.echo(json.dumps({"files": files, "pages": written.pages, "links": written.links}))
    else:
        what = f"{counted(written.pages, 'page')} and {counted(written.links, 'link')}"
        click.echo(f"{what} written to {' and '.join(files)}")


@command.command(epilog="Example: minicrawl graph stats")
@click.argument("graph", required=False, type=click.Path(path_type=Path))
@click.option("--exact", is_flag=True, help="Count the distances of all pairs, however many they are.")
@store_option
@json_option
def stats(graph: Path | None, exact: bool, store: Path, as_json: bool) -> None:
    """Tell the shape of the crawled web: components, degrees, distances.

    Of the store, aliases folded into the pages they stand for, or of GRAPH: an edge list (.txt, .tsv, also .gz) or
    a CSR matrix (.npz with indptr and indices).

    The core is the largest strong component: pages that all reach each other; the longest distance within it is
    its diameter. A power law x^-a is fitted to the tail of each degree distribution. Distances are estimated where
    the pages are too many to count all pairs.
    """
    import numpy as np

    from minicrawl.analysis.web_graph import Web, web_of_store
    from minicrawl.graphs.loading import load_graph
    from minicrawl.rank.graph_stats import EXACT_WORK, graph_stats
    from minicrawl.store.reader import open_store

    if graph is not None:
        web = Web(load_graph(graph).graph)
    else:
        with open_store(store) as reader, reader.snapshot():
            web = web_of_store(reader)
    with reassuring("counting distances", teller()):
        found = graph_stats(web.graph, np.random.default_rng(0), exact_work=math.inf if exact else EXACT_WORK)
    name = str(graph or store)
    if as_json:
        click.echo(document(shape_document(found, web, name)))
    else:
        click.echo("\n".join(shape_lines(found, web, name)))
