"""Rankings of the pages of a store by their links, by methods other than the crawl's, or by visits.

PageRank with jumps to the pages of topics is blended by given weights or by the words of a query.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import FoldedStore, folded_pages, folded_store
from minicrawl.analysis.rankings.hub_ranking import hub_rankings
from minicrawl.analysis.rankings.options import Found, Options, named_pages, words_in
from minicrawl.analysis.rankings.pagerank_ranking import pagerank_ranking, pagerank_ranking_on_disk
from minicrawl.analysis.rankings.visit_ranking import visit_ranking
from minicrawl.errors import SettingError
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.surfer import REASONABLE
from minicrawl.rank.trust import inverse_pagerank, topic_pagerank, topic_shares, trustrank
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store


def topic_ranking(options: Options, store: Store, folded: FoldedStore) -> Found:
    """Topic-sensitive PageRank. Raises SettingError."""
    topics = topics_of(options.topic, store, folded)
    if not topics:
        raise SettingError("--by topic needs the pages of a topic; give --topic NAME=FILE|URL|REGEX")
    if options.query is None:
        shares, note = _given_shares(options.weights, tuple(topics)), ""
    else:
        shares = _shares_by_words(options, topics, store)
        blended = ", ".join(f"{name} {share:.1%}" for name, share in zip(topics, shares, strict=True))
        note = f"by the words of {options.query!r}: {blended}"
    weights = folded.weights(REASONABLE)
    ranks = topic_pagerank(folded.graph, list(topics.values()), shares, options.damping, weights=weights)
    return {"topic": ranks}, (note,) if note else ()


def topics_of(given: Sequence[str], store: Store, folded: FoldedStore) -> dict[str, list[int]]:
    """The pages of topics, by name. given: NAME=FILE|URL|REGEX each. Raises SettingError."""
    topics: dict[str, list[int]] = {}
    for topic in given:
        name, divider, pages = topic.partition("=")
        if not divider or not name or name in topics:
            raise SettingError(f"--topic takes NAME=FILE|URL|REGEX, each name once, not {topic!r}")
        topics[name] = named_pages(pages, "topic", store, folded).tolist()
    return topics


def _shares_by_words(options: Options, topics: dict[str, list[int]], store: Store) -> list[float]:
    """P(topic | words of the query), by their counts in the pages of each topic."""
    words = words_in(options.query or "")
    if not words:
        raise SettingError("--query needs words")
    prior = None if options.weights is None else _given_shares(options.weights, tuple(topics))
    counts = [_word_counts(pages, store) for pages in topics.values()]
    return list(map(float, topic_shares(counts, words, prior)))


def _word_counts(pages: list[int], store: Store) -> Counter[str]:
    """Word counts of pages: of URL, title and, if kept, text."""
    counts = Counter[str]()
    for number, page in store.ranks.rows(pages).items():
        counts.update(words_in(f"{page.url} {page.title or ''}"))
        kept = store.texts.text(number, page.url)
        if kept is not None:
            counts.update(words_in(kept.text))
    return counts


def _given_shares(given: str | None, names: tuple[str, ...]) -> list[float]:
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
    are_weights = all(0 <= share < math.inf for share in shares.values()) and any(shares.values())
    if shares.keys() != set(names) or not are_weights:
        raise SettingError(
            f"--weights takes a NAME=WEIGHT for each of {', '.join(names)}, separated by commas, not {given!r}"
        )
    return [shares[name] for name in names]


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
            rows = store.ranks.rows(first.tolist())
            best = [rows[page]._replace(rank=place) for place, page in enumerate(first.tolist(), start=1)]
            found[name] = best, values[first].tolist()
        return found


def rankings(store: Store, by: str, options: Options) -> Rankings:
    """The pages of a store ranked. by: one of RANKERS, or "visits". Raises SettingError, StoreError."""
    if options.memory is not None or by == "visits":
        pages = folded_pages(store)
        if options.memory is not None:
            values, notes = pagerank_ranking_on_disk(options.memory, options, store, pages)
        else:
            values, notes = visit_ranking(options, store, pages)
        return Rankings(values, pages.is_alias, notes=notes)
    folded = folded_store(store)
    values, notes = RANKERS[by](options, store, folded)
    return Rankings(values, folded.is_alias, options.communities is not None, notes)


def check_name(name: str) -> None:
    """Raise SettingError for an invalid name of a kept ranking."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", name):
        raise SettingError(f"--save takes a name of up to 40 letters, digits, '-' and '_', not {name!r}")
    if name in RankedPage._fields:
        raise SettingError(f"--save {name}: every store has a column of that name; choose another one")


def _trustrank(options: Options, store: Store, folded: FoldedStore) -> Found:
    folded = folded.simple()
    weights = folded.weights(REASONABLE)
    if options.trusted is not None:
        trusted = named_pages(options.trusted, "trusted", store, folded)
    else:
        reach = inverse_pagerank(folded.graph, options.damping, folded.all_alike, weights=weights)
        best = (-reach).argsort(kind="stable")[: options.trusted_count]
        trusted = best[reach[best] > 0.0]  # not what has gone, and no aliases
    return {"trust": trustrank(folded.graph, trusted, options.damping, weights=weights)}, ()


def _inverse(options: Options, store: Store, folded: FoldedStore) -> Found:
    folded = folded.simple()
    weights = folded.weights(REASONABLE)
    return {"inverse": inverse_pagerank(folded.graph, options.damping, folded.all_alike, weights=weights)}, ()


def _opic(_: Options, store: Store, folded: FoldedStore) -> Found:
    history = np.where(folded.is_alias, 0.0, store.ranks.arrays()["history"])
    return {"opic": history / max(history.sum(), np.finfo(np.float64).tiny)}, ()


RANKERS: dict[str, Callable[[Options, Store, FoldedStore], Found]] = {
    "pagerank": pagerank_ranking,
    "hits": lambda options, store, folded: (hub_rankings(options, store, folded), ()),
    "trustrank": _trustrank,
    "topic": topic_ranking,
    "inverse": _inverse,
    "opic": _opic,
}
"""Ranking functions by name; hits gives two or more rankings."""
