"""Columns that a user names, as lines."""

import pytest

from minicrawl.cli import column_table
from minicrawl.cli.column_table import column_lines
from minicrawl.cli.fitting import cells

COLUMNS = {"rank": int, "url": str, "importance": float, "title": str}
ROWS = [
    (1, "http://a.test/", 0.123456, "Home \x1b[31m"),
    (12, "http://a.test/" + "long/" * 30, None, "\u6f22\u5b57 " * 30),
    (3, "http://b.test/", 1e-9, None),
]


def test_numbers_stand_right_and_texts_left_in_full_where_there_is_room() -> None:
    head, first, second, third = column_lines(COLUMNS, ROWS)
    assert head.split() == list(COLUMNS)
    assert first.startswith("   1  http://a.test/ ")
    assert " 0.1235  Home \ufffd[31m" in first
    assert ROWS[1][1] in second
    assert third.split() == ["3", "http://b.test/", "1e-09"]
    assert head.index("title") == first.index("Home")


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_lines_fit_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_table, "terminal_columns", lambda: columns)
    lines = column_lines(COLUMNS, ROWS)
    assert all(cells(line) <= columns for line in lines)
    assert "\u2026" in lines[2]
    assert lines[3].split()[1] == "http://b.test/"


def test_what_cannot_be_shortened_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_table, "terminal_columns", lambda: 40)
    numbers = {f"number-{place}": int for place in range(9)}
    assert column_lines(numbers, [tuple(range(9))])[1].split() == [str(number) for number in range(9)]
