"""minicrawl rank trust"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.keeping import check_free, keep
from minicrawl.cli.options import json_option, store_option
from minicrawl.cli.output import document, page_rows, table
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.rankings.judged_trust import Candidate, Judged
    from minicrawl.store.rows import RankedPage

    Best = tuple[list[RankedPage], list[float]]


@click.command(epilog="Example: minicrawl rank trust --candidates 100 > judge.csv, then --good judge.csv")
@click.option("--candidates", type=click.IntRange(min=1), metavar="N",
              help="Write the N pages to judge as CSV, those first from which trust goes farthest.")  # fmt: skip
@click.option("--good", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="That file, with yes or no in its column good; empty: not judged.")  # fmt: skip
@click.option("--good-share", default=0.85, show_default=True, type=click.FloatRange(0, 1, min_open=True),
              help="Your estimate of the share of all pages that are good.")  # fmt: skip
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages of each.")
@click.option("--save", metavar="NAME", help="Keep trust, relative trust and spam mass in the store, as NAME, "
              "NAME-relative and NAME-mass.")  # fmt: skip
@store_option
@json_option
def trust(  # noqa: PLR0913 - one argument per option, as click calls it
    candidates: int | None,
    good: Path | None,
    good_share: float,
    n: int,
    save: str | None,
    store: Path,
    as_json: bool,
) -> None:
    """Find out which pages to trust, by judging a few.

    First let --candidates write the pages from which trust would go farthest, and say of each whether it is good.
    With --good trust then spreads from the good ones along links, and pages are listed that have it most; and, as
    suspects, pages of high PageRank, by the share of it that does not come from good pages.
    """
    from minicrawl.analysis.rankings import judged_trust
    from minicrawl.analysis.rankings.ranking import check_name
    from minicrawl.store.reader import open_store

    if (candidates is None) == (good is None):
        raise SettingError("say --candidates N for pages to judge, or --good FILE with the judgement")
    with open_store(store) as reader, reader.snapshot():
        if good is None:
            _show_candidates(judged_trust.candidates(reader, candidates or 0), as_json)
            return
        if save is not None:
            check_name(save)
            check_free(reader, store)
        found = judged_trust.judged_trust(
            reader,
            judged_trust.read_judgement(good),
            n,
            good_share=good_share,
        )
        best = found.rankings.best(reader, n)["trust"]
    if save is not None:
        names = {"trust": save, "relative": f"{save}-relative", "mass": f"{save}-mass"}
        keep(store, {names[kind]: values for kind, values in found.rankings.values.items()})
    click.echo(_document(found, best) if as_json else "\n".join(_lines(found, best)))


def _show_candidates(found: "list[Candidate]", as_json: bool) -> None:
    from minicrawl.export.ranks import export_table
    from minicrawl.export.tables import STANDARD_OUTPUT, Table

    if as_json:
        click.echo(document([candidate._asdict() for candidate in found]))
        return
    columns = {"url": str, "title": str, "inverse": float, "good": str}
    export_table(Table(columns, ((*candidate, None) for candidate in found)), STANDARD_OUTPUT)


def _document(found: "Judged", best: "Best") -> str:
    suspects = [
        page_rows([each.page])[0] | {"mass": each.mass, "relative_trust": each.relative, "times_mean": each.rank}
        for each in found.suspects
    ]
    trusted = page_rows(best[0], ("trust", best[1]))
    return document({"good": found.good, "bad": found.bad, "trust": trusted, "suspects": suspects})


def _lines(found: "Judged", best: "Best") -> Iterator[str]:
    yield f"Trust from {counted(found.good, 'page')} judged good; {found.bad:,} judged not."
    yield ""
    yield from table(best[0], ("trust", best[1]))
    yield ""
    yield "Pages of high rank, by the share of it that does not come from good pages:"
    yield f"{'mass':>8}  {'trust/rank':>10}  {'rank/mean':>9}  url"
    for each in found.suspects:
        yield f"{each.mass:>8.3f}  {each.relative:>10.3g}  {each.rank:>9.1f}  {printable(each.page.url)}"
