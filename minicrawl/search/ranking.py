"""Ranking: how well a page agrees with a query, and the ranking beside that.

    score = w * agreement + (1 - w) * R,      R = log(X / X_least) / log(X_most / X_least)
    agreement = signals . WEIGHTS / sum(WEIGHTS), at most 1

X       importance of the page, or its value in another ranking
w       --weight, .9 by default
R       from 0 to 1: by the logarithm, as importance spans many powers of ten

The signals of a page, each from 0 to 1, are those of `Signals`; WEIGHTS is the one place for what each is worth, by
hand or learned. All that count words count each by its rarity.

HITS: the root set is the pages that agree best, the base set these, the pages they link to and the pages that link to
them (Kleinberg). Links within a host are navigation and do not count. Others weigh 1 + n for n words of the query in
and around the link (CLEVER), as in 'minicrawl rank --by hits --context'.

Topics: each has pages of its own and ranks with jumps to these, blended by the words of the query:

    ranks(query) = sum_k P(k | words of the query) * ranks of topic k
    P(k | words) ~ prod_w P(w | k)

Walks and texts of topics are prepared once; a query only blends. P(w | k) is the share of the topic's texts that have a
word. Source: T. Haveliwala, "Topic-Sensitive PageRank", WWW 2002.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from operator import mul
from typing import NamedTuple

import numpy as np

from minicrawl.crawler.books.stored_forms import kept_surfer
from minicrawl.search.candidates import Candidate, Word
from minicrawl.search.index.inverted import BODY, FIELDS, InvertedIndex, all_of, any_of
from minicrawl.store.reader import Store

WEIGHT = 0.9

Places = Callable[[Sequence[int]], Mapping[int, float]]
"""Returns R of some pages; 0 for those left out."""


class Signals(NamedTuple):
    """What speaks for a page, each from 0 to 1.

    `coverage`: words that are anywhere. `title`, `anchors`, `own_anchors`, `headings`, `url`, `host`: words there;
    `_named`: of these, words of parts that have no other words. `dense`: share of the title's words that are the
    query's. `said`: number of sites whose links name the page so. `called`, `text`: BM25 of the head and of the body.
    `near`: neighbouring words that are near one another. `home`: the page is that of a host which the query names.
    `trust`: R of a page on such a host. `read`: the page was read.
    """

    coverage: float
    title: float
    title_named: float
    dense: float
    anchors: float
    anchors_named: float
    said: float
    own_anchors: float
    own_named: float
    headings: float
    headings_named: float
    url: float
    url_named: float
    host: float
    home: float
    trust: float
    called: float
    text: float
    near: float
    read: float


WEIGHTS = Signals(
    coverage=4.5,
    title=0.4,
    title_named=0.6,
    dense=0.8,
    anchors=0.7,
    anchors_named=0.6,
    said=0.3,
    own_anchors=1.0,
    own_named=0.4,
    headings=0.6,
    headings_named=0.9,
    url=0.7,
    url_named=0.5,
    host=0.5,
    home=0.4,
    trust=0.3,
    called=1.0,
    text=0.8,
    near=0.8,
    read=0.3,
)


def agreement(signals: Signals, weights: Signals = WEIGHTS) -> float:
    """The weighted mean of signals, from 0 to 1."""
    worth: float = sum(map(mul, signals, weights))
    return max(0.0, min(1.0, worth / sum(weights)))


_SAID = 8
"""Sites from which on more of them say nothing more."""
_LEAST_OF_HOST = 4
"""Letters of a word that may be the begin of a label of a host."""


class Reading:
    """Reads the signals of candidates of one query."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._rarity = [word.rarity for word in words]
        forms = sorted({" ".join(form) for word in words for form in word.forms}, key=len, reverse=True)
        self._texts = [(text, 1 << i) for i, word in enumerate(words) for text in word.texts]
        # A part of nothing but words of the query.
        self._part = re.compile(r"\|((?: (?:" + "|".join(map(re.escape, forms)) + r"))+)(?= \|)") if forms else None
        self._joined = " " + "".join("".join(word.forms[0]) for word in words if word.forms) + " "
        self._begins = [
            (" " + text.strip(), 1 << i)
            for i, word in enumerate(words)
            for text in word.texts
            if len(text) >= _LEAST_OF_HOST + 2
        ]
        self._pairs = [
            (f"{a}{b.lstrip()}", 1 << i)
            for i, (one, other) in enumerate(pairwise(words))
            for a in one.texts
            for b in other.texts
        ]
        self._shares: dict[int, float] = {}
        self._named: dict[str, float] = {}

    def signals(self, candidate: Candidate, place: float) -> Signals:
        """place: R of the page."""
        head = candidate.head
        title, anchors, own, headings, url = map(self._bits, head)
        host_text = head.url[: head.url.find("|", 1) + 1]
        host = self._host(host_text)
        found = candidate.words | title | anchors | own | headings | url | host
        title_named = self._part_of(head.title) if title else 0.0
        anchors_named, times = self._said(head.anchors) if anchors else (0.0, 0)
        of_host = self.share(host)
        is_home = len(host_text) == len(head.url)
        near = candidate.near
        for text, bit in self._pairs:
            if text in head.title or text in head.headings or text in head.anchors or text in head.own_anchors:
                near |= bit
        words_of_title = head.title.count(" ") - head.title.count("|") + 1
        return Signals(
            coverage=self.share(found),
            title=self.share(title),
            title_named=title_named,
            dense=min(1.0, title.bit_count() / words_of_title) if title else 0.0,
            anchors=self.share(anchors),
            anchors_named=anchors_named,
            said=math.log2(1 + min(times, _SAID)) / math.log2(1 + _SAID) * anchors_named,
            own_anchors=self.share(own),
            own_named=self._part_of(head.own_anchors) if own else 0.0,
            headings=self.share(headings),
            headings_named=self._part_of(head.headings) if headings else 0.0,
            url=self.share(url),
            url_named=self._part_of(head.url) if url else 0.0,
            host=of_host,
            home=of_host if is_home else 0.0,
            trust=of_host * place,
            called=candidate.called,
            text=candidate.text,
            near=self._near(near),
            read=1.0 if candidate.head.title or candidate.text else 0.0,
        )

    def share(self, bits: int) -> float:
        """The rarity of some words of the query, by their bits."""
        found = self._shares.get(bits)
        if found is None:
            found = self._shares[bits] = sum(rarity for i, rarity in enumerate(self._rarity) if bits >> i & 1)
        return found

    def _bits(self, column: str) -> int:
        bits = 0
        if column:
            for text, bit in self._texts:
                if text in column:
                    bits |= bit
        return bits

    def _host(self, host: str) -> int:
        """The words that labels of a host are, or begin with."""
        if self._joined in host:
            return (1 << len(self._words)) - 1
        return sum(bit for text, bit in dict(self._begins).items() if text in host)

    def _part_of(self, column: str) -> float:
        """The most that a part without other words has of the query."""
        return max(map(self._share_of, self._part.findall(column)), default=0.0) if self._part else 0.0

    def _said(self, column: str) -> tuple[float, int]:
        """The same, and how often there is such a part."""
        shares = list(map(self._share_of, self._part.findall(column))) if self._part else []
        most = max(shares, default=0.0)
        return most, shares.count(most) if most else 0

    def _share_of(self, part: str) -> float:
        found = self._named.get(part)
        if found is None:
            found = self._named[part] = self.share(self._bits(f"{part} "))
        return found

    def _near(self, bits: int) -> float:
        """The rarity of neighbouring words that are near one another, beside that of all pairs."""
        pairs = [a + b for a, b in pairwise(self._rarity)]
        return sum(pair for i, pair in enumerate(pairs) if bits >> i & 1) / sum(pairs) if pairs else 0.0


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


ROOT = 100
"""Pages of the root set."""


def authorities_near(store: Store, similarity: Mapping[int, float], words: str) -> dict[int, float]:
    """The authority of the pages near those that agree best, by page, the best being 1. words: of the query."""
    from minicrawl.analysis.link_graph import folded_store  # noqa: PLC0415 - SciPy is in an extra
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
    by_place = folded.weights(kept_surfer(store))
    weights *= 1.0 if by_place is None else by_place
    weights *= 1.0 + word_counts(words, linking, store, folded)
    found = hits(folded.graph, weights=weights).authorities
    most = found.max(initial=0.0)
    pages = np.flatnonzero(found)
    return dict(zip(pages.tolist(), (found[pages] / most).tolist(), strict=True))


class Topics:
    """The topics of a store, each NAME=FILE|URL|REGEX of its pages. Raises SettingError."""

    def __init__(self, store: Store, index: InvertedIndex, topics: Sequence[str]) -> None:
        from minicrawl.analysis.link_graph import folded_store  # noqa: PLC0415 - SciPy is in an extra
        from minicrawl.analysis.rankings.topic_ranking import topics_of  # noqa: PLC0415
        from minicrawl.rank.trust import topic_walks  # noqa: PLC0415

        folded = folded_store(store)
        pages = topics_of(topics, store, folded)
        self._index = index
        self._walks = topic_walks(folded.graph, list(pages.values()), weights=folded.weights(kept_surfer(store)))
        self._texts = {name: index.among(map(int, some), BODY) for name, some in pages.items()}
        self._sizes = [index.count(texts) for texts in self._texts.values()]

    def shares(self, words: Sequence[Word]) -> dict[str, float]:
        """P(topic | words) by name."""
        from minicrawl.rank.trust import shares_by_counts  # noqa: PLC0415

        counts = np.zeros((len(self._texts), len(words)))
        for number, word in enumerate(words):
            having = any_of([self._index.has(FIELDS[BODY], form) for form in word.forms])
            counts[:, number] = [self._index.count(all_of([texts, having])) for texts in self._texts.values()]
        return dict(zip(self._texts, shares_by_counts(counts, self._sizes, 2).tolist(), strict=True))

    def places(self, shares: Mapping[str, float]) -> Places:
        """R by the topics' blended ranks."""
        from minicrawl.rank.trust import blend  # noqa: PLC0415

        ranks = blend(self._walks, [shares[name] for name in self._texts])
        scale = Scale(float(ranks[ranks > 0].min()), float(ranks.max()))
        # Pages known since have no rank yet.
        return lambda pages: {page: scale.place(float(ranks[page])) for page in pages if page < len(ranks)}
