"""minicrawl top"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import is_kept, json_option, logging_options, ranking_option, store_option
from minicrawl.cli.output import Column, counted, document, page_rows, table, tally
from minicrawl.errors import SettingError
from minicrawl.settings import RANKINGS

if TYPE_CHECKING:
    from minicrawl.analysis.top_list import TopList


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
@click.option("--all", "is_all", is_flag=True, help="All pages, each on a line of its own, as 'export' writes them.")
@store_option
@json_option
@logging_options
def command(n: int, by: str, sites: str | None, is_all: bool, store: Path, as_json: bool) -> None:  # noqa: PLR0913 - one argument per option, as click calls it
    """Print the most important pages that can be opened, best first.

    Pages that were not read are left out. Pages that say the same are one line: copies of a page, and the same page in
    another language or version, as long as they stand before the last page shown. Ranks are those among all pages, as
    'export' has them, so some are missing here. By cash all pages are shown: that is the order in which they wait.

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
        _print_pages(by, n, is_all or by == "cash", store, as_json)


def _print_pages(by: str, n: int, is_all: bool, store: Path, as_json: bool) -> None:
    from minicrawl.analysis.top_list import top_list, whole_list
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        column = by if is_kept(reader, by) else None
        found = (whole_list if is_all else top_list)(reader, by, n)
    pages = [line.page for line in found.lines]
    values: Column | None = column and (column, [line.value or 0.0 for line in found.lines])  # type: ignore[assignment]
    if as_json:
        alike = [[page.url for page in line.alike] for line in found.lines]
        rows = page_rows(pages, values)
        click.echo(document([row | {"alike": urls} for row, urls in zip(rows, alike, strict=True)]))
    else:
        lines = table(pages, values, [len(line.alike) for line in found.lines])
        click.echo("\n".join([*lines, *_not_shown(found)]))


def _not_shown(found: "TopList") -> list[str]:
    """What stands between the lines of a list and was left out, and how to see it."""
    unread = sum(found.unread.values())
    parts = [
        f"{counted(unread, 'page')} that {'was' if unread == 1 else 'were'} not read ({tally(found.unread)})"
        if unread
        else "",
        f"{found.alike:,} like one of these" if found.alike else "",
    ]
    not_shown = " and ".join(filter(None, parts))
    return [f"Not shown: {not_shown}; see --all."] if not_shown else []


def _print_sites(kind: str, n: int, store: Path, as_json: bool) -> None:
    from minicrawl.analysis.sites import sites_of
    from minicrawl.cli.sites import site_documents, site_table
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        rows = sites_of(reader, kind)
    rows = sorted(rows, key=lambda row: -row.importance)[:n]
    click.echo(site_documents(rows) if as_json else "\n".join(site_table(rows)))
