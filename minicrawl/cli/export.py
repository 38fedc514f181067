"""minicrawl export"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import json_option, logging_options, store_option


@click.command(epilog="Example: minicrawl export ranks.csv")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
@json_option
@logging_options
def command(file: Path, store: Path, as_json: bool) -> None:
    """Write every page with its rank to FILE, by falling importance.

    The format follows from the ending: .csv, .jsonl or .parquet. FILE appears whole or not at all.
    """
    from minicrawl.export.ranks import export_ranks
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        count = export_ranks(reader.pages(), file)
    click.echo(json.dumps({"file": str(file), "pages": count}) if as_json else f"{count:,} pages written to {file}")
