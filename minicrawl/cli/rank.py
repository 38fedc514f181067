"""minicrawl rank"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar  # Any: settings as given

import click
from click.core import ParameterSource

from minicrawl.cli.options import json_option, store_option
from minicrawl.cli.output import document, page_rows, table
from minicrawl.errors import SettingError, StoreError
from minicrawl.log import printable
from minicrawl.settings import option

if TYPE_CHECKING:
    from minicrawl.analysis.rankings.ranking import Rankings
    from minicrawl.opic.arrays import FloatArray
    from minicrawl.store.ranks import RankedPage

    Shown = dict[str, tuple[list[RankedPage], list[float]]]


_Command = TypeVar("_Command", bound=Callable[..., object])

OPTIONS = {
    "pagerank": {"damping", "memory", "method", "dangling", "jump", "per", "inside", "cap"},
    "hits": {"query", "root", "per", "inside", "cap", "context", "self_links", "communities", "peel"},
    "trustrank": {"damping", "trusted", "trusted_count"},
    "topic": {"damping", "topic", "weights", "query"},
    "inverse": {"damping"},
    "opic": set(),
    "visits": {"log", "site", "blend"},
}
"""Options by ranking; the first ranking that an option's help names is its main one."""
_OF_RANKINGS = frozenset().union(*OPTIONS.values())

_RANKING_OPTIONS = (
    click.option("--damping", default=0.85, show_default=True, type=click.FloatRange(0, 1, max_open=True),
                 help="Chance to follow a link; the rest jumps."),
    click.option("--memory", metavar="SIZE", help="For pagerank: work on disk, with this much memory, such as 64MB."),
    click.option("--method", type=click.Choice(["power", "gauss-seidel", "sweeping"]), default="power",
                 show_default=True, help="For pagerank: power iteration, rounds that use what they have just worked "
                 "out, or visits where most is left to move. All come to the same: power is the quickest, sweeping "
                 "follows the fewest links of a large and sparse web, and the most of a small and dense one."),
    click.option("--dangling", type=click.Choice(["keep", "prune"]), default="keep", show_default=True,
                 help="For pagerank: pages that lead nowhere, taken out, or walkers jump from there."),
    click.option("--jump", metavar="FILE|recent:TIME", help="For pagerank: where walkers jump to: the pages of FILE, "
                 "a URL and a weight a line, or pages that changed, half as often for each TIME ago."),
    click.option("--trusted", metavar="FILE|URL|REGEX", help="For trustrank: the pages that are trusted. Without it "
                 "those from which most pages are reached."),
    click.option("--trusted-count", default=50, show_default=True, type=click.IntRange(min=1),
                 help="For trustrank: how many of these."),
    click.option("--topic", multiple=True, metavar="NAME=FILE|URL|REGEX", help="For topic: the pages of a topic. "
                 "Repeatable."),
    click.option("--weights", metavar="WEIGHTS", help="For topic: NAME=WEIGHT,..., how much of each topic, by default "
                 "alike."),
    click.option("--query", metavar="WORDS", help="For hits: only pages with these words in URL or title, and around "
                 "them. For topic: topics count by how often their pages have these words."),
    click.option("--root", metavar="FILE|URL|REGEX", help="For hits: only these pages, and around them."),
    click.option("--per", type=click.Choice(["page", "host", "site"]), help="For hits (default: host) and pagerank: "
                 "links within one of these do not count."),
    click.option("--inside", type=click.FloatRange(0, 1), metavar="WEIGHT", help="For hits and pagerank: what a link "
                 "within a host or site weighs, by default 0; others weigh 1."),
    click.option("--cap", type=click.IntRange(min=1), metavar="N", help="For hits and pagerank: of the links of a host "
                 "or site to a page, only the first N count."),
    click.option("--context", is_flag=True, help="For hits: a link weighs 1 + the words of --query in and around it, "
                 "of pages read with --text."),
    click.option("--self-links", is_flag=True, help="For hits: every page counts as linked to itself (L + I), so that "
                 "good hubs are authorities, too."),
    click.option("--communities", type=click.IntRange(1, 50), metavar="N", help="For hits: N communities and the "
                 "bridges between them, by singular vectors, instead of the one that takes all."),
    click.option("--peel", is_flag=True, help="For hits: --communities one after the other, each without the links to "
                 "the ten best authorities of those before."),
    click.option("--log", multiple=True, metavar="FILE", help="For visits: an access log in Combined Log Format, "
                 "plain or .gz. Repeatable."),
    click.option("--site", metavar="URL", help="For visits: the host of the log, where the store has several."),
    click.option("--blend", type=click.FloatRange(0, 1), metavar="WEIGHT", help="For visits: what they weigh beside "
                 "importance, by default all."),
)  # fmt: skip


def ranking_options(command: _Command) -> _Command:
    """Add the options of the rankings."""
    for each in reversed(_RANKING_OPTIONS):
        command = each(command)
    return command


def check_options(by: str) -> None:
    """Raise SettingError for given options that this ranking does not use."""
    ctx = click.get_current_context()
    for name in sorted(_OF_RANKINGS - OPTIONS[by]):
        # Options in files or in the environment are meant for the rankings that use them.
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            of = ", ".join(ranking for ranking, options in OPTIONS.items() if name in options)
            raise SettingError(f"{option(name)} goes with --by {of}, not with --by {by}")


@click.command(epilog="Example: minicrawl rank --by hits --query 'open source' --n 10")
@click.option("--by", type=click.Choice(list(OPTIONS)), default="pagerank", show_default=True, help="Which ranking.")
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages.")
@ranking_options
@click.option("--save", metavar="NAME", help="Keep the ranking in the store, for 'minicrawl top --by NAME'.")
@store_option
@json_option
def command(by: str, n: int, save: str | None, store: Path, as_json: bool, **options: Any) -> None:
    """Rank the pages of a store by the links between them, in another way than the crawl did, or by visits.

    \b
    pagerank   how often a walker is at each page who sometimes jumps to any
    hits       hubs link to good authorities, authorities are linked from good hubs
    trustrank  PageRank with jumps to trusted pages only
    topic      PageRank with jumps to the pages of topics only
    inverse    PageRank with all links turned round: who reaches much
    opic       the crawl's own history of cash, as shares
    visits     visits to pages in the access logs of the site

    Aliases (redirects, canonicals) count as the pages they stand for. Printed as 'minicrawl top' does, the value
    beside the importance.
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
        shown = found.best(reader, n)
    for note in found.notes:
        click.echo(printable(note), err=True)
    if save is not None:
        keep(store, _kept(save, found))
    click.echo(_document(shown) if as_json else "\n".join(_lines(shown)))


def _kept(name: str, found: "Rankings") -> "dict[str, FloatArray]":
    """The rankings by the names for keeping them."""
    from minicrawl.analysis.rankings.hub_ranking import kept_name

    is_one = len(found.values) == 1
    return {name if is_one else kept_name(name, kind): values for kind, values in found.values.items()}


def _lines(shown: "Shown") -> list[str]:
    lines: list[str] = []
    for name, (pages, values) in shown.items():
        lines += [*([""] if lines else []), *table(pages, (name, values))]
    return lines


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
