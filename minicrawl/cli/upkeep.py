"""minicrawl check, minicrawl verify, minicrawl backup, minicrawl gather, minicrawl compact, minicrawl salvage"""

import json
import time
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import about_store, json_option, naming_store, no_upgrade_option, refuse_upgrade
from minicrawl.cli.output import amount, read_line
from minicrawl.errors import SettingError, counted, held
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.verify import Agreement, Verification


_INCONSISTENT = 4
_SAME = 1e-12
_SHOWN = 20


@click.command(epilog="Example: minicrawl check --store data/crawl.db")
@about_store
def check(store: Path, as_json: bool) -> None:
    """Check a store: cash is conserved to the unit, every link is accounted for, every URL has a reason.

    Exit code 0 if all is well, 4 if not. It reads one commit, so a crawl may be writing meanwhile.
    """
    from minicrawl.crawler.books.invariants import violations
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        problems = list(islice(violations(reader), 1000))
        pages = reader.size()
    if as_json:
        click.echo(json.dumps({"store": str(store), "pages": pages, "problems": problems}, indent=2))
    else:
        shown = problems[:_SHOWN] or [f"{store}: {counted(pages, 'page')}, all consistent"]
        more = [f"... and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
        click.echo("\n".join(map(printable, [*shown, *more])))
    if problems:
        raise click.exceptions.Exit(_INCONSISTENT)


@click.command(epilog="Example: minicrawl verify --store data/crawl.db")
@click.option("--tolerance", default=1e-6, show_default=True, type=click.FloatRange(min=0),
              help="Accept this much error in the settled ranking beyond what its book certifies.")  # fmt: skip
@about_store
def verify(tolerance: float, store: Path, as_json: bool) -> None:
    """Compare a crawl's ranking with exact PageRank of its stored links, weighed as the crawl weighs them.

    It compares the ranking as stored, and as it is once virtual visits along stored links have settled the book. That
    happens in memory: the store is not changed, and a crawl may be using it. Exit code 4 if the settled ranking is
    further off than its book certifies.
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
        click.echo("\n".join([*_verification_lines(found, store), *([problem] if problem else [])]))
    if problem:
        raise click.exceptions.Exit(_INCONSISTENT)


def _problem(found: "Verification", tolerance: float) -> str | None:
    if found.wrong_births() > tolerance:
        return (
            f"The chances of jumps as stored are {found.births:.2g} (L1) off those by the links: sites, voices or "
            + naming_store("entrances are wrong; 'minicrawl crawl' computes them again when it ends.")
        )
    if found.excess() <= tolerance:
        return None
    return (
        f"The settled ranking is {found.excess():.2g} more off than its book certifies: the accounts do not belong "
        + naming_store("to the links; run 'minicrawl check' to see where.")
    )


def _verification_lines(found: "Verification", store: Path) -> list[str]:
    share = held(found.coverage, found.coverage_about, found.coverage_shown)
    return [
        f"{store}: {counted(found.links, 'link')}; aliases, folded into their targets: {found.aliases:,}",
        f"{read_line(found.known, found.read, share)}.",
        "",
        f"{'against exact PageRank':<24}{f'top {found.top}':>8}  {'tau':>8}  {'L1 error':>9}  {'largest':>9}  "
        f"{'certified':>9}",
        _agreement_line("importance, as stored", found.stored, found.top),
        _agreement_line("importance, settled", found.settled, found.top),
        _agreement_line("history (the paper's)", found.history, found.top),
        _agreement_line("in-links", found.inlinks, found.top),
        "",
        f"Settling took {found.rounds:,} rounds with {found.visits:,} virtual visits, in memory; whole units may add "
        f"{found.rounding:.2g} to what is certified.{_births_line(found)}",
    ]


def _births_line(found: "Verification") -> str:
    """A sentence on the chances of jumps, after a space; empty if they are not worked out by the links."""
    if found.births is None:
        return ""
    if found.births < _SAME:
        return " Jumps as stored are those by the links."
    why = "pages have become known since they were worked out, or an earlier version worked them out"
    return f" Jumps as stored are {found.births:.2g} (L1) off those by the links{f': {why}' * found.births_are_old}."


def _agreement_line(name: str, agreement: "Agreement", top: int) -> str:
    tau = "-" if agreement.tau is None else f"{agreement.tau:.5f}"
    certificate = "-" if agreement.certificate is None else f"{agreement.certificate:.2g}"
    return (
        f"{name:<24}{round(agreement.overlap * top):>8}  {tau:>8}  {agreement.l1:>9.2g}  {agreement.largest:>9.2g}  "
        f"{certificate:>9}"
    )


@click.command(epilog="Example: minicrawl backup monday.db --store data/crawl.db")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("--archive", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Also copy the archive to DIR, without files that are already there; FILE then refers to "
              "it.")  # fmt: skip
@about_store
def backup(file: Path, force: bool, archive: Path | None, store: Path, as_json: bool) -> None:
    """Copy a store to FILE, also while a crawl writes to it.

    FILE appears whole or not at all. It is a normal store, as of one commit: 'minicrawl crawl --store FILE' continues
    from there.
    """
    from minicrawl.store import upkeep
    from minicrawl.store.reader import open_store

    source = None
    if archive is not None:
        from minicrawl.analysis.archives import back_up

        with open_store(store) as reader:
            source = reader.settings.get("archive")
        if source is None:
            raise SettingError(f"{store} has no archive; leave out --archive")
        if archive.resolve() == Path(source).resolve():
            raise SettingError(f"{archive} is the archive itself; name another folder for its copy")
    size = upkeep.backup(store, file, force=force)
    with open_store(file) as copy:
        pages = copy.size()
    report = {"store": str(store), "file": str(file), "pages": pages, "bytes": size}
    lines = [f"{file}: {counted(pages, 'page')}, {amount(size)}"]
    if source is not None and archive is not None:
        copied = back_up(Path(source), file, archive)
        report |= {"archive": str(archive), "archive_bytes": copied}
        lines.append(f"{archive}: {amount(copied)} copied")
    click.echo(json.dumps(report, indent=2) if as_json else "\n".join(lines))


@click.command(epilog="Example: minicrawl gather data/web crawl.db")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE even if it is something else.")
@no_upgrade_option
@json_option
def gather(folder: Path, file: Path, force: bool, as_json: bool) -> None:
    """Gather the partitions in FOLDER into one store, FILE, also while the crawl runs.

    FILE appears whole or not at all. It is a normal store with the ranks of the whole crawl. If FILE was gathered from
    the same crawl before, it is brought up to date.
    """
    from minicrawl.crawler.books.invariants import damage_as_store_error
    from minicrawl.store import gather as gathering
    from minicrawl.store.reader import open_store

    start = time.perf_counter()
    for path in (folder, file):
        refuse_upgrade(click.get_current_context(), path)
    with damage_as_store_error(folder):
        is_new = gathering.gather(folder, file, force=force)
    seconds, size = round(time.perf_counter() - start, 1), file.stat().st_size
    with open_store(file) as store:
        pages = store.size()
    report = {"folder": str(folder), "file": str(file), "is_new": is_new, "pages": pages, "seconds": seconds}
    done = f"in {seconds:,} s" if is_new else "nothing has changed"
    line = f"{file}: {counted(pages, 'page')}, {amount(size)}, {done}"
    click.echo(json.dumps({**report, "bytes": size}, indent=2) if as_json else line)


@click.command(epilog="Example: minicrawl compact --store data/crawl.db")
@about_store
def compact(store: Path, as_json: bool) -> None:
    """Make a store's file as small as possible, without changing its content.

    No crawl may be running on it, and the disk needs room for two more copies meanwhile.
    """
    from minicrawl.store import upkeep

    before, after = upkeep.compact(store)
    report = {"store": str(store), "bytes_before": before, "bytes_after": after}
    click.echo(json.dumps(report, indent=2) if as_json else f"{store}: {amount(before)} before, {amount(after)} now")


@click.command(epilog="Example: minicrawl salvage saved.db --store data/crawl.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@about_store
def salvage(file: Path, store: Path, as_json: bool) -> None:
    """Write what is readable in a damaged store to a new one, FILE.

    URLs, states, links and answers are kept as far as they can be read. Cash and history are recomputed from the
    links. Pages whose links were lost will be read again. 'minicrawl crawl --store FILE' continues from there.
    """
    from minicrawl.crawler import salvage as salvaging

    pages, read, again = salvaging.salvage(store, file)
    report = {"store": str(store), "file": str(file), "pages": pages, "read": read, "again": again}
    line = f"{file}: {counted(pages, 'page')}; {read:,} have had their turn, {again:,} wait for it again"
    click.echo(json.dumps(report, indent=2) if as_json else line)
