"""'minicrawl rank trust': judge some pages, and see what follows."""

import csv
from pathlib import Path

import pytest
from support.command_line import answer, run
from support.shops import NEWS, SITE, A
from support.sites import crawl


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trust") / "crawl.db"
    crawl(SITE, path, [A])
    return path


def judge(store: Path, good: str) -> Path:
    """What a person does with the file: yes at one page, no at the others."""
    written = run("rank", "trust", "--candidates", "3", "--store", store)
    assert written.exit_code == 0
    rows = list(csv.DictReader(written.stdout.splitlines()))
    assert len(rows) == 3
    path = store.parent / "judge.csv"
    with path.open("w", newline="") as file:
        sheet = csv.DictWriter(file, rows[0].keys())
        sheet.writeheader()
        sheet.writerows(row | {"good": "yes" if row["url"] == good else "no"} for row in rows)
    return path


def test_candidates_judged_give_the_trust_that_spreads_from_the_good_ones(store: Path) -> None:
    found = answer("rank", "trust", "--good", judge(store, NEWS), "--store", store)
    trusted = answer("rank", "--by", "trustrank", "--trusted", NEWS, "--store", store)
    assert (found["good"], found["bad"]) == (1, 2)
    assert {page["url"]: page["value"] for page in found["trust"]} == {page["url"]: page["value"] for page in trusted}


def test_what_follows_is_printed_and_kept(store: Path) -> None:
    result = run("rank", "trust", "--good", judge(store, NEWS), "--store", store, "--save", "mine")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "Trust from 1 page judged good; 2 judged not."
    assert lines[2].split()[:3] == ["rank", "importance", "trust"]
    assert result.stderr.startswith("Kept as mine, mine-relative, mine-mass;")


def test_candidates_as_json(store: Path) -> None:
    found = answer("rank", "trust", "--candidates", "2", "--store", store)
    assert [set(page) for page in found] == [{"url", "title", "inverse"}] * 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["trust"], "say --candidates N for pages to judge, or --good FILE"),
        (["--n", "3", "trust", "--candidates", "3"], "--n stands before 'trust'; say it behind, if trust has it"),
    ],
)
def test_mistake_is_one_sentence(store: Path, words: list[str], message: str) -> None:
    result = run("rank", *words)
    assert (result.exit_code, result.stderr.startswith(f"Error: {message}")) == (2, True), result.stderr
