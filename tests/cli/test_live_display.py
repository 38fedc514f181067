"""The display is a function of a moment; it never lets a URL steer the terminal."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console
from support.moments import BEST, MOMENT

from minicrawl.cli.live_display import render
from minicrawl.model import Progress


def shown(progress: Progress, columns: int = 100, rows: int = 40) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=columns, force_terminal=False).print(render(progress, BEST, columns, rows))
    return out.getvalue().splitlines()


def test_display_answers_how_far_how_fast_and_what_it_waits_for() -> None:
    text = "\n".join(shown(MOMENT, 140))
    for part in (
        "running",
        "1,000 of 4,000 pages, about 6 minutes left",
        "1,500 in 3:05, 13.3 MB; 8.0 pages/s just now; 1,000 in this run",
        "5,000, 3,900 of them not read; 15,001 links left out",
        "about 55 % of the importance (between 50 and 60 %)",
        "3 ready, 40 waiting for: delay 30, crawl-delay 8, ill 2",
        "resting: c.test answers 429, asked again now; 230 pages wait",
        "http-404 12, dns 3",
        "2.00%",
    ):
        assert part in text
    assert "\x1b" not in text


@pytest.mark.parametrize("columns", [40, 60, 79, 80, 120, 200])
@pytest.mark.parametrize("rows", [12, 24])
def test_display_fits_the_terminal(columns: int, rows: int) -> None:
    lines = shown(MOMENT, columns, rows)
    assert max(map(cell_len, lines)) <= columns
    assert len([line for line in lines if "%  http" in line]) >= 3
    if rows >= 24:
        assert len(lines) <= rows


def test_line_that_is_cut_says_so() -> None:
    wide, narrow = shown(MOMENT, 200), shown(MOMENT, 40)
    (whole,) = (line.rstrip() for line in wide if line.startswith("known"))
    (cut,) = (line.rstrip() for line in narrow if line.startswith("known"))
    assert cut.endswith("…")
    assert whole.startswith(cut[:-1])
