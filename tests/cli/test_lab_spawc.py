"""minicrawl lab spawc"""

import csv
from pathlib import Path

import numpy as np
from click.testing import CliRunner, Result

from minicrawl.cli import main
from minicrawl.cli.lab import table
from minicrawl.lab.graphbench.bench import Trial
from minicrawl.lab.graphbench.sequences import Insertions, appendix

ANEW = ["--algorithms", "floyd-warshall,tarjan", "--trials", "2"]  # need not be compiled


def bench(*words: str) -> Result:
    return CliRunner().invoke(main, ["lab", "spawc", *words])


def test_bench_of_a_graph_says_what_held_and_leaves_its_files(tmp_path: Path) -> None:
    result = bench("sc1", *ANEW, "--validate", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "sc1: distances of all pairs, strong components of 8 pages, while 11 links are inserted"
    right = "- holds: every algorithm finds what an independent one does. Measured: 4 of 4 trials, at 32 checks."
    assert lines[1] == right
    assert lines[-3].split() == ["algorithm", "bits", "CPU", "seconds", "a", "link", "updates"]
    assert [line.split()[0] for line in lines[-2:]] == ["floyd-warshall", "tarjan"]
    rows = list(csv.DictReader((tmp_path / "graphbench-sc1.csv").read_text("utf-8").splitlines()))
    assert [(row["algorithm"], row["trial"]) for row in rows[:3]] == [
        ("floyd-warshall", "1"),
        ("tarjan", "1"),
        ("floyd-warshall", "2"),
    ]
    assert {row["validated"] for row in rows} == {"True"}


def test_links_of_a_file_are_inserted(tmp_path: Path) -> None:
    links = tmp_path / "links.txt"
    links.write_text("0 1\n1 2\n2 0\n")
    result = bench(str(links), "--algorithms", "tarjan", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert (tmp_path / "graphbench-links.csv").exists()


def test_how_long_it_takes_at_most_stands_before_the_start(tmp_path: Path) -> None:
    words = ["sc2", *ANEW, "--timeout", "30", "--out", str(tmp_path)]
    assert bench(*words).stderr.splitlines()[0] == (
        "sc2: 8 pages, 14 links; 4 trials of at most 30 s of CPU time each, so 2:00 at most. Shorter with "
        "--timeout, --trials, fewer --algorithms or a larger --batch."
    )


def test_table_has_the_median_and_says_what_timed_out() -> None:
    sequence: Insertions = appendix("sc1", np.random.default_rng(0))
    trials = [
        Trial(sequence, "trees", 16, seconds, inserted, updates, 2_500_000, 0, True, ([], []))
        for seconds, inserted, updates in ((3.0, 9, 70), (1.0, 9, 70), (2.0, 4, 30))
    ]
    _, line = table(trials)
    assert line.split() == [
        *("trees", "16", "2", "3.33e+05", "µs", "70", "1", "to", "3", "s"),
        *("timed", "out", "after", "4", "links"),
    ]
