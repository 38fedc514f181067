"""minicrawl export"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import is_kept, json_option, logging_options, ranking_option, store_option


@click.command(epilog="Example: minicrawl export ranks.csv")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@ranking_option
@store_option
@json_option
@logging_options
def command(file: Path, by: str, store: Path, as_json: bool) -> None:
    """Write every page with its rank to FILE, by falling importance.

    The format follows from the ending: .csv, .jsonl or .parquet. FILE appears whole or not at all. With --by NAME
    these are the pages of that ranking, with their values there as the last column.
    """
    from minicrawl.export.ranks import export_kept, export_ranks
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        if is_kept(reader, by):
            count = export_kept(reader.kept_pages(by), by, file)
        else:
            count = export_ranks(reader.pages(by), file)
    click.echo(json.dumps({"file": str(file), "pages": count}) if as_json else f"{count:,} pages written to {file}")
