"""minicrawl export"""

import csv
import json
from pathlib import Path
from typing import BinaryIO

import pytest
from command_line import HOME, run
from sites import rows


def test_exported_title_is_no_formula_and_no_escape_sequence(store: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "ranks.csv", "--store", store)
    with (tmp_path / "ranks.csv").open(newline="") as lines:
        titles = {row["url"]: row["title"] for row in csv.DictReader(lines)}
    assert titles[HOME + "a"] == '\'=cmd("x")'
    assert "\x1b" not in run("top", "--store", store).output


def test_export_as_json_lines_has_every_page(store: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "ranks.jsonl", "--store", store)
    pages = [json.loads(line) for line in (tmp_path / "ranks.jsonl").read_text().splitlines()]
    assert [page["rank"] for page in pages] == [1, 2, 3, 4, 5]
    assert {page["state"] for page in pages} == {"fetched", "error", "alias"}


def test_export_as_parquet_round_trips(store: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("export", tmp_path / "ranks.parquet", "--store", store)
    expected = [url for (url,) in rows(store, "SELECT url FROM ranks")]
    assert parquet.read_table(tmp_path / "ranks.parquet")["url"].to_pylist() == expected


def test_failed_export_leaves_the_old_file(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from minicrawl.export.tables import WRITERS

    def breaks(pages: object, file: BinaryIO) -> int:
        file.write(b"half")
        raise OSError("disk gone")

    file = tmp_path / "ranks.csv"
    file.write_text("old")
    monkeypatch.setitem(WRITERS, ".csv", breaks)
    result = run("export", file, "--store", store)
    assert (result.exit_code, result.stderr) == (2, f"Error: {file} cannot be written: disk gone; name another file\n")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if "ranks" in path.name] == ["ranks.csv"]
