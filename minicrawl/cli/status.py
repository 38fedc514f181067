"""minicrawl status"""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import about_store
from minicrawl.cli.output import amount, duration, fitted, left_out_line, read_line, silence_line, tally, unasked_lines
from minicrawl.errors import counted, held
from minicrawl.log import printable
from minicrawl.model import State
from minicrawl.store.folder import is_folder
from minicrawl.store.reader import open_store

if TYPE_CHECKING:
    from minicrawl.analysis.status import Partition, Run, Sitemaps, Status
    from minicrawl.store.recognised import RefusedRow

_REFUSED_SHOWN = 10


@click.command(epilog="Example: minicrawl status --store data/crawl.db")
@about_store
def command(store: Path, as_json: bool) -> None:
    """Print what a crawl is doing or has done: pages, hosts, speed, failures, and why it stopped.

    Coverage is a range: docs/coverage.md says why.
    """
    from minicrawl.analysis.status import status

    if is_folder(store):
        from minicrawl.cluster import answers

        found, *_ = answers.whole(store)
    else:
        with open_store(store) as reader, reader.snapshot():
            found = status(reader)
    click.echo(json.dumps(found.as_json(), indent=2) if as_json else "\n".join(fitted(_lines(found, time.time()))))


def _lines(status: "Status", now: float) -> Iterator[str]:
    yield from found_lines(status, now)
    if status.run is not None:
        yield from _run_lines(status, status.run, now)
    if status.partitions:
        yield from ("", *_partition_lines(status.partitions))


def _partition_lines(partitions: "Sequence[Partition]") -> Iterator[str]:
    kinds = [state for state in State if any(part.pages.get(state) for part in partitions)]
    yield "  ".join(["partition", *(f"{kind:>10}" for kind in (*kinds, "mirrors", "to send"))])
    for part in partitions:
        counts = (*(part.pages.get(kind, 0) for kind in kinds), part.mirrors, part.outbox)
        yield "  ".join([f"{part.number:>9}", *(f"{count:>10,}" for count in counts)])


def found_lines(status: "Status", now: float) -> Iterator[str]:
    """Lines about the pages of a crawl, without its last run."""
    from minicrawl.analysis.host_words import ill_lines

    yield f"{status.store}: {'running' if status.running else f'stopped: {status.stopped}'}"
    pages = f"{counted(status.known, 'page')} on {counted(status.hosts, 'host')}"
    yield f"known     {pages}: {tally(status.states) or 'none yet'}"
    yield f"reasons   {tally(status.reasons) or 'none yet'}"
    ill = ill_lines(status.ill_hosts, now, is_running=status.running)
    yield from (f"{'' if number else 'ill':<10}{line}" for number, line in enumerate(ill))
    yield from _sitemap_lines(status.sitemaps)
    yield from _refused_lines(status.refused)
    if any(status.duplicates.values()):
        yield f"duplicates {status.duplicates['exact']:,} exact, {status.duplicates['near']:,} near"
    if status.probed:
        soft = f" (soft 404s in {counted(len(status.soft_404), 'folder')})" if status.soft_404 else ""
        asked = f"requested {counted(status.probed, 'page')} that cannot exist"
        yield f"probes    {asked}, {status.existed:,} answered as if they existed{soft}"
    if (parts := status.requisites) is not None:
        failed = f"; failed: {tally(parts.failed)}" if parts.failed else ""
        yield f"requisites {parts.kept:,} kept, {parts.waiting:,} wait, {amount(parts.bytes)}{failed}"
    if status.hook_errors:
        yield f"hooks     failed: {tally(status.hook_errors)} (item-failed)"
    yield from status.notes


def _sitemap_lines(sitemaps: "Sitemaps") -> Iterator[str]:
    if sitemaps.reasons:
        yield (
            f"sitemaps  {tally(sitemaps.reasons)}; {counted(sitemaps.found, 'URL')} in them, "
            f"{sitemaps.waiting:,} wait, {sitemaps.made_known:,} became known"
        )
        if sitemaps.left_out:
            yield f"          {sitemaps.left_out:,} more sitemaps were left out: too many of a host, or too deep"


def _refused_lines(refused: "tuple[RefusedRow, ...]") -> Iterator[str]:
    for row in refused[:_REFUSED_SHOWN]:
        example = f"for example {printable(row.example)}"
        yield f"refused   {counted(row.urls, 'URL')} of {printable(row.name)}: {row.rule}; {example}"
    if len(refused) > _REFUSED_SHOWN:
        yield f"          and {len(refused) - _REFUSED_SHOWN:,} more: see --json"


def _run_lines(status: "Status", run: "Run", now: float) -> Iterator[str]:
    speed = f", {run.pages_per_second:.1f} pages/s" if run.pages_per_second else ""
    yield f"this run  {counted(run.fetched, 'page')}, {amount(run.bytes)} in {duration(run.seconds)}{speed}"
    left_out = f"; {left_out_line(status.left_out)}" if status.left_out else ""
    share = held(run.coverage, run.coverage_about, run.coverage_shown)
    read = read_line(status.known, status.read, share, status.unasked)
    yield f"coverage  {read}{left_out}"
    yield from (f"unasked   {line}" for line in unasked_lines(status.unasked))
    if status.running:
        if run.silence is not None:
            yield f"paused    {silence_line(run.silence)}"
        ago = max(0.0, now - (status.last_commit or now))
        yield f"now       {counted(run.in_flight, 'request')} in flight; last commit {ago:.0f} s ago"
