"""Rankings of the pages of a store by their links, by methods other than the crawl's, or by visits."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import FloatArray, FoldedStore, folded_pages, folded_store
from minicrawl.analysis.rankings.hub_ranking import hub_rankings
from minicrawl.analysis.rankings.options import Found, Options
from minicrawl.analysis.rankings.page_sets import named_pages
from minicrawl.analysis.rankings.pagerank_ranking import pagerank_ranking, pagerank_ranking_on_disk
from minicrawl.analysis.rankings.topic_ranking import topic_ranking
from minicrawl.analysis.rankings.visit_ranking import visit_ranking
from minicrawl.errors import SettingError
from minicrawl.opic.surfer import REASONABLE
from minicrawl.rank.trust import inverse_pagerank, trustrank
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store


@dataclass(frozen=True, eq=False)
class Rankings:
    """One or more rankings by name, with a value per page. is_alias: True for aliases.

    only_members: leave out pages of value 0, as in a community. notes: on the computation, a sentence each.
    """

    values: dict[str, FloatArray]
    is_alias: npt.NDArray[np.bool_]
    only_members: bool = False
    notes: tuple[str, ...] = ()

    def best(self, store: Store, n: int) -> dict[str, tuple[list[RankedPage], list[float]]]:
        """The n pages with the highest values of each ranking, and these values; `rank` is the place in the ranking."""
        pages = np.flatnonzero(~self.is_alias)
        found = {}
        for name, values in self.values.items():
            ranked = pages[values[pages] > 0.0] if self.only_members else pages
            first = ranked[np.argsort(-values[ranked], kind="stable")[:n]]
            best = enumerate(store.ranks.of(first.tolist()), start=1)
            found[name] = [page._replace(rank=place) for place, page in best], values[first].tolist()
        return found


def rankings(store: Store, by: str, options: Options) -> Rankings:
    """The pages of a store ranked. by: one of RANKERS, or "visits". Raises SettingError, StoreError."""
    if options.memory is not None or by == "visits":
        pages = folded_pages(store)
        if options.memory is not None:
            found = pagerank_ranking_on_disk(options.memory, options, store, pages)
        else:
            found = visit_ranking(options, store, pages)
        return Rankings(found.values, pages.is_alias, notes=found.notes)
    folded = folded_store(store)
    found = RANKERS[by](options, store, folded)
    return Rankings(found.values, folded.is_alias, options.communities is not None, found.notes)


def check_name(name: str) -> None:
    """Raise SettingError for an invalid name of a kept ranking."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", name):
        raise SettingError(f"--save takes a name of up to 40 letters, digits, '-' and '_', not {name!r}")
    if name in RankedPage._fields:
        raise SettingError(f"--save {name}: every store has a column of that name; take another one")


def _trustrank(options: Options, store: Store, folded: FoldedStore) -> Found:
    folded = folded.simple()
    weights = folded.weights(REASONABLE)
    if options.trusted is not None:
        trusted = named_pages(options.trusted, "trusted", store, folded)
    else:
        reach = inverse_pagerank(folded.graph, options.damping, folded.all_alike, weights=weights)
        best = (-reach).argsort(kind="stable")[: options.trusted_count]
        trusted = best[reach[best] > 0.0]  # not what has gone, and no aliases
    return Found({"trust": trustrank(folded.graph, trusted, options.damping, weights=weights)})


def _inverse(options: Options, store: Store, folded: FoldedStore) -> Found:
    folded = folded.simple()
    weights = folded.weights(REASONABLE)
    return Found({"inverse": inverse_pagerank(folded.graph, options.damping, folded.all_alike, weights=weights)})


def _opic(_: Options, store: Store, folded: FoldedStore) -> Found:
    history = np.where(folded.is_alias, 0.0, store.ranks.arrays()["history"])
    return Found({"opic": history / max(history.sum(), np.finfo(np.float64).tiny)})


def _hits(options: Options, store: Store, folded: FoldedStore) -> Found:
    return Found(hub_rankings(options, store, folded))


RANKERS: dict[str, Callable[[Options, Store, FoldedStore], Found]] = {
    "pagerank": pagerank_ranking,
    "hits": _hits,
    "trustrank": _trustrank,
    "topic": topic_ranking,
    "inverse": _inverse,
    "opic": _opic,
}
"""Ranking functions by name; hits gives two or more rankings."""
