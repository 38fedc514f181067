"""Options, execution and output of the experiments of `minicrawl lab`."""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from minicrawl import log
from minicrawl.cli.options import json_option, teller
from minicrawl.cli.output import reassuring

if TYPE_CHECKING:
    from minicrawl.experiment import Result


_Command = TypeVar("_Command", bound=Callable[..., object])

out_option = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("data/lab"),
    show_default=True,
    help="Folder for the rows (.csv) and the picture (.svg).",
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draw from this.")


class Experiment(NamedTuple):
    """An experiment by its title. compiles: its loops are compiled in each process."""

    title: str
    run: "Callable[[], Result]"
    compiles: bool = False


def shared(command: _Command) -> _Command:
    """Add the options of every experiment."""
    for option in (json_option, out_option, seed_option):
        command = option(command)
    return command


def show(experiments: Sequence[Experiment], out: Path, as_json: bool) -> None:
    """Run experiments one after the other, write the files of those that draw, and print their results."""
    documents, say = [], teller()
    for title, run, compiles in experiments:
        say(f"Running {title}{', whose loops numba compiles first' if compiles else ''} ...")
        started = time.perf_counter()
        with reassuring(title, say):
            result = run()
        log.event("experiment-over", experiment=title, seconds=time.perf_counter() - started)
        files = _written(result, out) if result.panels else []
        documents.append({**result.as_json(), "files": files})
        if not as_json:
            click.echo("\n".join([result.title, *(f"- {claim}" for claim in result.claims), *files, ""]))
    if as_json:
        click.echo(json.dumps(documents if len(documents) > 1 else documents[0], indent=2))


def _written(result: "Result", out: Path) -> list[str]:
    from minicrawl.lab.chart import write

    return [str(path) for path in write(result, out)]
