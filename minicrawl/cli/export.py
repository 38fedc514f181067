"""minicrawl export"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import is_kept, json_option, logging_options, order_option, store_option
from minicrawl.cli.output import counted


@click.command(epilog="Example: minicrawl export ranks.csv")
@click.argument("file", type=click.Path(allow_dash=True, path_type=Path))
@click.option("--text", "with_text", is_flag=True, help="With the text of every page, as a crawl with --text keeps it.")
@click.option("--markdown", is_flag=True, help="FILE is a folder: a Markdown file for every page whose text is kept.")
@click.option("--format", "form", type=click.Choice(["csv", "jsonl", "parquet"]), help="Whatever the ending of FILE.")
@order_option
@store_option
@json_option
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    file: Path, with_text: bool, markdown: bool, form: str | None, by: str | None, store: Path, as_json: bool
) -> None:
    """Write every page with its rank to FILE, best first.

    While pages wait to be read, best first is by what importance will be when they have been, as far as that can be
    told; 'top' has the same order. --by importance has that of the links found so far.

    The format follows from the ending: .csv, .jsonl or .parquet, of the first two also packed as .csv.gz or .jsonl.gz.
    FILE appears whole or not at all; - is standard output, as CSV unless --format says otherwise. With --by NAME these
    are the pages of that ranking, with their values there as the last column.

    \b
    minicrawl export pages.jsonl --text       every page with its text
    minicrawl export --markdown folder        a Markdown file a page, with links
    """
    from minicrawl.analysis.top.expected import best_first
    from minicrawl.export.markdown import export_markdown
    from minicrawl.export.ranks import STANDARD_OUTPUT, export_kept, export_ranks
    from minicrawl.export.texts import export_texts, pages_with_text
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        if with_text or markdown:
            pages = pages_with_text(reader, by)
            count = export_markdown(pages, file) if markdown else export_texts(pages, file, form)
        elif by is not None and is_kept(reader, by):
            count = export_kept(reader.ranks.kept_pages(by), by, file, form)
        else:
            with reader.snapshot():
                _, ranked = best_first(reader, by)
                count = export_ranks((page for _, page, _ in ranked), file, form)
    if file == STANDARD_OUTPUT:
        return
    line = f"{counted(count, 'page')} written to {file}"
    click.echo(json.dumps({"file": str(file), "pages": count}) if as_json else line)
