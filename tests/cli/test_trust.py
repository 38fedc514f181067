"""'minicrawl rank trust': judge some pages, and see what follows."""

import csv
from pathlib import Path

import pytest
from support.command_line import answer, run
from support.shops import NEWS, SITE, A
from support.sites import crawl

from minicrawl.store.rows import SpamSign
from minicrawl.store.writer import Writer


@pytest.fixture
def store(tmp_path: Path) -> Path:
    crawl(SITE, tmp_path / "crawl.db", [A])
    return tmp_path / "crawl.db"


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
    assert run("compare", "mine", "mine-mass", "--store", store).exit_code == 0


def test_signs_of_deceit_stand_beside_trusted_pages_and_suspects(store: Path) -> None:
    path = judge(store, NEWS)
    with Writer(store) as writer, writer.transaction():
        page = writer.page_table.find([A])[A]
        writer.save_spam_signs([page], (), [SpamSign(page, sign, "told") for sign in ("stuffed", "hidden")])
    found = answer("rank", "trust", "--good", path, "--least-rank", "0", "--store", store)
    for pages in (found["trust"], found["suspects"]):
        assert {page["url"]: page["signs"] for page in pages if page["signs"]} == {A: ["hidden", "stuffed"]}
    lines = run("rank", "trust", "--good", path, "--least-rank", "0", "--store", store).stdout.splitlines()
    assert [line.endswith("(hidden, stuffed)") for line in lines if A in line.split()] == [True, True]


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
