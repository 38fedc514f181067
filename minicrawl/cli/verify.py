"""minicrawl verify"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import json_option, store_option
from minicrawl.errors import counted

if TYPE_CHECKING:
    from minicrawl.analysis.verify import Agreement, Verification

_INCONSISTENT = 4


@click.command(epilog="Example: minicrawl verify --store data/crawl.db")
@click.option("--tolerance", default=1e-6, show_default=True, type=click.FloatRange(min=0),
              help="How much more than certified the settled ranking may be off.")  # fmt: skip
@store_option
@json_option
def command(tolerance: float, store: Path, as_json: bool) -> None:
    """Compare a crawl's ranking with exact PageRank of the links it has stored, weighed as the crawl weighs them.

    As stored, and once the book is settled by virtual visits along stored links. That is done in memory, the
    store stays as it is; it may be in use by a crawl. Exit code 4 when the settled ranking is more off than its
    book certifies.
    """
    from minicrawl.analysis.verify import verify
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        found = verify(reader)
    problem = _problem(found, tolerance)
    if as_json:
        document = {"store": str(store), **asdict(found), "tolerance": tolerance, "problem": problem}
        click.echo(json.dumps(document, indent=2))
    else:
        click.echo("\n".join([*_lines(found, store), *([problem] if problem else [])]))
    if problem:
        raise click.exceptions.Exit(_INCONSISTENT)


def _problem(found: "Verification", tolerance: float) -> str | None:
    if found.excess() <= tolerance:
        return None
    return (
        f"The settled ranking is {found.excess():.2g} more off than its book certifies: the accounts do not belong "
        "to the links; run 'minicrawl check' to see where."
    )


def _lines(found: "Verification", store: Path) -> list[str]:
    return [
        f"{store}: {counted(found.known, 'page')} known, {found.read:,} read, {counted(found.links, 'link')}; aliases, "
        f"folded into their targets: {found.aliases:,}",
        "",
        f"{'against exact PageRank':<24}{f'top {found.top}':>8}  {'tau':>8}  {'L1 error':>9}  {'largest':>9}  "
        f"{'certified':>9}",
        _line("importance, as stored", found.stored, found.top),
        _line("importance, settled", found.settled, found.top),
        _line("history (the paper's)", found.history, found.top),
        _line("in-links", found.inlinks, found.top),
        "",
        f"Settling took {found.rounds:,} rounds with {found.visits:,} virtual visits, in memory; whole units may add "
        f"{found.rounding:.2g} to what is certified.",
    ]


def _line(name: str, agreement: "Agreement", top: int) -> str:
    tau = "-" if agreement.tau is None else f"{agreement.tau:.5f}"
    certificate = "-" if agreement.certificate is None else f"{agreement.certificate:.2g}"
    return (
        f"{name:<24}{round(agreement.overlap * top):>8}  {tau:>8}  {agreement.l1:>9.2g}  {agreement.largest:>9.2g}  "
        f"{certificate:>9}"
    )
