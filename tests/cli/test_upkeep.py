"""minicrawl check, verify, backup, gather, compact and salvage"""

import json
import os
import shutil
from pathlib import Path

import pytest
from support.archives import files
from support.command_line import HOME, SITE, answer, run
from support.partition_twins import THREE, twins
from support.sites import crawl, rows

from minicrawl.store.reader import open_store


def test_a_store_is_as_small_as_it_can_be_and_says_what_it_said(store: Path) -> None:
    before = rows(store, "SELECT * FROM ranks")
    rows(store, "CREATE TABLE ballast AS SELECT zeroblob(1000000) AS weight")
    rows(store, "DROP TABLE ballast")
    told = answer("compact", "--store", store)
    assert told["store"] == str(store)
    assert told["bytes_after"] == store.stat().st_size < told["bytes_before"]
    assert rows(store, "SELECT * FROM ranks") == before
    assert " before, " in run("compact", "--store", store).output


def test_check_passes_on_a_good_store_and_exits_with_4_on_a_bad_one(store: Path) -> None:
    assert run("check", "--store", store).exit_code == 0
    rows(store, "UPDATE pages SET cash = cash + 1 WHERE id = 0")
    result = run("check", "--store", store)
    assert result.exit_code == 4
    assert "the book holds" in result.output
    assert len(json.loads(run("check", "--json", "--store", store).stdout)["problems"]) == 2


def test_verify_compares_every_ranking_with_exact_pagerank(store: Path) -> None:
    told = json.loads(run("verify", "--json", "--store", store).stdout)
    assert list(told) == [
        *("store", "known", "read", "aliases", "links", "top", "stored", "settled", "history", "inlinks"),
        *("rounds", "visits", "rounding", "births", "births_are_old", "coverage", "coverage_about", "coverage_shown"),
        *("tolerance", "problem"),
    ]
    assert list(told["stored"]) == ["overlap", "tau", "l1", "largest", "certificate"]
    assert (told["known"], told["aliases"], told["links"], told["top"]) == (5, 1, 8, 4)
    assert (told["tolerance"], told["problem"]) == (1e-6, None)
    result = run("verify", "--store", store)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:2] == [
        f"{store}: 8 links; aliases, folded into their targets: 1",
        "Read 4 of 5 known pages: 100 % of the importance.",
    ]
    assert lines[3].split() == [
        *("against", "exact", "PageRank", "top", "4", "tau", "L1", "error", "largest", "certified")
    ]
    assert [line.split()[-5:-3] for line in lines[4:6]] == [["4", f"{told['stored']['tau']:.5f}"]] * 2
    assert [line.split()[-1] for line in lines[6:8]] == ["-", "-"]


@pytest.mark.parametrize("change", ["doors SET is_entrance = 0", "doors SET voices = 1", "pages SET cited = 9"])
def test_verify_exits_with_4_when_jumps_are_not_those_by_the_links(store: Path, change: str) -> None:
    assert json.loads(run("verify", "--json", "--store", store).stdout)["births"] == pytest.approx(0.0, abs=1e-12)
    assert run("verify", "--store", store).output.endswith(" Jumps as stored are those by the links.\n")
    rows(store, f"UPDATE {change} WHERE rowid = 0")
    result = run("verify", "--store", store)
    assert result.exit_code == 4
    assert result.output.splitlines()[-1].startswith("The chances of jumps as stored are ")


def test_verify_exits_with_4_when_the_accounts_do_not_belong_to_the_links(store: Path) -> None:
    rows(store, "UPDATE pages SET cash = 2 * (cash + forwarded) - forwarded WHERE id = 0")
    result = run("verify", "--store", store)
    assert result.exit_code == 4
    problem = result.output.splitlines()[-1]
    assert problem.startswith("The settled ranking is 0.")
    assert problem.endswith(
        f"the accounts do not belong to the links; run 'minicrawl check --store {store}' to see where."
    )
    result = run("verify", "--json", "--store", store)
    assert (result.exit_code, json.loads(result.stdout)["problem"]) == (4, problem)
    assert run("verify", "--tolerance", "2", "--store", store).exit_code == 0


def test_a_copy_is_a_store_and_its_size_is_printed(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    result = run("backup", copy, "--store", store)
    assert (result.exit_code, result.output.startswith(f"{copy}: 5 pages, ")) == (0, True)
    with open_store(copy) as reader, open_store(store) as original:
        assert list(reader.page_table.urls()) == list(original.page_table.urls())
    told = answer("backup", copy, "--force", "--store", store)
    assert told == {"store": str(store), "file": str(copy), "pages": 5, "bytes": copy.stat().st_size}


def test_a_copy_with_its_archive_goes_on_without_the_original(tmp_path: Path) -> None:
    """What was not committed is not copied; what is there already is not copied again."""
    store, copy, kept = tmp_path / "live" / "crawl.db", tmp_path / "safe" / "crawl.db", tmp_path / "safe" / "kept"
    copy.parent.mkdir()
    crawl(SITE, store, [HOME], archive=tmp_path / "live" / "kept", pages=2)
    (begun,) = files(tmp_path / "live" / "kept")
    committed = begun.stat().st_size
    with begun.open("ab") as file:
        file.write(b"begun")
    told = answer("backup", copy, "--archive", kept, "--store", store)
    assert (told["archive"], told["archive_bytes"]) == (str(kept), committed)
    again = answer("backup", copy, "--force", "--archive", kept, "--store", store)
    assert again["archive_bytes"] == 0
    shutil.rmtree(tmp_path / "live")
    (listed,) = answer("archive", "list", HOME, "--store", copy)
    assert listed["status"] == 200
    checked = run("archive", "check", "--deep", "--store", copy)
    assert checked.exit_code == 0, checked.output
    crawl(SITE, copy, [])
    assert len(files(kept)) == 2
    assert run("archive", "check", "--deep", "--store", copy).exit_code == 0
    assert answer("archive", "list", f"{HOME}b", "--store", copy)


def test_a_copy_without_an_archive_or_with_a_damaged_one_is_one_sentence(store: Path, tmp_path: Path) -> None:
    refused = run("backup", tmp_path / "copy.db", "--archive", tmp_path / "kept", "--store", store)
    assert (refused.exit_code, "has no archive; leave out --archive" in refused.stderr) == (2, True)
    crawl(SITE, tmp_path / "other.db", [HOME], archive=tmp_path / "archive")
    same = run("backup", tmp_path / "copy.db", "--archive", tmp_path / "archive", "--store", tmp_path / "other.db")
    assert (same.exit_code, "is the archive itself" in same.stderr) == (2, True)
    (file,) = files(tmp_path / "archive")
    os.truncate(file, 100)
    damaged = run("backup", tmp_path / "copy.db", "--archive", tmp_path / "kept", "--store", tmp_path / "other.db")
    assert (damaged.exit_code, "has 100 bytes, but the store expects" in " ".join(damaged.stderr.split())) == (3, True)
    assert not files(tmp_path / "kept")


def test_partitions_are_gathered_into_a_store(tmp_path: Path) -> None:
    one, folder = twins(tmp_path, THREE)
    store = tmp_path / "crawl.db"
    assert run("gather", folder, store).output.startswith(f"{store}: 4 pages, ")
    assert run("gather", folder, store).output.endswith(", nothing has changed\n")
    told = answer("gather", folder, store, "--force")
    assert told.pop("seconds") >= 0.0
    size = store.stat().st_size
    assert told == {"folder": str(folder), "file": str(store), "is_new": True, "pages": 4, "bytes": size}
    for words in (["top"], ["links", "--redirected"], ["check"]):
        assert run(*words, "--store", store).output.replace("crawl.db", "one.db") == run(*words, "--store", one).output
    refused = run("gather", one, tmp_path / "other.db")
    assert (refused.exit_code, "is a file, but a crawl in partitions has a folder" in refused.stderr) == (3, True)
    assert run("gather", folder, one).stderr.startswith(f"Error: {one} already exists")
