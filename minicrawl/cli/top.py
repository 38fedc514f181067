"""minicrawl top"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import json_option, logging_options, store_option
from minicrawl.settings import RANKINGS


@click.command(epilog="Example: minicrawl top --n 100 --by inlinks")
@click.option("--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages.")
@click.option("--by", type=click.Choice(RANKINGS), default="importance", show_default=True, help="Order by this.")
@store_option
@json_option
@logging_options
def command(n: int, by: str, store: Path, as_json: bool) -> None:
    """Print the most important pages known, best first.

    Importance is that of the ledger: exact for the links found so far once a crawl has stopped. History and
    cash are the two numbers that steer the crawl.
    """
    from minicrawl.cli.output import table
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        pages = reader.top(n, by)
    if as_json:
        click.echo(json.dumps([page._asdict() for page in pages], indent=2, ensure_ascii=False))
    else:
        click.echo("\n".join(table(pages)))
