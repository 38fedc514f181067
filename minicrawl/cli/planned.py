"""What crawl --dry-run prints."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from minicrawl.cli.fitting import fitted
from minicrawl.cli.output import counted, document, printable

if TYPE_CHECKING:
    from minicrawl.analysis.planning.dry_run import DryRun, SeedCounts

PAGES = 20
"""How many pages are shown."""


def print_plan(plan: "DryRun", as_json: bool) -> None:
    """What a crawl would do, for people or as JSON."""
    if as_json:
        click.echo(document(asdict(plan)))
    else:
        click.echo("\n".join(fitted(list(_lines(plan)))))


def _lines(plan: "DryRun") -> Iterator[str]:
    yield f"{counted(plan.waiting, 'page')} would wait for a first turn. {_seeds(plan.seeds)}"
    if plan.hosts:
        yield "Asked for first, by host, in seconds from the start, at the earliest:"
    shown = [host for host in plan.hosts if any(request.is_page for request in host.requests)]
    for host in shown:
        yield ""
        yield f"{printable(host.host)}, a request every {host.delay:g} s" if host.delay else f"{printable(host.host)}"
        for request in host.requests:
            yield f"{request.after:>9.1f}  {printable(request.url)}"
    if len(shown) < len(plan.hosts):
        yield ""
        yield f"And for the robots.txt of {counted(len(plan.hosts) - len(shown), 'more host')}."
    if plan.left_out:
        yield ""
        yield "Left out:"
    for one in plan.left_out:
        rule = f"{printable(one.rule)}; " if one.rule else ""
        yield f"{one.pages:>9,}  {one.reason}: {rule}such as {printable(one.example)}"
    yield ""
    yield "Nothing was asked for, and nothing was written."


def _seeds(seeds: "SeedCounts") -> str:
    kinds = {
        "new": seeds.new,
        "read before": seeds.read,
        "given up before": seeds.given_up,
        "waiting": seeds.waiting,
        "the same page as another": seeds.same,
        "no URL": seeds.bad,
    }
    parts = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
    return f"Of {counted(seeds.given, 'seed')}: {parts}." if seeds.given else "No seeds are given."
