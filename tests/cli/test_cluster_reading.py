"""What `minicrawl cluster` says of all partitions together."""

import csv
import json
from pathlib import Path

import pytest
from cluster_runs import crawled_by_command
from command_line import answer, run
from sites import rows


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


def test_check_audits_all_and_says_what_is_wrong(folder: Path) -> None:
    assert "2 partitions, all consistent" in run("cluster", "check", "--store", folder).output
    number = next(number for number in (0, 1) if rows(folder / f"00{number}.db", "SELECT * FROM mirrors"))
    rows(folder / f"00{number}.db", "UPDATE mirrors SET inlinks = inlinks + 1")
    result = run("cluster", "check", "--store", folder)
    assert (result.exit_code, "in-links, but" in result.output) == (4, True)
    assert json.loads(run("cluster", "check", "--json", "--store", folder).stdout)["problems"]
    rows(folder / f"00{number}.db", "UPDATE mirrors SET inlinks = inlinks - 1")
    assert run("cluster", "check", "--store", folder).exit_code == 0


@pytest.mark.parametrize("command", ["top", "status", "check", "export ranks.csv"])
def test_no_crawl_is_exit_3(command: str, tmp_path: Path) -> None:
    result = run("cluster", *command.split(), "--store", tmp_path / "none")
    assert (result.exit_code, "there is no crawl in partitions at" in result.stderr) == (3, True)
