"""Tables as files: whole or not at all, in the format that the ending tells."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.patience import PATIENCE

from minicrawl.errors import SettingError
from minicrawl.export.tables import (
    COLUMNS,
    WRITERS,
    Table,
    export_table,
    is_packed,
    renamed_when_whole,
    unpacked_name,
    writer_for,
)
from minicrawl.store.ranks import RankedPage

ROWS = [(1, "a,b", 0.5), (2, None, None)]
TABLE = {"n": int, "text": str, "value": float}


def test_csv_and_json_lines_hold_the_rows() -> None:
    csv, lines = io.BytesIO(), io.BytesIO()
    assert WRITERS[".csv"](Table(TABLE, ROWS), csv) == WRITERS[".jsonl"](Table(TABLE, ROWS), lines) == 2
    assert csv.getvalue() == b'n,text,value\n1,"a,b",0.5\n2,,\n'
    assert [tuple(json.loads(line).values()) for line in lines.getvalue().splitlines()] == ROWS


def test_texts_that_are_none_can_have_another_value_in_json_lines() -> None:
    lines = io.BytesIO()
    WRITERS[".jsonl"](Table(TABLE, ROWS, no_text=""), lines)
    assert json.loads(lines.getvalue().splitlines()[1]) == {"n": 2, "text": "", "value": None}


def test_row_groups_of_parquet_are_bounded_in_characters() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    assert WRITERS[".parquet"](Table({"text": str}, ((f"{n}{'x' * 1_000_000}",) for n in range(20))), file) == 20
    groups = parquet.ParquetFile(file)
    assert [groups.metadata.row_group(number).num_rows for number in range(groups.num_row_groups)] == [5, 5, 5, 5]
    assert [text[:2].strip("x") for text in groups.read()["text"].to_pylist()] == [str(n) for n in range(20)]


def test_unknown_ending_is_refused() -> None:
    with pytest.raises(SettingError, match=r"must end with one of \.csv, \.jsonl, \.parquet, not '\.txt'"):
        writer_for(Path("ranks.txt"), WRITERS)


def test_file_that_fails_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("before")
    with pytest.raises(RuntimeError), renamed_when_whole(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/file")
    for text in ("first", "second"):  # it leads nowhere at first
        with renamed_when_whole(tmp_path / "link") as temporary:
            temporary.write_text(text)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "folder/file").read_text() == text
    assert list((tmp_path / "folder").iterdir()) == [tmp_path / "folder/file"]


def test_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    with renamed_when_whole(pipe) as temporary:
        temporary.write_text("whole")
    reader.join(PATIENCE)
    assert read == ["whole"]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


_PRINTING = """
import sys
from pathlib import Path
from minicrawl.export.tables import renamed_when_whole
print("before")
with renamed_when_whole(Path(sys.argv[1])) as temporary:
    temporary.write_text("whole\\n")
print("after")
"""


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_gets_a_file_in_its_turn(tmp_path: Path, name: str) -> None:
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", _PRINTING, name], check=True, stdout=out, cwd=tmp_path)
    assert (tmp_path / "out").read_text() == "before\nwhole\nafter\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_packed_files_are_known_by_their_ending() -> None:
    assert is_packed(Path("ranks.csv.GZ"))
    assert unpacked_name(Path("ranks.csv.gz")) == Path("ranks.csv")
    assert unpacked_name(Path("ranks.csv")) == Path("ranks.csv")


PAGES = [
    RankedPage(1, "http://a.test/", 0.75, 0.5, 10, 0, 200, 3, 2, 1.5, "A", "fetched", "ok"),
    RankedPage(2, "http://a.test/b", 0.25, 0.5, 7, 1, None, 1, None, None, None, "waiting", "never-fetched"),
]


def test_ranking_that_was_kept_is_the_last_column(tmp_path: Path) -> None:
    path = tmp_path / "kept.csv"
    export_table(Table(COLUMNS | {"trust": float}, ((*PAGES[0], 0.1), (*PAGES[1], 0.9))), path)
    with path.open(newline="") as lines:
        assert [row["trust"] for row in csv.DictReader(lines)] == ["0.1", "0.9"]


def test_second_ending_compresses(tmp_path: Path) -> None:
    assert export_table(Table(COLUMNS, PAGES), tmp_path / "ranks.jsonl.gz") == 2
    with gzip.open(tmp_path / "ranks.jsonl.gz", "rt") as lines:
        assert [json.loads(line)["importance"] for line in lines] == [0.75, 0.25]
