"""The ranking beside similarity: importance, HITS near the pages found, or PageRank for the topics of a query.

    score = w * similarity + (1 - w) * R,      R = log(X / X_least) / log(X_most / X_least)

X       importance of the page, or its value in another ranking
w       --weight, .9 by default
R       from 0 to 1: by the logarithm, as importance spans many powers of ten

Both similarity and R are from 0 to 1, so w is the weight of each. Source: the lecture's linear combination.

HITS: the root set is the pages that agree best, the base set these, the pages they link to and the pages that link to
them (Kleinberg). Links within a host are navigation and do not count. Others weigh 1 + n for n words of the query in
and around the link (CLEVER), as in 'minicrawl rank --by hits --context'.

Topics: each has pages of its own and ranks with jumps to these, blended by the words of the query:

    ranks(query) = sum_k P(k | words of the query) * ranks of topic k
    P(k | words) ~ prod_w P(w | k)

Walks and texts of topics are prepared once; a query only blends. P(w | k) follows the frequency of a word in the texts
of the topic's pages, as the index has them; words that most pages have are left out. Source: T. Haveliwala,
"Topic-Sensitive PageRank", WWW 2002.
"""

import json
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from minicrawl.store.reader import Store

WEIGHT = 0.9
_AT_ONCE = 100
"""Pages whose R is computed at once."""

Places = Callable[[Sequence[int]], Mapping[int, float]]
"""Returns R of some pages; 0 for those left out."""


class Scale(NamedTuple):
    """The least positive value of a ranking, and the greatest."""

    least: float
    most: float

    def place(self, value: float) -> float:
        """R of a value."""
        if value <= self.least or self.most <= self.least:
            return 0.0
        return min(1.0, math.log(value / self.least) / math.log(self.most / self.least))


def score(similarity: float, place: float, weight: float) -> float:
    return weight * similarity + (1 - weight) * place


def by_score(similarity: Mapping[int, float], places: Places, weight: float) -> Iterator[tuple[int, float, float]]:
    """(page, score, R) by falling score. R is computed only for as many pages as the order needs."""
    order = sorted(sorted(similarity), key=similarity.__getitem__, reverse=True)
    known: list[tuple[float, int, float]] = []
    for start in range(0, len(order), _AT_ONCE):
        some = order[start : start + _AT_ONCE]
        best_to_come = score(similarity[some[0]], 1.0, weight)
        while known and -known[0][0] > best_to_come:
            negated, page, place = heappop(known)
            yield page, -negated, place
        found = places(some)
        for page in some:
            place = found.get(page, 0.0)
            heappush(known, (-score(similarity[page], place, weight), page, place))
    while known:
        negated, page, place = heappop(known)
        yield page, -negated, place


ROOT = 100
"""Pages of the root set."""


def authorities_near(store: Store, similarity: Mapping[int, float], words: str) -> dict[int, float]:
    """The authority of the pages near those that agree best, by page, the best being 1. words: of the query."""
    from minicrawl.analysis.link_graph import folded_store, surfer_named  # noqa: PLC0415 - SciPy is in an extra
    from minicrawl.analysis.rankings.hub_ranking import word_counts  # noqa: PLC0415
    from minicrawl.rank.hits import base_set, hits, intrinsic_weights, within  # noqa: PLC0415

    root = sorted(similarity, key=lambda page: (-similarity[page], page))[:ROOT]
    if not root:
        return {}
    folded = folded_store(store)
    near = within(folded.graph, base_set(folded.graph, np.array(sorted(root))))
    between = near * intrinsic_weights(folded.graph, np.asarray(folded.hosts))
    # If all pages of the base set are on one host, its own links must do.
    weights = between if between.any() else near
    linking = np.unique(folded.graph.sources()[weights > 0])
    by_place = folded.weights(surfer_named(None, store))
    weights *= 1.0 if by_place is None else by_place
    weights *= 1.0 + word_counts(words, linking, store, folded)
    found = hits(folded.graph, weights=weights).authorities
    most = found.max(initial=0.0)
    pages = np.flatnonzero(found)
    return dict(zip(pages.tolist(), (found[pages] / most).tolist(), strict=True))


class Topics:
    """The topics of a store, each NAME=FILE|URL|REGEX of its pages. Raises SettingError."""

    def __init__(self, store: Store, db: sqlite3.Connection, topics: Sequence[str]) -> None:
        """db: of the store's index."""
        from minicrawl.analysis.link_graph import folded_store, surfer_named  # noqa: PLC0415 - SciPy is in an extra
        from minicrawl.analysis.rankings.topic_ranking import topics_of  # noqa: PLC0415
        from minicrawl.rank.trust import topic_walks  # noqa: PLC0415

        folded = folded_store(store)
        pages = topics_of(topics, store, folded)
        self._db = db
        self._walks = topic_walks(folded.graph, list(pages.values()), weights=folded.weights(surfer_named(None, store)))
        self._texts = {name: _texts_of(db, some) for name, some in pages.items()}
        self._sizes = [sum(sizes.values()) for sizes in self._texts.values()]
        (self._words,) = db.execute("SELECT count(*) FROM full_words").fetchone()

    def shares(self, stems: Sequence[str]) -> dict[str, float]:
        """P(topic | words) by name. stems: words as the index has them."""
        from minicrawl.rank.trust import shares_by_counts  # noqa: PLC0415

        counts = np.zeros((len(self._texts), len(stems)))
        for number, stem in enumerate(stems):
            found = self._db.execute("SELECT doc, count(*) FROM full_places WHERE term = ? GROUP BY doc", (stem,))
            for document, count in found.fetchall():
                for topic, texts in enumerate(self._texts.values()):
                    counts[topic, number] += count * (document in texts)
        return dict(zip(self._texts, shares_by_counts(counts, self._sizes, self._words + 1).tolist(), strict=True))

    def places(self, shares: Mapping[str, float]) -> Places:
        """R by the topics' blended ranks."""
        from minicrawl.rank.trust import blend  # noqa: PLC0415

        ranks = blend(self._walks, [shares[name] for name in self._texts])
        scale = Scale(float(ranks[ranks > 0].min()), float(ranks.max()))
        # Pages known since have no rank yet.
        return lambda pages: {page: scale.place(float(ranks[page])) for page in pages if page < len(ranks)}


def _texts_of(db: sqlite3.Connection, pages: Sequence[int]) -> dict[int, int]:
    """The texts of some pages in the full barrel, with their numbers of words."""
    query = """
        SELECT document, sz FROM json_each(?) CROSS JOIN pages ON page = value
        CROSS JOIN full_docsize ON full_docsize.id = document"""
    return {document: _first_number(size) for document, size in db.execute(query, (json.dumps(pages),))}


def _first_number(octets: bytes) -> int:
    """The first of FTS5's numbers, as SQLite's varints: seven bits a byte, the high bit set on all but the last."""
    number = 0
    for octet in octets:
        number = number << 7 | octet & 0x7F
        if octet < 0x80:
            break
    return number
