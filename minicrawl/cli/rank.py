"""minicrawl rank"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from minicrawl.cli.options import is_quiet, json_option, logging_options, store_option, wide_option
from minicrawl.cli.output import document, page_rows, table
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import option

if TYPE_CHECKING:
    from minicrawl.analysis.rankings.options import Options
    from minicrawl.analysis.rankings.ranking import Rankings
    from minicrawl.store.rows import RankedPage

    Shown = dict[str, tuple[list[RankedPage], list[float]]]

# What may be said beside --by; the first ranking that an option names in its help is the one it was made for.
_OPTIONS = {
    "pagerank": {"damping", "surfer", "memory"},
    "hits": {"query", "root", "per"},
    "trustrank": {"damping", "trusted", "trusted_count"},
    "topic": {"damping", "topic", "weights"},
    "inverse": {"damping"},
    "sites": {"damping", "per", "weights"},
    "opic": set(),
}
_EVERYWHERE = {"by", "n", "save", "store", "as_json", "verbose", "quiet", "log_file"}


@click.command(epilog="Example: minicrawl rank --by hits --query 'open source' --n 10")
@click.option("--by", type=click.Choice(list(_OPTIONS)), default="pagerank", show_default=True, help="Which ranking.")
@click.option("-n", "--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages, or sites.")
@click.option("--damping", default=0.85, show_default=True, type=click.FloatRange(0, 1, max_open=True),
              help="Chance to follow a link; the rest jumps.")  # fmt: skip
@click.option("--surfer", metavar="reasonable|uniform|WEIGHTS", help="For pagerank: who takes the links, by default as "
              "in the crawl; WEIGHTS as text=8,list=2,nav=1.")  # fmt: skip
@click.option("--memory", metavar="SIZE", help="For pagerank: work on disk, with this much memory, such as 64MB.")
@click.option("--trusted", metavar="FILE|URL|REGEX", help="For trustrank: the pages that are trusted. Without it those "
              "from which most pages are reached.")  # fmt: skip
@click.option("--trusted-count", default=50, show_default=True, type=click.IntRange(min=1),
              help="For trustrank: how many of these.")  # fmt: skip
@click.option(
    "--topic", multiple=True, metavar="NAME=FILE|URL|REGEX", help="For topic: the pages of a topic. Repeatable."
)
@click.option("--weights", metavar="WEIGHTS", help="For topic: NAME=WEIGHT,..., how much of each topic, by default "
              "alike. For sites: what makes a link heavier: links, pages, or none (default).")  # fmt: skip
@click.option(
    "--query", metavar="WORDS", help="For hits: only pages with these words in URL or title, and around them."
)
@click.option("--root", metavar="FILE|URL|REGEX", help="For hits: only these pages, and around them.")
@click.option("--per", type=click.Choice(["page", "host", "domain"]), help="For hits: links within one of these do not "
              "count (default: host). For sites: what a site is (default: domain).")  # fmt: skip
@click.option("--save", metavar="NAME", help="Keep the ranking in the store, for 'minicrawl top --by NAME'.")
@store_option
@wide_option
@json_option
@logging_options
def command(by: str, n: int, save: str | None, store: Path, as_json: bool, **options: Any) -> None:
    """Rank the pages of a store by the links between them, in another way than the crawl did.

    \b
    pagerank   how often a walker is at each page who sometimes jumps to any
    hits       hubs link to good authorities, authorities are linked from good hubs
    trustrank  PageRank with jumps to trusted pages only
    topic      PageRank with jumps to the pages of topics only
    inverse    PageRank with all links turned round: who reaches much
    sites      PageRank of the graph of links between sites
    opic       the crawl's own history of cash, as shares

    Aliases (redirects, canonicals) count as the pages they stand for. Printed as 'minicrawl top' does, the value
    beside the importance.
    """
    from minicrawl.analysis.rankings.options import Options
    from minicrawl.analysis.rankings.ranking import check_name, rankings
    from minicrawl.store.reader import open_store

    _check_options(by)
    how = Options(**options)
    if by == "sites":
        if save is not None:
            raise SettingError("--save keeps values of pages, and --by sites has none; leave it out")
        click.echo(_sites(how, n, store, as_json))
        return
    if save is not None:
        check_name(save)
    with open_store(store) as reader, reader.snapshot():
        if save is not None and reader.is_in_use():
            raise StoreError(
                f"a crawl is using {store}, so no ranking can be saved in it; wait for it, or leave --save out"
            )
        found = rankings(reader, by, how)
        shown = found.best(reader, n)
    if save is not None:
        _keep(store, save, found)
    click.echo(_document(shown) if as_json else "\n".join(_lines(shown)))


def _check_options(by: str) -> None:
    """Whoever says something that this ranking does not listen to expects something else of it."""
    ctx = click.get_current_context()
    for name in ctx.params.keys() - _OPTIONS[by] - _EVERYWHERE:
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            of = ", ".join(ranking for ranking, options in _OPTIONS.items() if name in options)
            raise SettingError(f"{option(name)} goes with --by {of}, not with --by {by}")


def _keep(store: Path, name: str, found: "Rankings") -> None:
    from minicrawl.store.writer import Writer

    with Writer(store) as writer, writer.transaction():
        for kept_as, values in zip((name, f"{name}-hubs"), found.values.values(), strict=False):
            writer.save_ranking(kept_as, values)
    if not is_quiet():
        click.echo(f"Kept as {name}; see 'minicrawl top --by {name} --store {store}'.", err=True)


def _lines(shown: "Shown") -> list[str]:
    lines: list[str] = []
    for name, (pages, values) in shown.items():
        lines += [*([""] if lines else []), *table(pages, (name, values))]
    return lines


def _document(shown: "Shown") -> str:
    """A list of pages; for hits, an object with two."""
    documents = {name: page_rows(pages, (name, values)) for name, (pages, values) in shown.items()}
    return document(documents if len(documents) > 1 else next(iter(documents.values())))


def _sites(how: "Options", n: int, store: Path, as_json: bool) -> str:
    from minicrawl.analysis.sites import WEIGHTS, sites_of
    from minicrawl.cli.sites import site_documents, site_table
    from minicrawl.store.reader import open_store

    kind, weights = how.per or "domain", how.weights or "none"
    if weights not in WEIGHTS:
        raise SettingError(f"--weights of sites is one of {', '.join(WEIGHTS)}, not {weights!r}")
    if kind == "page":
        raise SettingError("--per page: a page is no site; say host or domain")
    with open_store(store) as reader, reader.snapshot():
        rows = sites_of(reader, kind, how.damping, weights)
    rows = sorted(rows, key=lambda row: -row.pagerank)[:n]
    return site_documents(rows) if as_json else "\n".join(site_table(rows))
