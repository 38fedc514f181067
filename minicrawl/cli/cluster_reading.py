"""minicrawl cluster top, export, status, why, verify and check: what reads the stores of all partitions."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.check import INCONSISTENT, print_problems
from minicrawl.cli.configuration import config_option
from minicrawl.cli.fitting import fitted
from minicrawl.cli.options import json_option, wide_option
from minicrawl.cli.output import counted, document, page_rows, table
from minicrawl.cli.status import found_lines, now_line, speed_line
from minicrawl.cli.verify import print_verification, tolerance_option
from minicrawl.cli.why import end_if_unknown, explanation_lines
from minicrawl.errors import StoreError
from minicrawl.model import State

if TYPE_CHECKING:
    from minicrawl.analysis.status import Status
    from minicrawl.cluster.folder import Folder
    from minicrawl.cluster.merged import AskedStore
    from minicrawl.cluster.reading.explanation import PlacedExplanation
    from minicrawl.cluster.reading.status import PartStatus
    from minicrawl.store.reader import Store

folder_option = click.option(
    "--store",
    "path",
    type=click.Path(path_type=Path),  # a file of options may have the store of all other commands
    envvar="MINICRAWL_STORE",
    show_envvar=True,
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

    Pages of the same importance are in the order of their URLs. History is that of the page's partition, and there is
    no column of expected importance.
    """
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.merged import ranked_pages
    from minicrawl.export.ranks import STANDARD_OUTPUT, export_ranks

    with found(path).opened() as stores:
        count = export_ranks(ranked_pages(stores), file, form, left_out=["expected"])
    if file != STANDARD_OUTPUT:
        line = f"{counted(count, 'page')} written to {file}"
        click.echo(document({"file": str(file), "pages": count}) if as_json else line)


@click.command(epilog="Example: minicrawl cluster status --store data/web")
@folder_option
@wide_option
@json_option
@config_option
def status(path: Path, as_json: bool) -> None:
    """Say what all partitions do or have done, and each of them, as of its last commit; also while a crawl runs."""
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.reading.status import status_of_all

    folder = found(path)
    with folder.opened() as stores:
        whole = status_of_all(folder, stores)
    if as_json:
        rows = [{"partition": number, **asdict(part)} for number, part in enumerate(whole.partitions)]
        click.echo(document(whole.of_all.as_json() | {"partitions": rows}))
    else:
        click.echo("\n".join(fitted([*_status_lines(whole.of_all), "", *_part_lines(whole.partitions)])))


def _status_lines(status: "Status") -> Iterator[str]:
    yield from found_lines(status)
    if (run := status.run) is None:
        return
    yield speed_line(run)
    holds = f"; these hold {run.coverage:.1%} of the importance of the known pages by links found so far"
    yield f"coverage  {counted(status.known, 'page')} known, {status.read:,} read{holds if status.read else ''}"
    if status.running:
        yield now_line(status, run, time.time())


def _part_lines(parts: "Sequence[PartStatus]") -> Iterator[str]:
    kinds = [state for state in State if any(part.pages.get(state) for part in parts)]
    yield "  ".join(["partition", *(f"{kind:>10}" for kind in kinds), f"{'mirrors':>10}", f"{'to send':>7}"])
    for number, part in enumerate(parts):
        pages = [f"{part.pages.get(kind, 0):>10,}" for kind in kinds]
        yield "  ".join([f"{number:>9}", *pages, f"{part.mirrors:>10,}", f"{part.outbox:>7,}"])


@click.command(epilog="Example: minicrawl cluster why https://example.org/about --store data/web")
@click.argument("url")
@folder_option
@wide_option
@json_option
@config_option
def why(url: str, path: Path, as_json: bool) -> None:
    """Tell everything known of one URL, as 'minicrawl why' does, and which partition has it.

    Its rank is that among the pages of all, for which all of them are looked at. Links to it are those of all
    partitions. The order in which it waits is that of its own.
    """
    from minicrawl.analysis.explain import meant_by
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.reading.explanation import explain_one

    meant_by(url)  # a mistake in it is told before there is a folder to look for
    folder = found(path)
    with folder.opened() as stores:
        placed = explain_one(folder.homes, stores, url)
    if as_json:
        click.echo(document(placed.explanation.as_json() | {"partition": placed.home, "mirrors": placed.mirrors}))
    else:
        first, *lines = explanation_lines(placed.explanation)
        click.echo("\n".join(fitted([first, *_home_lines(placed), *lines])))
    end_if_unknown(placed.explanation)


def _home_lines(placed: "PlacedExplanation") -> Iterator[str]:
    others = ", ".join(map(str, placed.mirrors))
    if placed.explanation.page is None and others:
        yield f"  partition   {placed.home} is its home, and was not told of it yet: only a mirror in {others}"
    else:
        yield f"  partition   {placed.home}" + (f"; pages of {others} link to it, too" if others else "")


@click.command(epilog="Example: minicrawl cluster verify --store data/web")
@tolerance_option
@folder_option
@json_option
@config_option
def verify(tolerance: float, path: Path, as_json: bool) -> None:
    """Compare the ranking of all partitions with exact PageRank of all their links, as 'minicrawl verify' does.

    What is on its way between partitions counts as received. All links are held in memory at once, here, also those of
    other machines. No crawl may run on the folder meanwhile. Exit code 4 when the settled ranking is more off than its
    ledgers certify.
    """
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.reading.verification import verify_all

    with unused_stores(found(path)) as stores:
        verification = verify_all(stores)
    print_verification(verification, path, tolerance, as_json)


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
    with unused_stores(folder) as stores:
        problems = list(islice(audit_all(stores), 1000))
        known, _ = known_and_read(stores)
    if as_json:
        click.echo(document({"store": str(path), "pages": known, "problems": problems}))
    else:
        where = f"{counted(known, 'page')} in {counted(len(folder.stores), 'partition')}"
        print_problems(problems, f"{path}: {where}, all consistent")
    if problems:
        raise click.exceptions.Exit(INCONSISTENT)


def unused(path: Path) -> "Folder":
    """The crawl in a folder on which nothing may run. Raises StoreError."""
    from minicrawl.cluster.folder import found

    folder = found(path)
    folder.check_is_here()
    if folder.is_in_use:
        raise StoreError(f"a crawl uses {path}; stop it, and run this command then")
    return folder


@contextmanager
def unused_stores(folder: "Folder") -> "Iterator[Sequence[Store]]":
    """The stores of a crawl that does not run. Raises StoreError."""
    with folder.opened() as stores:
        if any(store.is_in_use() for store in stores):
            raise StoreError(f"a crawl uses {folder.path}; stop it, and run this command then")
        yield stores


def known_and_read(stores: "Sequence[AskedStore]") -> tuple[int, int]:
    """Numbers of known and read pages of all partitions."""
    from minicrawl.cluster.merged import states_of_all
    from minicrawl.model import READ

    states = states_of_all(stores)
    return states.total(), sum(states[state] for state in READ)
