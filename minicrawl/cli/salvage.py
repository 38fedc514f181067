"""minicrawl salvage"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import json_option, logging_options, store_option
from minicrawl.cli.output import counted


@click.command(epilog="Example: minicrawl salvage saved.db --store data/crawl.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
@json_option
@logging_options
def command(file: Path, store: Path, as_json: bool) -> None:
    """Write what can be read of a damaged store into a new one, FILE.

    Taken over are URLs, states, links and answers, as far as they can be read. Cash and history begin anew, as the
    links say; pages whose links were lost wait for their turn again. 'minicrawl crawl --store FILE' goes on from there.
    """
    from minicrawl.crawler.salvage import salvage

    saved = salvage(store, file)
    report = {"store": str(store), "file": str(file), **saved._asdict()}
    turns = f"{saved.read:,} have had their turn, {saved.again:,} wait for it again"
    line = f"{file}: {counted(saved.pages, 'page')}; {turns}"
    click.echo(json.dumps(report, indent=2) if as_json else line)
