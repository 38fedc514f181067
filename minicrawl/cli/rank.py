"""minicrawl rank"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from minicrawl.cli.options import is_quiet, json_option, logging_options, store_option
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import RANKINGS, compiled, option, parse_size

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from minicrawl.analysis.folded import FoldedPages, FoldedStore
    from minicrawl.store.reader import Store
    from minicrawl.store.rows import RankedPage

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]
    Shown = tuple[list[RankedPage], list[float]]

_ROOT = 200  # Kleinberg's size of a root set

# What may be said beside --by; the first ranking that an option names in its help is the one it was made for.
_OPTIONS = {
    "pagerank": {"damping", "memory"},
    "hits": {"query", "root", "per"},
    "trustrank": {"damping", "trusted", "trusted_count"},
    "topic": {"damping", "topic", "weights"},
    "inverse": {"damping"},
    "sites": {"damping", "per", "weights"},
    "opic": set(),
}
_EVERYWHERE = {"by", "n", "save", "store", "as_json", "verbose", "quiet", "log_file"}


@dataclass(frozen=True)
class Options:
    """What was said of how to rank."""

    damping: float
    memory: str | None
    trusted: str | None
    trusted_count: int
    topic: tuple[str, ...]
    weights: str | None
    query: str | None
    root: str | None
    per: str | None


@click.command(
    epilog="Example: minicrawl rank --by hits --query 'open source' --n 10",
)
@click.option("--by", type=click.Choice(list(_OPTIONS)), default="pagerank", show_default=True, help="Which ranking.")
@click.option("--n", default=20, show_default=True, type=click.IntRange(min=1), help="How many pages, or sites.")
@click.option("--damping", default=0.85, show_default=True, type=click.FloatRange(0, 1, max_open=True),
              help="Chance to follow a link; the rest jumps.")  # fmt: skip
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
    _check_options(by)
    if save is not None:
        _check_name(save, by)
    told = Options(**options)
    if by == "sites":
        click.echo(_sites(told, n, store, as_json))
        return
    from minicrawl.analysis.folded import folded_pages, folded_store
    from minicrawl.store.reader import open_store

    with open_store(store) as reader, reader.snapshot():
        if save is not None and reader.is_in_use():
            raise StoreError(
                f"a crawl is using {store}, so no ranking can be saved in it; wait for it, or leave --save out"
            )
        folded: FoldedPages
        if told.memory is None:
            folded = folded_store(reader)
            rankings = _RANKINGS[by](told, reader, folded)
        else:
            folded = folded_pages(reader)
            rankings = {by: _pagerank_on_disk(told, reader, folded)}
        shown = {name: _best(reader, values, folded.is_alias, n) for name, values in rankings.items()}
    if save is not None:
        _keep(store, dict(zip((save, f"{save}-hubs"), rankings.values(), strict=False)))
        if not is_quiet():
            click.echo(f"Kept as {save}; see 'minicrawl top --by {save} --store {store}'.", err=True)
    click.echo(_document(shown) if as_json else "\n".join(_lines(shown)))


def _check_options(by: str) -> None:
    """Whoever says something that this ranking does not listen to expects something else of it."""
    ctx = click.get_current_context()
    for name in ctx.params.keys() - _OPTIONS[by] - _EVERYWHERE:
        if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            of = ", ".join(ranking for ranking, options in _OPTIONS.items() if name in options)
            raise SettingError(f"{option(name)} goes with --by {of}, not with --by {by}")


def _check_name(name: str, by: str) -> None:
    from minicrawl.store.rows import RankedPage

    if by == "sites":
        raise SettingError("--save keeps values of pages, and --by sites has none; leave it out")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", name):
        raise SettingError(f"--save takes a name of up to 40 letters, digits, '-' and '_', not {name!r}")
    if name in RANKINGS or name in RankedPage._fields:
        raise SettingError(f"--save {name}: every store has a column of that name; take another one")


# The rankings: one array, or two, with a value per page.


def _pagerank(told: Options, _: "Store", folded: "FoldedStore") -> dict[str, "FloatArray"]:
    from minicrawl.rank import pagerank

    return {"pagerank": pagerank(folded.graph, told.damping, folded.jump)}


def _pagerank_on_disk(told: Options, store: "Store", folded: "FoldedPages") -> "FloatArray":
    """The same, the links in temporary files."""
    import numpy as np

    from minicrawl.analysis.folded import folded_rows
    from minicrawl.rank.blocks import block_pagerank, plan_blocks
    from minicrawl.store.spill import Spill

    try:
        plan = plan_blocks(folded.size, parse_size(told.memory or ""))
    except ValueError as error:
        raise SettingError(f"--memory {told.memory} is too little: {error}") from error
    with Spill() as shelf:
        return np.concatenate(list(block_pagerank(folded_rows(store, folded), plan, shelf, told.damping, folded.jump)))


def _hits(told: Options, store: "Store", folded: "FoldedStore") -> dict[str, "FloatArray"]:
    import numpy as np

    from minicrawl.analysis.sites import numbered_sites
    from minicrawl.cli.sites import site_of
    from minicrawl.rank.hits import base_set, hits, intrinsic_weights, within

    if told.per == "page":
        places = np.arange(folded.graph.size)
    else:
        _, places = numbered_sites(store, folded.hosts, site_of(told.per or "host"))
    weights = intrinsic_weights(folded.graph, places)
    root = _root(told, store, folded)
    if root is not None:
        weights *= within(folded.graph, base_set(folded.graph, root))
    if not weights.any():
        raise SettingError("no link between two of these pages counts; ask for more of them, or say --per page")
    found = hits(folded.graph, weights=weights)
    return {"authority": found.authorities, "hub": found.hubs}


def _trustrank(told: Options, store: "Store", folded: "FoldedStore") -> dict[str, "FloatArray"]:
    from minicrawl.rank.trust import trustrank

    if told.trusted is not None:
        trusted = _chosen(told.trusted, "trusted", store, folded)
    else:
        reach = _inverse(told, store, folded)["inverse"]
        trusted = (-reach).argsort(kind="stable")[: told.trusted_count]
    return {"trust": trustrank(folded.graph, trusted, told.damping)}


def _topic(told: Options, store: "Store", folded: "FoldedStore") -> dict[str, "FloatArray"]:
    from minicrawl.rank.trust import topic_pagerank

    topics: dict[str, list[int]] = {}
    for topic in told.topic:
        name, divider, pages = topic.partition("=")
        if not divider or not name or name in topics:
            raise SettingError(f"--topic takes NAME=FILE|URL|REGEX, each name once, not {topic!r}")
        topics[name] = _chosen(pages, "topic", store, folded).tolist()
    if not topics:
        raise SettingError("--by topic needs the pages of a topic; say which with --topic NAME=FILE|URL|REGEX")
    shares = _shares(told.weights, tuple(topics))
    return {"topic": topic_pagerank(folded.graph, list(topics.values()), shares, told.damping)}


def _shares(given: str | None, names: tuple[str, ...]) -> list[float]:
    """The weight of every topic in NAME=WEIGHT,... Raises SettingError."""
    if given is None:
        return [1.0] * len(names)
    shares: dict[str, float] = {}
    for part in given.split(","):
        name, _, weight = part.rpartition("=")
        try:
            shares[name.strip()] = float(weight)
        except ValueError:
            shares[name.strip()] = math.nan
    if (
        shares.keys() != set(names)
        or not all(0 <= share < math.inf for share in shares.values())
        or not any(shares.values())
    ):
        raise SettingError(
            f"--weights takes a NAME=WEIGHT for each of {', '.join(names)}, apart by commas, not {given!r}"
        )
    return [shares[name] for name in names]


def _inverse(told: Options, _: "Store", folded: "FoldedStore") -> dict[str, "FloatArray"]:
    from minicrawl.rank.trust import inverse_pagerank

    return {"inverse": inverse_pagerank(folded.graph, told.damping, folded.jump)}


def _opic(_: Options, store: "Store", folded: "FoldedStore") -> dict[str, "FloatArray"]:
    import numpy as np

    history = np.where(folded.is_alias, 0.0, store.rankings()["history"])
    return {"opic": history / max(history.sum(), np.finfo(np.float64).tiny)}


_RANKINGS: dict[str, Callable[[Options, "Store", "FoldedStore"], dict[str, "FloatArray"]]] = {
    "pagerank": _pagerank,
    "hits": _hits,
    "trustrank": _trustrank,
    "topic": _topic,
    "inverse": _inverse,
    "opic": _opic,
}


# Pages that the user names


def _root(told: Options, store: "Store", folded: "FoldedStore") -> "IntArray | None":
    """The root set of HITS: as told, at most the most important; None for the whole graph."""
    import numpy as np

    if told.root is not None and told.query is not None:
        raise SettingError("--query and --root both say around which pages to look; give one of them")
    if told.root is not None:
        return _chosen(told.root, "root", store, folded)
    if told.query is None:
        return None
    words = told.query.casefold().split()
    if not words:
        raise SettingError("--query takes words, and there are none")
    found: list[tuple[int, int]] = []
    for number, page in enumerate(store.numbered_pages()):
        text = f"{page.url} {page.title or ''}".casefold()
        if all(word in text for word in words):
            found.append((page.rank, number))
    if not found:
        raise SettingError(f"no page has {told.query!r} in its URL or title; ask for other words")
    return np.unique(folded.stands_for[[number for _, number in sorted(found)[:_ROOT]]])


def _chosen(given: str, of: str, store: "Store", folded: "FoldedPages") -> "IntArray":
    """The pages that FILE, URL or REGEX stands for; an alias means the page that it is one of. Raises SettingError."""
    import numpy as np

    from minicrawl.crawler.admission.seeds import read_seeds
    from minicrawl.crawler.urls.normalise import normalise

    if Path(given).is_file():
        pages = list(store.find(read_seeds([given])).values())
        if not pages:
            raise SettingError(f"{option(of)}: no page of {given} is known in {store.path}")
    else:
        pages = list(store.find([normalise(given) or given]).values())
        if not pages:
            pattern = compiled(given, of)
            pages = [number for number, url in enumerate(store.urls()) if pattern.search(url)]
        if not pages:
            raise SettingError(f"{option(of)} {given!r} is no file, and matches no URL in {store.path}")
    return np.unique(folded.stands_for[pages])


# What is printed, and kept


def _best(store: "Store", values: "FloatArray", is_alias: "npt.NDArray[np.bool_]", n: int) -> "Shown":
    """The n pages with the highest values, and these."""
    import numpy as np

    pages = np.flatnonzero(~is_alias)
    best = pages[np.argsort(-values[pages], kind="stable")[:n]]
    return store.ranked_pages(best.tolist()), values[best].tolist()


def _keep(store: Path, rankings: dict[str, "FloatArray"]) -> None:
    from minicrawl.store.writer import Writer

    with Writer(store) as writer, writer.transaction():
        for name, values in rankings.items():
            writer.save_ranking(name, values)


def _lines(shown: dict[str, "Shown"]) -> list[str]:
    from minicrawl.cli.output import table

    lines: list[str] = []
    for name, (pages, values) in shown.items():
        lines += [*([""] if lines else []), *table(pages, (name, values))]
    return lines


def _document(shown: dict[str, "Shown"]) -> str:
    """A list of pages; for hits, an object with two."""
    from minicrawl.cli.output import document, page_rows

    documents = {name: page_rows(pages, (name, values)) for name, (pages, values) in shown.items()}
    return document(documents if len(documents) > 1 else next(iter(documents.values())))


def _sites(told: Options, n: int, store: Path, as_json: bool) -> str:
    from minicrawl.analysis.sites import WEIGHTS, sites_of
    from minicrawl.cli.sites import domain_of, site_documents, site_of, site_table
    from minicrawl.store.reader import open_store

    kind, weights = told.per or "domain", told.weights or "none"
    if weights not in WEIGHTS:
        raise SettingError(f"--weights of sites is one of {', '.join(WEIGHTS)}, not {weights!r}")
    if kind == "page":
        raise SettingError("--per page: a page is no site; say host or domain")
    with open_store(store) as reader, reader.snapshot():
        rows = sites_of(reader, site_of(kind), domain_of, told.damping, weights)
    rows = sorted(rows, key=lambda row: -row.pagerank)[:n]
    return site_documents(rows) if as_json else "\n".join(site_table(rows))
