"""minicrawl backup, minicrawl compact, minicrawl salvage"""

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
def backup(file: Path, force: bool, store: Path, as_json: bool) -> None:
    """Copy a store to FILE, also while a crawl writes to it; or a folder of partitions at rest to a new folder.

    FILE appears whole or not at all. It is a store like any other, as of one commit: 'minicrawl crawl --store FILE'
    goes on from there.
    """
    from minicrawl.cluster import backup as copying
    from minicrawl.store.reader import open_store

    size = copying.backup(store, file, force=force)
    with open_store(file) as copy:
        pages = copy.size()
    report = {"store": str(store), "file": str(file), "pages": pages, "bytes": size}
    click.echo(json.dumps(report, indent=2) if as_json else f"{file}: {counted(pages, 'page')}, {amount(size)}")


@click.command(epilog="Example: minicrawl compact --store data/crawl.db")
@store_option
@json_option
def compact(store: Path, as_json: bool) -> None:
    """Make a store's file as small as it can be; nothing in it changes.

    No crawl may be running on it, and the disk needs room for two more copies meanwhile.
    """
    from minicrawl.store import upkeep

    before, after = upkeep.compact(store)
    report = {"store": str(store), "bytes_before": before, "bytes_after": after}
    click.echo(json.dumps(report, indent=2) if as_json else f"{store}: {amount(before)} before, {amount(after)} now")


@click.command(epilog="Example: minicrawl salvage saved.db --store data/crawl.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
@json_option
def salvage(file: Path, store: Path, as_json: bool) -> None:
    """Write what can be read of a damaged store into a new one, FILE.

    URLs, states, links and answers are taken over as far as they can be read. Cash and history are computed anew from
    the links. Pages whose links were lost are to be read again. 'minicrawl crawl --store FILE' goes on from there.
    """
    from minicrawl.crawler import salvage as salvaging

    saved = salvaging.salvage(store, file)
    report = {"store": str(store), "file": str(file), **saved._asdict()}
    turns = f"{saved.read:,} have had their turn, {saved.again:,} wait for it again"
    line = f"{file}: {counted(saved.pages, 'page')}; {turns}"
    click.echo(json.dumps(report, indent=2) if as_json else line)
