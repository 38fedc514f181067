"""The live display of a crawl, drawn by rich."""

import io
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import cast

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from minicrawl.cli.fitting import shortened, told_apart
from minicrawl.cli.output import amount, at_least, duration, graph_line, silence_line, tally
from minicrawl.cli.progress_words import SHOWN, Bar, Best, bars, doing, sites_line, waits_line
from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.model import CameNow, Progress, RunState

_BAR = 24
_LEAST_TOP = 3
_WIDE = 90
_LABELS = 14
"""Width of the names of figures."""
_SPANS, _SPAN, _BARS, _LATELY = 30, 2.0, "▁▂▃▄▅▆▇█", "the last minute"
_COLOURS = {RunState.RUNNING: "green", RunState.PAUSED: "yellow", RunState.STOPPING: "yellow"}


def terminal() -> Console:
    """Standard error."""
    return Console(stderr=True)


class Speeds:
    """The speed over the last minutes: pages a second in equal spans of a run's seconds, the latest last."""

    def __init__(self) -> None:
        self._points = deque([(0.0, 0)], maxlen=_SPANS + 1)

    def note(self, progress: Progress) -> None:
        """Note the pages fetched by now, if a span is over."""
        if progress.seconds - self._points[-1][0] >= _SPAN:
            self._points.append((progress.seconds, progress.fetched))

    def line(self) -> str:
        """A bar for each span, as a part of the highest."""
        speeds = [(pages - before) / (now - then) for (then, before), (now, pages) in pairwise(self._points)]
        top = max(speeds, default=0.0) or 1.0
        return "".join(_BARS[round(speed / top * (len(_BARS) - 1))] for speed in speeds)


def render(
    progress: Progress, best: Best, columns: int = 100, rows: int = 40, speeds: Speeds | None = None
) -> RenderableType:
    """The display of one moment, with the best pages, in `columns` and `rows`."""

    wide = max(columns - _LABELS, 20)
    facts = Table.grid(padding=(0, 2))
    facts.add_column(min_width=_LABELS - 2, no_wrap=True)
    facts.add_column(overflow="ellipsis", no_wrap=True)
    lines = list(_facts(progress, wide, speeds))
    for name, value in lines:
        value.truncate(wide, overflow="ellipsis")
        facts.add_row(Text(name, style="dim"), value)
    shown = min(max(rows - len(lines) - 3, _LEAST_TOP), SHOWN)
    if not best:
        return facts
    top = Table(box=None, pad_edge=False, title="most important now", title_justify="left", title_style="bold")
    top.add_column("importance", justify="right")
    top.add_column("url", no_wrap=True)
    urls = told_apart([printable(url) for _, url in best[:shown]], [wide] * shown)
    for (importance, _), url in zip(best, urls, strict=False):
        top.add_row(f"{importance:.2%}", Text(url))
    return Group(facts, Text(), top)


def drawn(
    progress: Progress, best: Best, room: tuple[int, int], terminal: Console, speeds: Speeds | None = None
) -> list[str]:
    """The lines of the display, with the terminal's style codes."""

    columns, rows = room
    out = io.StringIO()
    console = Console(
        file=out,
        width=columns,
        force_terminal=True,
        color_system=cast(str, terminal.color_system) if not terminal.no_color else None,  # type: ignore[arg-type]
        no_color=terminal.no_color,
    )
    console.print(render(progress, best, columns, rows, speeds), highlight=False)
    return [line.rstrip() for line in out.getvalue().rstrip("\n").split("\n")]


def _facts(progress: Progress, wide: int, speeds: Speeds | None) -> Iterator[tuple[str, Text]]:

    yield "crawl", Text(doing(progress), style=_COLOURS.get(progress.state, ""))
    for bar in bars(progress):
        yield "until", _drawn_bar(bar)
    if progress.silence is not None:
        yield "paused", Text(silence_line(progress.silence), style="red")
    yield "pages", Text(_pages(progress))
    if speeds is not None and (line := speeds.line()):
        yield "speed", Text.assemble((line[-wide:], "green"), f"  {_LATELY}" if wide > _SPANS + len(_LATELY) else "")
    yield "known", Text(f"{progress.known:,}, {progress.never_read:,} of them not read{_left_out(progress)}")
    yield "coverage", Text(f"{at_least(progress.coverage)} of the importance of the known pages")
    yield "in flight", _in_flight(progress, wide)
    hosts = f"{progress.hosts_ready:,} ready, {progress.hosts_waiting:,} waiting"
    reasons = f" for: {tally(progress.waiting_for)}" if progress.waiting_for else ""
    yield "hosts", Text(hosts + reasons, style="" if progress.hosts_ready else "yellow")
    if progress.waits:
        yield "waits for", Text(waits_line(progress.waits, wide))
    if progress.sites:
        yield "most trusted", Text(sites_line(progress.sites, wide))
    if progress.came:
        yield "came last", _came(progress.came[0], wide)
    given_up = tally(progress.given_up)
    yield "given up", Text(given_up or "none", style="red" if given_up else "")
    if progress.graph is not None and wide > _WIDE:
        yield "shape", Text(graph_line(progress.graph))


def _drawn_bar(bar: Bar) -> Text:
    """A limit of the run as a bar, with its figures and the time left."""

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


def _in_flight(progress: Progress, wide: int) -> Text:

    line = f"{progress.in_flight:,}"
    if progress.requests:
        oldest = progress.requests[0]
        does = f" waits for the {oldest.waits_for}, " if oldest.waits_for else " for "
        line += f", the first{does}{duration(oldest.seconds)}: "
        line += shortened(printable(oldest.url), max(wide - len(line), 10))
    return Text(line)


def _came(came: CameNow, wide: int) -> Text:

    what = came.reason or str(came.status)
    is_bad = came.reason is not None or (came.status or 0) >= 400
    return Text.assemble(
        (what, "red" if is_bad else "green"), "  ", shortened(printable(came.url), wide - len(what) - 2)
    )
