"""minicrawl rank"""

from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click

from minicrawl.cli.keeping import check_free, keep
from minicrawl.cli.options import json_option, store_option
from minicrawl.cli.output import document, page_rows, table
from minicrawl.cli.ranking_options import OPTIONS, check_options, ranking_options
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.link_graph import FloatArray
    from minicrawl.analysis.rankings.ranking import Rankings
    from minicrawl.store.rows import RankedPage

    Shown = dict[str, tuple[list[RankedPage], list[float]]]


@click.command(epilog="Example: minicrawl rank --by hits --query 'open source' --n 10")
@click.option("--by", type=click.Choice(list(OPTIONS)), default="pagerank", show_default=True, help="Which ranking.")
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages.")
@ranking_options
@click.option("--save", metavar="NAME", help="Keep the ranking in the store, for 'minicrawl top --by NAME'.")
@store_option
@json_option
def command(by: str, n: int, save: str | None, store: Path, as_json: bool, **options: Any) -> None:
    """Rank the pages of a store by the links between them, in another way than the crawl did, or by visits.

    \b
    pagerank   how often a walker is at each page who sometimes jumps to any
    hits       hubs link to good authorities, authorities are linked from good hubs
    trustrank  PageRank with jumps to trusted pages only
    topic      PageRank with jumps to the pages of topics only
    inverse    PageRank with all links turned round: who reaches much
    opic       the crawl's own history of cash, as shares
    visits     visits to pages in the access logs of the site

    Aliases (redirects, canonicals) count as the pages they stand for. Printed as 'minicrawl top' does, the value
    beside the importance.
    """
    from minicrawl.analysis.rankings.options import Options
    from minicrawl.analysis.rankings.ranking import check_name, rankings
    from minicrawl.store.reader import open_store

    check_options(by)
    if save is not None:
        check_name(save)
    with open_store(store) as reader, reader.snapshot():
        if save is not None:
            check_free(reader, store)
        found = rankings(reader, by, Options(**options))
        shown = found.best(reader, n)
    for note in found.notes:
        click.echo(printable(note), err=True)
    if save is not None:
        keep(store, _kept(save, found))
    click.echo(_document(shown) if as_json else "\n".join(_lines(shown)))


def _kept(name: str, found: "Rankings") -> "dict[str, FloatArray]":
    """The rankings by the names for keeping them."""
    from minicrawl.analysis.rankings.hub_ranking import kept_name

    is_one = len(found.values) == 1
    return {name if is_one else kept_name(name, kind): values for kind, values in found.values.items()}


def _lines(shown: "Shown") -> list[str]:
    lines: list[str] = []
    for name, (pages, values) in shown.items():
        lines += [*([""] if lines else []), *table(pages, (name, values))]
    return lines


def _document(shown: "Shown") -> str:
    """JSON of a list of pages; for hits, of an object with several."""
    documents = {name: page_rows(pages, (name, values)) for name, (pages, values) in shown.items()}
    return document(documents if len(documents) > 1 else next(iter(documents.values())))
