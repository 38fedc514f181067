"""Ranks as files."""

import csv
import gzip
import json
from pathlib import Path

from minicrawl.export.tables import export_kept, export_ranks
from minicrawl.store.ranks import RankedPage

PAGES = [
    RankedPage(1, "http://a.test/", 0.75, 0.5, 10, 0, 200, 3, 2, 1.5, "A", "fetched", "ok"),
    RankedPage(2, "http://a.test/b", 0.25, 0.5, 7, 1, None, 1, None, None, None, "waiting", "never-fetched"),
]


def test_ranking_that_was_kept_is_the_last_column(tmp_path: Path) -> None:
    path = tmp_path / "kept.csv"
    export_kept(zip(PAGES, [0.1, 0.9], strict=True), "trust", path)
    with path.open(newline="") as lines:
        assert [row["trust"] for row in csv.DictReader(lines)] == ["0.1", "0.9"]


def test_second_ending_compresses(tmp_path: Path) -> None:
    assert export_ranks(PAGES, tmp_path / "ranks.jsonl.gz") == 2
    with gzip.open(tmp_path / "ranks.jsonl.gz", "rt") as lines:
        assert [json.loads(line)["importance"] for line in lines] == [0.75, 0.25]
