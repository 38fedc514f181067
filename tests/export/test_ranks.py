"""Ranks are read back as they were written; what is no such file is one sentence."""

from pathlib import Path

import pytest

from minicrawl.errors import SettingError
from minicrawl.export.ranks import export_kept, export_ranks, read_ranks
from minicrawl.store.rows import RankedPage

PAGES = [
    RankedPage(1, "http://a.test/", 0.75, 0.5, 10, 0, 200, 3, 2, 1.5, "A", "fetched", "ok"),
    RankedPage(2, "http://a.test/b", 0.25, 0.5, 7, 1, None, 1, None, None, None, "waiting", "never-fetched"),
]


@pytest.mark.parametrize("name", ["ranks.csv", "ranks.jsonl.gz"])
def test_ranks_are_read_as_they_were_written(tmp_path: Path, name: str) -> None:
    assert export_ranks(PAGES, tmp_path / name) == 2
    assert read_ranks(tmp_path / name, "importance")[0] == {page.url: page.importance for page in PAGES}


def test_ranking_that_was_kept_is_the_last_column(tmp_path: Path) -> None:
    path = tmp_path / "kept.csv"
    export_kept(zip(PAGES, [0.1, 0.9], strict=True), "trust", path)
    assert path.read_text().splitlines()[0].endswith(",trust")
    assert read_ranks(path, "trust")[0] == {PAGES[0].url: 0.1, PAGES[1].url: 0.9}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no column 'importance', but none at all"),
        ("url,rank\n", "has no column 'importance', but url, rank"),
        ("url,importance\na,1,2\n", ":2: 3 columns, not 2; export it again"),
        ("url,importance\na,much\n", ":2: importance is no number but 'much'"),
        ("url,importance\na,inf\n", ":2: importance is no number but 'inf'"),
        ("url,importance\na,1\na,2\n", ":3: a has been in the file before; keep one of the lines"),
    ],
)
def test_file_that_is_no_ranking_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "ranks.csv"
    path.write_text(text)
    with pytest.raises(SettingError) as error:
        read_ranks(path, "importance")
    assert str(error.value).removeprefix(str(path)).strip() == message
