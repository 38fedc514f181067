"""How values are written for people."""

import re
from pathlib import Path

import pytest
from command_line import run
from sites import crawl

from minicrawl.cli.output import amount, duration, printable, read_line, tally


def test_values_are_written_for_people() -> None:
    assert [amount(size) for size in (0, 999, 1000, 12_345_678, 5e12)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "12.3 MB",
        "5000.0 GB",
    ]
    assert [duration(seconds) for seconds in (2.5, 60, 3723)] == ["2.5 s", "1:00", "1:02:03"]
    assert tally({"a": 1, "b": 2000}) == "b 2,000, a 1"
    assert printable("a\x1b[0m\u202eb") == "a�[0m�b"


def test_one_page_is_no_pages() -> None:
    assert read_line(1, 0, 0.0, 0) == "1 page is known, 0 read"
    assert read_line(1, 1, 1.0, 1) == (
        "1 page is known, 1 read; it holds at least 100.0% of the importance of the 1 known page; 1 link was left out"
    )


@pytest.mark.parametrize("words", [["status"], ["verify"], ["graph", "stats"], ["compare", "ranks.csv", "other.csv"]])
def test_of_one_page_no_command_says_pages(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number, file in enumerate(["ranks.csv", "other.csv"]):
        Path(file).write_text(f"url,importance\nhttp://{number}.test/,1\n")
    crawl({"http://a.test/": []}, Path("crawl.db"), ["http://a.test/"])
    said = run(*words, "--store", "crawl.db").output
    assert "1 page" in said
    assert re.findall(r"\b1 (?:more )?\w+s\b(?! a)", said) == []
