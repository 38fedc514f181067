"""minicrawl links"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import about_store, csv_options, where_option
from minicrawl.cli.output import document, fitted, tally
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.page_links import PageLink, PageLinks

_SHOWN = 50
_CLASS = re.compile(r"[1-5]xx", re.IGNORECASE)
_NOT_YET = ("seed", "link")
"""Reasons of pages not requested yet: how they became known."""
_COLUMNS = {
    **dict.fromkeys(("source", "title", "anchor", "place", "target", "chain", "codes", "leads_to"), str),
    "status": int,
    **dict.fromkeys(("reason", "meaning"), str),
    **dict.fromkeys(("times", "pages"), int),
    "importance": float,
}
"""Of the CSV: those of PageLink, and the reason in a sentence."""
_FOUND = 1
"""Exit code if --fail-on finds a match."""


@click.command(epilog="Example: minicrawl links --broken --fail-on 404")
@click.option("--broken", is_flag=True, help="List links to missing pages.")
@click.option("--redirected", "--redirects", is_flag=True, help="List links to pages that redirect.")
@click.option("--external", is_flag=True, help="List links to other sites.")
@click.option("--to", metavar="URL", help="List links to this page.")
@click.option("--fail-on", metavar="CODES",
              help="Exit with 1 if a link ends with one of these statuses (404), classes (4xx) or "
                   "reason codes (dns).")  # fmt: skip
@click.option("-n", "--n", type=click.IntRange(min=1),
              help=f"Print this many links; {_SHOWN} by default, all with --json or --csv.")  # fmt: skip
@csv_options
@where_option
@about_store
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    broken: bool,
    redirected: bool,
    external: bool,
    to: str | None,
    fail_on: str | None,
    n: int | None,
    csv_file: Path | None,
    csv_for: str | None,
    where: str | None,
    store: Path,
    as_json: bool,
) -> None:
    """List links that are broken, redirected, or lead to other sites or to one page.

    A link is listed if it matches all options given; --fail-on alone lists broken ones. Links on the most important
    pages come first. A link is broken if it leads, even through redirects, to a missing page. With --json, each
    broken target is listed once, with its pages.

    With --csv, each row is a link: its page and title, anchor, place on the page, target, redirects and their
    codes, end, status, reason, how often it is on the page, how many pages of the list link to the target, and the
    importance of the page. Unknown values are empty. Cells that a spreadsheet would take for a formula get a quote
    before them.

    The text of a link is shown if the crawl keeps texts (crawl --text). Links that the crawl left out, such as nofollow
    and out-of-scope links, are not known.

    Exit code 1 means that --fail-on found a link.

    \b
    minicrawl links --broken --json           every broken link, with the page it is on
    minicrawl links --broken --csv broken.csv the same as a list to hand on
    minicrawl links --broken --external       only those to other sites
    minicrawl links --to https://example.org/ the pages that link to that one
    """
    from minicrawl.analysis.page_links import Asked, page_links
    from minicrawl.export.tables import STANDARD_OUTPUT, Table, export_table
    from minicrawl.store.reader import open_store

    codes = _codes(fail_on)
    asked = Asked(broken or not (redirected or external or to or fail_on is None), redirected, external, to, where)
    if not any(asked[:4]):
        raise SettingError("choose --broken, --redirected, --external or --to URL")
    with open_store(store) as reader, reader.snapshot():
        found = page_links(reader, asked)
        ends = found.codes()
        if csv_file is not None:
            table = Table(_COLUMNS, map(_cells, found.rows(n)), for_excel=csv_for == "excel")
            count = export_table(table, csv_file, "csv")
        if as_json:
            rows = map(_as_json, found.by_target(n)) if asked.broken else (link._asdict() for link in found.rows(n))
            click.echo(document(list(rows)))
        elif csv_file is None:
            click.echo("\n".join(fitted(_lines(found, ends, n or _SHOWN, broken=asked.broken))))
        elif csv_file != STANDARD_OUTPUT:
            click.echo(f"{counted(count, 'link')} written to {csv_file}")
    words = {word for status, reason in ends for word in (reason, str(status), f"{(status or 0) // 100}xx")}
    if words.intersection(codes):
        click.get_current_context().exit(_FOUND)


def _codes(text: str | None) -> list[str]:
    """Parse a user's statuses, classes of statuses and reason codes. Raises SettingError."""
    if text is None:
        return []
    from minicrawl.reasons import meaning

    codes = [code.strip().lower() for code in text.split(",")]
    for code in codes:
        is_status = code.isascii() and code.isdecimal() and len(code) == 3 and 100 <= int(code) <= 599
        if not (is_status or _CLASS.fullmatch(code) or meaning(code)):
            raise SettingError(f"--fail-on takes statuses (404), classes (4xx) and reason codes (dns), not {code!r}")
    return codes


def _cells(link: "PageLink") -> tuple[object, ...]:
    """A link as a row of _COLUMNS."""
    from minicrawl.reasons import meaning

    codes = " -> ".join(str(code or "?") for code in link.codes)
    row = {**link._asdict(), "chain": " -> ".join(link.chain), "codes": codes, "meaning": meaning(link.reason)}
    return tuple(row[name] for name in _COLUMNS)


def _as_json(links: "list[PageLink]") -> dict[str, object]:
    """A target of links, once, with the pages it is linked from; importance is that of the first."""
    told = ("target", "status", "reason", "leads_to", "chain", "codes", "importance")
    of_link = ("source", "title", "anchor", "place", "times")
    pages = [{name: getattr(link, name) for name in of_link} for link in links]
    return {**{name: getattr(links[0], name) for name in told}, "sources": len(links), "links": pages}


def _lines(found: "PageLinks", ends: Counter[tuple[int | None, str]], n: int, *, broken: bool) -> Iterator[str]:
    if not len(found):
        yield "No link matches."
        return
    yield f"{'importance':>10}  {'status':<8}  page, and where its link leads"
    before = None
    for link in found.rows(n):
        if link.source != before:
            yield f"{link.importance:>10.3g}  {'':<8}  {printable(link.source)}"
        before = link.source
        leads_to = f" -> {printable(link.leads_to)}" if link.leads_to else ""
        anchor = f'  "{printable(link.anchor)}"' if link.anchor else ""
        end = link.reason.removeprefix("http-") if broken else _came_of(link.status, link.reason)
        yield f"{'':>10}  {end:<8}  -> {printable(link.target)}{leads_to}{anchor}"
    counts = Counter[str]()
    for (status, reason), count in ends.items():
        counts[reason if broken else _came_of(None if reason == f"http-{status}" else status, reason)] += count
    shown = f", the first {n:,} shown; --n shows more, --json all" if len(found) > n else ""
    yield f"{counted(len(found), 'link')}{shown}. They end with: {tally(counts)}."


def _came_of(status: int | None, reason: str) -> str:
    """The outcome of a page in a word: its HTTP status, or the reason why there is none."""
    return "waiting" if status is None and reason in _NOT_YET else str(status or reason)
