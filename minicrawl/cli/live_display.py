"""The live display of a crawl, drawn by rich."""

import time
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from minicrawl.analysis.host_words import resting_line
from minicrawl.cli.display import SHOWN, Best, bars, doing
from minicrawl.cli.output import amount, duration, shortened, silence_line, tally
from minicrawl.errors import counted, held
from minicrawl.log import printable
from minicrawl.model import Progress, RunState

_BAR = 24
_LEAST_TOP = 3
_LABELS = 14
"""Width of the names of figures."""
_COLOURS = {RunState.RUNNING: "green", RunState.PAUSED: "yellow", RunState.STOPPING: "yellow"}


def render(progress: Progress, best: Best, columns: int = 100, rows: int = 40) -> RenderableType:
    """The display of one moment, with the best pages, in `columns` and `rows`."""
    wide = max(columns - _LABELS, 20)
    facts = Table.grid(padding=(0, 2))
    facts.add_column(min_width=_LABELS - 2, no_wrap=True)
    facts.add_column(overflow="ellipsis", no_wrap=True)
    lines = list(_facts(progress))
    for name, value in lines:
        value.truncate(wide, overflow="ellipsis")
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


def _facts(progress: Progress) -> Iterator[tuple[str, Text]]:
    yield "crawl", Text(doing(progress), style=_COLOURS.get(progress.state, ""))
    for share, done in bars(progress):
        full = round(_BAR * share)
        yield "until", Text.assemble(("━" * full, "green"), ("━" * (_BAR - full), "dim"), f"  {done}")
    if progress.silence is not None:
        yield "paused", Text(silence_line(progress.silence), style="red")
    yield "pages", Text(_pages(progress))
    left_out = f"; {counted(progress.left_out, 'link')} left out" if progress.left_out else ""
    yield "known", Text(f"{progress.known:,}, {progress.never_read:,} of them not read{left_out}")
    yield "coverage", Text(held(progress.coverage, progress.coverage_about, progress.coverage_shown))
    yield "in flight", Text(f"{progress.in_flight:,}")
    hosts = f"{progress.hosts_ready:,} ready, {progress.hosts_waiting:,} waiting"
    reasons = f" for: {tally(progress.waiting_for)}" if progress.waiting_for else ""
    yield "hosts", Text(hosts + reasons, style="" if progress.hosts_ready else "yellow")
    for host in progress.ill_hosts:
        yield "ill", Text(resting_line(host, time.time()), style="yellow")
    given_up = tally(progress.given_up)
    yield "given up", Text(given_up or "none", style="red" if given_up else "")


def _pages(progress: Progress) -> str:
    earlier = progress.earlier
    fetched = f"{earlier.fetched + progress.fetched:,} in {duration(earlier.seconds + progress.seconds)}"
    speed = f"{amount(earlier.bytes + progress.bytes)}; {progress.pages_per_second:.1f} pages/s just now"
    of_run = f"; {progress.fetched:,} in this run" if earlier.runs else ""
    return f"{fetched}, {speed}{of_run}"
