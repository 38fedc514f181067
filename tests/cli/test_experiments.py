"""Experiments run one after the other, leave their files and print what they say."""

import json
from functools import partial
from pathlib import Path

import click
from click.testing import CliRunner
from support.command_line import answer, run

from minicrawl.cli.lab import Experiment, shared, show
from minicrawl.experiment import Claim, Curve, Panel, Result


def result_of(name: str) -> Result:
    panel = Panel("panel", "x", "y", [Curve("curve", [1, 2], [3, 4])])
    return Result(name, f"Title of {name}", ("a",), [(1,)], [panel], [Claim("it does", True, "7")])


@click.command()
@click.argument("names", nargs=-1)
@shared
def command(names: tuple[str, ...], seed: int, out: Path, as_json: bool) -> None:
    show([Experiment(name, partial(result_of, name)) for name in names], out, as_json)


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


def test_what_made_the_webs_is_said(tmp_path: Path) -> None:
    """The same links have the same sum, whatever the file."""
    (tmp_path / "one.txt").write_text("0 1\n1 0\n1 2\n2 0\n")
    (tmp_path / "two.tsv").write_text("1\t2\n0\t1\n2\t0\n1\t0\n")
    (tmp_path / "three.txt").write_text("0 1\n1 0\n1 2\n2 1\n")
    first, again, other = (
        answer("lab", "opic", "2", "--graph", tmp_path / name, "--seed", "7", "--out", tmp_path)
        for name in ("one.txt", "two.tsv", "three.txt")
    )
    assert first["sha256"] == again["sha256"] != other["sha256"]
    assert (first["seed"], first["graph"]) == (7, str(tmp_path / "one.txt"))
    told = run("lab", "opic", "2", "--graph", tmp_path / "one.txt", "--out", tmp_path).stdout.splitlines()[0]
    assert told.endswith(f"({tmp_path / 'one.txt'}, links with SHA-256 {first['sha256'][:16]}..., --seed 0)")
