"""minicrawl lab graphbench"""

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from minicrawl.cli import main
from minicrawl.cli.graphbench import table
from minicrawl.lab.graphbench.bench import Trial
from minicrawl.lab.graphbench.sequences import cubic

PAGES = ["--algorithms", "pages,even-gazit", "--trials", "2"]  # need not be compiled


def bench(*words: str) -> Result:
    return CliRunner().invoke(main, ["lab", "graphbench", *words])


def test_bench_of_a_drawn_graph_says_what_held_and_leaves_its_files(tmp_path: Path) -> None:
    result = bench("--kind", "cubic", "--nodes", "30", *PAGES, "--validate", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "cubic: distances of all pairs of 30 pages, while 37 links are inserted"
    assert (
        lines[1]
        == "- holds: every algorithm finds what an independent one does. Measured: 4 of 4 trials, at 32 checks."
    )
    assert lines[-3].split() == ["algorithm", "bits", "CPU", "seconds", "a", "link", "updates"]
    assert [line.split()[:2] for line in lines[-2:]] == [["pages", "16"], ["even-gazit", "16"]]
    rows = list(csv.DictReader((tmp_path / "graphbench.csv").read_text("utf-8").splitlines()))
    assert [(row["algorithm"], row["trial"]) for row in rows[:3]] == [
        ("pages", "1"),
        ("even-gazit", "1"),
        ("pages", "2"),
    ]
    assert {(row["validated"], row["memory in bytes"]) for row in rows} == {("True", "1800")}


def test_how_long_it_takes_at_most_stands_before_the_start(tmp_path: Path) -> None:
    words = ["--kind", "cubic", "--nodes", "30", *PAGES, "--bits", "8", "--bits", "64", "--timeout", "30"]
    result = bench(*words, "--out", str(tmp_path))
    assert result.stderr.splitlines()[0] == (
        "cubic: 30 pages, 37 links; 8 trials of at most 30 s of CPU time each, so 4:00 at most. Shorter with "
        "--timeout, --trials, fewer --algorithms, a larger --batch, or fewer pages by --nodes."
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--kind", "cubic", "--algorithms", "fast"], "--algorithms are some of distances, strong, "
         "bfs, floyd-warshall, even-gazit, pages, trees, tarjan, warshall, closure, not 'fast'"),
    ],
)  # fmt: skip
def test_wrong_input_gets_one_sentence(words: list[str], message: str) -> None:
    result = bench(*words)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == f"Error: {message}"


def test_table_has_the_median_and_says_what_timed_out() -> None:
    sequence, answers = cubic(9), np.zeros((9, 9), np.int16)
    trials = [
        Trial(sequence, "trees", 16, seconds, inserted, updates, 2_500_000, 0, True, ([], []), answers)
        for seconds, inserted, updates in ((3.0, 9, 70), (1.0, 9, 70), (2.0, 4, 30))
    ]
    _, line = table(trials)
    assert line.split() == [
        *("trees", "16", "2", "3.33e+05", "µs", "70", "1", "to", "3", "s"),
        *("timed", "out", "after", "4", "links"),
    ]
