"""The display is a function of a moment; it never lets a URL steer the terminal."""

import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console
from support.moments import BEST, MOMENT

from minicrawl.cli.live_display import Speeds, render
from minicrawl.model import Progress


def shown(progress: Progress, columns: int = 100, rows: int = 40) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=columns, force_terminal=False).print(render(progress, BEST, columns, rows))
    return out.getvalue().splitlines()


def test_display_answers_how_far_how_fast_and_what_it_waits_for() -> None:
    text = "\n".join(shown(MOMENT, 140))
    for part in (
        "running",
        "1,000 of 4,000 pages, about 6 min left",
        "1,500 in 3:05, 13.3 MB; 8.0 pages/s just now; 1,000 in this run",
        "5,000, 3,900 of them not read; 15,001 links left out",
        "at least 50.0% of the importance of the known pages",
        "12, the first for 4.0 s: http://a.test/",
        "3 ready, 40 waiting for: delay 30, crawl-delay 8, failures 2",
        "a.test 25% read, b.test�[2J 100% read",
        "c.test until ",
        ", Crawl-delay 30 s",
        "404  http://d.test/",
        "http-404 12, dns 3",
        "10.0 links a page",
        "2.00%",
    ):
        assert part in text
    assert "\x1b" not in text


@pytest.mark.parametrize("columns", [40, 60, 79, 80, 120, 200])
@pytest.mark.parametrize("rows", [12, 24])
def test_display_fits_the_terminal(columns: int, rows: int) -> None:
    lines = shown(MOMENT, columns, rows)
    assert max(map(cell_len, lines)) <= columns
    assert columns < 60 or any(line.startswith("in flight") and line.rstrip().endswith("xxx") for line in lines)
    assert len([line for line in lines if "%  http" in line]) >= 3
    if rows >= 24:
        assert len(lines) <= rows


def test_line_that_is_cut_says_so() -> None:
    wide, narrow = shown(MOMENT, 200), shown(MOMENT, 40)
    (whole,) = (line.rstrip() for line in wide if line.startswith("known"))
    (cut,) = (line.rstrip() for line in narrow if line.startswith("known"))
    assert cut.endswith("…")
    assert whole.startswith(cut[:-1])


def test_speed_is_a_line_of_the_last_minute() -> None:
    speeds = Speeds()
    assert speeds.line() == ""
    for second in range(200):
        speeds.note(replace(MOMENT, seconds=float(second), fetched=10 * second + 30 * max(second - 190, 0)))
    assert speeds.line() == "▃" * 26 + "█" * 4  # 10 pages a second, then 40; the last span is not over


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_line_of_speed_fits(columns: int) -> None:
    speeds = Speeds()
    for second in range(0, 100, 2):
        speeds.note(replace(MOMENT, seconds=float(second), fetched=second * second))
    out = io.StringIO()
    Console(file=out, width=columns).print(render(MOMENT, BEST, columns, 40, speeds))
    (line,) = (line for line in out.getvalue().splitlines() if line.startswith("speed"))
    assert line.split()[1].endswith("█")
    assert cell_len(line) <= columns
    assert ("the last minute" in line) == (columns >= 80)
