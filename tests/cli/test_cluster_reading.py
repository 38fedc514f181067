"""What `minicrawl cluster` says of all partitions together."""

import csv
import json
from contextlib import closing
from pathlib import Path

import pytest
from support.cluster_runs import crawled_by_command
from support.command_line import answer, run
from support.sites import rows

from minicrawl.store.writer import Writer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled_by_command(tmp_path_factory.mktemp("cluster"))[0]


def test_top_and_export_have_the_pages_of_all(folder: Path, tmp_path: Path) -> None:
    status = answer("cluster", "status", "--store", folder)
    assert run("cluster", "export", tmp_path / "ranks.csv", "--store", folder).exit_code == 0
    with (tmp_path / "ranks.csv").open() as file:
        ranks = list(csv.DictReader(file))
    assert len(ranks) == status["known"] == len({row["url"] for row in ranks})
    best = answer("cluster", "top", "--n", "5", "--store", folder)
    assert [(str(page["rank"]), page["url"]) for page in best] == [(row["rank"], row["url"]) for row in ranks[:5]]
    assert best[0]["url"].startswith("http://club.test/"), "every page of every host links there"
    assert best[0]["url"] in run("cluster", "top", "--store", folder).output
    assert set(best[0]) - set(ranks[0]) == {"expected"}, "no page has one"


def test_the_environment_names_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable that names the store to all other commands."""
    monkeypatch.setenv("MINICRAWL_STORE", str(folder))
    assert answer("cluster", "top") == answer("cluster", "top", "--store", folder)


def test_check_audits_all_and_says_what_is_wrong(folder: Path) -> None:
    assert "2 partitions, all consistent" in run("cluster", "check", "--store", folder).output
    number = next(number for number in (0, 1) if rows(folder / f"00{number}.db", "SELECT * FROM mirrors"))
    rows(folder / f"00{number}.db", "UPDATE mirrors SET inlinks = inlinks + 1")
    result = run("cluster", "check", "--store", folder)
    assert (result.exit_code, "in-links, but" in result.output) == (4, True)
    assert json.loads(run("cluster", "check", "--json", "--store", folder).stdout)["problems"]
    rows(folder / f"00{number}.db", "UPDATE mirrors SET inlinks = inlinks - 1")
    assert run("cluster", "check", "--store", folder).exit_code == 0


def test_status_says_what_all_do_and_each_does(folder: Path) -> None:
    told = answer("cluster", "status", "--store", folder)
    assert (told["running"], told["stopped"], told["store"]) == (False, "nothing-left", str(folder))
    assert sum(sum(row["pages"].values()) for row in told["partitions"]) == told["known"]
    lines = run("cluster", "status", "--store", folder).output.splitlines()
    assert lines[0] == f"{folder}: stopped: nothing-left"
    assert f"coverage  {told['known']} pages known, {told['read']} read; these hold" in "\n".join(lines)
    assert [line.split()[0] for line in lines[-3:]] == ["partition", "0", "1"]


def test_why_tells_of_a_page_wherever_it_is(folder: Path) -> None:
    best = answer("cluster", "top", "--n", "1", "--store", folder)[0]
    told = answer("cluster", "why", best["url"], "--store", folder)
    assert (told["rank"], told["importance"], told["url"]) == (1, best["importance"], best["url"])
    other = 1 - told["partition"]
    assert told["mirrors"] == [other], "every page of every host links there"
    output = run("cluster", "why", best["url"], "--store", folder).output
    assert output.splitlines()[1] == f"  partition   {told['partition']}; pages of {other} link to it, too"
    assert "rank 1 of" in output
    assert "unknown     no-link" in run("cluster", "why", "http://h9.test/", "--store", folder).output


def test_verify_compares_all_with_exact_pagerank(folder: Path) -> None:
    told = json.loads(run("cluster", "verify", "--json", "--store", folder).stdout)
    assert (told["known"], told["problem"]) == (answer("cluster", "status", "--store", folder)["known"], None)
    assert told["stored"]["l1"] < 1e-5
    assert "importance, settled" in run("cluster", "verify", "--store", folder).output
    with closing(Writer(folder / "001.db")):
        result = run("cluster", "verify", "--store", folder)
    assert (result.exit_code, "stop it" in result.stderr) == (3, True)


@pytest.mark.parametrize("command", ["top", "status", "check", "verify", "why a.test", "export ranks.csv"])
def test_no_crawl_is_exit_3(command: str, tmp_path: Path) -> None:
    result = run("cluster", *command.split(), "--store", tmp_path / "none")
    assert (result.exit_code, "there is no crawl in partitions at" in result.stderr) == (3, True)
