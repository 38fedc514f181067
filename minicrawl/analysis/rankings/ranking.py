"""Rankings of the pages of a store by the links between them, in other ways than the crawl's."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.folded_aliases import FoldedPages, FoldedStore, folded_pages, folded_rows, folded_store
from minicrawl.analysis.rankings.hub_ranking import hub_rankings
from minicrawl.analysis.rankings.options import Options
from minicrawl.analysis.rankings.page_sets import named_pages
from minicrawl.crawler.books.stored_forms import kept_surfer
from minicrawl.errors import SettingError
from minicrawl.opic.surfer import Surfer, parse_surfer
from minicrawl.rank import pagerank
from minicrawl.rank.blocks import block_pagerank, plan_blocks
from minicrawl.rank.trust import inverse_pagerank, topic_pagerank, trustrank
from minicrawl.settings import parse_size
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage
from minicrawl.store.spill import Spill

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rankings:
    """One ranking or several, by name: a value per page. is_alias: pages that only stand for another one.

    only_members: pages that have nothing are left out, as of a community.
    """

    values: dict[str, FloatArray]
    is_alias: npt.NDArray[np.bool_]
    only_members: bool = False

    def best(self, store: Store, n: int) -> dict[str, tuple[list[RankedPage], list[float]]]:
        """Of each ranking the n pages with the highest values, and these."""
        pages = np.flatnonzero(~self.is_alias)
        found = {}
        for name, values in self.values.items():
            ranked = pages[values[pages] > 0.0] if self.only_members else pages
            first = ranked[np.argsort(-values[ranked], kind="stable")[:n]]
            found[name] = store.ranks.of(first.tolist()), values[first].tolist()
        return found


def rankings(store: Store, by: str, options: Options) -> Rankings:
    """The pages of a store ranked. by: one of RANKERS. Raises SettingError, StoreError."""
    if options.memory is not None:
        pages = folded_pages(store)
        return Rankings({by: _pagerank_on_disk(options.memory, options, store, pages)}, pages.is_alias)
    folded = folded_store(store)
    return Rankings(RANKERS[by](options, store, folded), folded.is_alias, options.communities is not None)


def check_name(name: str) -> None:
    """Raise SettingError for a name that no ranking can be kept by."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", name):
        raise SettingError(f"--save takes a name of up to 40 letters, digits, '-' and '_', not {name!r}")
    if name in RankedPage._fields:
        raise SettingError(f"--save {name}: every store has a column of that name; take another one")


def _pagerank(options: Options, store: Store, folded: FoldedStore) -> dict[str, FloatArray]:
    weights = folded.weights(_surfer(options, store))
    return {"pagerank": pagerank(folded.graph, options.damping, folded.jump, weights=weights)}


def _surfer(options: Options, store: Store) -> Surfer:
    if options.surfer is None:
        return kept_surfer(store)
    try:
        return parse_surfer(options.surfer)
    except ValueError as error:
        raise SettingError(f"--surfer {error}") from error


def _pagerank_on_disk(memory: str, options: Options, store: Store, pages: FoldedPages) -> FloatArray:
    """The same, the links in temporary files."""
    try:
        plan = plan_blocks(pages.size, parse_size(memory))
    except ValueError as error:
        raise SettingError(f"--memory {memory} is too little: {error}") from error
    with Spill() as shelf:
        rows = folded_rows(store, pages, _surfer(options, store))
        return np.concatenate(list(block_pagerank(rows, plan, shelf, options.damping, pages.jump)))


def _trustrank(options: Options, store: Store, folded: FoldedStore) -> dict[str, FloatArray]:
    if options.trusted is not None:
        trusted = named_pages(options.trusted, "trusted", store, folded)
    else:
        reach = _inverse(options, store, folded)["inverse"]
        trusted = (-reach).argsort(kind="stable")[: options.trusted_count]
    return {"trust": trustrank(folded.graph, trusted, options.damping)}


def _topic(options: Options, store: Store, folded: FoldedStore) -> dict[str, FloatArray]:
    topics: dict[str, list[int]] = {}
    for topic in options.topic:
        name, divider, pages = topic.partition("=")
        if not divider or not name or name in topics:
            raise SettingError(f"--topic takes NAME=FILE|URL|REGEX, each name once, not {topic!r}")
        topics[name] = named_pages(pages, "topic", store, folded).tolist()
    if not topics:
        raise SettingError("--by topic needs the pages of a topic; say which with --topic NAME=FILE|URL|REGEX")
    shares = _shares(options.weights, tuple(topics))
    return {"topic": topic_pagerank(folded.graph, list(topics.values()), shares, options.damping)}


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


def _inverse(options: Options, _: Store, folded: FoldedStore) -> dict[str, FloatArray]:
    return {"inverse": inverse_pagerank(folded.graph, options.damping, folded.jump)}


def _opic(_: Options, store: Store, folded: FoldedStore) -> dict[str, FloatArray]:
    history = np.where(folded.is_alias, 0.0, store.ranks.arrays()["history"])
    return {"opic": history / max(history.sum(), np.finfo(np.float64).tiny)}


RANKERS: dict[str, Callable[[Options, Store, FoldedStore], dict[str, FloatArray]]] = {
    "pagerank": _pagerank,
    "hits": hub_rankings,
    "trustrank": _trustrank,
    "topic": _topic,
    "inverse": _inverse,
    "opic": _opic,
}
"""The rankings by name: one, or for hits two."""
