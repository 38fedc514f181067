"""PageRank with jumps to the pages of topics, blended by given weights or by the words of a query."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from minicrawl.analysis.link_graph import FoldedStore
from minicrawl.analysis.rankings.options import Found, Options
from minicrawl.analysis.rankings.page_sets import named_pages
from minicrawl.errors import SettingError
from minicrawl.opic.surfer import REASONABLE
from minicrawl.rank.trust import topic_pagerank, topic_shares
from minicrawl.store.reader import Store

_WORD = re.compile(r"[^\W_]+")


def topic_ranking(options: Options, store: Store, folded: FoldedStore) -> Found:
    """Topic-sensitive PageRank. Raises SettingError."""
    topics = topics_of(options.topic, store, folded)
    if not topics:
        raise SettingError("--by topic needs the pages of a topic; say which with --topic NAME=FILE|URL|REGEX")
    if options.query is None:
        shares, note = _given_shares(options.weights, tuple(topics)), ""
    else:
        shares = _shares_by_words(options, topics, store)
        blended = ", ".join(f"{name} {share:.1%}" for name, share in zip(topics, shares, strict=True))
        note = f"by the words of {options.query!r}: {blended}"
    weights = folded.weights(REASONABLE)
    ranks = topic_pagerank(folded.graph, list(topics.values()), shares, options.damping, weights=weights)
    return Found({"topic": ranks}, (note,) if note else ())


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
    words = _words(options.query or "")
    if not words:
        raise SettingError("--query takes words, and there are none")
    prior = None if options.weights is None else _given_shares(options.weights, tuple(topics))
    counts = [_word_counts(pages, store) for pages in topics.values()]
    return list(map(float, topic_shares(counts, words, prior)))


def _word_counts(pages: list[int], store: Store) -> Counter[str]:
    """Word counts of pages: of URL, title and, if kept, text."""
    counts = Counter[str]()
    for number, page in store.ranks.rows(pages).items():
        counts.update(_words(f"{page.url} {page.title or ''}"))
        kept = store.texts.text(number, page.url)
        if kept is not None:
            counts.update(_words(kept.text))
    return counts


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


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
    if (
        shares.keys() != set(names)
        or not all(0 <= share < math.inf for share in shares.values())
        or not any(shares.values())
    ):
        raise SettingError(
            f"--weights takes a NAME=WEIGHT for each of {', '.join(names)}, apart by commas, not {given!r}"
        )
    return [shares[name] for name in names]
