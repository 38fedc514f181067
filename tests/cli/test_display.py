"""The display is a function of a moment; it never lets a URL steer the terminal."""

import io

import pytest
from rich.console import Console

from minicrawl.cli.display import counting, plain, render, showing
from minicrawl.model import Progress

MOMENT = Progress(
    seconds=125.0,
    fetched=1000,
    bytes=12_345_678,
    known=5000,
    never_read=3900,
    hosts_ready=3,
    hosts_waiting=40,
    in_flight=12,
    clock=1.25,
    coverage=0.5,
    errors={"dns": 3, "http-404": 12},
    left_out=15_001,
    top=((0.02, "http://a.test/\x1b[31m"), (0.01, "http://b.test/")),
)


def shown(progress: Progress) -> str:
    out = io.StringIO()
    Console(file=out, width=100, force_terminal=False).print(render(progress))
    return out.getvalue()


def test_display_shows_every_number() -> None:
    text = shown(MOMENT)
    for part in (
        "1,000 in 2:05, 8.0 pages/s",
        "12.3 MB",
        "5,000, 3,900 of them not read",
        "3 ready, 40 waiting, 12 in flight",
        "1.25 turnovers",
        "at least 50.0% of the importance of the known pages; 15,001 links were left out",
        "http-404 12, dns 3",
        "2.00%",
        "http://b.test/",
    ):
        assert part in text
    assert "\x1b" not in text


def test_plain_line_is_one_line() -> None:
    line = plain(MOMENT)
    assert "\n" not in line
    assert "\x1b" not in line
    assert line.startswith("2:05: 1,000 pages, 8.0/s, 12.3 MB, 5,000 known, 3,900 not read")


def test_plain_lines_come_every_few_seconds_only(capsys: pytest.CaptureFixture[str]) -> None:
    from dataclasses import replace

    with showing(live=False) as show:
        for seconds in (0.5, 4.9, 5.0, 5.5, 9.9, 10.1):
            show(replace(MOMENT, seconds=seconds))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [line.split(":")[0] for line in captured.err.splitlines()] == ["5.0 s", "10.1 s"]


@pytest.mark.parametrize(("seconds", "is_told"), [(1.9, False), (2.0, True)])
@pytest.mark.parametrize("live", [True, False])
def test_reading_of_seeds_is_told_once_it_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, seconds: float, is_told: bool, live: bool
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("TERM", "xterm")
    clock = [0.0]
    with counting(live, lambda: clock[0]) as count:
        count(10_000)
        clock[0] = seconds
        count(20_000)
    told = capsys.readouterr().err
    assert ("20,000 seeds read in 2.0 s" in told) == is_told
    assert ("reading seeds: 20,000" in told) == (is_told and live)
    assert "10,000" not in told
