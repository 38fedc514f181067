"""minicrawl export"""

import csv
import json
from pathlib import Path

import pytest
from support.command_line import HOME, run


def test_exported_title_is_no_formula_and_no_escape_sequence(store: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "ranks.csv", "--store", store)
    with (tmp_path / "ranks.csv").open(newline="") as lines:
        titles = {row["url"]: row["title"] for row in csv.DictReader(lines)}
    assert titles[HOME + "a"] == '\'=cmd("x")'
    assert "\x1b" not in run("top", "--store", store).output


def test_columns_are_those_that_are_named_in_every_format(store: Path, tmp_path: Path) -> None:
    names = ["status", "url", "fetched_iso", "seconds"]
    for ending in ("csv", "jsonl"):
        result = run("export", tmp_path / f"ranks.{ending}", "--columns", ",".join(names), "--store", store)
        assert result.exit_code == 0, result.stderr
    with (tmp_path / "ranks.csv").open(newline="") as lines:
        found = list(csv.reader(lines))
    objects = [json.loads(line) for line in (tmp_path / "ranks.jsonl").read_text().splitlines()]
    assert found[0] == names == list(objects[0])
    assert found[1:] == [["" if value is None else str(value) for value in row.values()] for row in objects]
    parquet = pytest.importorskip("pyarrow.parquet")
    run("export", tmp_path / "ranks.parquet", "--columns", ",".join(names), "--store", store)
    assert parquet.read_table(tmp_path / "ranks.parquet").to_pylist() == objects


def test_kept_ranking_is_a_column_and_mistakes_are_sentences(store: Path, tmp_path: Path) -> None:
    run("rank", "--by", "pagerank", "--save", "mine", "--store", store)
    result = run("export", tmp_path / "x.csv", "--by", "mine", "--columns", "url,mine", "--store", store)
    assert result.exit_code == 0
    assert (tmp_path / "x.csv").read_text().startswith("url,mine\n")
    for words, sentence in (
        (["x.csv", "--columns", "url,titel"], "not 'titel': is it 'title'?"),
        (["x.csv", "--columns", "url", "--text"], "--columns and --text do not go together; leave one out"),
    ):
        result = run("export", *words, "--store", store)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert sentence in result.stderr
