"""minicrawl rank"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click
from click.core import ParameterSource

from minicrawl.cli.options import Choice, about_store, csv_options, need_extra
from minicrawl.cli.output import document, fitted, page_rows, table
from minicrawl.errors import SettingError, StoreError, counted
from minicrawl.log import printable
from minicrawl.settings import option

if TYPE_CHECKING:
    from minicrawl.analysis.rankings.comparison import Comparison
    from minicrawl.analysis.rankings.options import Options
    from minicrawl.analysis.rankings.ranking import Rankings
    from minicrawl.opic.arrays import FloatArray
    from minicrawl.store.ranks import RankedPage
    from minicrawl.store.reader import Store

    Shown = dict[str, tuple[list[RankedPage], list[float]]]

OPTIONS = {
    "pagerank": {"damping", "memory", "method", "jump", "per", "inside", "cap"},
    "hits": {"query", "root", "per", "inside", "cap", "context", "self_links", "communities", "peel"},
    "trustrank": {"damping", "trusted", "trusted_count"},
    "topic": {"damping", "topic", "weights", "query"},
    "inverse": {"damping"},
    "opic": set(),
    "visits": {"log", "site", "blend"},
}
"""Options by ranking; the first ranking that an option's help names is its main one."""
_AT_ONCE, _MOST_PLOTTED = 500, 1_000
"""Rows of a CSV at a time; first pages in a plot."""
_OF_RANKINGS = frozenset().union(*OPTIONS.values())


def check_options(names: Sequence[str], *, of: str = "by") -> None:
    """Raise SettingError for given options that none of these rankings uses. of: the option that names them."""
    used = frozenset().union(*(OPTIONS.get(name, ()) for name in names))
    for name in filter(_is_given, sorted(_OF_RANKINGS - used)):
        rankings = ", ".join(ranking for ranking, options in OPTIONS.items() if name in options)
        raise SettingError(f"{option(name)} goes with --{of} {rankings}, not with --{of} {','.join(names)}")


def _is_given(name: str) -> bool:
    """True for an option of the command line; those in files or in the environment are meant for rankings that use
    them."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


@click.command(epilog="Example: minicrawl rank --by hits --query 'open source' --n 10")
@click.option("--by", type=Choice(list(OPTIONS)), default="pagerank", show_default=True, help="Compute this ranking.")
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="Print this many pages.")
@click.option("--damping", default=0.85, show_default=True, type=click.FloatRange(0, 1, max_open=True),
              help="Follow a link with this probability, rather than jump.")  # fmt: skip
@click.option("--memory", metavar="SIZE",
              help="For pagerank: compute on disk, using this much memory, such as 64MB.")  # fmt: skip
@click.option("--method", type=Choice(["power", "sweeping"]), default="power", show_default=True,
              help="For pagerank: power iteration, or sweeping, which visits pages with much rank left to pass on. The "
                   "result is the same; power is quicker, sweeping follows fewer links of a sparse web.")  # fmt: skip
@click.option("--jump", metavar="FILE|recent:TIME",
              help="For pagerank: jump to the pages of FILE (a URL and a weight per line), or to pages that "
                   "changed recently, whose weight halves with each TIME since then.")  # fmt: skip
@click.option("--trusted", metavar="FILE|URL|REGEX",
              help="For trustrank: trust these pages, by default those that reach most pages.")  # fmt: skip
@click.option("--trusted-count", default=50, show_default=True, type=click.IntRange(min=1),
              help="For trustrank: trust this many pages by default.")  # fmt: skip
@click.option("--topic", multiple=True, metavar="NAME=FILE|URL|REGEX",
              help="For topic: define a topic by its pages. Repeatable.")  # fmt: skip
@click.option("--weights", metavar="WEIGHTS",
              help="For topic: weigh the topics, as NAME=WEIGHT,...; by default all equally.")  # fmt: skip
@click.option("--query", metavar="WORDS",
              help="For hits: use only pages with these words in their URL or title, and their neighbours. For "
                   "topic: weigh topics by how often their pages have these words.")  # fmt: skip
@click.option("--root", metavar="FILE|URL|REGEX", help="For hits: use only these pages and their neighbours.")
@click.option("--per", type=Choice(["page", "host", "site"]),
              help="For hits (default: host) and pagerank: ignore links within a host or site.")  # fmt: skip
@click.option("--inside", type=click.FloatRange(0, 1), metavar="WEIGHT",
              help="For hits and pagerank: give links within a host or site this weight, 0 by default; others "
                   "weigh 1.")  # fmt: skip
@click.option("--cap", type=click.IntRange(min=1), metavar="N",
              help="For hits and pagerank: count only the first N links of a host or site to a page.")  # fmt: skip
@click.option("--context", is_flag=True,
              help="For hits: weigh a link by 1 + the words of --query in and around it (pages read with "
                   "--text).")  # fmt: skip
@click.option("--self-links", is_flag=True,
              help="For hits: link every page to itself (L + I), so that good hubs are authorities, too.")  # fmt: skip
@click.option("--communities", type=click.IntRange(1, 50), metavar="N",
              help="For hits: find N communities and the bridges between them by singular vectors, not only the "
                   "dominant one.")  # fmt: skip
@click.option("--peel", is_flag=True,
              help="For hits: find --communities one after another, each without links to the ten best authorities of "
                   "the earlier ones.")  # fmt: skip
@click.option("--log", multiple=True, metavar="FILE",
              help="For visits: read this access log in Combined Log Format, plain or .gz. Repeatable.")  # fmt: skip
@click.option("--site", metavar="URL", help="For visits: say which host wrote the log, if the store has several.")
@click.option("--blend", type=click.FloatRange(0, 1), metavar="WEIGHT",
              help="For visits: give them this weight against importance; by default they count alone.")  # fmt: skip
@click.option("--compare", metavar="NAMES",
              help="Compare two or more rankings instead: importance, indegree, pagerank, hits (authorities), "
                   "trustrank, inverse, opic.")  # fmt: skip
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="For --compare: draw how many of the first pages agree, as SVG.")  # fmt: skip
@csv_options
@click.option("--save", metavar="NAME", help="Save the ranking in the store, for 'minicrawl top --by NAME'.")
@about_store
def command(by: str, n: int, save: str | None, store: Path, as_json: bool, **options: Any) -> None:
    """Rank the pages of a store by a link analysis other than the crawl's own, or by visits.

    \b
    pagerank   how often a random walker visits each page if it sometimes jumps to any page
    hits       hubs link to good authorities; authorities are linked from good hubs
    trustrank  PageRank that jumps to trusted pages only
    topic      PageRank that jumps to the pages of topics only
    inverse    PageRank with all links reversed: which pages reach most
    opic       the crawl's own history of cash, as shares
    visits     visits in the site's access logs

    Aliases (redirects, canonicals) count as the pages they stand for. The output is that of 'minicrawl top', with the
    value beside the importance.

    With --compare, it has a line for each pair of rankings: Kendall's tau-b, 1 for the same order and -1 for the
    reverse, and the share of the first 10 and 100 pages that both have; values that agree to six digits are equal. All
    use the crawl's damping unless --damping is given. --csv FILE writes each page with its value and place in each.

    \b
    minicrawl rank --compare importance,pagerank,hits,indegree,opic --csv ranks.csv --plot ranks.svg
    """
    from minicrawl.analysis.rankings.options import Options
    from minicrawl.analysis.rankings.ranking import check_name, rankings
    from minicrawl.store.reader import open_store

    compare, plot, csv_file, csv_for = (options.pop(name) for name in ("compare", "plot", "csv_file", "csv_for"))
    if compare is not None:
        names = [name.strip() for name in compare.split(",")]
        check_options(names, of="compare")
        if save is not None or _is_given("by"):
            raise SettingError("--compare prints no single ranking; leave --by and --save out")
        _compare(store, names, Options(**options), plot, csv_file, is_for_excel=csv_for == "excel", as_json=as_json)
        return
    if plot is not None or csv_file is not None:
        raise SettingError("--plot and --csv go with --compare; 'minicrawl rank --save NAME', then 'minicrawl export'")
    check_options([by])
    with open_store(store) as reader, reader.snapshot():
        if save is not None:
            check_name(save)
            if reader.is_in_use():
                raise StoreError(
                    f"a crawl is using {store}, so no ranking can be saved in it; wait for it, or leave --save out"
                )
        found = rankings(reader, by, Options(**options))
        shown, jumps_to_sites = found.best(reader, n), reader.meta("jump") == "sites"
    for note in found.notes:
        click.echo(printable(note), err=True)
    if save is not None:
        keep(store, _kept(save, found))
    if as_json:
        click.echo(_document(shown))
        return
    if by == "pagerank":
        click.echo("\n".join(fitted([_damping_line(options["damping"], jumps_to_sites=jumps_to_sites)])))
    tables = ("\n".join(table(pages, (name, values))) for name, (pages, values) in shown.items())
    click.echo("\n\n".join(tables))


def _compare(  # noqa: PLR0913 - what the command has
    store: Path, names: Sequence[str], options: "Options", plot: Path | None, csv_file: Path | None, *,
    is_for_excel: bool, as_json: bool,
) -> None:  # fmt: skip
    """Compare rankings, print how far they agree, and write the files."""
    from minicrawl.analysis.rankings.comparison import TOPS, compared
    from minicrawl.export.tables import STANDARD_OUTPUT, Table, export_table
    from minicrawl.store.reader import open_store

    if plot is not None:
        need_extra("--plot", "matplotlib")
    with open_store(store) as reader, reader.snapshot():
        found = compared(reader, names, options, as_crawl=not _is_given("damping"))
        jump = options.jump or ("sites" if reader.meta("jump") == "sites" else "pages")
        if csv_file is not None:
            columns = {"url": str, **dict.fromkeys(names, float), **{f"{name}_rank": int for name in names}}
            export_table(Table(columns, _rows(reader, found), for_excel=is_for_excel), csv_file, "csv")
    for note in found.notes:
        click.echo(printable(note), err=True)
    if plot is not None:
        _plot(found, plot)
    pairs = list(found.pairs())
    if as_json:
        rows = [{**pair._asdict(), "overlaps": dict(zip(map(str, TOPS), pair.overlaps, strict=True))} for pair in pairs]
        setting = {"pages": len(found.pages), "damping": found.damping, "crawl_damping": found.crawl_damping}
        click.echo(document({**setting, "jump": jump, "pairs": rows}))
    elif csv_file != STANDARD_OUTPUT:
        walkers = f"Walkers follow a link {100 * found.damping:.0f} % of the time and jump to {jump}"
        own = "" if found.damping == found.crawl_damping else f"; those of the crawl {100 * found.crawl_damping:.0f} %"
        click.echo("\n".join(fitted([f"{counted(len(found.pages), 'page')}. {printable(walkers)}{own}."])))
        width = max(map(len, names))
        click.echo("  ".join([f"{'':<{2 * width + 2}}", " tau-b", *(f"{f'top {k}':>7}" for k in TOPS)]))
        for pair in pairs:
            shares = "  ".join(f"{100 * share:>5.0f} %" for share in pair.overlaps)
            click.echo(f"{pair.one:<{width}}  {pair.other:<{width}}  {pair.kendall:>6.3f}  {shares}")


def _rows(store: "Store", found: "Comparison") -> Iterator[tuple[object, ...]]:
    """A row of the CSV for each page."""
    places = found.places()
    order = next(iter(places.values())).argsort()
    for first in range(0, len(order), _AT_ONCE):
        some = order[first : first + _AT_ONCE]
        pages = found.pages[some].tolist()
        urls = store.page_table.urls_of(pages)
        columns = [every[some].tolist() for every in (*found.values.values(), *places.values())]
        for page, *numbers in zip(pages, *columns, strict=True):
            yield (urls[page], *numbers)


def _plot(found: "Comparison", path: Path) -> None:
    from minicrawl.experiment import Curve, Panel, Result
    from minicrawl.export.tables import renamed_when_whole
    from minicrawl.lab.chart import draw

    first, most = next(iter(found.values)), min(len(found.pages), _MOST_PLOTTED)
    tops = [k for k in range(1, most + 1) if k <= 10 or k % max(most // 100, 1) == 0]
    curves = [Curve(name, tops, shares) for name, shares in found.agreement(tops).items()]
    panel = Panel(f"The first k pages of {first} among those of others", "k", "share", curves)
    result = Result("compare", f"{counted(len(found.pages), 'page')}, damping {found.damping:g}", (), (), [panel], ())
    with renamed_when_whole(path) as temporary:
        draw(result, temporary)


def _damping_line(damping: float, *, jumps_to_sites: bool) -> str:
    share, ours = f"{100 * damping:.0f} % of the time", "half of the time" if jumps_to_sites else "85 % of the time"
    return f"The walker of pagerank follows a link {share} (--damping {damping:g}), that of importance {ours}."


def _kept(name: str, found: "Rankings") -> "dict[str, FloatArray]":
    """The rankings by the names for keeping them."""
    from minicrawl.analysis.rankings.hub_ranking import kept_name

    is_one = len(found.values) == 1
    return {name if is_one else kept_name(name, kind): values for kind, values in found.values.items()}


def _document(shown: "Shown") -> str:
    """JSON of a list of pages; for hits, of an object with several."""
    documents = {name: page_rows(pages, (name, values)) for name, (pages, values) in shown.items()}
    return document(documents if len(documents) > 1 else next(iter(documents.values())))


def keep(store: Path, rankings: "Mapping[str, FloatArray]") -> None:
    """Keep values per page under their names, and report it."""
    from minicrawl.store.writer import Writer

    with Writer(store) as writer, writer.transaction():
        for name, values in rankings.items():
            writer.save_ranking(name, values)
    names = list(rankings)
    click.echo(f"Kept as {', '.join(names)}; see 'minicrawl top --by {names[0]} --store {store}'.", err=True)
