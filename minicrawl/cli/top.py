"""minicrawl top"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from minicrawl.cli.fitting import fitted
from minicrawl.cli.options import (
    filter_options,
    given_filters,
    is_kept,
    json_option,
    logging_options,
    ranking_option,
    refuse_filters,
    store_option,
    wide_option,
)
from minicrawl.cli.output import Column, document, order_lines, page_rows, table, tally
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable
from minicrawl.settings import RANKINGS

if TYPE_CHECKING:
    from minicrawl.analysis.top.senders import Senders
    from minicrawl.analysis.top.top_list import TopList
    from minicrawl.store.reader import Store


def _per_site(context: click.Context, option: click.Parameter, value: str | None) -> int | None:
    """Most lines of a site, 0: unlimited; None if not given."""
    if value is None or value == "all":
        return None if value is None else 0
    if value.isdecimal() and int(value[:9]) > 0:
        return int(value[:9])
    raise click.BadParameter(f"{value!r} is no number of lines; say 1 or more, or all")


@click.command(epilog="Example: minicrawl top --n 100 --by inlinks")
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages, or sites.")
@ranking_option
@click.option(
    "--sites",
    type=click.Choice(["site", "host"]),
    is_flag=False,
    flag_value="site",
    help="Sites instead of pages (the default), or hosts.",
)
@click.option("--all", "is_all", is_flag=True, help="All pages, each on a line of its own, as 'export' writes them.")
@click.option(
    "--per-site",
    callback=_per_site,
    metavar="N|all",
    help="Lines of a site at most; by default 3 if ten sites or more have answered, else all.",
)
@click.option("--hubs", "is_hubs", is_flag=True, help="Pages that people pass through: front pages, contents.")
@click.option("--columns", metavar="NAMES", help="These columns alone: url,title,description; see docs/report.md.")
@click.option("--why", "is_why", is_flag=True, help="Why each page is there: who links to it. Looks at all links.")
@filter_options
@store_option
@wide_option
@json_option
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    n: int,
    by: str,
    sites: str | None,
    is_all: bool,
    per_site: int | None,
    is_hubs: bool,
    columns: str | None,
    is_why: bool,
    store: Path,
    as_json: bool,
) -> None:
    """Print the most important pages that can be opened, best first.

    Pages that were not read are left out. Pages that say the same are one line: copies of a page, and the same page in
    another language or version, as long as they stand before the last page shown. Of a crawl of ten sites or more no
    site has more than three lines (--per-site). Ranks number the lines; 'export' and 'why' rank all pages.
    By cash all pages are shown: that is the order in which they wait.

    Importance is exact for the links found so far once a crawl has stopped. History and cash are the two numbers that
    steer the crawl.

    --hubs orders pages by how much importance they lead to on their site, each page's shared by all that link to it,
    times the share of the site that links to them: what people pass through, beside what they come to.

    --columns names other columns, such as url,title,seconds,h1, of those that 'export --columns' has; with --json each
    page has just these.

    --state, --status, --reason, --site, --depth, --content-type and --where show some pages only: those for which all
    that is given holds, of a list with commas one word. Pages that were not read are shown if one of the first three,
    or --where, asks for them.

    --why says of each page how many pages link to it, and which of them brought it the largest part of what all did,
    by the ledger: "through" a page that only stands for it, such as one that redirects there. "Links by place" says
    where on their pages the links stand, as far as that is kept.

    Where walkers jump to sites, --sites has these by trust, each with who trusts it. Else, and of hosts, the
    importance of a site is the sum of its pages'; beside it stand how many pages are known and read, the site's
    PageRank in the graph of links between sites, and how many other sites link to it.
    """
    if sites is not None:
        about = {"--why": is_why, "--all": is_all, "--hubs": is_hubs, "--columns": columns, "--per-site": per_site}
        _refuse_about_pages(by, [name for name, given in about.items() if given not in (None, False)])
        _print_sites(sites, by, n, store, as_json)
        return
    if is_hubs and (is_all or by not in (None, RANKINGS[0])):
        raise SettingError(f"--hubs is an order of its own; leave out {'--all' if is_all else f'--by {by}'}")
    if columns is not None and is_why:
        raise SettingError("--columns and --why do not go together; leave one out")
    shown = _Shown(is_all or by == "cash", per_site, is_hubs, is_why, columns)
    _print_pages("hub" if is_hubs else by, n, shown, store, as_json)


def _refuse_about_pages(by: str, given: Sequence[str]) -> None:
    """Refuse options about pages beside --sites. given: names of the options given."""
    refuse_filters("{} is about pages; leave it out, or leave --sites out")
    if by not in (None, RANKINGS[0]):
        raise SettingError(f"sites are ordered by {RANKINGS[0]}; leave out --sites or --by {by}")
    for name in given:
        raise SettingError(f"{name} is about pages; leave it out, or leave --sites out")


class _Shown(NamedTuple):
    """Contents of the list: all pages or hubs, with or without reasons, and the columns named.

    per_site: most lines of a site, 0: unlimited; None: by the number of the crawl's sites.
    """

    is_all: bool
    per_site: int | None
    is_hubs: bool
    is_why: bool
    columns: str | None


def _print_pages(by: str, n: int, shown: _Shown, store: Path, as_json: bool) -> None:
    from minicrawl.analysis.top.senders import senders
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        name = by if by is not None and (shown.is_hubs or is_kept(reader, by)) else None
        found = _found(reader, by, n, shown)
        why = senders(reader, [line.number for line in found.lines]) if shown.is_why else []
        if shown.columns is not None:
            _print_columns(reader, found, shown.columns, name, as_json)
            return
    column = (name, [line.value or 0.0 for line in found.lines]) if name else None
    if as_json:
        click.echo(_document(found, column, why))
    else:
        click.echo("\n".join(fitted(list_lines(found, column, why))))


def _found(reader: "Store", by: str, n: int, shown: _Shown) -> "TopList":
    """The list that the options ask for."""
    from minicrawl.analysis.page_filter import wanted
    from minicrawl.analysis.top.order import only
    from minicrawl.analysis.top.top_list import lines_per_site, list_of, top_list, whole_list

    filters = given_filters()
    is_wanted = None if filters is None else wanted(reader, filters)
    if shown.is_hubs:
        from minicrawl.analysis.top.hubs import best_hubs  # needs SciPy, from an extra

        return list_of(reader, only(best_hubs(reader), is_wanted), n, shown.per_site or None)
    if shown.is_all or (filters is not None and filters.is_about_outcomes):
        return whole_list(reader, by, n, is_wanted)
    chosen = shown.per_site if shown.per_site is not None or filters is not None else lines_per_site(reader)
    return top_list(reader, by, n, is_wanted, per_site=chosen or None)


def _print_columns(reader: "Store", found: "TopList", names: str, ranking: str | None, as_json: bool) -> None:
    from minicrawl.analysis.page_columns import column_rows, named_columns
    from minicrawl.cli.output import column_lines

    named = named_columns(reader, names, ranking)
    ranked = ((line.number, line.page, line.value) for line in found.lines)
    rows = list(column_rows(reader, ranked, tuple(named), ranking))
    if as_json:
        click.echo(document([dict(zip(named, row, strict=True)) for row in rows]))
        return
    lines = [*column_lines(named, rows), *fitted([*order_lines(found.order), *_not_shown(found)])]
    click.echo("\n".join(lines))


def _document(found: "TopList", column: Column | None, why: "Sequence[Senders]") -> str:
    rows = page_rows([line.page for line in found.lines], column)
    for row, line in zip(rows, found.lines, strict=True):
        row["alike"] = [page.url for page in line.alike]
    for row, of_page in zip(rows, why, strict=False):
        row["why"] = asdict(of_page) | {"most_share": of_page.most_share}
    return document(rows)


def list_lines(
    found: "TopList", column: Column | None, why: "Sequence[Senders]" = (), command: str = ""
) -> Iterator[str]:
    """Lines of a list of pages, with notes on pages not shown. command: the command that shows these, if another."""
    alike = [f"{len(line.alike):,} more like this" if line.alike else "" for line in found.lines]
    head, *lines = table([line.page for line in found.lines], column, alike)
    yield head
    for line, of_page in zip_longest(lines, why):
        yield line
        if of_page is not None:
            yield f"{'':>8}{_why(of_page)}"
    yield from order_lines(found.order)
    yield from _not_shown(found, command)


def _why(found: "Senders") -> str:
    """The senders of a page, in a line."""
    if not found.pages:
        return "no page links to it"
    line = f"{counted(found.pages, 'page')} link{'s' if found.pages == 1 else ''} to it"
    if found.other_sites:
        line += f", {found.on_other_sites:,} of them from {counted(found.other_sites, 'other site')}"
    if found.most_by is not None:
        through = "through" if found.is_most_by_alias else "from"
        line += f"; the largest part comes {through} {printable(found.most_by)} ({found.most_share:.0%})"
    return line + (f"; links by place: {tally(found.places)}" if found.places else "")


def _not_shown(found: "TopList", command: str = "") -> list[str]:
    """Notes on the pages left out between the lines of a list, and on how to see them."""
    unread = sum(found.unread.values())
    parts = [
        f"{counted(unread, 'page')} that {'was' if unread == 1 else 'were'} not read ({tally(found.unread)})",
        f"{found.alike:,} like one of these",
    ]
    not_shown = [part for part, count in zip(parts, (unread, found.alike), strict=True) if count]
    lines = [f"Not shown: {' and '.join(not_shown)}; see {command}--all."] if not_shown else []
    if found.of_full_sites:
        lines.append(
            f"Not shown: {counted(found.of_full_sites, 'more page')} of these sites; see {command}--per-site all."
        )
    return lines


def _print_sites(kind: str, by: str, n: int, store: Path, as_json: bool) -> None:
    from minicrawl.analysis.sites import best_sites
    from minicrawl.cli.sites import site_documents, site_table
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        rows = best_sites(reader, kind)[:n]
    click.echo(site_documents(rows) if as_json else "\n".join(site_table(rows)))
