"""minicrawl index"""

from pathlib import Path

import click

from minicrawl.cli.options import json_option, store_option
from minicrawl.cli.output import document
from minicrawl.errors import counted


@click.command(epilog="Example: minicrawl index --rebuild")
@click.option("--rebuild", is_flag=True, help="Build the index anew; until then searches use the old one.")
@store_option
@json_option
def command(rebuild: bool, store: Path, as_json: bool) -> None:
    """Bring the index up to the store, so that 'minicrawl search' finds all that was crawled.

    The index is a file of its own beside the store. It is made of the texts that crawl --text keeps, and can be thrown
    away at any time. A crawl with --search does this by itself.
    """
    from minicrawl.search.following import bring_up_to_date
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        done, pages, size = bring_up_to_date(reader, rebuild=rebuild)
    if as_json:
        click.echo(document({"taken_in": done, "pages": pages, "bytes": size}))
        return
    from minicrawl.cli.output import amount

    click.echo(f"{counted(done, 'text')} taken in; the index has {counted(pages, 'page')}, {amount(size)}.")
