"""Pages exported with their texts."""

import csv
import json
from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.errors import SettingError
from minicrawl.export.texts import export_texts, pages_with_text
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
SITE: Site = {HOME: ["<html lang=en><h1>=Home()</h1>", "/x"], f"{HOME}x": ["<p>one<p>two"]}


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_rows_have_rank_and_text(tmp_path: Path, ending: str) -> None:
    crawl(SITE, tmp_path / "crawl.db", [HOME], text=True)
    path = tmp_path / f"pages.{ending}"
    with open_store(tmp_path / "crawl.db") as reader:
        assert export_texts(pages_with_text(reader), path) == 2
        best = [page.url for page in reader.top(2)]
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file)) if ending == "csv" else [json.loads(line) for line in file]
    assert [row["url"] for row in rows] == best
    texts = {row["url"]: (row["language"] or None, row["h1"] or None, row["text"]) for row in rows}
    formula = "'" if ending == "csv" else ""  # no spreadsheet is to compute what a page says
    assert texts == {
        HOME: ("en", f"{formula}=Home()", f"{formula}=Home()\nto"),
        f"{HOME}x": (None, None, "one\ntwo"),
    }


def test_where_nothing_is_kept_it_is_told(tmp_path: Path) -> None:
    crawl(SITE, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader:
        with pytest.raises(SettingError, match="has no texts; let the crawl go on with --text"):
            list(pages_with_text(reader))
        with pytest.raises(SettingError, match="not by 'trust'"):
            list(pages_with_text(reader, "trust"))
