"""minicrawl top"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from minicrawl.cli.options import Choice, about_store, is_kept, naming_store, ranking_option, where_option
from minicrawl.cli.output import Column, document, fitted, lines_of, order_lines, page_rows, table, tally
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable
from minicrawl.settings import option
from minicrawl.store.folder import is_folder
from minicrawl.store.reader import open_store

if TYPE_CHECKING:
    from minicrawl.analysis.sites import SiteRow
    from minicrawl.analysis.top import BestOfSite, TopList


def _per_site(context: click.Context, option: click.Parameter, value: str | None) -> int | None:
    """Most lines of a site, 0: unlimited; None if not given."""
    if value is None or value == "all":
        return None if value is None else 0
    if value.isdecimal() and int(value[:9]) > 0:
        return int(value[:9])
    raise click.BadParameter(f"{value!r} is not a number of lines; say 1 or more, or all")


@click.command(epilog="Example: minicrawl top --n 100 --by inlinks")
@click.option(
    "-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="Print this many pages or sites."
)
@ranking_option
@click.option(
    "--sites",
    type=Choice(["site", "host"]),
    is_flag=False,
    flag_value="site",
    help="List sites (the default) or hosts instead of pages.",
)
@click.option(
    "--per-site",
    callback=_per_site,
    metavar="N|all",
    help="Print at most this many lines per site; by default 3 if at least ten sites have answered, else all.",
)
@where_option
@about_store
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    n: int, by: str, sites: str | None, per_site: int | None, where: str | None, store: Path, as_json: bool
) -> None:
    """Print the most important pages that can be opened, best first.

    It leaves out pages that were not read. Pages with the same content, such as copies and versions in other
    languages, share a line if they rank above the last page shown. In a crawl of ten sites or more, no site has more
    than three lines (--per-site). Ranks number the lines; 'export' and 'why' rank all pages. --by cash lists all pages:
    that is the order in which minicrawl fetches them.

    Once a crawl has stopped, importance is exact for the links found so far. History and cash are the two numbers that
    steer the crawl.

    --where lists the pages that match an SQL expression, one per line, including those that were not read:
    --where "status = 404", --where "state = 'waiting' AND depth < 3"; --where 1 lists all.

    If walkers jump to sites, --sites lists sites by trust, and who trusts each. Otherwise, and for hosts, the
    importance of a site is the sum over its pages; beside it are the numbers of its pages known and read, its PageRank
    in the graph of sites, and the number of other sites that link to it.
    """
    if sites is not None:
        context = click.get_current_context()
        for name in ("by", "per_site", "where"):
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise SettingError(f"{option(name)} is for pages; leave out this or --sites")
        _print_sites(sites, n, store, as_json)
        return
    from minicrawl.analysis.top import asked_list

    column_name = None
    if is_folder(store):
        from minicrawl.cluster import answers

        found = answers.top(store, by, n, where, per_site)
    else:
        with open_store(store) as reader, reader.snapshot():
            column_name = by if is_kept(reader, by) else None
            found = asked_list(reader, by, n, where, per_site)
    column = (column_name, [line.value or 0.0 for line in found.lines]) if column_name else None
    click.echo(_document(found, column) if as_json else "\n".join(fitted(list_lines(found, column))))


def _document(found: "TopList", column: Column | None) -> str:
    rows = page_rows([line.page for line in found.lines], column)
    for row, line in zip(rows, found.lines, strict=True):
        row["alike"] = [page.url for page in line.alike]
    return document(rows)


def list_lines(found: "TopList", column: Column | None) -> Iterator[str]:
    """Lines of a list of pages, with notes on pages not shown."""
    alike = [f"{len(line.alike):,} more like this" if line.alike else "" for line in found.lines]
    yield from table([line.page for line in found.lines], column, alike)
    yield from order_lines(found.order)
    yield from _not_shown(found)


def _not_shown(found: "TopList") -> Iterator[str]:
    """Notes on the pages left out between the lines of a list, and on how to see them."""
    unread = sum(found.unread.values())
    parts = [
        (unread, f"{counted(unread, 'page')} that {'was' if unread == 1 else 'were'} not read ({tally(found.unread)})"),
        (found.files, f"{counted(found.files, 'file')} such as feeds and images"),
        (found.alike, f"{found.alike:,} like one of these"),
    ]
    not_shown = [part for count, part in parts if count]
    if not_shown:
        yield naming_store(f"Not shown: {' and '.join(not_shown)}; see 'minicrawl top --where 1'.")
    if found.of_full_sites:
        more = counted(found.of_full_sites, "more page")
        yield naming_store(f"Not shown: {more} of these sites; see 'minicrawl top --per-site all'.")


def _print_sites(kind: str, n: int, store: Path, as_json: bool) -> None:
    from minicrawl.analysis.sites import best_sites

    with open_store(store) as reader, reader.snapshot():
        rows = best_sites(reader, kind)[:n]
    click.echo(document([row._asdict() for row in rows]) if as_json else "\n".join(site_table(rows)))


def site_table(rows: "Sequence[SiteRow]") -> list[str]:
    """One line per site, as wide as the terminal."""
    from minicrawl.analysis.why_words import trust_reasons

    has_trust = any(row.trust is not None for row in rows)
    numbers = _number_columns(rows, has_trust)
    cells = ([name, *column] for name, column in numbers.items())
    lines = zip(*([f"{cell:>{max(map(len, column))}}" for cell in column] for column in cells), strict=True)
    mirrored = [[f"with a mirror of {row.mirror_of}"] if row.mirror_of else [] for row in rows]
    reasons = [trust_reasons(row) + mirror for row, mirror in zip(rows, mirrored, strict=True)]
    titles = ["", *(printable(", ".join(each)) for each in reasons)] if any(reasons) else []
    table = lines_of(["  ".join(line) for line in lines], ["site", *(printable(row.site) for row in rows)], titles)
    return [*table, "", *_TRUST] if has_trust else table


_TRUST = (  # as narrow as any terminal
    "Trust: of walkers who start at the seeds' sites, and follow",
    "links between sites, the share at each. Jumps go by it; how",
    "important or large a site is, the other columns say.",
)


def _number_columns(rows: "Sequence[SiteRow]", has_trust: bool) -> dict[str, list[str]]:
    """The numbers of sites as text, by the heading of their column."""
    numbers = {
        "trust": [f"{row.trust or 0.0:.3g}" for row in rows],
        "importance": [f"{row.importance:.3g}" for row in rows],
        "known": [f"{row.known:,}" for row in rows],
        "read": [f"{row.read:,}" for row in rows],
        "linking domains": [f"{row.linking_domains:,}" for row in rows],
    }
    without = "linking domains" if has_trust else "trust"
    return {name: column for name, column in numbers.items() if name != without}


def best_lines(sites: "Sequence[BestOfSite]") -> list[str]:
    """A line for each site: "python.org  seed, trusted by 17 sites, first gnu.org  -> https://docs.python.org/3/"."""
    if not sites:
        return []
    from minicrawl.analysis.why_words import trust_reasons

    columns = ([each.site.name for each in sites], [", ".join(trust_reasons(each.site)) for each in sites])
    padded = ([f"{printable(text):<{max(map(len, column))}}" for text in column] for column in columns)
    starts, urls = map("  ".join, zip(*padded, strict=True)), [f"-> {printable(each.url)}" for each in sites]
    return ["", "The most trusted sites, and the best page of each:", *lines_of(list(starts), urls)]
