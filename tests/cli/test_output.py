"""How values are written for people."""

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
