"""Live display of a crawl, or plain lines without a terminal."""

import io
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO, cast

from rich.cells import cell_len

from minicrawl.cli.fitting import shortened
from minicrawl.cli.output import (
    amount,
    at_least,
    counted,
    duration,
    graph_line,
    printable,
    reassuring,
    silence_line,
    tally,
)
from minicrawl.crawler.loop.limits import aims
from minicrawl.errors import StoreError
from minicrawl.model import CameNow, HostWait, Progress, RunState

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_STYLE = re.compile(r"\x1b\[[\d;]*m")


class Frame:
    """The last lines on a terminal, with the cursor behind the last of them.

    When the terminal is made narrower, it wraps longer lines, so the frame takes more rows. Each frame replaces the
    previous one in a single write, so that nothing flickers. Other output appears above it.
    """

    def __init__(self, out: TextIO, size: Callable[[], tuple[int, int]]) -> None:
        """size: gives columns and rows of the terminal."""
        self._out = out
        self._size = size
        self._drawn: list[str] = []

    @property
    def room(self) -> tuple[int, int]:
        """Columns and rows for a frame: one less than the terminal's, so that nothing wraps or scrolls."""
        columns, rows = self._size()
        return max(columns - 1, 1), max(rows - 1, 1)

    def draw(self, lines: Sequence[str]) -> None:
        """Replace the frame by these lines. Each must fit, not counting its style codes."""
        lines = lines[: self.room[1]]
        self._out.write(self._erased() + "\n".join(lines))
        self._out.flush()
        self._drawn = list(lines)

    def clear(self) -> None:
        """Remove the frame."""
        self.draw([])

    def write(self, text: str) -> int:
        """Print other output above the frame; the next frame is drawn below it."""
        self._out.write(self._erased() + text)
        self._drawn = []
        return len(text)

    def flush(self) -> None:
        self._out.flush()

    def isatty(self) -> bool:
        return self._out.isatty()

    def _erased(self) -> str:
        """The control codes that erase the frame."""
        if not self._drawn:
            return ""
        columns = self._size()[0]
        rows = sum(max(1, -(-cell_len(_STYLE.sub("", line)) // columns)) for line in self._drawn)
        up = f"\x1b[{rows - 1}A" if rows > 1 else ""
        return f"\r{up}\x1b[J"


_PLAIN_SECONDS = 5.0
_SLOW_SECONDS = 2.0
_AWAITED = "the index takes in what is left, which Ctrl-C leaves for the next run"
_BAR = 24
_LEAST_TOP = 3
_WIDE = 90
_LABELS = 12
"""Width of the names of figures."""
_COLOURS = {RunState.RUNNING: "green", RunState.PAUSED: "yellow", RunState.STOPPING: "yellow"}


class Bar(NamedTuple):
    """A limit of a run. `share`: the share reached; `left`: time left as text, "" if unknown."""

    share: float
    what: str
    left: str


_WORDS: Mapping[str, tuple[Callable[..., str], str]] = {
    "pages": (lambda pages: f"{pages:,}", " pages"),
    "time": (duration, ""),
    "bytes": (amount, ""),
    "until_coverage": (lambda share: f"{share:.1%}", " coverage"),
}


def bars(progress: Progress) -> Iterator[Bar]:
    """The limits of the run with their progress."""
    done = {
        "pages": progress.fetched,
        "time": progress.seconds,
        "bytes": progress.bytes,
        "until_coverage": progress.coverage,
    }
    speed = {"pages": progress.pages_per_second, "time": 1.0, "bytes": progress.bytes_per_second}
    for aim in aims(progress.limits._asdict(), done, speed):
        text, what = _WORDS[aim.name]
        left = _left(aim.left) if aim.name in speed else ""
        yield Bar(min(max(aim.done / aim.of, 0.0), 1.0), f"{text(aim.done)} of {text(aim.of)}{what}", left)


def doing(progress: Progress) -> str:
    """The state of the crawl, and the reason for its end."""
    match progress.state:
        case RunState.STARTING:
            return "taking in the seeds"
        case RunState.PAUSED:
            finishing = f"; {_requests(progress)} being finished" if progress.in_flight else ""
            return f"paused{finishing}; 'minicrawl control resume' goes on"
        case RunState.STOPPING | RunState.ENDED if progress.in_flight:
            return f"stopping: {_requests(progress)} being finished; Ctrl-C stops at once"
        case RunState.STOPPING | RunState.ENDED:
            return "stopping: the ranking is being settled"
    if any(progress.limits):
        return "running"
    return "running until nothing is left to fetch; Ctrl-C stops it, nothing is lost"


def waits_line(waits: Sequence[HostWait], columns: int) -> str:
    """ "example.org until 12:03:10, Crawl-delay 30 s; ..." in local time: as many as fit."""
    line = _wait(waits[0])
    for wait in waits[1:]:
        longer = f"{line}; {_wait(wait)}"
        if cell_len(longer) > columns:
            break
        line = longer
    return line


def _wait(wait: HostWait) -> str:
    until = time.strftime("%H:%M:%S", time.localtime(wait.until))
    reasons = {
        "delay": f"delay {wait.delay:.3g} s",
        "crawl-delay": f"Crawl-delay {wait.delay:.3g} s",
        "slow": f"slow, so every {wait.delay:.3g} s",
        "failures": f"{counted(wait.failures, 'failure')} in a row",
        "rest": "it asked for a rest",
        "address": f"its address has a delay of {wait.delay:.3g} s",
    }
    return f"{printable(wait.host)} until {until}, {reasons[wait.why]}"


def _requests(progress: Progress) -> str:
    return f"{counted(progress.in_flight, 'request')} {'is' if progress.in_flight == 1 else 'are'}"


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"about {_rounded(seconds)} left" if seconds > 0 else "reached"


def _rounded(seconds: float) -> str:
    """An estimated duration, coarsely rounded."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86_400 else f"{seconds / 86_400:.0f} days"


Best = tuple[tuple[float, str], ...]
"""Importance and URL, best first."""
SHOWN = 10
_LEAST_APART = 1.0
_TIMES_AS_LONG = 50
"""Pause between two reads of the store, as a multiple of a read's time: the crawl waits meanwhile."""


class BestSoFar:
    """The first lines of `minicrawl top` as of the last commit, updated from time to time."""

    def __init__(self, store: Path, clock: Callable[[], float] = time.perf_counter) -> None:
        """clock: gives seconds."""
        self._store = store
        self._clock = clock
        self._not_before = 0.0
        self._best: Best = ()

    def __call__(self) -> Best:
        began = self._clock()
        if began >= self._not_before and self._store.exists():
            self._best = self._looked_up()
            now = self._clock()
            self._not_before = now + max(_LEAST_APART, _TIMES_AS_LONG * (now - began))
        return self._best

    def _looked_up(self) -> Best:
        from minicrawl.analysis.top.top_list import first_lines
        from minicrawl.store.reader import open_store

        try:
            with open_store(self._store) as reader:
                pages = [line.page for line in first_lines(reader, SHOWN)]
                return tuple((page.importance if page.expected is None else page.expected, page.url) for page in pages)
        except StoreError:  # the store is still empty; the crawl reports other errors
            return self._best


@contextmanager
def showing(live: bool, best: Callable[[], Best]) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows progress on standard error: live, or a plain line every few seconds."""
    console = _terminal() if live else None
    if console is None or console.is_dumb_terminal:
        yield _plain_lines(best)
        return
    frame = Frame(sys.stderr, _size)
    try:
        with redirect_stderr(cast(TextIO, frame)):
            yield lambda progress: frame.draw(_drawn(progress, best(), frame.room, console))
    finally:
        frame.clear()


def _terminal() -> "Console":
    from rich.console import Console

    return Console(stderr=True)


@contextmanager
def counting(live: bool, now: Callable[[], float] = time.monotonic) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows the number of seeds read, on standard error, once reading takes long.

    live: show a running count, removed at the end. The total stays in any case: adding that many takes long, too.
    """
    began, read = now(), 0
    frame = Frame(sys.stderr, _size)

    def show(count: int) -> None:
        nonlocal read
        read = count
        if live and now() - began >= _SLOW_SECONDS:
            frame.draw([f"reading seeds: {count:,}"])

    try:
        yield show
    finally:
        frame.clear()
    if now() - began >= _SLOW_SECONDS:
        print(f"{read:,} seeds read in {duration(now() - began)}; taking them in ...", file=sys.stderr)  # noqa: T201


@contextmanager
def awaiting_index(live: bool, progress: Callable[[], str]) -> Iterator[None]:
    """Report on standard error that the crawl waits for its index, once that takes long."""
    frame = Frame(sys.stderr, _size)

    def say(line: str) -> None:
        if live:
            frame.draw([line[: frame.room[0]]])
        else:
            print(line, file=sys.stderr, flush=True)  # noqa: T201

    with reassuring(_AWAITED, say, 1.0 if live else _PLAIN_SECONDS, progress=progress):
        yield
    frame.clear()


def render(progress: Progress, best: Best, columns: int = 100, rows: int = 40) -> "RenderableType":
    """The display of one moment, with the best pages, in `columns` and `rows`."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    wide = max(columns - _LABELS, 20)
    facts = Table.grid(padding=(0, 2))
    facts.add_column(min_width=_LABELS - 2, no_wrap=True)
    facts.add_column(overflow="ellipsis", no_wrap=True)
    lines = list(_facts(progress, wide))
    for name, value in lines:
        facts.add_row(Text(name, style="dim"), value)
    shown = min(max(rows - len(lines) - 3, _LEAST_TOP), SHOWN)
    if not best:
        return facts
    top = Table(box=None, pad_edge=False, title="most important now", title_justify="left", title_style="bold")
    top.add_column("importance", justify="right")
    top.add_column("url", no_wrap=True)
    for importance, url in best[:shown]:
        top.add_row(f"{importance:.2%}", Text(shortened(printable(url), wide)))
    return Group(facts, Text(), top)


def plain(progress: Progress, best: Best) -> str:
    """The progress in one line."""
    first = f"; first {printable(best[0][1])}" if best else ""
    silence = f"; {silence_line(progress.silence)}" if progress.silence is not None else ""
    state = f" {doing(progress)};" if progress.state is not RunState.RUNNING else ""
    done = [f"{bar.what}{f', {bar.left}' if bar.left else ''}" for bar in bars(progress)]
    fetched = progress.earlier.fetched + progress.fetched
    size = amount(progress.earlier.bytes + progress.bytes)
    return (
        f"{duration(progress.seconds)}:{state} {counted(fetched, 'page')}, {progress.pages_per_second:.1f}/s, "
        f"{size}, {progress.known:,} known, {progress.never_read:,} not read, "
        f"{counted(progress.hosts_ready, 'host')} ready, {progress.hosts_waiting} waiting, "
        f"{progress.in_flight} in flight, "
        f"{sum(progress.given_up.values()):,} given up{''.join(f'; {part}' for part in done)}{first}{silence}"
    )


def _size() -> tuple[int, int]:
    size = shutil.get_terminal_size()
    return size.columns, size.lines


def _drawn(progress: Progress, best: Best, room: tuple[int, int], terminal: "Console") -> list[str]:
    """The lines of the display, with the terminal's style codes."""
    from rich.console import Console

    columns, rows = room
    out = io.StringIO()
    console = Console(
        file=out,
        width=columns,
        force_terminal=True,
        color_system=cast(str, terminal.color_system) if not terminal.no_color else None,  # type: ignore[arg-type]
        no_color=terminal.no_color,
    )
    console.print(render(progress, best, columns, rows), highlight=False)
    return [line.rstrip() for line in out.getvalue().rstrip("\n").split("\n")]


def _facts(progress: Progress, wide: int) -> "Iterator[tuple[str, Text]]":
    from rich.text import Text

    yield "crawl", Text(doing(progress), style=_COLOURS.get(progress.state, ""))
    for bar in bars(progress):
        yield "until", _drawn_bar(bar)
    if progress.silence is not None:
        yield "paused", Text(silence_line(progress.silence), style="red")
    yield "pages", Text(_pages(progress))
    yield "known", Text(f"{progress.known:,}, {progress.never_read:,} of them not read{_left_out(progress)}")
    yield "coverage", Text(f"{at_least(progress.coverage)} of the importance of the known pages")
    yield "in flight", _in_flight(progress, wide)
    hosts = f"{progress.hosts_ready:,} ready, {progress.hosts_waiting:,} waiting"
    yield "hosts", Text(hosts, style="" if progress.hosts_ready else "yellow")
    if progress.waits:
        yield "waits for", Text(waits_line(progress.waits, wide))
    if progress.came:
        yield "came last", _came(progress.came[0], wide)
    given_up = tally(progress.given_up)
    yield "given up", Text(given_up or "none", style="red" if given_up else "")
    if progress.graph is not None and wide > _WIDE:
        yield "shape", Text(graph_line(progress.graph))


def _drawn_bar(bar: Bar) -> "Text":
    """A limit of the run as a bar, with its figures and the time left."""
    from rich.text import Text

    full = round(_BAR * bar.share)
    left = f", {bar.left}" if bar.left else ""
    return Text.assemble(("━" * full, "green"), ("━" * (_BAR - full), "dim"), f"  {bar.what}{left}")


def _pages(progress: Progress) -> str:
    earlier = progress.earlier
    fetched, size, seconds = (
        earlier.fetched + progress.fetched,
        earlier.bytes + progress.bytes,
        earlier.seconds + progress.seconds,
    )
    line = f"{fetched:,} in {duration(seconds)}, {amount(size)}; {progress.pages_per_second:.1f} pages/s just now"
    if earlier.runs:
        line += f"; {progress.fetched:,} in this run"
    return line


def _left_out(progress: Progress) -> str:
    return f"; {counted(progress.left_out, 'link')} left out" if progress.left_out else ""


def _in_flight(progress: Progress, wide: int) -> "Text":
    from rich.text import Text

    line = f"{progress.in_flight:,}"
    if progress.requests:
        oldest = progress.requests[0]
        does = f" waits for the {oldest.waits_for}, " if oldest.waits_for else " for "
        line += f", the first{does}{duration(oldest.seconds)}: "
        line += shortened(printable(oldest.url), max(wide - len(line), 10))
    return Text(line)


def _came(came: CameNow, wide: int) -> "Text":
    from rich.text import Text

    what = came.reason or str(came.status)
    is_bad = came.reason is not None or (came.status or 0) >= 400
    return Text.assemble(
        (what, "red" if is_bad else "green"), "  ", shortened(printable(came.url), wide - len(what) - 2)
    )


def _plain_lines(best: Callable[[], Best]) -> Callable[[Progress], None]:
    shown_at, state = 0.0, RunState.RUNNING

    def show(progress: Progress) -> None:
        nonlocal shown_at, state
        now = RunState.RUNNING if progress.state is RunState.STARTING else progress.state
        is_other, state = now is not state, now
        is_news = is_other and progress.reason in (None, "interrupted")  # by somebody who wants to see it
        if is_news or progress.seconds - shown_at >= _PLAIN_SECONDS:
            shown_at = progress.seconds
            print(plain(progress, best()), file=sys.stderr, flush=True)  # noqa: T201

    return show
