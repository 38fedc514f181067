"""minicrawl changes"""

import time
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from minicrawl.cli.options import about_store, kinds_of, moment_of, where_option
from minicrawl.cli.output import document, fitted, lines_of, terminal_columns
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable
from minicrawl.model import KINDS
from minicrawl.parts import figures_of

if TYPE_CHECKING:
    from minicrawl.analysis.page_changes import PageChange
    from minicrawl.store.reader import Store
    from minicrawl.store.refreshes import ChangedPage, RisenPage
    from minicrawl.store.texts.difference import Line


_Page = TypeVar("_Page", "ChangedPage", "RisenPage")
_COLORS = {"+": "green", "-": "red", "~": "cyan"}


@click.command(epilog='Example: minicrawl changes --since 7d --where "importance > 1e-4"')
@click.argument("url", required=False)
@click.option("--diff", "is_diff", is_flag=True,
              help="Print the lines of URL that were added (+), removed (-) or moved (~).")  # fmt: skip
@click.option("--since", default=None, show_default="7d; of one page, all", metavar="TIME|DATE",
              help="List changes of this period (12h), or since this date (2026-01-31, UTC).")  # fmt: skip
@where_option
@click.option("--only", metavar="KIND,...", help=f"List only changes of these kinds: {', '.join(KINDS)}.")
@click.option("-n", "--n", type=click.IntRange(min=1), help="Print this many pages; all by default.")
@click.option("--rising", "is_rising", is_flag=True, help="List pages that have gained importance.")
@click.option("--atom", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write an Atom feed for feed readers instead of printing.")  # fmt: skip
@about_store
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    url: str | None,
    is_diff: bool,
    since: str | None,
    where: str | None,
    only: str | None,
    n: int | None,
    is_rising: bool,
    atom: Path | None,
    store: Path,
    as_json: bool,
) -> None:
    """List new, changed and gone pages, the most important first.

    With URL: list the changes of that page, the oldest first.

    A change is noticed when a page is fetched again: see 'crawl --refresh' and 'minicrawl refresh'. A changed page is
    listed with the kinds of its changes, and with the numbers of text blocks (headings, paragraphs, list items) and
    other values that were added and removed.

    If the crawl itself has begun since then, all its pages are new: only their number is printed, and a feed leaves
    them out. --n and --json list them.

    For the store of 'minicrawl watch', list its reports.

    --rising lists pages by how much importance they have gained, because they have more links, or better ones.
    """
    from minicrawl.store.reader import open_store

    if _is_watched(store):
        from minicrawl.cli.watch import print_told

        if url or is_diff or where or only or n or is_rising:
            raise SettingError(f"{store} is the store of watched pages, for which only --since works")
        print_told(store, since or "7d", "--since", atom, as_json=as_json)
        return
    if atom is not None and (is_rising or as_json):
        other = "--rising" if is_rising else "--json"
        raise SettingError(f"a feed lists new, changed and gone pages; leave out {other} or --atom")
    kinds = kinds_of(only, KINDS)
    if kinds and is_rising:
        raise SettingError("--only is for changed pages; leave out --only or --rising")
    now = time.time()
    if url is not None:
        if where is not None or atom is not None or is_rising:
            raise SettingError("--where, --atom and --rising are for many pages; leave out these or URL")
        moment = 0.0 if since is None else moment_of(since, now)
        _print_page(store, url, moment, n or 0, kinds, is_diff=is_diff, as_json=as_json)
        return
    if is_diff:
        raise SettingError("--diff is for one page: minicrawl changes URL --diff")
    since = since or "7d"
    moment = moment_of(since, now)
    with open_store(store) as reader, reader.snapshot():
        if is_rising:
            risen = _wanted(reader, reader.refreshes.risen_pages(moment), where)[:n]
            rows = [page._asdict() | {"what": "rising", "at": now} for page in risen]
            click.echo(document(rows) if as_json else "\n".join(_risen_lines(risen, since)))
            return
        changes = [page for page in reader.changes(moment) if not kinds or not kinds.isdisjoint(page.kinds)]
        found = _wanted(reader, changes, where)[:n]
        began = reader.refreshes.began()
        is_all_new = n is None and began is not None and began >= moment
        shown = [page for page in found if not (is_all_new and page.what == "new")]
        if atom is not None:
            _write_feed(atom, shown, reader, moment, now)
    if as_json:
        click.echo(document([page._asdict() for page in found]))
        return
    if atom is not None:
        click.echo(f"{counted(len(shown), 'change')} written to {printable(str(atom))}")
        click.echo("".join(f"{line}\n" for line in _all_new(len(found) - len(shown))), nl=False)
        return
    click.echo("\n".join(_lines(shown, len(found) - len(shown), since)))


def _is_watched(store: Path) -> bool:
    """True for a store of `minicrawl watch`."""
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        return bool(figures_of(reader, "watch").get("watch"))


def _write_feed(file: Path, pages: "Sequence[ChangedPage]", store: "Store", since: float, now: float) -> None:
    from minicrawl.analysis.page_changes import Versions, is_text_kept
    from minicrawl.export.atom import write_feed

    def difference(page: "ChangedPage") -> "Sequence[Line] | None":
        return Versions(store, page.url).difference(since, page.at)

    name, is_kept = str(store.meta("hash_key")), is_text_kept(store)
    write_feed(file, pages, name, min(since, now), difference if is_kept else lambda _: None)


def _print_page(  # noqa: PLR0913 - the options that apply to one page
    store: Path, url: str, since: float, n: int, kinds: Set[str], *, is_diff: bool, as_json: bool
) -> None:
    """n: the number of changes, the last ones; 0: all."""
    from minicrawl.analysis.page_changes import is_text_kept, page_changes
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        changes = page_changes(reader, url, since, reads_texts=is_diff)
        found = [change for change in changes if not kinds or not kinds.isdisjoint(change.kinds)][-n:]
        is_kept = is_text_kept(reader)
    if as_json:
        rows = [change._asdict() for change in found]
        click.echo(document([row | {"diff": row["diff"] and [line._asdict() for line in row["diff"]]} for row in rows]))
        return
    for change in found:
        click.echo("\n".join(_change_lines(change, is_kept=is_diff and is_kept)))
    notes = list[str]()
    if not found:
        notes.append(f"No change of {printable(url)} is known; minicrawl sees changes only on pages it fetches again.")
    if is_diff and not is_kept:
        notes.append("The crawl keeps no texts; continue it with --text or --archive DIR.")
    for note in fitted(notes):
        click.echo(note)


def _change_lines(change: "PageChange", *, is_kept: bool) -> Iterator[str]:
    """A change, and the blocks that differ. is_kept: some texts are kept."""
    signs = [line.sign for line in change.diff or ()]
    came, went = signs.count("+"), signs.count("-")
    in_all = f"; +{came:,} -{went:,} in all" if change.diff and (came, went) != (change.added, change.removed) else ""
    yield f"{day(change.at)}  {_what(change.what, change.kinds, change.added, change.removed)}{in_all}"
    if is_kept and change.what == "changed" and change.diff is None:
        yield "  (the texts before and after it are not kept)"
    for line in change.diff or ():
        for row in line.text.split("\n"):
            yield click.style(f"  {line.sign} {printable(row)}", fg=_COLORS[line.sign])


def _wanted(store: "Store", pages: "list[_Page]", where: str | None) -> "list[_Page]":
    """Those of some pages for which an expression is true."""
    if where is None:
        return pages
    is_wanted, numbers = store.questions.where(where), store.page_table.find([page.url for page in pages])
    return [page for page in pages if is_wanted[numbers[page.url]]]


def _lines(shown: "Sequence[ChangedPage]", left_out: int, since: str) -> Iterator[str]:
    """The lines of changes. left_out: number of pages that are new only because the crawl is."""
    if not shown and not left_out:
        yield from fitted([f"Nothing is known to have changed since {printable(since)}."])
    if shown:
        whats = [_what(page.what, page.kinds, page.added, page.removed, page.times) for page in shown]
        yield from _table(shown, {"when (UTC)": [day(page.at) for page in shown], "what": whats})
    yield from fitted(_all_new(left_out))


def _all_new(left_out: int) -> list[str]:
    """The note on pages that are new only because the crawl is."""
    read = counted(left_out, "page")
    line = f"The crawl started after that, so every page read is new: {read}. --n 20 shows the best."
    return [line] if left_out else []


def _risen_lines(risen: "Sequence[RisenPage]", since: str) -> Iterator[str]:
    if risen:
        before, then = [f"{page.before:>10.3g}" for page in risen], [day(page.since) for page in risen]
        yield from _table(risen, {f"{'before':>10}": before, "then (UTC)": then})
    else:
        yield from fitted([f"No page fetched again has become more important since {printable(since)}."])


def _table(pages: "Sequence[ChangedPage | RisenPage]", columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Pages with their importance, the columns, URL and title."""
    starts = [f"{'importance':>10}", *(f"{page.importance:>10.3g}" for page in pages)]
    for head, cells in columns.items():
        width = max(map(len, (head, *cells)))
        starts = [f"{start}  {cell:<{width}}" for start, cell in zip(starts, (head, *cells), strict=True)]
    urls = ["page", *(printable(page.url) for page in pages)]
    return lines_of(starts, urls, ["", *(printable(page.title or "") for page in pages)])


def _what(what: str, kinds: Sequence[str], added: int, removed: int, times: int = 1) -> str:
    blocks = f" +{added:,} -{removed:,}" if what == "changed" and (added or removed) else ""
    often = f" in {times}" if what == "changed" and times > 1 else ""
    return f"{what}{' ' * bool(kinds)}{', '.join(kinds)}{blocks}{often}"


def day(seconds: float) -> str:
    """The time; a narrow terminal has room for the day only."""
    columns = terminal_columns()
    form = "%Y-%m-%d" if columns is not None and columns < 80 else "%Y-%m-%d %H:%M"
    return datetime.fromtimestamp(seconds, UTC).strftime(form)
