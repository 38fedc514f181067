"""How values are written for people."""

import re
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, set_cell_size
from support.command_line import run
from support.patience import PATIENCE
from support.sites import crawl

from minicrawl.analysis.status import LeftOut
from minicrawl.cli.output import (
    amount,
    clipped,
    discovery_line,
    duration,
    fitted,
    left_out_line,
    read_line,
    reassuring,
    shortened,
    tally,
    unasked_lines,
)
from minicrawl.errors import held
from minicrawl.log import printable


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
    assert printable("a\x1b[0m\u202eb\u2067c\ud800") == "a�[0m�b�c�"
    for word in ("\U0001f469\u200d\U0001f4bb", "\u0645\u06cc\u200c\u0631\u0648\u062f", "1\xa0000\u3000"):
        assert printable(word) == word, "joiners and spaces are part of words"
    assert printable("Donau\xad\u200bdampf") == "Donaudampf"
    assert printable("a" + 500 * "\u0301" + "b") == "a" + 4 * "\u0301" + "b", "few marks stay on a letter"


def test_work_that_takes_long_is_said_to_go_on_until_it_ends() -> None:
    lines, has_three = list[str](), threading.Event()

    def say(line: str) -> None:
        lines.append(line)
        if len(lines) == 3:
            has_three.set()

    with pytest.raises(KeyError), reassuring("counting", say, every=1e-3):
        assert has_three.wait(PATIENCE)
        raise KeyError
    assert all(re.fullmatch(r"counting: \d+\.\d s so far \.\.\.", line) for line in lines)
    assert "minicrawl-reassuring" not in {thread.name for thread in threading.enumerate()}


def test_work_that_takes_no_time_is_not_spoken_of() -> None:
    lines = list[str]()
    with reassuring("counting", lines.append, every=3600.0):
        pass
    assert lines == []


def test_one_page_is_no_pages() -> None:
    assert read_line(1, 0, held(0.0, 0.0, 0.0)) == "Read 0 of 1 known page"
    assert read_line(1, 1, held(1.0, 1.0, 1.0)) == "Read 1 of 1 known page: 100 % of the importance"
    assert left_out_line(1) == "1 link was left out"


@pytest.mark.parametrize(
    ("low", "about", "shown", "told"),
    [
        (0.58999, 0.6499, 0.70001, "about 64 % of the importance (between 58 and 71 %)"),
        (0.00999, 0.01, 0.0101, "about 1 % of the importance (between 0.9 and 2 %)"),
        (0.0012, 0.00199, 0.0021, "about 0.1 % of the importance (between 0.1 and 0.3 %)"),
        (0.9999999, 0.99999995, 1.0, "about 99 % of the importance (between 99 and 100 %)"),
        (1 - 1e-12, 1.0, 1.0, "100 % of the importance"),
    ],
)
def test_coverage_is_rounded_outwards(low: float, about: float, shown: float, told: str) -> None:
    assert read_line(3, 2, held(low, about, shown)) == f"Read 2 of 3 known pages: {told}"


@pytest.mark.parametrize(
    ("unasked", "told"),
    [
        (LeftOut(), "Read 41 of 92 known pages: 100 % of the importance"),
        (LeftOut(known=51), "Read 41 of 92 known pages, 51 left out: all of the importance that is known"),
        (LeftOut(unread=1), "Read 41 of 92 known pages: all of the importance that is known"),
        (LeftOut(links=1), "Read 41 of 92 known pages: all of the importance that is known"),
    ],
)
def test_a_crawl_that_left_something_out_does_not_say_100_percent(unasked: LeftOut, told: str) -> None:
    assert read_line(92, 41, held(1.0, 1.0, 1.0), unasked) == told


def test_what_was_refused_unread_is_counted_with_an_example() -> None:
    (line,) = unasked_lines(LeftOut(unread=1_200, example="http://a.test/x"))
    assert line == "Left out unread (too long, or beyond a site's budget): 1,200 URLs, such as http://a.test/x"
    assert list(unasked_lines(LeftOut(known=51))) == []


@pytest.mark.parametrize(
    ("fetched", "refreshed", "share", "told"),
    [
        (1000, 700, 0.3, None),
        (1000, 719, 0.3, None),  # within two hundredths
        (1000, 755, 0.3, "24 % of the requests, not 30 % (--discovery): there were no others to request"),
        (1000, 0, 0.3, "100 % of the requests, not 30 % (--discovery): no page read before was due (--refresh-min)"),
        (3, 2, 0.5, None),  # two of three, or one: no nearer than that
        (0, 0, 0.5, None),
    ],
)
def test_share_of_new_pages_that_was_missed_is_told(
    fetched: int, refreshed: int, share: float, told: str | None
) -> None:
    assert discovery_line(fetched, refreshed, share) == (None if told is None else f"New pages got {told}")


@pytest.mark.parametrize("words", [["status"], ["graph", "stats"]])
def test_of_one_page_no_command_says_pages(words: list[str], tmp_path: Path) -> None:
    crawl({"http://a.test/": []}, tmp_path / "crawl.db", ["http://a.test/"])
    said = run(*words, "--store", tmp_path / "crawl.db").output
    assert "1 page" in said
    assert re.findall(r"(?<!\.)\b1 (?:more )?\w+s\b(?! a)", said) == []


_TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z", "M", "S"]) | st.sampled_from("日é /"), max_size=60
)


@given(_TEXTS, st.integers(4, 70))
def test_a_text_is_as_short_as_asked_and_keeps_both_ends(text: str, columns: int) -> None:
    short = shortened(text, columns)
    assert cell_len(short) <= columns
    if cell_len(text) <= columns:
        assert short == text
    else:
        begin, _, end = short.partition("…")
        assert text.startswith(begin)
        assert text.endswith(end)
        assert cell_len(short) >= columns - 2  # a wide character may be too wide for what is left


@given(_TEXTS, st.integers(4, 70))
def test_a_title_loses_its_end(text: str, columns: int) -> None:
    clip = clipped(text, columns)
    assert cell_len(set_cell_size(clip, columns)) == columns
    assert clip == text or text.startswith(clip.removesuffix("…"))


@given(
    st.sampled_from(["", "reasons   ", "  state       ", "              ", "  found on    "]),
    st.lists(st.text("abc/.,日", min_size=1, max_size=90), max_size=30),
    st.integers(40, 200),
)
def test_a_line_is_broken_between_words_below_its_value(label: str, words: list[str], columns: int) -> None:
    line = label + " ".join(words)
    rows = list(fitted([line], columns))
    if cell_len(line) <= columns:
        assert rows == [line]
        return
    assert max(map(cell_len, rows)) <= columns
    assert rows[0].startswith(label)
    indent = len(label) or 2
    assert all(row.startswith(" " * indent) for row in rows[1:])
    shown = rows[0][len(label) :].split() + [word for row in rows[1:] for word in row.split()]
    for word, short in zip(words, shown, strict=True):
        assert short == shortened(word, columns - indent)


def test_where_there_is_no_terminal_everything_stands_in_full() -> None:
    assert list(fitted(["x " * 1000])) == ["x " * 1000]
    assert not re.search("…", shortened("x" * 80, 80))
