"""minicrawl check"""

import json
from itertools import islice
from pathlib import Path

import click

from minicrawl.cli.options import json_option, store_option
from minicrawl.errors import counted
from minicrawl.log import printable

_INCONSISTENT = 4
_SHOWN = 20


@click.command(epilog="Example: minicrawl check --store data/crawl.db")
@store_option
@json_option
def command(store: Path, as_json: bool) -> None:
    """Check a store: cash conserved to the unit, every link accounted for, every URL explained.

    Exit code 0 when all holds, 4 when something does not. Of one commit, also while a crawl writes; of a folder each
    partition by itself and all together, for which no crawl may run.
    """
    from minicrawl.analysis.consistency import all_violations
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        with reader.files() as stores:
            problems = list(islice(all_violations(stores), 1000))
        pages = reader.size()
    if as_json:
        click.echo(json.dumps({"store": str(store), "pages": pages, "problems": problems}, indent=2))
    else:
        shown = problems[:_SHOWN] or [f"{store}: {counted(pages, 'page')}, all consistent"]
        more = [f"... and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
        click.echo("\n".join(map(printable, [*shown, *more])))
    if problems:
        raise click.exceptions.Exit(_INCONSISTENT)
