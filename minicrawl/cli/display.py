"""The live display of a crawl, and the plain lines in its place where there is no terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from minicrawl.cli.output import amount, at_least, counted, duration, graph_line, printable, silence_line, tally
from minicrawl.model import Progress

_PLAIN_SECONDS = 5.0
_SLOW_SECONDS = 2.0


@contextmanager
def showing(live: bool) -> Iterator[Callable[[Progress], None]]:
    """Gives a function to show progress with, on standard error: live, or a plain line every few seconds."""
    if not live:
        yield _plain_lines()
        return
    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as display:
        yield lambda progress: display.update(render(progress), refresh=True)


@contextmanager
def counting(live: bool, now: Callable[[], float] = time.monotonic) -> Iterator[Callable[[int], None]]:
    """Gives a function to tell with how many seeds were read, on standard error, once that takes long.

    live: a count that runs, and goes at the end. The sum is told in any case: to take in so many takes long, too.
    """
    began, read = now(), 0
    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) if live else nullcontext() as display:

        def show(count: int) -> None:
            nonlocal read
            read = count
            if display is not None and now() - began >= _SLOW_SECONDS:
                display.update(Text(f"reading seeds: {count:,}"), refresh=True)

        yield show
    if now() - began >= _SLOW_SECONDS:
        print(f"{read:,} seeds read in {duration(now() - began)}; taking them in ...", file=sys.stderr)  # noqa: T201


def render(progress: Progress) -> Group:
    """The display of one moment."""
    facts = Table.grid(padding=(0, 2))
    for name, value in _facts(progress):
        facts.add_row(Text(name, style="dim"), Text(value))
    top = Table(box=None, pad_edge=False, title="most important now", title_justify="left", title_style="bold")
    top.add_column("importance", justify="right")
    top.add_column("url", no_wrap=True, overflow="ellipsis")
    for importance, url in progress.top:
        top.add_row(f"{importance:.2%}", Text(printable(url)))
    return Group(facts, Text(), top)


def plain(progress: Progress) -> str:
    """The same in one line."""
    best = f"; first {printable(progress.top[0][1])}" if progress.top else ""
    silence = f"; {silence_line(progress.silence)}" if progress.silence is not None else ""
    return (
        f"{duration(progress.seconds)}: {counted(progress.fetched, 'page')}, {_speed(progress):.1f}/s, "
        f"{amount(progress.bytes)}, {progress.known:,} known, {progress.never_read:,} not read, "
        f"{counted(progress.hosts_ready, 'host')} ready, {progress.hosts_waiting} waiting, "
        f"{progress.in_flight} in flight, "
        f"{sum(progress.errors.values()):,} given up{best}{silence}"
    )


def _facts(progress: Progress) -> Iterator[tuple[str, str]]:
    if progress.silence is not None:
        yield "paused", silence_line(progress.silence)
    yield "pages", f"{progress.fetched:,} in {duration(progress.seconds)}, {_speed(progress):.1f} pages/s"
    yield "received", amount(progress.bytes)
    yield "known", f"{progress.known:,}, {progress.never_read:,} of them not read"
    yield (
        "hosts",
        f"{progress.hosts_ready:,} ready, {progress.hosts_waiting:,} waiting, {progress.in_flight:,} in flight",
    )
    yield "clock", f"{progress.clock:.2f} turnovers of all cash in hand"
    left_out = (
        f"; {counted(progress.left_out, 'link')} {'was' if progress.left_out == 1 else 'were'} left out"
        if progress.left_out
        else ""
    )
    yield "coverage", f"{at_least(progress.coverage)} of the importance of the known pages{left_out}"
    if progress.graph is not None:
        yield "shape", graph_line(progress.graph)
    yield "given up", tally(progress.errors) or "none"


def _speed(progress: Progress) -> float:
    return progress.fetched / progress.seconds if progress.seconds else 0.0


def _plain_lines() -> Callable[[Progress], None]:
    shown_at = 0.0

    def show(progress: Progress) -> None:
        nonlocal shown_at
        if progress.seconds - shown_at >= _PLAIN_SECONDS:
            shown_at = progress.seconds
            print(plain(progress), file=sys.stderr, flush=True)  # noqa: T201

    return show
