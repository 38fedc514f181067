"""minicrawl status"""

import contextlib
import json
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.display import Frame
from minicrawl.cli.fitting import fitted, terminal_columns
from minicrawl.cli.options import json_option, need_extra, store_option, teller
from minicrawl.cli.output import amount, duration, graph_line, left_out_line, read_line, reassuring, silence_line, tally
from minicrawl.cli.shape import shape_document, shape_lines
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable
from minicrawl.model import State

if TYPE_CHECKING:
    from minicrawl.analysis.refresh_times import Freshness
    from minicrawl.analysis.status import FailingHost, Partition, Run, Sitemaps, Status, TrapPattern
    from minicrawl.analysis.web_graph import Web
    from minicrawl.control.messages import Message
    from minicrawl.rank.graph_stats import GraphStats
    from minicrawl.store.reader import Store

_TRAPS_SHOWN = 10
_HOSTS_SHOWN = 5
_APART, _LATELY = 2.0, 10.0
"""Seconds between two looks of --watch, by default; and over which it measures the speed."""
_LEAST_APART, _MOST_APART = 0.1, 86_400.0


@click.command(epilog="Example: minicrawl status --store data/crawl.db --graph")
@click.option("--graph", "with_graph", is_flag=True, help="And the shape of the web known by now: components, bow tie, "
              "degrees, distances (needs the extra 'analysis').")  # fmt: skip
@click.option("--watch", is_flag=False, flag_value=_APART, type=float, metavar="[SECONDS]",
              help=f"Again every so many seconds, {_APART} by default, until the crawl ends or Ctrl-C; with --json a "
              "line each.")  # fmt: skip
@store_option
@json_option
def command(store: Path, with_graph: bool, watch: float | None, as_json: bool) -> None:
    """Say what a crawl is doing or has done: pages, hosts, speed, failures, and why it stopped.

    Coverage is a bound from below, and no sum of the column "importance" of 'export': docs/coverage.md says why.
    """
    from minicrawl.analysis.status import status
    from minicrawl.store.reader import open_store

    if watch is not None:
        if with_graph:
            raise SettingError("--graph looks at every link, which takes too long for --watch; leave one of them out")
        if not _LEAST_APART <= watch <= _MOST_APART:
            raise SettingError(f"--watch takes {_LEAST_APART} to {_MOST_APART:,.0f} seconds, not {watch:g}")
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with contextlib.suppress(KeyboardInterrupt):  # the normal way to end it
            _watch(store, watch, as_json)
        return
    if with_graph:
        need_extra("--graph", "scipy")
    with open_store(store) as reader, reader.snapshot():
        found = status(reader)
        web = _web(reader) if with_graph else None
    document = found.as_json()
    lines = list(fitted(_lines(found, time.time(), terminal_columns())))
    if web is not None:
        stats = _shape(web)
        document["graph"] = shape_document(stats, web, str(store))
        lines += ["", *shape_lines(stats, web, "as of the last commit")]
    click.echo(json.dumps(document, indent=2) if as_json else "\n".join(lines))


def _watch(store: Path, apart: float, as_json: bool) -> None:
    """Show the state of a crawl every so many seconds until it ends: on a terminal in place of the one before."""
    from minicrawl.analysis.status import status
    from minicrawl.control.asking import running_status
    from minicrawl.crawler.loop.measurements import Speed
    from minicrawl.store.reader import open_store

    frame = Frame(sys.stdout, shutil.get_terminal_size) if sys.stdout.isatty() and not as_json else None
    speed, is_running, is_first = Speed(_LATELY), True, True
    try:
        while is_running:
            with open_store(store) as reader:
                found = status(reader)
            is_running, now = found.running, running_status(store) if found.running else None
            columns = frame.room[0] if frame is not None else terminal_columns()
            lines = list(_lines(found, time.time(), columns))
            if now is not None:
                speed.record(now["seconds"], now["fetched"], now["bytes"])
                lines.append(_memory_line(now, None if is_first else speed.now().pages))
                is_first = False
            if as_json:
                click.echo(json.dumps({"at": time.time(), **found.as_json(), "now": now}))
            elif frame is not None:
                frame.draw(list(fitted(lines, frame.room[0])))
            else:
                click.echo("\n".join([*lines, ""]))
            if is_running:
                time.sleep(apart)
    finally:
        if frame is not None:
            click.echo()


def _memory_line(now: "Message", speed: float | None) -> str:
    """The state of a running crawl by its memory, which is ahead of the store."""
    lately = "" if speed is None else f", {speed:.1f}/s just now"
    pages = f"{counted(now['fetched'], 'page')} in this run{lately}"
    return f"memory    {now['state']}: {pages}, {now['known']:,} known, {now['read']:,} read"


def _web(reader: "Store") -> "Web":
    from minicrawl.analysis.web_graph import web_of_store

    return web_of_store(reader)


def _shape(web: "Web") -> "GraphStats":
    """Statistics of a web. Distances are estimates with error bounds where counting all pairs would take too long."""
    import numpy as np

    from minicrawl.rank.graph_stats import graph_stats

    with reassuring("counting distances", teller()):
        return graph_stats(web.graph, np.random.default_rng(0))


def _lines(status: "Status", now: float, columns: int | None) -> Iterator[str]:
    yield from found_lines(status)
    if status.run is not None:
        yield from _run_lines(status, status.run, now)
    if status.partitions:
        yield from ("", *_partition_lines(status.partitions, columns))


def _partition_lines(partitions: "Sequence[Partition]", columns: int | None) -> Iterator[str]:
    """A table; where it is wider than `columns`, its columns go on below, behind the numbers of the partitions."""
    kinds = [state for state in State if any(part.pages.get(state) for part in partitions)]
    figures = [[kind, *(f"{part.pages.get(kind, 0):,}" for part in partitions)] for kind in kinds]
    figures.append(["mirrors", *(f"{part.mirrors:,}" for part in partitions)])
    figures.append(["to send", *(f"{part.outbox:,}" for part in partitions)])
    first = ["partition", *(f"{part.number:>9}" for part in partitions)]
    rows = first
    for column in figures:
        width = max(10, *map(len, column))
        if columns is not None and rows != first and len(rows[0]) + 2 + width > columns:
            yield from rows
            rows = first
        rows = [f"{row}  {cell:>{width}}" for row, cell in zip(rows, column, strict=True)]
    yield from rows


def found_lines(status: "Status") -> Iterator[str]:
    """Lines about the pages of a crawl, without its last run."""
    yield f"{status.store}: {'running' if status.running else f'stopped: {status.stopped}'}"
    pages = f"{counted(status.known, 'page')} on {counted(status.hosts, 'host')}"
    yield f"known     {pages}: {tally(status.states) or 'none yet'}"
    yield f"reasons   {tally(status.reasons) or 'none yet'}"
    yield from _failing_lines(status.failing_hosts)
    yield from _sitemap_lines(status.sitemaps)
    yield from _trap_lines(status.traps)
    if status.duplicates.exact or status.duplicates.near:
        yield f"duplicates {status.duplicates.exact:,} exact, {status.duplicates.near:,} near"
    if status.probes.asked:
        yield (
            f"probes    {counted(status.probes.asked, 'page')} that cannot exist asked for, "
            f"{len(status.probes.soft_404):,} answered as if they did (soft 404)"
        )
    if (parts := status.requisites) is not None:
        failed = f"; failed: {tally(parts.failed)}" if parts.failed else ""
        yield f"requisites {parts.kept:,} kept, {parts.waiting:,} wait, {amount(parts.bytes)}{failed}"
    if status.hook_errors:
        yield f"hooks     failed: {tally(status.hook_errors)} (item-failed)"
    if status.freshness is not None:
        yield _freshness_line(status.freshness)


def _failing_lines(hosts: "tuple[FailingHost, ...]") -> Iterator[str]:
    if hosts:
        dead = sum(host.dead_until is not None for host in hosts)
        shown = ", ".join(f"{printable(host.host)} ({host.failures} in a row)" for host in hosts[:_HOSTS_SHOWN])
        more = f" and {len(hosts) - _HOSTS_SHOWN:,} more" if len(hosts) > _HOSTS_SHOWN else ""
        yield f"failing   {counted(len(hosts), 'host')}, {dead:,} of them dead for now: {shown}{more}"


def _sitemap_lines(sitemaps: "Sitemaps") -> Iterator[str]:
    if sitemaps.reasons:
        yield (
            f"sitemaps  {tally(sitemaps.reasons)}; {counted(sitemaps.found, 'URL')} in them, "
            f"{sitemaps.waiting:,} wait, {sitemaps.made_known:,} became known"
        )
        if sitemaps.left_out:
            yield f"          {sitemaps.left_out:,} more sitemaps were left out: too many of a host, or too deep"


def _trap_lines(traps: "tuple[TrapPattern, ...]") -> Iterator[str]:
    for trap in traps[:_TRAPS_SHOWN]:
        counts = f"{trap.read:,} read, {counted(trap.dropped, 'link')} dropped"
        yield f"trap      {printable(trap.pattern)}: {trap.rule}; {counts}"
    if len(traps) > _TRAPS_SHOWN:
        yield f"          and {len(traps) - _TRAPS_SHOWN:,} more: see --json"


def _freshness_line(fresh: "Freshness") -> str:
    parts = []
    if fresh.expected is not None:
        parts.append(f"{fresh.expected:.1%} of the importance of the pages read is expected to be as it was")
    if fresh.overdue is not None:
        parts.append(f"{counted(fresh.overdue, 'page')} overdue")
    if fresh.refreshed is not None:
        parts.append(f"{fresh.refreshed:.1%} of this run's answers were of pages read before")
    return f"freshness {'; '.join(parts) or 'no page was read yet'}"


def _run_lines(status: "Status", run: "Run", now: float) -> Iterator[str]:
    yield speed_line(run)
    left_out = f"; {left_out_line(status.left_out)}" if status.left_out else ""
    yield f"coverage  {read_line(status.known, status.read, run.coverage)}{left_out}"
    if run.shape is not None:
        yield f"shape     {graph_line(run.shape)}"
    if status.running:
        if run.silence is not None:
            yield f"paused    {silence_line(run.silence)}"
        yield now_line(status, run, now)


def speed_line(run: "Run") -> str:
    speed = run.pages_per_second
    line = f"this run  {counted(run.fetched, 'page')}, {amount(run.bytes)} in {duration(run.seconds)}"
    return line + (f", {speed:.1f} pages/s" if speed else "")


def now_line(status: "Status", run: "Run", now: float) -> str:
    ago = max(0.0, now - (status.last_commit or now))
    return f"now       {counted(run.in_flight, 'request')} in flight; last commit {ago:.0f} s ago"
