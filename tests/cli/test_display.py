"""A crawl shows itself while it runs."""

import copy
import io
import re
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from support.command_line import answer
from support.moments import BEST, MOMENT
from support.patience import PATIENCE
from support.sites import crawl, web_of_sites

from minicrawl.cli.display import SHOWN, Best, BestSoFar, awaiting_index, bars, doing, plain, showing
from minicrawl.dashboard.readings import Readings
from minicrawl.model import LimitsNow, Progress, RunState, Sums
from minicrawl.timing import Timing

_CODES = re.compile(r"\x1b\[(\d*)A|\x1b\[2K|\x1b\[\?25[lh]|\x1b\[[\d;]*m|[\r\n]|[^\x1b\r\n]+")


class Terminal:
    """`codes`: styles that were used."""

    def __init__(self) -> None:
        self.codes: set[str] = set()
        self._lines = [""]
        self._row = 0

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def write(self, text: str) -> int:
        for match in _CODES.finditer(text):
            code = match[0]
            if code == "\n":
                self._row += 1
                self._lines += [""] * (self._row == len(self._lines))
            elif code == "\x1b[2K":
                self._lines[self._row] = ""
            elif code.endswith("A") and code[0] == "\x1b":
                self._row -= int(match[1] or 1)
            elif code[0] == "\x1b":
                self.codes.add(code)
            elif code != "\r":
                self._lines[self._row] += code
        assert "".join(match[0] for match in _CODES.finditer(text)) == text
        return len(text)

    @property
    def screen(self) -> list[str]:
        """What a reader sees."""
        return [line for line in self._lines if line.strip()]


def live(progress: Progress, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal on which a crawl has shown this, and goes on."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("LINES", "40")
    terminal = Terminal()
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
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with showing(live=True, best=lambda: BEST) as show:
        show(MOMENT)
    assert terminal.screen == [plain(MOMENT, BEST)]


def test_what_is_printed_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with showing(live=True, best=lambda: BEST) as show:
        show(MOMENT)
        sys.stderr.write("a warning\n")
        show(MOMENT)
    assert terminal.screen == ["a warning"]


def test_a_stop_is_told_at_once_in_plain_lines_too(capsys: pytest.CaptureFixture[str]) -> None:
    with showing(live=False, best=lambda: BEST) as show:
        show(MOMENT)
        show(replace(MOMENT, seconds=125.1, state=RunState.STOPPING, reason="interrupted"))
        show(replace(MOMENT, seconds=125.2, state=RunState.STOPPING, reason="interrupted"))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("2:05: stopping: 12 requests are being finished; Ctrl-C stops at once;")


def test_who_waits_for_the_index_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = threading.Event()

    class Terminal(io.StringIO):
        def write(self, text: str) -> int:
            drawn.set()
            return super().write(text)

    said = Terminal()
    monkeypatch.setattr(sys, "stderr", said)
    with awaiting_index(0.01):
        assert drawn.wait(PATIENCE)
    assert "the index catches up; Ctrl-C leaves the rest for the next run" in said.getvalue()


def best_of(store: Path) -> Best:
    pages = answer("top", "--n", str(SHOWN), "--store", store)
    return tuple((page["importance"], page["url"]) for page in pages)


def test_live_list_is_that_of_top_all_the_time(tmp_path: Path) -> None:
    """Also where pages wait, redirect or are not there, and sites have more lines to offer than they are let have."""
    store = tmp_path / "crawl.db"
    site, seeds = web_of_sites(1, redirects=0.2)
    missing = [url for at, url in enumerate(site) if at % 9 == 4]
    site |= dict.fromkeys(missing, 404)
    site |= {"http://large.test/": [f"http://large.test/{name}" for name in "abcdefgh"], "http://eleventh.test/": []}
    site |= {f"http://large.test/{name}": ["http://large.test/"] for name in "abcdefgh"}
    site[seeds[0]] = [*(f"http://large.test/{name}" for name in "abcdefgh"), *map(str, site[seeds[0]])]
    site = {url: [f"<p>{url}", *reply] if isinstance(reply, list) else reply for url, reply in site.items()}
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
    assert [page["url"] for page in Readings(store).top("importance", SHOWN)["pages"]] == [url for _, url in final]
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


BARE = replace(MOMENT, seconds=100.0, coverage=0.45, earlier=Sums(), limits=LimitsNow(), pages_per_second=10.0)


def test_plain_line_is_one_line() -> None:
    line = plain(MOMENT, BEST)
    assert "\n" not in line
    assert "\x1b" not in line
    assert line.startswith("2:05: 1,500 pages, 8.0/s, 13.3 MB, 5,000 known, 3,900 not read")
    assert "15 given up; 1,000 of 4,000 pages, about 6 minutes left" in line
    assert line.endswith("; resting: c.test answers 429, asked again now; 230 pages wait")
    assert "resting" not in plain(replace(MOMENT, ill_hosts=()), BEST)


@pytest.mark.parametrize(
    ("limits", "share", "what", "left"),
    [
        (LimitsNow(pages=4000), 0.25, "1,000 of 4,000 pages", "about 5 minutes left"),
        (LimitsNow(time=145), 100 / 145, "1:40 of 2:25", "about 45 seconds left"),
        (LimitsNow(until_coverage=0.9), 0.5, "45.0% of 90.0% coverage", ""),
        (LimitsNow(pages=1000), 1.0, "1,000 of 1,000 pages", "reached"),
    ],
)
def test_a_limit_has_a_share_and_a_time(limits: LimitsNow, share: float, what: str, left: str) -> None:
    ((part, words),) = bars(replace(BARE, limits=limits))
    assert part == pytest.approx(share)
    assert words == (f"{what}, {left}" if left else what)


@pytest.mark.parametrize(
    ("state", "in_flight", "words"),
    [
        (RunState.RUNNING, 12, "running until nothing is left to fetch; Ctrl-C stops it without loss"),
        (RunState.STARTING, 0, "reading the seeds"),
        (RunState.PAUSED, 1, "paused; 1 request is being finished; 'minicrawl control resume' continues"),
        (RunState.PAUSED, 0, "paused; 'minicrawl control resume' continues"),
        (RunState.STOPPING, 12, "stopping: 12 requests are being finished; Ctrl-C stops at once"),
        (RunState.STOPPING, 0, "stopping: settling the ranking"),
    ],
)
def test_what_a_crawl_does_and_what_ends_that(state: RunState, in_flight: int, words: str) -> None:
    assert doing(replace(BARE, state=state, in_flight=in_flight)) == words


def test_a_crawl_that_has_its_pages_says_what_it_waits_for() -> None:
    progress = replace(BARE, limits=LimitsNow(pages=1000), has_its_pages=True)
    assert doing(progress).startswith("fetching the files that pages need;")
    assert "fetching the files" in plain(progress, BEST)


@pytest.mark.parametrize(("ready", "speed", "is_told"), [(3, 1.0, True), (0, 9.0, True), (0, 5.0, False)])
def test_time_left_is_not_told_while_the_crawl_only_waits(ready: int, speed: float, is_told: bool) -> None:
    moment = replace(BARE, limits=LimitsNow(pages=4000, time=200.0), hosts_ready=ready, pages_per_second=speed)
    (_, by_pages), (_, by_time) = bars(moment)
    assert by_pages.endswith(" left") == is_told
    assert by_time.endswith(", about 100 seconds left")
