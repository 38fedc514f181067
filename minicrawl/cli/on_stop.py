"""crawl --on-stop: a command of the user's, called when a crawl has stopped, whatever for."""

import contextlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.output import printable
from minicrawl.errors import MinicrawlError

if TYPE_CHECKING:
    from minicrawl.model import CrawlReport

FAILED = "failed"
"""The reason of a crawl that ended by an error."""


@contextlib.contextmanager
def calling(command: str | None, store: Path) -> "Iterator[Callable[[CrawlReport], None]]":
    """Call a command of the shell when the block ends; what it yields is to be told how the crawl has ended."""
    reports: list[CrawlReport] = []
    try:
        yield reports.append
    except MinicrawlError as error:
        _call(command, store, {"reason": FAILED, "failure": str(error), "fetched": 0})
        raise
    for report in reports:
        _call(command, store, asdict(report))


def _call(command: str | None, store: Path, facts: dict[str, object]) -> None:
    """The report is on its standard input, as JSON; what most want of it is in its environment.

    What it prints goes to standard error: standard output may be a JSON document.
    """
    if command is None:
        return
    names = {"CRAWL_REASON": "reason", "CRAWL_FETCHED": "fetched", "CRAWL_FAILURE": "failure"}
    variables = {name: str(facts.get(key, "")).replace("\0", "") for name, key in names.items()}
    environment = os.environ | variables | {"CRAWL_STORE": str(store.absolute())}
    try:
        done = subprocess.run(
            command, shell=True, check=False, input=json.dumps(facts), text=True, stdout=2, env=environment
        )
        problem = f"ended with exit code {done.returncode}" if done.returncode else None
    except (OSError, ValueError) as error:
        problem = f"cannot be called: {error}"
    if problem:
        click.echo(f"Warning: --on-stop {printable(command)} {problem}", err=True)
