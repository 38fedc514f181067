"""Experiments run one after the other, leave their files and print what they say."""

import json
from functools import partial
from pathlib import Path

import click
import numpy as np
from click.testing import CliRunner

from minicrawl.cli.experiments import Progress, lines, shared, show
from minicrawl.experiment import Claim, Curve, Panel, Result
from minicrawl.lab.lecture import Example


def result_of(name: str) -> Result:
    panel = Panel("panel", "x", "y", [Curve("curve", [1, 2], [3, 4])])
    return Result(name, f"Title of {name}", ("a",), [(1,)], [panel], [Claim("it does", True, "7")])


@click.command()
@click.argument("names", nargs=-1)
@shared
def command(names: tuple[str, ...], seed: int, out: Path, as_json: bool) -> None:
    show([(name, partial(result_of, name)) for name in names], out, as_json)


def test_experiments_print_claims_and_files_in_their_order(tmp_path: Path) -> None:
    ran = CliRunner().invoke(command, ["one", "two", "--out", str(tmp_path)])
    lines = ran.stdout.splitlines()
    for at, name in enumerate(("one", "two")):
        assert lines[5 * at : 5 * at + 4] == [
            f"Title of {name}",
            "- holds: it does. Measured: 7.",
            str(tmp_path / f"{name}.csv"),
            str(tmp_path / f"{name}.svg"),
        ]
    assert {path.name for path in tmp_path.iterdir()} == {"one.csv", "one.svg", "two.csv", "two.svg"}


def test_folder_that_cannot_be_made_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(command, ["one", "--out", str(tmp_path / "file" / "out")])
    told = f"--out {tmp_path / 'file' / 'out'} cannot be written: Not a directory; name another folder"
    assert str(result.exception) == told


def test_json_is_one_document_or_a_list_of_several(tmp_path: Path) -> None:
    one, two = (
        json.loads(CliRunner().invoke(command, [*names, "--json", "--out", str(tmp_path)]).stdout)
        for names in (["one"], ["one", "two"])
    )
    assert one == two[0]
    assert [document["name"] for document in two] == ["one", "two"]


def test_progress_is_the_last_stage_and_what_is_left() -> None:
    progress = Progress()
    assert str(progress) == ""
    progress(("trial 1 of 3", None))
    assert str(progress) == "trial 1 of 3"
    progress(("trial 2 of 3", 75.0))
    assert str(progress) == "trial 2 of 3, at most 1:15 of CPU time more"


def test_what_does_not_agree_is_named() -> None:
    wrong = Example("Sums", "0.5", np.array([0.25]))
    assert list(lines([wrong])) == [
        "Sums",
        "  lecture        0.5000",
        "  minicrawl      0.2500   not the same, at most 0.2 off",
        "",
        "0 of 1 examples agree.",
    ]
