"""minicrawl graph"""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.help import Group
from minicrawl.cli.options import about_store, teller
from minicrawl.cli.output import document, reassuring
from minicrawl.errors import counted
from minicrawl.store.folder import is_folder
from minicrawl.store.reader import open_store

if TYPE_CHECKING:
    from minicrawl.rank.distances import Neighbourhood
    from minicrawl.rank.graph_stats import Degrees, GraphStats


@click.group(cls=Group, epilog="Example: minicrawl graph export links.graphml")
def command() -> None:
    """Export or measure the graph of a crawl: its pages and the links between them."""


@command.command(epilog="Example: minicrawl graph export links.npz")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@about_store
def export(file: Path, store: Path, as_json: bool) -> None:
    """Write all known pages and all counted links to FILE, for graph programs.

    \b
    .graphml    Gephi, networkx, igraph: with URL, importance, state and title of every page
    .txt        source and target of every link, as page numbers: the edge lists of SNAP and WebGraph
    .npz        scipy.sparse.load_npz
    .parquet    source and target of every link, as URLs; of a folder of partitions a data set, a file for each

    With .txt and .npz, NAME.urls.txt has the URLs: line i is page i. An alias, such as a redirect, links to the page it
    stands for. A file appears whole or not at all.
    """
    from minicrawl.graphs.graph_files import export_graph

    if is_folder(store):
        from minicrawl.cluster import answers

        links = answers.export_links(store, file)
        told = json.dumps({"files": [str(file)], "links": links})
        click.echo(told if as_json else f"{counted(links, 'link')} written to {file}")
        return
    with open_store(store) as reader:
        pages, links, paths = export_graph(reader, file)
    files = list(map(str, paths))
    told = json.dumps({"files": files, "pages": pages, "links": links})
    what = f"{counted(pages, 'page')} and {counted(links, 'link')}"
    click.echo(told if as_json else f"{what} written to {' and '.join(files)}")


@command.command(epilog="Example: minicrawl graph stats")
@click.argument("graph", required=False, type=click.Path(path_type=Path))
@click.option("--exact", is_flag=True, help="Measure the distance between all pairs of pages, however many there are.")
@about_store
def stats(graph: Path | None, exact: bool, store: Path, as_json: bool) -> None:
    """Print the shape of the crawled web: components, degrees, distances.

    It measures the store, with aliases folded into the pages they stand for, or GRAPH: an edge list (.txt, .tsv, also
    .gz) or a CSR matrix (.npz with indptr and indices).

    The core is the largest strong component: pages that can all reach each other. Its diameter is the longest distance
    within it. A power law x^-a is fitted to the tail of each degree distribution. Distances are estimated if there are
    too many pages to count all pairs.
    """
    import numpy as np

    from minicrawl.analysis.link_graph import web_of_store
    from minicrawl.graphs.graph_files import load_graph
    from minicrawl.rank.graph_stats import EXACT_WORK, graph_stats

    never_read = None
    if graph is not None:
        web, _ = load_graph(graph)
    else:
        with open_store(store) as reader, reader.snapshot():
            web, never_read = web_of_store(reader)
    with reassuring("counting distances", teller()):
        found = graph_stats(web, np.random.default_rng(0), exact_work=math.inf if exact else EXACT_WORK)
    name = str(graph or store)
    if as_json:
        click.echo(document(shape_document(found, never_read, name)))
    else:
        click.echo("\n".join(shape_lines(found, never_read, name)))


def shape_document(found: "GraphStats", never_read: int | None, name: str) -> dict[str, object]:
    return {
        "graph": name,
        "pages": found.pages,
        "links": found.links,
        "dangling": found.dangling,
        "never_read": never_read,
        "strong_components": {"count": found.strong.count, "largest": int(found.strong.sizes.max())},
        "weak_components": {"count": found.weak.count, "largest": int(found.weak.sizes.max())},
        "inlinks": _degrees(found.indegrees),
        "outlinks": _degrees(found.outdegrees),
        "distances": _distances(found.distances),
        "core": {
            "pages": int(found.strong.sizes.max()),
            "links": found.core_links,
            "distances": _distances(found.core_distances),
        },
    }


def _degrees(degrees: "Degrees") -> dict[str, object]:
    law = None if degrees.law is None else asdict(degrees.law)
    counts = dict(zip(degrees.values.tolist(), degrees.counts.tolist(), strict=True))
    return {"mean": degrees.mean, "largest": degrees.largest, "power_law": law, "pages_by_degree": counts}


def _distances(distances: "Neighbourhood") -> dict[str, object]:
    return {
        "is_exact": not distances.error,
        "relative_error": distances.error,
        "average": distances.average(),
        "effective_diameter": distances.effective_diameter(),
        "longest": distances.longest,
        "pairs_within": distances.pairs.tolist(),
    }


def shape_lines(found: "GraphStats", never_read: int | None, name: str) -> Iterator[str]:
    unread = "" if never_read is None else f", {never_read:,} of them never read"
    size = f"{counted(found.pages, 'page')}, {counted(found.links, 'link')}"
    yield f"{name}: {size}; {counted(found.dangling, 'page')} without links{unread}"
    yield ""
    strong, weak = found.strong.sizes, found.weak.sizes
    yield (
        f"strong components  {len(strong):,}; the largest, the core, has {counted(int(strong.max()), 'page')} "
        f"({strong.max() / found.pages:.1%}) and {counted(found.core_links, 'link')}"
    )
    yield (
        f"weak components    {len(weak):,}; the largest has {counted(int(weak.max()), 'page')} "
        f"({weak.max() / found.pages:.1%})"
    )
    yield f"in-links           {_degrees_line(found.indegrees)}"
    yield f"out-links          {_degrees_line(found.outdegrees)}"
    yield f"distances          {_distances_line(found.distances)}"
    yield f"within the core    {_distances_line(found.core_distances)}"


def _degrees_line(degrees: "Degrees") -> str:
    line, law = f"mean {degrees.mean:.1f}, at most {degrees.largest:,}", degrees.law
    if law is None:
        return line
    return (
        f"{line}; power law x^-{law.alpha:.2f} (± {law.error:.2f}) from {law.xmin} on, which "
        f"{counted(law.tail, 'page')} {'has' if law.tail == 1 else 'have'}; it is off by up to {law.distance:.1%}"
    )


def _distances_line(distances: "Neighbourhood") -> str:
    how = f"estimated, numbers of pairs ± {distances.error:.0%}" if distances.error else "exact"
    longest = f"longest {'at least ' if distances.error else ''}{distances.longest}"
    mean, most = distances.average(), distances.effective_diameter()
    return f"mean {mean:.2f} links, 90 % of pairs within {most:.1f} ({how}); {longest}"
