"""Extraction settings are checked before the crawl."""

from pathlib import Path

import pytest
from support.sites import crawl

from minicrawl.errors import SettingError


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"extract": ["a=p"]}, r"--extract needs a file for what it finds: --items FILE\.jsonl, \.csv or \.parquet"),
        ({"extract_structured": True}, "--extract-structured needs a file"),
        ({"extract": ["a=p"], "items": "items.txt"}, r"must end with one of \.jsonl, \.csv, \.parquet, not '\.txt'"),
        ({"extract": ["more=p"], "items": "items.parquet"}, "has a column 'more' already"),
        ({"hook": ["no_such_module"]}, "--hook no_such_module: no_such_module cannot be imported"),
    ],
)
def test_what_cannot_be_had_is_told_before_there_is_a_store(
    tmp_path: Path, settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(SettingError, match=sentence):
        crawl({}, tmp_path / "crawl.db", ["http://a.test/"], **settings)
    assert list(tmp_path.iterdir()) == []


def test_file_of_something_else_is_told_before_there_is_a_store(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text("letters")
    with pytest.raises(SettingError, match="already exists"):
        crawl({}, tmp_path / "crawl.db", ["http://a.test/"], extract=["a=p"], items=str(tmp_path / "items.jsonl"))
    assert [path.name for path in tmp_path.iterdir()] == ["items.jsonl"]
