"""minicrawl seeds check"""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click
from click.core import ParameterSource

from minicrawl.cli.fitting import fitted
from minicrawl.cli.option_sources import with_tables
from minicrawl.cli.options import json_option, logging_options, some_setting_options
from minicrawl.cli.output import document
from minicrawl.errors import NothingFetchedError
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.seed_check import CheckedSeed
    from minicrawl.crawler.admission.seeds import Seeds

_OF_REQUESTS = (
    *("time", "delay", "host_delay", "concurrency", "ignore_robots", "contact", "user_agent", "header", "auth"),
    *("proxy", "connect_to", "ca_file", "allow_private", "timeout"),
)
"""Settings that apply to requests for seeds."""


@click.command(epilog="Example: minicrawl seeds check seeds.txt")
@click.argument("seeds", nargs=-1, required=True)
@some_setting_options(*_OF_REQUESTS)
@json_option
@logging_options
def check(seeds: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Ask for SEEDS, as 'minicrawl crawl' would, and say of each whether it is there, allowed, and where it redirects.

    Nothing else is asked for but robots.txt, and nothing is kept. Exit 1 if one of them cannot be read.
    """
    from minicrawl.crawler.admission.seeds import gather_seeds

    found = _checked_seeds(gather_seeds(seeds), options)
    if as_json:
        click.echo(document([asdict(one) for one in found]))
    else:
        click.echo("\n".join(fitted([line for one in found for line in _lines(one)])))
    if not all(one.is_there for one in found):
        raise click.exceptions.Exit(NothingFetchedError.exit_code)


def _checked_seeds(seeds: "Seeds", options: dict[str, Any]) -> "list[CheckedSeed]":
    import asyncio
    import tempfile

    from minicrawl.analysis.seed_check import ALONE, checked_seeds
    from minicrawl.crawler.run import crawl_with
    from minicrawl.store.reader import open_store

    context = click.get_current_context()
    defaults = {name for name in options if context.get_parameter_source(name) == ParameterSource.DEFAULT}
    given = with_tables(context, {name: one for name, one in options.items() if name not in defaults}) | ALONE
    with tempfile.TemporaryDirectory(prefix="minicrawl-") as folder:
        store = Path(folder, "crawl.db")
        asyncio.run(crawl_with(given, seeds, store, handle_signals=True))
        with open_store(store) as reader:
            return checked_seeds(reader, seeds)


def _lines(one: "CheckedSeed") -> Iterator[str]:
    is_forbidden = one.reason in ("robots", "robots-unreachable")
    what = "there" if one.is_there else "forbidden" if is_forbidden else "not there"
    status = "" if one.status is None else f" ({one.status})"
    yield f"{what:<10} {printable(one.seed)}{status}"
    if one.redirects:
        yield f"{'':<10} leads to {printable(one.ends_at)}"
    if not one.is_there:
        yield f"{'':<10} {one.reason}{f': {printable(one.meaning)}' if one.meaning else ''}"
