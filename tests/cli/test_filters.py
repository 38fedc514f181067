"""The same pages by every command and in every format."""

import csv
import json
from pathlib import Path

import pytest
from support.command_line import HOME, answer, run

FILTERS = [
    (["--state", "fetched"], {HOME, HOME + "a", HOME + "b"}),
    (["--status", "404"], {HOME + "gone"}),
    (["--reason", "redirect-*"], {"http://b.test/"}),
    (["--site", "b.test"], {"http://b.test/"}),
    (["--depth", "1-", "--state", "fetched,error"], {HOME + "a", HOME + "b", HOME + "gone"}),
    (["--content-type", "text/html", "--depth", "0"], {HOME}),
    (["--where", "title LIKE 'B%'"], {HOME + "b"}),
    (["--where", "status = 404 OR depth = 0", "--state", "error"], {HOME + "gone"}),
]


@pytest.mark.parametrize(("words", "urls"), FILTERS)
def test_export_has_the_pages_in_every_format(store: Path, tmp_path: Path, words: list[str], urls: set[str]) -> None:
    found = {}
    for ending in ("csv", "jsonl"):
        result = run("export", tmp_path / f"ranks.{ending}", *words, "--store", store)
        assert result.exit_code == 0, result.stderr
        assert f"{len(urls)} page" in result.stdout
    with (tmp_path / "ranks.csv").open(newline="") as lines:
        found["csv"] = {row["url"] for row in csv.DictReader(lines)}
    found["jsonl"] = {json.loads(line)["url"] for line in (tmp_path / "ranks.jsonl").read_text().splitlines()}
    assert found == {"csv": urls, "jsonl": urls}


@pytest.mark.parametrize(("words", "urls"), FILTERS[:3])
def test_export_has_the_same_as_parquet(store: Path, tmp_path: Path, words: list[str], urls: set[str]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("export", tmp_path / "ranks.parquet", *words, "--store", store)
    assert set(parquet.read_table(tmp_path / "ranks.parquet")["url"].to_pylist()) == urls


@pytest.mark.parametrize(("words", "urls"), FILTERS)
def test_top_has_the_same_pages_with_their_ranks_among_all(store: Path, words: list[str], urls: set[str]) -> None:
    ranks = {page["url"]: page["rank"] for page in answer("top", "--all", "--store", store)}
    for more in ([], ["--all"]):
        found = answer("top", *words, *more, "--store", store)
        if more or words[0] not in ("--site", "--content-type"):  # else top leaves out what cannot be opened
            assert {page["url"] for page in found} == urls
        assert all(page["rank"] == ranks[page["url"]] for page in found)


def test_kept_rankings_and_texts_are_filtered_too(store: Path, tmp_path: Path) -> None:
    run("rank", "--by", "pagerank", "--save", "mine", "--store", store)
    assert [page["url"] for page in answer("top", "--by", "mine", "--status", "404", "--store", store)] == [
        HOME + "gone"
    ]
    assert run("export", tmp_path / "mine.csv", "--by", "mine", "--site", "b.test", "--store", store).exit_code == 0
    with (tmp_path / "mine.csv").open(newline="") as lines:
        assert [row["url"] for row in csv.DictReader(lines) if row["mine"]] == ["http://b.test/"]


@pytest.mark.parametrize("command", [["top"], ["export", "ranks.csv"]])
def test_mistake_is_one_sentence_and_exit_2(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["--state", "red"], ["--where", "1; DROP TABLE pages"], ["--where", "importanse > 1"]):
        result = run(*command, *words, "--store", store)
        assert (result.exit_code, result.stderr.count("\n"), result.stdout) == (2, 1, "")
        assert result.stderr.startswith(f"Error: {words[0]} ")
    assert not (tmp_path / "ranks.csv").exists()


def test_sites_have_no_filters(store: Path) -> None:
    result = run("top", "--sites", "--content-type", "text/html", "--store", store)
    assert result.exit_code == 2
    assert "--content-type is about pages; leave it out, or leave --sites out" in result.stderr
