"""minicrawl rank"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click
from click.core import ParameterSource

from minicrawl.cli.options import Choice, about_store
from minicrawl.cli.output import document, fitted, page_rows, table
from minicrawl.errors import SettingError, StoreError
from minicrawl.log import printable
from minicrawl.settings import option

if TYPE_CHECKING:
    from minicrawl.analysis.rankings.ranking import Rankings
    from minicrawl.opic.arrays import FloatArray
    from minicrawl.store.ranks import RankedPage

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
_OF_RANKINGS = frozenset().union(*OPTIONS.values())


def check_options(by: str) -> None:
    """Raise SettingError for given options that this ranking does not use."""
    ctx = click.get_current_context()
    for name in sorted(_OF_RANKINGS - OPTIONS[by]):
        # Options in files or in the environment are meant for the rankings that use them.
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            of = ", ".join(ranking for ranking, options in OPTIONS.items() if name in options)
            raise SettingError(f"{option(name)} goes with --by {of}, not with --by {by}")


@click.command(epilog="Example: minicrawl rank --by hits --query 'open source' --n 10")
@click.option("--by", type=Choice(list(OPTIONS)), default="pagerank", show_default=True, help="The ranking to compute.")
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="Number of pages.")
@click.option("--damping", default=0.85, show_default=True, type=click.FloatRange(0, 1, max_open=True),
              help="Probability of following a link rather than jumping.")  # fmt: skip
@click.option("--memory", metavar="SIZE",
              help="For pagerank: compute on disk, using this much memory, such as 64MB.")  # fmt: skip
@click.option("--method", type=Choice(["power", "sweeping"]), default="power", show_default=True,
              help="For pagerank: power iteration, or visits where most is left to move. Both come to the same: power "
                   "is quicker, sweeping follows fewer links of a large and sparse web.")  # fmt: skip
@click.option("--jump", metavar="FILE|recent:TIME",
              help="For pagerank: where walkers jump to: the pages of FILE (a URL and a weight per line), or pages "
                   "that changed recently, with half the weight for each TIME since.")  # fmt: skip
@click.option("--trusted", metavar="FILE|URL|REGEX",
              help="For trustrank: the trusted pages. By default those that reach most pages.")  # fmt: skip
@click.option("--trusted-count", default=50, show_default=True, type=click.IntRange(min=1),
              help="For trustrank: number of pages trusted by default.")  # fmt: skip
@click.option("--topic", multiple=True, metavar="NAME=FILE|URL|REGEX",
              help="For topic: the pages of one topic. Repeatable.")  # fmt: skip
@click.option("--weights", metavar="WEIGHTS",
              help="For topic: the weight of each topic, as NAME=WEIGHT,...; by default all alike.")  # fmt: skip
@click.option("--query", metavar="WORDS",
              help="For hits: only pages with these words in their URL or title, and their neighbours. For topic: "
                   "weigh topics by how often their pages have these words.")  # fmt: skip
@click.option("--root", metavar="FILE|URL|REGEX", help="For hits: only these pages and their neighbours.")
@click.option("--per", type=Choice(["page", "host", "site"]),
              help="For hits (default: host) and pagerank: ignore links within a host or site.")  # fmt: skip
@click.option("--inside", type=click.FloatRange(0, 1), metavar="WEIGHT",
              help="For hits and pagerank: the weight of links within a host or site, 0 by default; others "
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
              help="For hits: find --communities one by one, each without the links to the ten best authorities of "
                   "those before.")  # fmt: skip
@click.option("--log", multiple=True, metavar="FILE",
              help="For visits: an access log in Combined Log Format, plain or .gz. Repeatable.")  # fmt: skip
@click.option("--site", metavar="URL", help="For visits: the host that wrote the log, if the store has several.")
@click.option("--blend", type=click.FloatRange(0, 1), metavar="WEIGHT",
              help="For visits: their weight against importance; by default they count alone.")  # fmt: skip
@click.option("--save", metavar="NAME", help="Save the ranking in the store, for 'minicrawl top --by NAME'.")
@about_store
def command(by: str, n: int, save: str | None, store: Path, as_json: bool, **options: Any) -> None:
    """Rank the pages of a store by another link analysis than the crawl's own, or by visits.

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
    """
    from minicrawl.analysis.rankings.options import Options
    from minicrawl.analysis.rankings.ranking import check_name, rankings
    from minicrawl.store.reader import open_store

    check_options(by)
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
