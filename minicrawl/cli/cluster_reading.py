"""minicrawl cluster top, export, status and check: what reads the stores of all partitions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minicrawl.cli.check import INCONSISTENT, print_problems
from minicrawl.cli.configuration import config_option
from minicrawl.cli.fitting import fitted
from minicrawl.cli.options import json_option, wide_option
from minicrawl.cli.output import counted, document, page_rows, table
from minicrawl.errors import StoreError

if TYPE_CHECKING:
    from minicrawl.store.reader import Store

folder_option = click.option(
    "--store",
    "path",
    type=click.Path(path_type=Path),  # a file of options may have the store of all other commands
    required=True,
    metavar="FOLDER",
    help="The crawl's folder, with a store for each partition.",
)


@click.command(epilog="Example: minicrawl cluster top --store data/web --n 100")
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages.")
@folder_option
@wide_option
@json_option
@config_option
def top(n: int, path: Path, as_json: bool) -> None:
    """Print the most important pages of all partitions, best first: every page, as 'minicrawl top --all' does.

    By importance of the links found so far: exact once the crawl has stopped.
    """
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.merged import ranked_pages

    with found(path).opened() as stores:
        pages = list(ranked_pages(stores, n))
    click.echo(document(page_rows(pages)) if as_json else "\n".join(fitted(table(pages))))


@click.command(epilog="Example: minicrawl cluster export ranks.csv --store data/web")
@click.argument("file", type=click.Path(allow_dash=True, path_type=Path))
@click.option("--format", "form", type=click.Choice(["csv", "jsonl", "parquet"]), help="Whatever the ending of FILE.")
@folder_option
@json_option
@config_option
def export(file: Path, form: str | None, path: Path, as_json: bool) -> None:
    """Write every page of all partitions with its rank to FILE, best first, as 'minicrawl export --by importance' does.

    Pages of the same importance are in the order of their URLs. History is that of the page's partition, and no page
    has an expected importance.
    """
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.merged import ranked_pages
    from minicrawl.export.ranks import STANDARD_OUTPUT, export_ranks

    with found(path).opened() as stores:
        count = export_ranks(ranked_pages(stores), file, form)
    if file != STANDARD_OUTPUT:
        line = f"{counted(count, 'page')} written to {file}"
        click.echo(document({"file": str(file), "pages": count}) if as_json else line)


@click.command(epilog="Example: minicrawl cluster status --store data/web")
@folder_option
@json_option
@config_option
def status(path: Path, as_json: bool) -> None:
    """Say of every partition how many pages it has in which state, as of its last commit; also while a crawl runs."""
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.merged import states
    from minicrawl.model import State

    folder = found(path)
    with folder.opened() as stores:
        known, read = known_and_read(stores)
        rows: list[dict[str, Any]] = []
        for number, store in enumerate(stores):
            here = states(store)
            mirrors, waits = here.pop(State.ELSEWHERE, 0), len(store.transfers.outbox())
            rows.append({"partition": number, "pages": dict(here), "mirrors": mirrors, "outbox": waits})
    is_running = folder.is_in_use
    if as_json:
        click.echo(document({"running": is_running, "known": known, "read": read, "partitions": rows}))
        return
    does = "a crawl runs" if is_running else "no crawl runs"
    lines = [f"{counted(known, 'page')} known in {counted(len(rows), 'partition')}, {read:,} read; {does}", ""]
    kinds = [state for state in State if any(row["pages"].get(state) for row in rows)]
    lines.append("  ".join(["partition", *(f"{kind:>10}" for kind in kinds), f"{'mirrors':>10}", f"{'to send':>7}"]))
    for row in rows:
        numbers = [f"{row['pages'].get(kind, 0):>10,}" for kind in kinds]
        lines.append("  ".join([f"{row['partition']:>9}", *numbers, f"{row['mirrors']:>10,}", f"{row['outbox']:>7,}"]))
    click.echo("\n".join(lines))


@click.command(epilog="Example: minicrawl cluster check --store data/web")
@folder_option
@json_option
@config_option
def check(path: Path, as_json: bool) -> None:
    """Audit all partitions, each by itself and all together: no unit of cash lost, every link counted where it leads.

    Exit code 0 when all holds, 4 when something does not. No crawl may run on the folder meanwhile.
    """
    from itertools import islice

    from minicrawl.cluster.audit import audit_all
    from minicrawl.cluster.folder import found

    folder = found(path)
    if folder.is_in_use:
        raise StoreError(f"a crawl uses {path}; stop it, and check then")
    with folder.opened() as stores:
        problems = list(islice(audit_all(stores), 1000))
        known, _ = known_and_read(stores)
    if as_json:
        click.echo(document({"store": str(path), "pages": known, "problems": problems}))
    else:
        where = f"{counted(known, 'page')} in {counted(len(folder.stores), 'partition')}"
        print_problems(problems, f"{path}: {where}, all consistent")
    if problems:
        raise click.exceptions.Exit(INCONSISTENT)


def known_and_read(stores: "Sequence[Store]") -> tuple[int, int]:
    from minicrawl.cluster.merged import states
    from minicrawl.model import READ, State

    known = read = 0
    for store in stores:
        found = states(store)
        known += sum(found.values()) - found[State.ELSEWHERE]
        read += sum(found[state] for state in READ)
    return known, read
