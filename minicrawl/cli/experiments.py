"""Options, execution and output of the experiments of `minicrawl lab`."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from minicrawl import log
from minicrawl.cli.options import json_option, teller
from minicrawl.cli.output import duration, reassuring
from minicrawl.experiment import Stage

if TYPE_CHECKING:
    from minicrawl.experiment import Result
    from minicrawl.lab.lecture import Example


_Command = TypeVar("_Command", bound=Callable[..., object])

out_option = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("data/lab"),
    show_default=True,
    help="Folder for the rows (.csv) and the picture (.svg).",
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Draw from this.")
graph_argument = click.argument("graph", type=click.Path(path_type=Path))


def shared(command: _Command) -> _Command:
    """Add the options of every experiment."""
    for option in (json_option, out_option, seed_option):
        command = option(command)
    return command


class Progress:
    """The progress of an experiment: called with each stage; its text is the last stage."""

    def __init__(self) -> None:
        self._stage: Stage = ("", None)

    def __call__(self, stage: Stage) -> None:
        self._stage = stage

    def __str__(self) -> str:
        what, left = self._stage
        return what if left is None else f"{what}, at most {duration(left)} of CPU time more"


def show(
    experiments: Sequence[tuple[str, Callable[[], "Result"]]],
    out: Path,
    as_json: bool,
    progress: Callable[[], str] = str,
) -> None:
    """Run experiments one after the other, write their files, and print their results.

    progress: gives the progress of the current experiment; "" if unknown.
    """
    from minicrawl.lab.chart import write

    documents, say = [], teller()
    for title, run in experiments:
        say(f"Running {title} ...")
        started = time.perf_counter()
        with reassuring(title, say, progress=progress):
            result = run()
        log.event("experiment-over", experiment=title, seconds=time.perf_counter() - started)
        files = [str(path) for path in write(result, out)]
        documents.append({**result.as_json(), "files": files})
        if not as_json:
            click.echo("\n".join([result.title, *(f"- {claim}" for claim in result.claims), *files, ""]))
    if as_json:
        click.echo(json.dumps(documents if len(documents) > 1 else documents[0], indent=2))


def lines(examples: "Sequence[Example]") -> Iterator[str]:
    """Lines for each example, with its figures and ours."""
    for example in examples:
        yield example.title
        yield _row("lecture", example.stated)
        verdict = "the same" if example.agrees else "not the same"
        yield f"{_row('minicrawl', example.found.tolist())}   {verdict}, at most {example.error:.1g} off"
        yield ""
    agree = sum(example.agrees for example in examples)
    yield f"{agree} of {len(examples)} examples agree."


def documents(examples: "Sequence[Example]") -> list[dict[str, object]]:
    return [
        {
            "example": example.title,
            "stated": example.stated,
            "found": example.found.tolist(),
            "agrees": example.agrees,
        }
        for example in examples
    ]


def _row(name: str, values: Sequence[float]) -> str:
    return f"  {name:<12}" + "".join(f"{value:>9.4f}" for value in values)
