"""minicrawl compare"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.fitting import fitted
from minicrawl.cli.options import is_kept, json_option, logging_options, ranking_option, store_option, wide_option
from minicrawl.cli.output import counted, document, lines_of, printable
from minicrawl.errors import SettingError

if TYPE_CHECKING:
    from minicrawl.analysis.compare import Comparison

_FILES = (".csv", ".jsonl")


@click.command(epilog="Example: minicrawl compare before.csv after.csv --n 20")
@click.argument("a")
@click.argument("b")
@click.option("-n", "--n", default=10, show_default=True, type=click.IntRange(min=0),
              help="How many movers, and pages that only one has.")  # fmt: skip
@ranking_option
@store_option
@wide_option
@json_option
@logging_options
def command(a: str, b: str, n: int, by: str, store: Path, as_json: bool) -> None:  # noqa: PLR0913 - one argument per option, as click calls it
    """Compare two rankings, A and B, of pages matched by URL.

    Each is a file that 'minicrawl export' wrote (.csv or .jsonl) or a store, of which --by is compared; or the name
    of a ranking in the --store, such as importance, inlinks or one kept by 'minicrawl rank --save'.

    Overlap is the share of the first k pages of one that are among the first k of the other; tau is Kendall's, of
    the common pages; L1 is the distance of the two as shares, from 0 to 2. Pages have moved most whose place has
    changed by the greatest factor.
    """
    from minicrawl.analysis.compare import compare

    (first, first_surfer), (second, second_surfer) = _ranking(a, by, store), _ranking(b, by, store)
    found = compare(first, second, n)
    if as_json:
        click.echo(document({"a": a, "b": b, "surfers": [first_surfer, second_surfer], **found.as_json()}))
        return
    click.echo("\n".join(_lines(found, a, b)))
    if first_surfer and second_surfer and first_surfer != second_surfer:
        line = f"A weighs links by --surfer {first_surfer}, B by {second_surfer}: not all that moved has changed"
        click.echo("\n".join(["", *fitted([line])]))


def _ranking(given: str, by: str, store: Path) -> tuple[dict[str, float], str | None]:
    """The values of ranking A or B by URL; and the surfer that weighed links, for a store's importance."""
    from minicrawl.crawler.books.audit import damage_as_store_error
    from minicrawl.crawler.books.stored_forms import kept_surfer
    from minicrawl.export.ranks import read_ranks
    from minicrawl.store.reader import open_store

    path = Path(given)
    if path.suffix.lower() in _FILES:
        return read_ranks(path, by), None
    if path.exists():
        store, given = path, by
    elif "/" in given or path.suffix:
        raise SettingError(f"there is no file {given}; name one that exists, or a ranking in the --store")
    with damage_as_store_error(store), open_store(store) as reader, reader.snapshot():
        is_kept(reader, given)
        surfer = str(kept_surfer(reader)) if given == "importance" else None
        return reader.ranks.values(given), surfer


def _lines(found: "Comparison", a: str, b: str) -> Iterator[str]:
    pages = found.pages
    sizes = f"A {printable(a)}: {counted(pages.a, 'page')}; B {printable(b)}: {counted(pages.b, 'page')}"
    yield from fitted([f"{sizes}; in both: {pages.common:,}"])
    yield ""
    for k, share in found.overlap.items():
        yield f"{f'overlap of the first {k:,}':<28}{share:>9.1%}"
    yield f"{'tau of the common pages':<28}{_number(found.tau):>9}"
    yield f"{'L1 distance':<28}{_number(found.l1):>9}"
    if found.movers:
        starts = [f"{mover.before:>10,}  {mover.after:>10,}" for mover in found.movers]
        urls = [printable(mover.url) for mover in found.movers]
        yield from ("", *lines_of([f"{'rank in A':>10}  {'in B':>10}", *starts], ["moved most", *urls]))
    for name, only in (("A", found.only_a), ("B", found.only_b)):
        if only.pages:
            starts = [f"{f'rank in {name}':>10}", *(f"{page.rank:>10,}" for page in only.best)]
            head = f"only there, {counted(only.pages, 'page')}"
            yield from ("", *lines_of(starts, [head, *(printable(page.url) for page in only.best)]))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
