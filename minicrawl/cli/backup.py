"""minicrawl backup"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import json_option, store_option
from minicrawl.cli.output import amount
from minicrawl.errors import counted


@click.command(epilog="Example: minicrawl backup monday.db --store data/crawl.db")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@store_option
@json_option
def command(file: Path, force: bool, store: Path, as_json: bool) -> None:
    """Copy a store to FILE, also while a crawl writes to it; or a folder of partitions at rest to a new folder.

    FILE appears whole or not at all. It is a store like any other, as of one commit: 'minicrawl crawl --store FILE'
    goes on from there.
    """
    from minicrawl.cluster.backup import backup
    from minicrawl.store.reader import open_store

    size = backup(store, file, force=force)
    with open_store(file) as copy:
        pages = copy.size()
    report = {"store": str(store), "file": str(file), "pages": pages, "bytes": size}
    click.echo(json.dumps(report, indent=2) if as_json else f"{file}: {counted(pages, 'page')}, {amount(size)}")
