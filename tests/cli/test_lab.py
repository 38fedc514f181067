"""minicrawl lab: every experiment runs, says what held and leaves its files."""

import csv
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from minicrawl.cli import main
from minicrawl.cli.lab import table
from minicrawl.installed import adding
from minicrawl.lab.graphbench.bench import Trial
from minicrawl.lab.graphbench.sequences import Insertions, appendix
from minicrawl.lab.webs import power_law

SMALL = ["--nodes", "2000", "--graphs", "1"]


def lab(*words: str) -> Result:
    return CliRunner().invoke(main, ["lab", *words])


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    graph = power_law(600, np.random.default_rng(1))
    sources = np.repeat(np.arange(graph.size), graph.outdegrees())
    path = tmp_path / "web.txt"
    path.write_text("".join(f"{s} {t}\n" for s, t in zip(sources, graph.targets, strict=True)))
    return path


@pytest.mark.slow
def test_figure_leaves_rows_and_a_picture_that_are_the_same_each_time(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "deep" / "out")]
    result = lab("opic", "convergence", *SMALL, *out)
    assert result.exit_code == 0, result.output
    rows, picture = sorted((tmp_path / "deep" / "out").iterdir())
    table = list(csv.reader(rows.read_text("utf-8").splitlines()))
    assert len(table) > 5
    assert {len(row) for row in table} == {len(table[0])}
    before = rows.read_bytes(), picture.read_bytes()
    document = json.loads(lab("opic", "convergence", *SMALL, *out, "--json").stdout)
    assert set(document) == {"name", "title", "rows", "claims", "files", "seed", "graph", "sha256"}
    assert (rows.read_bytes(), picture.read_bytes()) == before, "the same seed gives the same bytes"


@pytest.mark.slow
def test_seeds_have_a_picture_for_each_figure(tmp_path: Path) -> None:
    result = lab("seeds", "--quick", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert {path.stem for path in tmp_path.iterdir()} == {"seeds7", "seeds11", "seeds13", "seeds14", "seeds18"}


def test_lecture_writes_no_files_and_says_how_many_examples_agree() -> None:
    result = lab("lecture")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Link Analysis in Web Search: 9 of 9 examples agree\n- holds: ")
    assert json.loads(lab("lecture", "--json").stdout)["files"] == []


@pytest.mark.slow
def test_matrices_of_a_file_with_urls_know_its_sites(tmp_path: Path, edges: Path) -> None:
    named = tmp_path / "named.tsv"
    named.write_text("".join(f"http://{a}.test/{a}\thttp://{b % 3}.test/{b}\n" for a in range(3) for b in range(3, 40)))
    for graph, count in ((named, 5), (edges, 4)):
        result = lab("opic", "matrices", "--graph", str(graph), "--out", str(tmp_path / "out"), "--json")
        assert result.exit_code == 0, result.output
        assert len({row["matrix"] for row in json.loads(result.stdout)["rows"]}) == count


def test_without_the_extra_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = lab("opic", "2")
    assert result.exit_code == 2
    assert result.stderr == f"Error: the lab needs matplotlib; run: {adding('lab')}\n"


# minicrawl lab spawc


ANEW = ["--algorithms", "floyd-warshall,tarjan", "--trials", "2"]  # need not be compiled


def bench(*words: str) -> Result:
    return CliRunner().invoke(main, ["lab", "spawc", *words])


def test_bench_of_a_graph_says_what_held_and_leaves_its_files(tmp_path: Path) -> None:
    result = bench("sc1", *ANEW, "--validate", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    told = result.stdout.splitlines()
    assert told[0].startswith("sc1: distances of all pairs, strong components of 8 pages, while 11 links are inserted")
    assert told[0].endswith("(--seed 0)")
    right = "- holds: every algorithm finds what an independent one does. Measured: 4 of 4 trials, at 32 checks."
    assert told[1] == right
    assert told[-3].split() == ["algorithm", "bits", "CPU", "seconds", "a", "link", "updates"]
    assert [line.split()[0] for line in told[-2:]] == ["floyd-warshall", "tarjan"]
    written = list(csv.DictReader((tmp_path / "graphbench-sc1.csv").read_text("utf-8").splitlines()))
    assert [(row["algorithm"], row["trial"]) for row in written[:3]] == [
        ("floyd-warshall", "1"),
        ("tarjan", "1"),
        ("floyd-warshall", "2"),
    ]
    assert {row["validated"] for row in written} == {"True"}


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
