"""minicrawl top"""

from pathlib import Path

import click

from minicrawl.cli.options import is_kept, json_option, logging_options, ranking_option, store_option
from minicrawl.cli.output import document, page_rows, table
from minicrawl.errors import SettingError
from minicrawl.settings import RANKINGS


@click.command(epilog="Example: minicrawl top --n 100 --by inlinks")
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages, or sites.")
@ranking_option
@click.option(
    "--sites",
    type=click.Choice(["domain", "host"]),
    is_flag=False,
    flag_value="domain",
    help="Sites instead of pages: registrable domains (the default), or hosts.",
)
@store_option
@json_option
@logging_options
def command(n: int, by: str, sites: str | None, store: Path, as_json: bool) -> None:
    """Print the most important pages known, best first.

    Importance is that of the ledger: exact for the links found so far once a crawl has stopped. History and
    cash are the two numbers that steer the crawl.

    That of a site is the sum of its pages'; beside it stand how many of these are known and read, the site's
    PageRank in the graph of links between sites, and how many other registrable domains link to it.
    """
    if sites is not None:
        if by != RANKINGS[0]:
            raise SettingError(f"sites are ordered by {RANKINGS[0]}; leave out --sites or --by {by}")
        _print_sites(sites, n, store, as_json)
    else:
        _print_pages(by, n, store, as_json)


def _print_pages(by: str, n: int, store: Path, as_json: bool) -> None:
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        if is_kept(reader, by):
            ranked = list(reader.ranks.kept_pages(by, n))
            pages, column = [page for page, _ in ranked], (by, [value for _, value in ranked])
        else:
            pages, column = reader.top(n, by), None
    if as_json:
        click.echo(document(page_rows(pages, column)))
    else:
        click.echo("\n".join(table(pages, column)))


def _print_sites(kind: str, n: int, store: Path, as_json: bool) -> None:
    from minicrawl.analysis.sites import sites_of
    from minicrawl.cli.sites import site_documents, site_table
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        rows = sites_of(reader, kind)
    rows = sorted(rows, key=lambda row: -row.importance)[:n]
    click.echo(site_documents(rows) if as_json else "\n".join(site_table(rows)))
