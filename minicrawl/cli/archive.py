"""minicrawl archive"""

import contextlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, get_type_hints

import click

from minicrawl import log
from minicrawl.cli.help import Group
from minicrawl.cli.options import about_store, csv_options, store_option
from minicrawl.cli.output import amount, document
from minicrawl.errors import SettingError, StoreError, counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.archive_needs import Needs
    from minicrawl.archive.cdxj import Captured

_INCONSISTENT = 4
_INCOMPLETE = 1
_SHOWN = 20
_LOOKS_APART = 0.1

folder_option = click.option(
    "--archive",
    "folder",
    metavar="DIR|FILE",
    help="Use this archive instead of the crawl's own; accepts what --from-archive accepts.",
)


@click.group(cls=Group, epilog="Example: minicrawl archive list https://example.org/")
def command() -> None:
    """Read what 'minicrawl crawl --archive DIR' has kept: WARC files and their index."""


@command.command("list", epilog="Example: minicrawl archive list https://example.org/")
@click.argument("url")
@folder_option
@about_store
def list_(url: str, folder: str | None, store: Path, as_json: bool) -> None:
    """List every copy of URL: time (UTC), status, media type, size in the archive, and place.

    Exit code 2 if there is none.
    """
    from minicrawl.analysis.archives import opened

    meant = _meant(url)
    with opened(store, folder) as archive:
        found = archive.collection.of_first(meant)
        if not found:
            raise _not_in(folder or archive.collection.folder, url)
    click.echo(document([one._asdict() for one in found]) if as_json else "\n".join(map(_line, found)))


@command.command(epilog="Example: minicrawl archive get https://example.org/ --at 2026-11-21 > page.html")
@click.argument("url")
@click.option("--at", metavar="DATE", help="Write the copy nearest to this time (UTC); by default the latest.")
@click.option("--raw", is_flag=True, help="Include the headers, and keep the body's content coding.")
@folder_option
@store_option
def get(url: str, at: str | None, raw: bool, folder: str | None, store: Path) -> None:
    """Write the archived body of URL to standard output, byte for byte, without content coding."""
    from minicrawl.analysis.archives import decoded, opened
    from minicrawl.archive.cdxj import nearest, parse_stamp
    from minicrawl.archive.reading import MOST_KEPT

    meant, when = _meant(url), None if at is None else parse_stamp(at)
    with opened(store, folder) as archive:
        found = nearest(archive.collection.of_first(meant), when)
        if found is None:
            raise _not_in(folder or archive.collection.folder, url)
        record, payload = archive.collection.answer(found)
    if record.is_cut:
        raise StoreError(
            f"the record of {printable(url)} is larger than {MOST_KEPT >> 20} MB, more than minicrawl reads; find it "
            f"in {printable(found.file)} at byte {found.start}"
        )
    body = record.head + payload if raw else decoded(record, payload)
    if sys.stdout.isatty():  # a page must not send control codes to it
        click.echo("\n".join(map(printable, body.decode("utf-8", "replace").splitlines())))
    else:
        sys.stdout.buffer.write(body)


@command.command(epilog="Example: minicrawl archive check --deep")
@click.option("--deep", is_flag=True, help="Read every record, and check its digests and index entry.")
@folder_option
@about_store
def check(deep: bool, folder: str | None, store: Path, as_json: bool) -> None:
    """Check the files against what the store has committed; with --deep, read every record.

    With --deep, it also says whether the archive is complete, as 'minicrawl archive missing' does. Files without a
    store are always read in full. Bytes that belong to no record are reported, with their place, size and cause. What a
    running or killed crawl has not committed yet is reported, too, but is no error.

    Exit code 0 if all is well, 4 if not.
    """
    from minicrawl.analysis.archive_needs import needs_of
    from minicrawl.analysis.archives import opened
    from minicrawl.archive.check import check as look

    with opened(store, folder) as archive:
        found = look(archive.collection, archive.committed, deep=deep)
        needs = needs_of(archive) if deep else None
    if as_json:
        facts = {"files": found.files, "bytes": found.bytes, "records": found.records, "answers": found.answers}
        if needs is not None:
            facts |= {"needed": needs.files, "missing": len(needs.missing)}
        click.echo(document({**facts, "lost": found.lost, "problems": found.wrong, "notes": found.notes}))
    else:
        for sentences in (found.wrong, found.notes):
            for sentence in sentences[:_SHOWN]:
                click.echo(printable(sentence))
            if len(sentences) > _SHOWN:
                click.echo(f"... and {len(sentences) - _SHOWN:,} more")
        seen = f", {counted(found.records, 'record')}, {counted(found.answers, 'answer')}" if found.records else ""
        for name, size in found.lost.items():
            click.echo(printable(f"{name}: {counted(size, 'byte')} outside any record"))
        verdict = "" if found.wrong else ": nothing is wrong"
        click.echo(f"{counted(found.files, 'file')}, {amount(found.bytes)}{seen}{verdict}")
        if needs is not None:
            click.echo(_verdict(needs))
    if found.wrong:
        raise click.exceptions.Exit(_INCONSISTENT)


@command.command(epilog="Example: minicrawl archive missing --csv missing.csv")
@csv_options
@folder_option
@about_store
def missing(csv_file: Path | None, csv_for: str | None, folder: str | None, store: Path, as_json: bool) -> None:
    """List the files that archived pages need and the archive lacks, such as style sheets and pictures.

    The command reads every page and style sheet of the archive. The files that most pages need come first, each with
    one of these pages and why it is missing. With the crawl's own store, the list also has pages that were read but not
    kept. It does not know what scripts would load.

    Exit code 0 if the archive is complete, 1 if not; files that their servers do not have do not count.
    """
    from minicrawl.analysis.archive_needs import MissingFile, needs_of
    from minicrawl.analysis.archives import opened
    from minicrawl.export.tables import Table, export_table

    with opened(store, folder) as archive:
        needs = needs_of(archive)
    if csv_file is not None:
        table = Table(get_type_hints(MissingFile), needs.missing, for_excel=csv_for == "excel")
        export_table(table, csv_file, "csv")
    if as_json:
        click.echo(document([one._asdict() for one in needs.missing]))
    elif csv_file is None:
        for one in needs.missing:
            by = f"  needed by {one.needed_by}" if one.needed_by else ""
            more = f" and {one.pages - 1:,} more" if one.pages > 1 else ""
            click.echo(printable(f"{one.kind:<5}  {one.url}{by}{more}: {one.why}"))
    for sentence in needs.unread:
        click.echo(printable(sentence), err=True)
    click.echo(_verdict(needs), err=True)
    if not needs.is_complete:
        raise click.exceptions.Exit(_INCOMPLETE)


@command.command(epilog="Example: minicrawl archive index --archive wget-files")
@folder_option
@store_option
def index(folder: str | None, store: Path) -> None:
    """Rebuild the index, for example after other programs have added files to DIR/archive."""
    from minicrawl.analysis.archives import opened
    from minicrawl.archive.collection import index_anew

    if folder is not None and not (Path(folder) / "archive").is_dir():
        raise SettingError(f"{folder} has no folder named archive; move the files into one")
    with opened(store, folder) as archive:
        count = index_anew(archive.collection.folder, lambda why: log.event("archive-damaged", why=why))
    click.echo(f"{counted(count, 'answer')} in the index")


@command.command(epilog="Example: minicrawl archive export crawl.wacz")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@folder_option
@store_option
def export(file: Path, folder: str | None, store: Path) -> None:
    """Write the whole archive to FILE.wacz, for replayweb.page and others, or its index to FILE.cdxj."""
    from minicrawl.analysis.archives import opened
    from minicrawl.archive.export import export as write
    from minicrawl.settings import USER_AGENT

    with opened(store, folder) as archive:
        sizes = archive.committed.sizes if archive.committed is not None else {}
        count = write(archive.collection, file, sizes, USER_AGENT, time.time(), archive.pages)
    click.echo(f"{counted(count, 'answer')} in {file}, {amount(file.stat().st_size)}")


@command.command(epilog="Example: minicrawl archive replay")
@folder_option
@store_option
def replay(folder: str | None, store: Path) -> None:
    """Show archived pages in a browser, using pywb ('wayback' on the PATH), on 127.0.0.1 until Ctrl-C.

    minicrawl does not show them itself: their scripts would run as its own.
    """
    from minicrawl.analysis.archives import opened

    program = shutil.which("wayback")
    if program is None:
        raise SettingError(
            "found no viewer: put pywb's wayback on the PATH (python -m venv pywb && pywb/bin/pip install pywb "
            "'setuptools<81'), or open what 'minicrawl archive export kept.wacz' writes at https://replayweb.page, "
            "which does not upload it"
        )
    with opened(store, folder) as archive, tempfile.TemporaryDirectory(prefix="minicrawl-") as temporary:
        place = archive.collection.folder.absolute()
        best = next((url for url, *_ in archive.pages or () if any(True for _ in archive.collection.of(url))), "*/URL")
        name = re.sub(r"[^\w.-]", "-", place.name) or "kept"
        collections = Path(temporary, "collections")
        collections.mkdir()
        (collections / name).symlink_to(place)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        _shown([program, "-b", "127.0.0.1", "-p", str(port)], temporary, port, f"{name}/{best}")


def _shown(viewer: list[str], folder: str, port: int, path: str) -> None:
    """Run a viewer in a folder until it ends or Ctrl-C, and print its address when it answers."""
    with subprocess.Popen(viewer, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
                    break
                time.sleep(_LOOKS_APART)
            else:
                raise SettingError(f"{viewer[0]} ended at once; see what '{shlex.join(viewer)}' says")
            click.echo(f"http://127.0.0.1:{port}/{printable(path)}  (Ctrl-C ends it)")
            process.wait()
        finally:
            process.terminate()


@command.command(epilog="Example: minicrawl archive select --grades 4 --bytes 50GB")
@click.option(
    "--grades", default=4, show_default=True, type=click.IntRange(2, 100), help="Use this many grades; 1 is the lowest."
)
@click.option("--bytes", "most", metavar="50GB", help="List only the most important sites that fit into this size.")
@about_store
def select(grades: int, most: str | None, store: Path, as_json: bool) -> None:
    """List the sites of a crawl by grade of importance, to choose what to archive. All grades have equally many sites.

    A site is a registrable domain. On domains that give each user a subdomain, such as readthedocs.io, each of these
    is a site.
    """
    from minicrawl.analysis.sites import graded_sites
    from minicrawl.setting import parse_size
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        sites = graded_sites(reader, "site", grades, None if most is None else parse_size(most))
    shown = [one for one in sites if one.is_selected]
    if as_json:
        click.echo(document({"sites": [one._asdict() for one in shown]}))
        return
    click.echo(f"grade  importance  {'pages':>9}  {'size':>9}  site")
    for one in shown:
        facts = f"{one.grade:>5}  {one.importance:>10.3g}  {one.pages:>9,}  {amount(one.bytes):>9}"
        click.echo(f"{facts}  {printable(one.site)}")
    click.echo(f"{len(shown):,} of {counted(len(sites), 'site')}, {amount(sum(one.bytes for one in shown))} as read")


def _verdict(needs: "Needs") -> str:
    """A sentence that says whether an archive is complete."""
    pages = sum(one.kind == "page" for one in needs.missing)
    files, gone = len(needs.missing) - pages, sum(one.is_gone for one in needs.missing)
    needed = f"{counted(needs.files, 'file')} that its pages need"
    if needs.is_complete:
        rest = f"{needs.files - gone:,} of {needed}; the servers do not have the rest" if gone else needed
        return f"complete: it has {rest}"
    lacks = [f"{files:,} of {needed}{f' (the servers do not have {gone:,} of these)' if gone else ''}"] if files else []
    lacks += [f"{counted(pages, 'page')} that the crawl has read"] if pages else []
    lacks += [f"the files of {counted(len(needs.unread), 'page')} that cannot be read"] if needs.unread else []
    return f"not complete: it lacks {' and '.join(lacks)}"


def _meant(text: str) -> list[str]:
    """The URLs that a user may mean, also behind urn:view: and the like. Raises SettingError."""
    from minicrawl.analysis.explain import meant_by

    kind = "".join(re.findall("^urn:[A-Za-z]+:", text))
    return [kind + one for one in meant_by(text.removeprefix(kind))]


def _not_in(folder: str | Path, url: str) -> SettingError:
    return SettingError(f"{printable(url)} is not in the archive at {folder}")


def _line(one: "Captured") -> str:
    when = one.stamp
    date = f"{when[:4]}-{when[4:6]}-{when[6:8]} {when[8:10]}:{when[10:12]}:{when[12:14]}"
    kind = "  as before" if one.is_revisit else ""
    facts = f"{date}  {one.status}  {one.media_type or '-':<24} {amount(one.length):>9}"
    return printable(f"{facts}  {one.file}:{one.start}{kind}")
