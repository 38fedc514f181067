"""minicrawl export"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import is_kept, json_option, logging_options, ranking_option, store_option
from minicrawl.cli.output import counted


@click.command(epilog="Example: minicrawl export ranks.csv")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(["csv", "jsonl", "parquet"]), help="Whatever the ending of FILE.")
@ranking_option
@store_option
@json_option
@logging_options
def command(file: Path, form: str | None, by: str, store: Path, as_json: bool) -> None:
    """Write every page with its rank to FILE, by falling importance.

    The format follows from the ending: .csv, .jsonl or .parquet, of the first two also packed as .csv.gz or .jsonl.gz.
    FILE appears whole or not at all; - is standard output, as CSV unless --format says otherwise. With --by NAME these
    are the pages of that ranking, with their values there as the last column.
    """
    from minicrawl.export.ranks import STANDARD_OUTPUT, export_kept, export_ranks
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        if is_kept(reader, by):
            count = export_kept(reader.ranks.kept_pages(by), by, file, form)
        else:
            count = export_ranks(reader.pages(by), file, form)
    if file == STANDARD_OUTPUT:
        return
    line = f"{counted(count, 'page')} written to {file}"
    click.echo(json.dumps({"file": str(file), "pages": count}) if as_json else line)
