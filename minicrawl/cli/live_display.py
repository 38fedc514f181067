"""The live display of a crawl, drawn by rich."""

import io
from collections.abc import Iterator
from typing import cast

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from minicrawl.cli.fitting import shortened
from minicrawl.cli.output import amount, at_least, counted, duration, graph_line, printable, silence_line, tally
from minicrawl.cli.progress_words import SHOWN, Bar, Best, bars, doing, waits_line
from minicrawl.model import CameNow, Progress, RunState

_BAR = 24
_LEAST_TOP = 3
_WIDE = 90
_LABELS = 12
"""Width of the names of figures."""
_COLOURS = {RunState.RUNNING: "green", RunState.PAUSED: "yellow", RunState.STOPPING: "yellow"}


def terminal() -> Console:
    """Standard error."""
    return Console(stderr=True)


def render(progress: Progress, best: Best, columns: int = 100, rows: int = 40) -> RenderableType:
    """The display of one moment, with the best pages, in `columns` and `rows`."""

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


def drawn(progress: Progress, best: Best, room: tuple[int, int], terminal: Console) -> list[str]:
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
    console.print(render(progress, best, columns, rows), highlight=False)
    return [line.rstrip() for line in out.getvalue().rstrip("\n").split("\n")]


def _facts(progress: Progress, wide: int) -> Iterator[tuple[str, Text]]:

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
