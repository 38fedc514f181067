"""minicrawl compact"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import json_option, logging_options, store_option
from minicrawl.cli.output import amount


@click.command(epilog="Example: minicrawl compact --store data/crawl.db")
@store_option
@json_option
@logging_options
def command(store: Path, as_json: bool) -> None:
    """Make a store's file as small as it can be; nothing in it changes.

    No crawl may be running on it, and the disk needs room for two more copies meanwhile.
    """
    from minicrawl.store.upkeep import compact

    before, after = compact(store)
    report = {"store": str(store), "bytes_before": before, "bytes_after": after}
    click.echo(json.dumps(report, indent=2) if as_json else f"{store}: {amount(before)} before, {amount(after)} now")
