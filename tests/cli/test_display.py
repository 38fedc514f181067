"""The display is a function of a moment; it never lets a URL steer the terminal."""

import copy
import io
import random
import re
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from support.command_line import answer
from support.sites import crawl, web_of_sites
from support.terminal import Terminal

from minicrawl.cli.display import (
    SHOWN,
    Best,
    BestSoFar,
    Frame,
    awaiting_index,
    bars,
    counting,
    doing,
    plain,
    render,
    showing,
    waits_line,
)
from minicrawl.dashboard.readings import Readings
from minicrawl.model import CameNow, GraphCounts, HostWait, InFlightNow, LimitsNow, Progress, RunState, Sums
from minicrawl.timing import Timing

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
    errors={"dns": 3},
    given_up={"dns": 3, "http-404": 12},
    left_out=15_001,
    limits=LimitsNow(pages=4000),
    earlier=Sums(2, 500, 1_000_000, 60.0),
    pages_per_second=8.0,
    requests=(InFlightNow("http://a.test/\x1b[2J" + "x" * 300, 4.0),),
    waits=(HostWait("c.test", 0.0, "crawl-delay", 30.0),),
    came=(CameNow("http://d.test/" + "y" * 300, 404, None),),
    graph=GraphCounts(900, 9000, 20, 700, 30, 800),
)

BEST = ((0.02, "http://a.test/\x1b[31m"), *((0.01, f"http://b.test/{'日本/' * 40}{page}") for page in range(9)))


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
        "3 ready, 40 waiting",
        "c.test until ",
        ", Crawl-delay 30 s",
        "404  http://d.test/",
        "http-404 12, dns 3",
        "10.0 links a page",
        "2.00%",
    ):
        assert part in text
    assert "\x1b" not in text


@pytest.mark.parametrize("columns", [60, 61, 79, 80, 81, 100, 120, 160, 200])
@pytest.mark.parametrize("rows", [12, 24, 60])
def test_display_fits_the_terminal(columns: int, rows: int) -> None:
    lines = shown(MOMENT, columns, rows)
    assert max(map(cell_len, lines)) <= columns
    assert any(line.startswith("in flight") and line.rstrip().endswith("xxx") for line in lines)
    assert len([line for line in lines if "%  http" in line]) >= 3
    if rows >= 24:
        assert len(lines) <= rows


def test_no_line_says_what_needs_an_explanation() -> None:
    assert "turnover" not in "\n".join(shown(MOMENT, 200))


def live(progress: Progress, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal on which a crawl has shown this, and goes on."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "40")
    terminal = Terminal(100, 40)
    monkeypatch.setattr(sys, "stderr", terminal)
    with showing(live=True, best=lambda: BEST) as show:
        show(progress)
        show(progress)
        drawn = copy.deepcopy(terminal)
    assert terminal.screen == []
    return drawn


def test_live_display_is_drawn_in_colours_and_goes_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = live(MOMENT, monkeypatch)
    assert terminal.screen[0].split()[:2] == ["crawl", "running"]
    assert {"\x1b[32m", "\x1b[31m"} <= terminal.codes
    stopping = live(replace(MOMENT, state=RunState.STOPPING), monkeypatch)
    assert "stopping: 12 requests are being finished" in stopping.screen[0]
    assert "\x1b[33m" in stopping.codes


def test_no_color_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = live(MOMENT, monkeypatch)
    assert len(terminal.screen) > 10
    assert not any(re.search(r"\b(3|4|9|10)\d[;m]", code) for code in terminal.codes)


def test_a_dumb_terminal_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal(100)
    monkeypatch.setattr(sys, "stderr", terminal)
    with showing(live=True, best=lambda: BEST) as show:
        show(MOMENT)
    assert terminal.screen == [plain(MOMENT, BEST)]


def test_what_is_printed_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal(100, 40)
    monkeypatch.setattr(sys, "stderr", terminal)
    with showing(live=True, best=lambda: BEST) as show:
        show(MOMENT)
        sys.stderr.write("a warning\n")
        show(MOMENT)
    assert terminal.screen == ["a warning"]


def test_plain_line_is_one_line() -> None:
    line = plain(MOMENT, BEST)
    assert "\n" not in line
    assert "\x1b" not in line
    assert line.startswith("2:05: 1,500 pages, 8.0/s, 13.3 MB, 5,000 known, 3,900 not read")
    assert "15 given up; 1,000 of 4,000 pages, about 6 min left" in line


def test_a_stop_is_told_at_once_in_plain_lines_too(capsys: pytest.CaptureFixture[str]) -> None:
    with showing(live=False, best=lambda: BEST) as show:
        show(MOMENT)
        show(replace(MOMENT, seconds=125.1, state=RunState.STOPPING, reason="interrupted"))
        show(replace(MOMENT, seconds=125.2, state=RunState.STOPPING, reason="interrupted"))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("2:05: stopping: 12 requests are being finished; Ctrl-C stops at once;")


def test_plain_lines_come_every_few_seconds_only(capsys: pytest.CaptureFixture[str]) -> None:
    with showing(live=False, best=lambda: BEST) as show:
        show(replace(MOMENT, seconds=0.2, state=RunState.STARTING))
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


def test_who_waits_for_the_index_is_shown_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    said, asked = io.StringIO(), threading.Event()

    def progress() -> str:
        if said.getvalue():
            asked.set()
        return "200 of 5,000 texts"

    monkeypatch.setattr(sys, "stderr", said)
    with awaiting_index(True, progress):
        assert asked.wait(60)
    assert "the index takes in what is left, which Ctrl-C leaves for the next run: " in said.getvalue()


BARE = Progress(
    seconds=100.0,
    fetched=1000,
    bytes=10_000_000,
    known=5000,
    never_read=3900,
    hosts_ready=3,
    hosts_waiting=40,
    in_flight=12,
    clock=1.25,
    coverage=0.45,
    errors={},
    pages_per_second=10.0,
    bytes_per_second=100_000.0,
)


@pytest.mark.parametrize(
    ("limits", "share", "what", "left"),
    [
        (LimitsNow(pages=4000), 0.25, "1,000 of 4,000 pages", "about 5 min left"),
        (LimitsNow(time=160), 0.625, "1:40 of 2:40", "about 1 min left"),
        (LimitsNow(time=145), 100 / 145, "1:40 of 2:25", "about 45 s left"),
        (LimitsNow(bytes=10**9), 0.01, "10.0 MB of 1.0 GB", "about 2.8 h left"),
        (LimitsNow(until_coverage=0.9), 0.5, "45.0% of 90.0% coverage", ""),
        (LimitsNow(pages=1000), 1.0, "1,000 of 1,000 pages", "reached"),
        (LimitsNow(pages=10**8), 1e-5, "1,000 of 100,000,000 pages", "about 116 days left"),
    ],
)
def test_a_limit_has_a_share_and_a_time(limits: LimitsNow, share: float, what: str, left: str) -> None:
    (aim,) = bars(replace(BARE, limits=limits))
    part, *words = aim
    assert part == pytest.approx(share)
    assert words == [what, left]


def test_nobody_says_when_a_crawl_is_done_that_stands_still() -> None:
    still = replace(BARE, pages_per_second=0.0, limits=LimitsNow(pages=2000, time=3600))
    assert [aim.left for aim in bars(still)] == ["", "about 58 min left"]
    assert list(bars(BARE)) == []


@pytest.mark.parametrize(
    ("state", "in_flight", "words"),
    [
        (RunState.RUNNING, 12, "running until nothing is left to fetch; Ctrl-C stops it, nothing is lost"),
        (RunState.STARTING, 0, "taking in the seeds"),
        (RunState.PAUSED, 1, "paused; 1 request is being finished; 'minicrawl control resume' goes on"),
        (RunState.PAUSED, 0, "paused; 'minicrawl control resume' goes on"),
        (RunState.STOPPING, 12, "stopping: 12 requests are being finished; Ctrl-C stops at once"),
        (RunState.STOPPING, 0, "stopping: the ranking is being settled"),
    ],
)
def test_what_a_crawl_does_and_what_ends_that(state: RunState, in_flight: int, words: str) -> None:
    assert doing(replace(BARE, state=state, in_flight=in_flight)) == words


@pytest.mark.parametrize(
    ("wait", "reason"),
    [
        (HostWait("a.test", 0.0, "crawl-delay", 30.0), "Crawl-delay 30 s"),
        (HostWait("a.test", 0.0, "delay", 0.5), "delay 0.5 s"),
        (HostWait("a.test", 0.0, "slow", 12.34), "slow, so every 12.3 s"),
        (HostWait("a.test", 0.0, "failures", 4.0, 2), "2 failures in a row"),
        (HostWait("a.test", 0.0, "rest", 1.0), "it asked for a rest"),
        (HostWait("a.test", 0.0, "address", 1.0), "its address has a delay of 1 s"),
    ],
)
def test_a_wait_has_an_end_and_a_reason(wait: HostWait, reason: str) -> None:
    assert re.fullmatch(r"a\.test until \d\d:\d\d:\d\d, " + re.escape(reason), waits_line([wait], 80))


def test_as_many_waits_as_there_is_room_for() -> None:
    waits = [HostWait(f"{name}.test", 0.0, "delay", 1.0) for name in "abc"]
    assert [waits_line(waits, columns).count("until") for columns in (10, 60, 80, 200)] == [1, 1, 2, 3]
    assert "\x1b" not in waits_line([HostWait("a\x1b[2J", 0.0, "delay", 1.0)], 80)


def best_of(store: Path) -> Best:
    pages = answer("top", "--n", str(SHOWN), "--store", store)
    return tuple((page["importance"], page["url"]) for page in pages)


@pytest.mark.parametrize("seed", range(3))
def test_live_list_is_that_of_top_all_the_time(tmp_path: Path, seed: int) -> None:
    """Also where pages wait, redirect or are not there, and sites have more lines to offer than they are let have."""
    store = tmp_path / "crawl.db"
    site, seeds = web_of_sites(seed, redirects=0.2)
    missing = [url for at, url in enumerate(site) if at % 9 == 4]
    site |= dict.fromkeys(missing, 404)
    site |= {"http://large.test/": [f"http://large.test/{name}" for name in "abcdefgh"], "http://eleventh.test/": []}
    site |= {f"http://large.test/{name}": ["http://large.test/"] for name in "abcdefgh"}
    seen: list[Best] = []

    def look(progress: Progress) -> None:
        live = BestSoFar(store)()
        seen.append(live)
        assert live == (best_of(store) if live else ())

    crawl(
        site,
        store,
        [*seeds, "http://large.test/", "http://eleventh.test/"],
        jump="sites",
        on_progress=look,
        timing=Timing(progress=0.0, looks_apart=0.0, batch=0.0),
    )
    assert len(set(seen)) > 5
    final = BestSoFar(store)()
    assert final == best_of(store)
    assert len(final) == SHOWN
    assert [line.page.url for line in Readings(store).top(None, SHOWN).lines] == [url for _, url in final]
    assert sum("large.test" in url for _, url in final) == 3


def test_store_is_not_looked_at_again_and_again(tmp_path: Path) -> None:
    """What is not there yet is no mistake; a look that takes a second is the only one for the next fifty."""
    times = iter([0.0, *(1.0, 2.0), 3.0, 51.9, *(52.1, 52.2)])
    store = tmp_path / "crawl.db"
    best = BestSoFar(store, lambda: next(times))
    assert best() == ()
    crawl({"http://a.test/": []}, store, ["http://a.test/"])
    (page,) = best()
    crawl({"http://b.test/": []}, store, ["http://b.test/"], scope="any")
    assert best() == best() == (page,)
    assert len(best()) == 2


def test_a_frame_replaces_the_one_before() -> None:
    terminal = Terminal(80)
    frame = Frame(terminal, terminal.size)  # type: ignore[arg-type]
    terminal.write("before\n")
    for lines in (["one", "two", "three"], ["four"], [], ["five", "six"]):
        frame.draw(lines)
        assert terminal.screen == ["before", *lines]
    frame.clear()
    assert terminal.screen == ["before"]


@pytest.mark.parametrize("seed", range(30))
def test_nothing_is_left_behind_on_a_terminal_that_is_resized(seed: int) -> None:
    rng = random.Random(seed)
    terminal = Terminal(100)
    frame = Frame(terminal, terminal.size)  # type: ignore[arg-type]
    terminal.write("before\n")
    for _ in range(50):
        columns, rows = frame.room
        lines = ["\x1b[32m" + "x" * rng.randrange(columns + 1) + "\x1b[0m" for _ in range(rng.randrange(1, rows + 9))]
        frame.draw(lines)
        shown = [line[5:-4] for line in lines[:rows]]
        assert terminal.screen == ["before", *(line for line in shown if line)]
        terminal.columns, terminal.rows = rng.randrange(20, 200), rng.randrange(5, 60)
    frame.clear()
    assert terminal.screen == ["before"]


def test_what_others_print_stands_above() -> None:
    terminal = Terminal(80)
    frame = Frame(terminal, terminal.size)  # type: ignore[arg-type]
    frame.draw(["one", "two"])
    frame.write("a warning\n")
    frame.draw(["three"])
    assert terminal.screen == ["a warning", "three"]


def test_wide_characters_take_two_columns() -> None:
    terminal = Terminal(60)
    frame = Frame(terminal, terminal.size)  # type: ignore[arg-type]
    terminal.write("before\n")
    frame.draw(["日本" * 14, "e\u0301" * 50])
    terminal.columns = 25
    frame.draw(["x"])
    assert terminal.screen == ["before", "x"]
