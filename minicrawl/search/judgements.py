"""Learning from judgements: pages that a person called good or bad for a query.

They are kept in the store (the table `judgements`) and count within bounds only:

    score = w * agreement + (1 - w) * R + move          move = +-MOVE * alike^2
    agreement = signals . (WEIGHTS * factors) / sum(WEIGHTS * factors)

alike    words that both queries have / words that one of them has; below LEAST_ALIKE nothing moves
factors  from 1 / BOUND to BOUND; learned from LEAST judgements of LEAST_QUERIES queries on: those that maximise

    mean log sigmoid(STEEP * (score of a good page - score of a worse one)) - PULL * sum log^2 factor

A worse page is a bad one, or stands above the good one without a judgement; each query weighs the same. Factors are
taken only if those by each half of the queries order the other half better (nDCG), and while WEIGHTS stays as it is.
Source: T. Joachims, "Optimizing Search Engines using Clickthrough Data", KDD 2002.
"""

import json
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.search.index.words import words_of
from minicrawl.search.query import parse_query
from minicrawl.search.ranking import WEIGHT, WEIGHTS, Signals
from minicrawl.store.reader import Store
from minicrawl.store.rows import Judgement
from minicrawl.store.writer import Writer

if TYPE_CHECKING:
    from minicrawl.search.searching import FoundPage

Searching = Callable[[str], "Sequence[FoundPage]"]
FloatArray = npt.NDArray[np.float64]

MOVE, LEAST_ALIKE = 0.2, 0.5
BOUND, LEAST, LEAST_QUERIES = 2.0, 20, 10
_STEEP, _PULL, _STEP, _STEPS = 40.0, 0.2, 0.5, 200
_LEAST_GAIN = 0.01
"""Of nDCG; less is noise."""
_MOST_REPLAYED = 200
"""Queries that are learned from, those judged last."""
_GROWTH = 1.1
"""Factors are learned anew once judgements have grown by so much."""
_META = "search_factors"
DEEP = 30
"""Places that are looked at."""


class Taught(NamedTuple):
    """What judgements change in a search: the weights of signals, and what is added to scores, by page."""

    weights: Signals
    moves: Mapping[int, float]


UNTAUGHT = Taught(WEIGHTS, {})


def taught(store: Store, text: str) -> Taught:
    """What the judgements of a store change in the search for a query."""
    judged = store.judgements.all()
    if not judged:
        return UNTAUGHT
    kept = store.meta_json(_META)
    factors = kept.get("factors", ()) if kept.get("of") == list(WEIGHTS) else ()
    weights = Signals(*map(mul, WEIGHTS, factors)) if factors else WEIGHTS
    words, alike = _words(text), dict[int, tuple[float, bool]]()
    for query, page, is_good, _ in judged:
        others = _words(query)
        share = len(words & others) / len(words | others)
        if share >= max(LEAST_ALIKE, alike.get(page, (0.0, False))[0]):
            alike[page] = share, is_good  # of two that are as much alike the later one
    moves = {page: math.copysign(MOVE * share**2, is_good - 0.5) for page, (share, is_good) in alike.items()}
    return Taught(weights, {copy: moves[page] for copy, page in store.judgements.copies_of(moves).items()})


def judge(store: Store, text: str, good: Collection[str], bad: Collection[str], now: float) -> None:
    """Keep judgements of pages for a query, each in the partition of its page. now: Unix seconds.

    Raises SettingError for a page that is not known, StoreError while a crawl runs.
    """
    query = parse_query(text).text.lower()
    known = [part.page_table.find([*good, *bad]) for part in store.parts]
    for url in (*good, *bad):
        if not any(url in pages for pages in known):
            raise SettingError(f"no page {url} is known; copy its URL from what the search prints")
    for part, pages in zip(store.parts, known, strict=True):
        if pages:
            with Writer(part.path) as writer, writer.transaction():
                writer.save_judgements(Judgement(query, page, url in good, now) for url, page in pages.items())


def learn(store: Store, search: Searching) -> bool:
    """Learn factors from all judgements and keep them; False if there are too few, none that help, or hardly more than
    when factors were last learned. search: the pages of a query in the order without judgements. Raises StoreError
    while a crawl runs."""
    judged, factors = judged_queries(store), None
    number, last = sum(map(len, judged.values())), store.parts[0].meta_json(_META)
    if last.get("of") == list(WEIGHTS) and last.get("number", 0) <= number < last.get("number", 0) * _GROWTH:
        return False
    if len(judged) >= LEAST_QUERIES and number >= LEAST:
        some = [*judged][-_MOST_REPLAYED:]
        factors = _factors_that_help([_Replayed(judged[query], search(query)) for query in some])
    is_enough = len(judged) >= LEAST_QUERIES and number >= LEAST
    kept = {"of": list(WEIGHTS), "factors": [] if factors is None else factors.tolist(), "number": number * is_enough}
    for part in store.parts:
        if is_enough or part.meta_json(_META).get("factors", []) != kept["factors"]:
            with Writer(part.path) as writer, writer.transaction():
                writer.save_meta({_META: json.dumps(kept)})
    return factors is not None


def judged_queries(store: Store) -> dict[str, dict[str, bool]]:
    """By query, the URLs of judged pages, True for good ones; the query judged last is the last."""
    rows = sorted(
        (at, query, part.page_table.url(page), is_good)
        for part in store.parts
        for query, page, is_good, at in part.judgements.all()
    )
    queries: dict[str, dict[str, bool]] = {}
    for _, query, url, is_good in rows:
        queries[query] = queries.pop(query, {}) | {url: is_good}
    return queries


# Replaying.


class Place(NamedTuple):
    """A judged page, and its place in a search; None if it is not among the first."""

    url: str
    is_good: bool
    place: int | None


def places(judged: Mapping[str, bool], pages: "Sequence[FoundPage]") -> list[Place]:
    """Where a search has judged pages."""
    at = {url: page.rank for page in reversed(pages) for url in (page.url, *page.alike)}
    return [Place(url, is_good, at.get(url)) for url, is_good in judged.items()]


class Sums(NamedTuple):
    """Of queries with good pages: mean nDCG of the first ten places, and mean 1 / place of the first good page. `bad`:
    bad pages among the first ten, of all queries."""

    ndcg: float
    mrr: float
    bad: int


def sums(replayed: Iterable[Sequence[Place]]) -> Sums:
    """The measures of searches, each given as the places of its judged pages."""
    found = [*replayed]
    good = [[page.place for page in one if page.is_good] for one in found]
    ranks = [[place for place in some if place] for some in good if some]
    gains = [sum(_discount(place) for place in some if place <= 10) for some in ranks]
    best = [sum(map(_discount, range(1, min(len(some), 10) + 1))) for some in good if some]
    count = len(ranks) or 1
    return Sums(
        sum(gain / most for gain, most in zip(gains, best, strict=True)) / count,
        sum(1 / min(some) for some in ranks if some) / count,
        sum(1 for one in found for page in one if not page.is_good and page.place and page.place <= 10),
    )


class Replay(NamedTuple):
    """A judged query, and the places of its pages in two searches."""

    query: str
    kind: str
    before: list[Place]
    after: list[Place]

    def as_json(self) -> dict[str, object]:
        pages = [
            {"url": before.url, "is_good": before.is_good, "before": before.place, "after": after.place}
            for before, after in zip(self.before, self.after, strict=True)
        ]
        return {"query": self.query, "kind": self.kind, "pages": pages}


def replayed(judged: Mapping[str, Mapping[str, bool]], before: Searching, after: Searching) -> list[Replay]:
    """All judged queries, by two searches."""
    replays = []
    for query, pages in judged.items():
        first = before(query)
        kind = kind_of(query, first[0] if first else None)
        replays.append(Replay(query, kind, places(pages, first), places(pages, after(query))))
    return replays


KINDS = ("navigational", "known item", "informational")
_ALL = 1 - 1e-9


def kind_of(query: str, first: "FoundPage | None") -> str:
    """The type of a query: navigational, known item or informational. first: the page found first.

    Navigational: its words name a host, whose home page is found first. Known item: it has a name as code has it, or is
    the whole of a part of the first page's title, or of what links call it.
    """
    if first is not None and first.signals.home > _ALL:
        return KINDS[0]
    is_code = any(char in word[1:-1] for word in query.split() for char in "_:.(")
    if is_code or (first is not None and max(first.signals.title_named, first.signals.anchors_named) > _ALL):
        return KINDS[1]
    return KINDS[2]


def _words(text: str) -> set[str]:
    return set(words_of(text))


def _discount(place: int) -> float:
    return 1 / math.log2(place + 1)


# Learning.


class _Replayed:
    """The pages of a judged query. `signals`: one row a page; `places`: R; `good`, `worse`: rows of pairs to learn
    from."""

    def __init__(self, judged: Mapping[str, bool], pages: "Sequence[FoundPage]") -> None:
        self.judged = judged
        self.pages = pages
        self.signals = np.array([page.signals for page in pages], np.float64).reshape(len(pages), len(WEIGHTS))
        self.places = np.array([page.place for page in pages], np.float64)
        calls = [[judged[url] for url in (page.url, *page.alike) if url in judged] for page in pages]
        pairs = [
            (good, row)
            for good in range(len(pages)) if any(calls[good])
            for row in range(len(pages)) if not any(calls[row]) and (calls[row] or row < good)
        ]  # fmt: skip
        self.good, self.worse = [good for good, _ in pairs], [row for _, row in pairs]

    def ordered(self, factors: FloatArray) -> list[Place]:
        """The judged pages in the order by factors."""
        scores = WEIGHT * np.clip(self.signals @ _shares(factors), 0, 1) + (1 - WEIGHT) * self.places
        order = np.argsort(-scores, kind="stable")
        return places(self.judged, [replace(self.pages[row], rank=rank) for rank, row in enumerate(order, 1)])


def _factors_that_help(replayed: Sequence[_Replayed]) -> FloatArray | None:
    """Factors by all queries, if those by each half help with the other."""
    for known, tried in ((replayed[::2], replayed[1::2]), (replayed[1::2], replayed[::2])):
        with_them = sums(one.ordered(_learned(known)) for one in tried).ndcg
        if with_them < sums(one.ordered(np.ones(len(WEIGHTS))) for one in tried).ndcg + _LEAST_GAIN:
            return None
    return _learned(replayed)


def _learned(replayed: Sequence[_Replayed]) -> FloatArray:
    """Gradient ascent on the logarithms of factors, within their bounds."""
    replayed = [one for one in replayed if one.good]
    logs, most = np.zeros(len(WEIGHTS)), math.log(BOUND)
    if not replayed:
        return np.exp(logs)
    good = np.concatenate([one.signals[one.good] for one in replayed])
    worse = np.concatenate([one.signals[one.worse] for one in replayed])
    apart = np.concatenate([(1 - WEIGHT) * (one.places[one.good] - one.places[one.worse]) for one in replayed])
    each = np.concatenate([np.full(len(one.good), 1 / len(one.good) / len(replayed)) for one in replayed])
    for _ in range(_STEPS):
        shares = _shares(np.exp(logs))
        better, lesser = good @ shares, worse @ shares
        surprise = each * _STEEP * WEIGHT / (1 + np.exp(_STEEP * (WEIGHT * (better - lesser) + apart)))
        # d agreement / d log factor = share * (signal - agreement)
        slopes = shares * ((good - better[:, None]) - (worse - lesser[:, None]))
        logs = np.clip(logs + _STEP * (surprise @ slopes - 2 * _PULL * logs), -most, most)
    return np.exp(logs)


def _shares(factors: FloatArray) -> FloatArray:
    """Weights that sum to 1."""
    weights = factors * np.array(WEIGHTS)
    shares: FloatArray = weights / weights.sum()
    return shares
