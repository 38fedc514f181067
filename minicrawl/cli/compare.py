"""minicrawl compare"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.fitting import fitted
from minicrawl.cli.options import is_kept, json_option, ranking_option, store_option
from minicrawl.cli.output import document, lines_of
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.compare import Comparison, Mover

_FILES = (".csv", ".jsonl")


@click.command(epilog="Example: minicrawl compare before.csv after.csv --n 20")
@click.argument("a")
@click.argument("b")
@click.option("-n", "--n", default=10, show_default=True, type=click.IntRange(min=0),
              help="How many risen and fallen pages, and pages that only one has.")  # fmt: skip
@ranking_option
@store_option
@json_option
def command(a: str, b: str, n: int, by: str, store: Path, as_json: bool) -> None:  # noqa: PLR0913 - one argument per option, as click calls it
    """Compare two rankings, A and B, of pages matched by URL.

    Each is a file that 'minicrawl export' wrote (.csv or .jsonl) or a store, of which --by is compared; or the name
    of a ranking in the --store, such as importance, inlinks or one kept by 'minicrawl rank --save'.

    Overlap is the share of the first k pages of one that are among the first k of the other; tau is Kendall's, of
    the common pages; L1 is the distance of the two as shares, from 0 to 2. Risen and fallen are the pages in both
    whose share of the importance of these has changed most, so that crawls of different sizes can be compared. Gone
    are pages that could be opened in A and cannot be in B, new ones the other way round, in stores and in files with
    states; of other rankings, pages that only one has.
    """
    from minicrawl.analysis.compare import compare

    (first, of_first), (second, of_second) = (_ranking(one, by, store) for one in (a, b))
    found = compare(first, second, n, (of_first, of_second) if of_first and of_second else None)
    if as_json:
        click.echo(document({"a": a, "b": b, **found.as_json()}))
        return
    click.echo("\n".join(_lines(found, a, b)))
    if lacking := " and ".join(name for name, states in (("A", of_first), ("B", of_second)) if states == {}):
        line = f"There are no states of pages in {lacking}: what cannot be opened any more is not told"
        click.echo("\n".join(["", *fitted([line])]))


def _ranking(given: str, by: str, store: Path) -> tuple[dict[str, float], dict[str, str] | None]:
    """The values of ranking A or B by URL; the states of a crawl's pages, None for a name."""
    from minicrawl.crawler.books.invariants import damage_as_store_error
    from minicrawl.export.ranks import read_ranks
    from minicrawl.store.reader import open_store

    path = Path(given)
    if path.suffix.lower() in _FILES:
        return read_ranks(path, by)
    if is_crawl := path.exists():
        store, given = path, by
    elif "/" in given or path.suffix:
        raise SettingError(f"there is no file {given}; name one that exists, or a ranking in the --store")
    with damage_as_store_error(store), open_store(store) as reader, reader.snapshot():
        is_kept(reader, given)
        states = None
        if is_crawl:
            states = dict(zip(reader.page_table.urls(), reader.audit_table.columns().state, strict=True))
        return reader.ranks.values(given), states


def _lines(found: "Comparison", a: str, b: str) -> Iterator[str]:
    pages = found.pages
    sizes = f"A {printable(a)}: {counted(pages.a, 'page')}; B {printable(b)}: {counted(pages.b, 'page')}"
    yield from fitted([f"{sizes}; in both: {pages.common:,}"])
    yield ""
    for k, share in found.overlap.items():
        yield f"{f'overlap of the first {k:,}':<28}{share:>9.1%}"
    yield f"{'tau of the common pages':<28}{_number(found.tau):>9}"
    yield f"{'L1 distance':<28}{_number(found.l1):>9}"
    head = f"{'rank A':>8} {'rank B':>8} {'share A':>8} {'share B':>8} {'factor':>7}"
    for name, movers in (("risen", found.risen), ("fallen", found.fallen)):
        if movers:
            yield from ("", *lines_of([head, *map(_start, movers)], [name, *(printable(one.url) for one in movers)]))
    has_states = found.gone is not None and found.new is not None
    gone, new = (found.gone, found.new) if has_states else (found.only_a, found.only_b)
    for name, other, which, some in (("A", "B", "gone", gone), ("B", "A", "new", new)):
        if some and some.pages:
            starts = [f"{f'rank {name}':>8} {f'share {name}':>8}"]
            starts += [f"{page.rank:>8,} {_percent(page.share):>8}" for page in some.best]
            where = f"opened in {name}, not in {other}" if has_states else f"only in {name}"
            urls = (printable(page.url) for page in some.best)
            yield from ("", *lines_of(starts, [f"{which}: {where}, {counted(some.pages, 'page')}", *urls]))


def _start(one: "Mover") -> str:
    factor = "-" if one.factor is None else f"{one.factor:.3g}"
    shares = f"{_percent(one.before):>8} {_percent(one.after):>8}"
    return f"{one.rank_before:>8,} {one.rank_after:>8,} {shares} {factor:>7}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
