"""minicrawl compare"""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from minicrawl.cli.options import is_kept, json_option, logging_options, ranking_option, store_option
from minicrawl.cli.output import document, printable
from minicrawl.errors import SettingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from minicrawl.rank.compare import Differences

    IntArray = npt.NDArray[np.int64]
    FloatArray = npt.NDArray[np.float64]

_FILES = (".csv", ".jsonl")


@click.command(epilog="Example: minicrawl compare before.csv after.csv --n 20")
@click.argument("a")
@click.argument("b")
@click.option("--n", default=10, show_default=True, type=click.IntRange(min=0),
              help="How many movers, and pages that only one has.")  # fmt: skip
@ranking_option
@store_option
@json_option
@logging_options
def command(a: str, b: str, n: int, by: str, store: Path, as_json: bool) -> None:
    """Compare two rankings, A and B, of pages matched by URL.

    Each is a file that 'minicrawl export' wrote (.csv or .jsonl) or a store, of which --by is compared; or the name
    of a ranking in the --store, such as importance, inlinks or one kept by 'minicrawl rank --save'.

    Overlap is the share of the first k pages of one that are among the first k of the other; tau is Kendall's, of
    the common pages; L1 is the distance of the two as shares, from 0 to 2. Pages have moved most whose place has
    changed by the greatest factor.
    """
    from minicrawl.rank.compare import differences

    before, after = _ranking(a, by, store), _ranking(b, by, store)
    urls = sorted(before.keys() | after.keys())
    found = differences(_column(before, urls), _column(after, urls))
    told = {"a": a, "b": b, "pages": {"a": len(before), "b": len(after), "common": found.common}}
    told |= _document(found, urls, n)
    click.echo(document(told) if as_json else "\n".join(_lines(told)))


def _ranking(given: str, by: str, store: Path) -> dict[str, float]:
    """The values of what the user calls A or B, by URL."""
    from minicrawl.crawler.books.audit import damage_told
    from minicrawl.export.ranks import read_ranks
    from minicrawl.store.reader import open_store

    path = Path(given)
    if path.suffix.lower() in _FILES:
        return read_ranks(path, by)
    if path.exists():
        store, given = path, by
    elif "/" in given or path.suffix:
        raise SettingError(f"there is no file {given}; name one that exists, or a ranking in the --store")
    with damage_told(store), open_store(store) as reader, reader.snapshot():
        is_kept(reader, given)
        return reader.ranks.values(given)


def _column(values: dict[str, float], urls: list[str]) -> "FloatArray":
    import numpy as np

    return np.array([values.get(url, math.nan) for url in urls], dtype=np.float64)


def _document(found: "Differences", urls: list[str], n: int) -> dict[str, Any]:
    movers = found.movers(n)
    only_a, only_b = found.only_before(), found.only_after()
    return {
        "overlap": {str(k): share for k, share in found.overlaps.items()},
        "tau": None if math.isnan(found.tau) else found.tau,
        "l1": None if math.isnan(found.l1) else found.l1,
        "movers": [
            {"url": urls[page], "before": int(found.before[page]), "after": int(found.after[page])} for page in movers
        ],
        "only_a": _only(only_a, found.before, urls, n),
        "only_b": _only(only_b, found.after, urls, n),
    }


def _only(pages: "IntArray", places: "IntArray", urls: list[str], n: int) -> dict[str, Any]:
    best = [{"url": urls[page], "rank": int(places[page])} for page in pages[:n]]
    return {"pages": len(pages), "best": best}


def _lines(told: dict[str, Any]) -> list[str]:
    pages = told["pages"]
    lines = [
        f"A {printable(told['a'])}: {pages['a']:,} pages; B {printable(told['b'])}: {pages['b']:,} pages; "
        f"in both: {pages['common']:,}",
        "",
        *(f"{f'overlap of the first {int(k):,}':<28}{share:>9.1%}" for k, share in told["overlap"].items()),
        f"{'tau of the common pages':<28}{_number(told['tau']):>9}",
        f"{'L1 distance':<28}{_number(told['l1']):>9}",
    ]
    if told["movers"]:
        lines += ["", f"{'rank in A':>10}  {'in B':>10}  moved most"]
        lines += [
            f"{mover['before']:>10,}  {mover['after']:>10,}  {printable(mover['url'])}" for mover in told["movers"]
        ]
    for name in ("a", "b"):
        only = told[f"only_{name}"]
        if only["pages"]:
            lines += ["", f"{f'rank in {name.upper()}':>10}  only there, {only['pages']:,} pages"]
            lines += [f"{page['rank']:>10,}  {printable(page['url'])}" for page in only["best"]]
    return lines


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
