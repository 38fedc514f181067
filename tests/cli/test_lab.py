"""minicrawl lab: every experiment runs, says what held and leaves its files."""

import csv
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from support.sites import crawl, random_site

from minicrawl.cli import main
from minicrawl.installed import adding
from minicrawl.lab.figures import FIGURES
from minicrawl.lab.webs import power_law

SMALL = ["--nodes", "2000", "--graphs", "1"]


def lab(*words: str) -> Result:
    return CliRunner().invoke(main, ["lab", *words])


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    graph = power_law(600, np.random.default_rng(1))
    sources = np.repeat(np.arange(graph.size), graph.outdegrees())
    path = tmp_path / "web.edges"
    path.write_text("".join(f"{s} {t}\n" for s, t in zip(sources, graph.targets, strict=True)))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_figure_leaves_rows_and_a_picture_and_says_what_held(tmp_path: Path, name: str) -> None:
    result = lab("figure", name, *SMALL, "--out", str(tmp_path / "deep" / "out"))
    assert result.exit_code == 0, result.output
    rows, picture = sorted((tmp_path / "deep" / "out").iterdir())
    assert (rows.suffix, picture.suffix) == (".csv", ".svg")
    table = list(csv.reader(rows.read_text("utf-8").splitlines()))
    assert len(table) > 5
    assert {len(row) for row in table} == {len(table[0])}
    assert picture.read_text("utf-8").rstrip().endswith("</svg>")
    lines = result.stdout.splitlines()
    claims = [line for line in lines if line.startswith("- ")]
    assert claims
    assert all(line.startswith(("- holds: ", "- does not hold: ")) and "Measured: " in line for line in claims)
    assert lines[-3:-1] == [str(rows), str(picture)]


def test_figure_all_names_every_figure(tmp_path: Path) -> None:
    assert set(FIGURES) == {"2", "3", "4", "5", "6", "orders", "discovery", "settle"}
    choices = lab("figure", "--help").stdout
    assert "{2|3|4|5|6|orders|discovery|settle|all}" in choices


@pytest.mark.slow
def test_refresh_of_a_graph_has_its_importance(tmp_path: Path) -> None:
    """On a ring all pages are worth the same, so that the order by cash gains next to nothing over all in turn."""
    ring = tmp_path / "ring.txt"
    ring.write_text("".join(f"{page} {(page + 1) % 50}\n" for page in range(50)))
    result = lab("refresh", str(ring), "--quick", "--out", str(tmp_path / "out"), "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    fresh = {
        row["schedule"]: row["freshness"]
        for row in rows
        if (row["fetches per page and change"], row["rest of a host in fetches"]) == (1.0, 0)
    }
    assert abs(fresh["importance (order by cash)"] - fresh["all in turn"]) < 0.04


def test_refresh_of_a_graph_that_is_not_there_is_one_sentence() -> None:
    result = lab("refresh", "nowhere.npz")
    assert (result.exit_code, "there is no graph file 'nowhere.npz'" in result.output) == (2, True)


@pytest.mark.slow
def test_matrices_of_a_file_with_urls_know_its_sites(tmp_path: Path, edges: Path) -> None:
    named = tmp_path / "named.tsv"
    named.write_text("".join(f"http://{a}.test/{a}\thttp://{b % 3}.test/{b}\n" for a in range(3) for b in range(3, 40)))
    for graph, count in ((named, 5), (edges, 4)):
        result = lab("matrices", str(graph), "--out", str(tmp_path / "out"), "--json")
        assert result.exit_code == 0, result.output
        assert len({row["matrix"] for row in json.loads(result.stdout)["rows"]}) == count


def test_sites_of_a_file_with_urls(tmp_path: Path) -> None:
    graph = power_law(400, np.random.default_rng(1))
    links = tmp_path / "links.tsv"
    names = [f"http://{'www.' * (page % 2)}site{page % 8}.test/{page}" for page in range(graph.size)]
    ends = zip(graph.sources().tolist(), graph.targets.tolist(), strict=True)
    links.write_text("".join(f"{names[a]}\t{names[b]}\n" for a, b in ends))
    result = lab("sites", str(links), "--draws", "1", "--seeds", "5", "--out", str(tmp_path / "out"), "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert " 8 sites, 5 seeds" in document["title"]
    assert {row["question"] for row in document["rows"]} >= {"agreement", "early", "order", "fronts", "farm"}


@pytest.mark.slow
def test_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for run in ("one", "two"):
        lab("figure", "2", *SMALL, "--seed", "7", "--out", str(tmp_path / run))
    lab("figure", "2", *SMALL, "--seed", "8", "--out", str(tmp_path / "other"))
    for name in ("figure2.csv", "figure2.svg"):
        one, two, other = ((tmp_path / run / name).read_bytes() for run in ("one", "two", "other"))
        assert one == two != other


@pytest.mark.slow
def test_quick_is_a_tenth_of_the_pages_and_one_web(tmp_path: Path) -> None:
    quick = lab("figure", "2", "--nodes", "20000", "--quick", "--json", "--out", str(tmp_path))
    whole = lab("figure", "2", *SMALL, "--json", "--out", str(tmp_path))
    assert json.loads(quick.stdout) == json.loads(whole.stdout)


@pytest.mark.slow
def test_json_is_one_document(tmp_path: Path) -> None:
    document = json.loads(lab("figure", "3", *SMALL, "--json", "--out", str(tmp_path)).stdout)
    assert set(document) == {"name", "title", "rows", "claims", "files"}
    assert set(document["claims"][0]) == {"said", "held", "measured"}
    assert document["rows"][0]["visits in N"] == 1.0


@pytest.mark.slow
def test_orders_of_an_edge_list(tmp_path: Path, edges: Path) -> None:
    result = lab("orders", str(edges), "--sets", "2", "--seeds", "3", "--out", str(tmp_path / "out"), "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert {row["order"] for row in rows} >= {"greedy", "opic", "breadth-first", "RankMass", "omniscient"}
    assert {row["seed set"] for row in rows} == {1, 2}


@pytest.mark.slow
def test_orders_that_are_named_stand_below_each_other(tmp_path: Path, edges: Path) -> None:
    words = ["--sets", "2", "--seeds", "3", "--orders", "omniscient, random", "--out", str(tmp_path / "out")]
    result = lab("orders", str(edges), *words)
    assert result.exit_code == 0, result.output
    head, *lines = result.stdout.splitlines()[-4:]
    assert head.split()[:2] == ["order", "area"]
    assert {line.split()[0] for line in lines} == {"greedy", "omniscient", "random"}
    areas = [float(line.split()[1]) for line in lines]
    assert areas == sorted(areas, reverse=True)


@pytest.mark.slow
def test_convergence_on_a_store(tmp_path: Path) -> None:
    site, seeds = random_site(1)
    crawl(site, tmp_path / "crawl.db", seeds)
    result = lab("convergence", str(tmp_path / "crawl.db"), "--visits", "3", "--out", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert "Convergence on" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["figure", "2", "--nodes", "5"], "--nodes must be at least 2000, not 5"),
        (["figure", "2", "--graphs", "0"], "--graphs must be at least 1, not 0"),
        (
            ["figure", "2", "--model", "small-world"],
            "--model is one of power-law, power-law-out, correlated, poisson, not 'small-world'",
        ),
        (
            ["orders", "nowhere.npz", "--orders", "best"],
            "--orders are some of greedy, opic, RankMass, batch PageRank, in-links, breadth-first, random, omniscient, "
            "not 'best'",
        ),
        (["orders", "nowhere.npz"], "there is no graph file 'nowhere.npz'; name one that exists"),
        (["convergence", "nowhere.txt"], "there is no graph file 'nowhere.txt'; name one that exists"),
    ],
)
def test_wrong_input_gets_one_sentence(words: list[str], message: str) -> None:
    result = lab(*words)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == f"Error: {message}"


def test_folder_that_cannot_be_made_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = lab("figure", "2", *SMALL, "--out", str(tmp_path / "file" / "out"))
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        f"Error: --out {tmp_path / 'file' / 'out'} cannot be written: Not a directory; name another folder"
    )


def test_without_the_extra_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    result = lab("figure", "2")
    assert result.exit_code == 2
    assert result.stderr == f"Error: the lab needs numba and matplotlib; run: {adding('lab')}\n"
