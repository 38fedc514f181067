"""A search: the index finds the pages that agree with a query; the store has their importance and current state."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from minicrawl.analysis.usage import PageUsage, respects
from minicrawl.errors import SettingError
from minicrawl.model import State
from minicrawl.search.candidates import MOST, Candidates, Finder
from minicrawl.search.index.anchors import AnchorBook
from minicrawl.search.index.index_folder import index_errors, index_path, open_index, store_mark
from minicrawl.search.index.words import text_begins, words_of
from minicrawl.search.query import Query, parse_query
from minicrawl.search.ranking import (
    WEIGHT,
    Places,
    Reading,
    Scale,
    Signals,
    Topics,
    agreement,
    authorities_near,
    score,
)
from minicrawl.search.snippets import LENGTHS, Snippet, Snippets
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

_USE = "search"
_UNREAD = frozenset({State.WAITING, State.DISALLOWED})
"""States of pages that were not fetched and may be there."""


class PageFacts(NamedTuple):
    """A page as the store has it now. `leader`: the page that it duplicates."""

    page: int
    url: str
    host: str
    title: str | None
    state: str
    leader: int | None
    changed_at: float | None
    content_type: str | None

    def can_be_shown(self, *, has_text: bool) -> bool:
        """True if a search may show it. An HTML page without a stored text may be noindex."""
        if self.state == State.FETCHED:
            return has_text or not (self.content_type or "").startswith(("text/html", "application/xhtml"))
        return self.state in _UNREAD


def facts_of(store: Store, pages: Iterable[int]) -> Mapping[int, PageFacts]:
    """Facts of pages, by number."""
    return {row[0]: PageFacts._make(row) for row in store.ranks.facts(json.dumps(list(pages)))}


def unless_forbidden(store: Store, pages: Mapping[int, PageFacts]) -> Mapping[int, PageFacts]:
    """The pages without those that do not want to be searched for, if the crawl respects that."""
    if not respects(store, _USE):
        return pages
    says = PageUsage(store).of_pages({number: page.url for number, page in pages.items()})
    return {number: page for number, page in pages.items() if not says[number].forbids([_USE])}


def scale_of(store: Store, by: str, least: float, most: float) -> Scale:
    """The scale of a ranking, one of RANKINGS or a saved one. least, most: of importance."""
    return Scale(least, most) if by == RANKINGS[0] else Scale(*store.ranks.extremes(by))


RANKS = ("linear", "none", "hits", "topic")
"""The ranking beside similarity: a stored one, none, HITS near the pages found, PageRank for topics."""
_FIELDS = {"title": "title", "anchors": "anchor", "own_anchors": "own anchor", "headings": "heading", "url": "URL"}
"""Fields as they are printed, by their signal."""
_MOST_FILTERED = 5_000
"""Candidates of a search for pages since a date, which the index does not know."""
_MARGIN = 3
"""Pages considered for each page asked for, at least: some may not be shown, or are duplicates."""
_AT_LEAST = 30
"""Pages considered in any case: later ones may be duplicates of the first."""
MOST_SHOWN = 1_000
_LEAST_MENDED, _MOST_MENDED, _ALIKE = 4, 24, 0.75
"""Lengths of words that are mended; likeness of the words in their place, at least."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Asked:
    """The options of a search. n: pages; since: Unix seconds; weight: of similarity, 0 to 1; by: one of RANKINGS or a
    saved ranking; rank: one of RANKS; topics: NAME=FILE|URL|REGEX each. Raises SettingError."""

    n: int = 10
    sites: tuple[str, ...] = ()
    since: float | None = None
    weight: float = WEIGHT
    by: str = RANKINGS[0]
    rank: str = RANKS[0]
    topics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise SettingError(f"--weight is a number from 0 to 1, not {self.weight:g}")
        if not 1 <= self.n <= MOST_SHOWN:
            raise SettingError(f"--n is a number from 1 to {MOST_SHOWN:,}, not {self.n}")
        if self.rank not in RANKS:
            raise SettingError(f"--rank is one of {', '.join(RANKS)}, not {self.rank!r}")
        if self.rank == "topic" and not self.topics:
            raise SettingError("--rank topic needs the pages of topics; say which with --topic NAME=FILE|URL|REGEX")
        if self.topics and self.rank != "topic":
            raise SettingError(f"--topic goes with --rank topic, not with --rank {self.rank}")


@dataclass(frozen=True)
class FoundPage:
    """A page that was found.

    `similarity`: its agreement, of which `signals` speak; `place`: its R; `hits`: fields with words of the query;
    `alike`: URLs of duplicates, which are left out; `is_read`: it was fetched, else only links to it are known;
    `has_all`: it has all words.
    """

    rank: int
    url: str
    title: str
    score: float
    importance: float
    snippet: Snippet
    similarity: float
    place: float
    signals: Signals
    hits: tuple[str, ...]
    alike: tuple[str, ...]
    is_read: bool
    has_all: bool
    fetched_at: float | None


@dataclass(frozen=True)
class Found:
    """The result of a search. `matches`: number of pages with all words. `meant`: the query that may have been meant.
    `left_out`: number of words beyond the most. `behind`: texts not indexed yet; `is_built`: the index was up to date
    once; `without_text`: pages read before texts were stored. `topics`: P(topic | query)."""

    pages: tuple[FoundPage, ...]
    query: Query
    matches: int
    meant: str | None
    left_out: int
    behind: int
    is_built: bool
    without_text: int
    topics: Mapping[str, float]


class Searcher:
    """Searches one store. Raises SettingError if it has no index."""

    def __init__(self, store: Store, index: Path | None = None) -> None:
        """index: None for the one beside the store."""
        self._store = store
        self._path = index_path(store.path) if index is None else index
        with ExitStack() as stack:
            self._index = stack.enter_context(open_index(self._path, store_mark(store.hash_key)))
            stack.pop_all()
        self._topics: tuple[object, Topics] | None = None
        self._scale: Scale | None = None
        self.db = self._db = self._index.db

    @property
    def is_replaced(self) -> bool:
        """True if the index was built anew since it was opened."""
        return self._index.is_replaced

    def close(self) -> None:
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def search(self, text: str, asked: Asked | None = None, scale: Scale | None = None) -> Found:
        """The pages that agree best with a query. Raises SettingError for a query without words, StoreError.

        scale: of importance; None: that of the pages of this store.
        """
        asked, self._scale = asked or Asked(), scale
        query = parse_query(text, asked.sites)
        if asked.by not in RANKINGS and asked.by not in self._store.ranks.kept():
            raise SettingError(f"no ranking {asked.by!r} is kept; 'minicrawl rank --save {asked.by}' keeps one")
        with index_errors(self._path), self._store.snapshot():
            self._db.execute("BEGIN")  # one commit for all queries, while the index follows a crawl
            try:
                return self._search(text, query, asked)
            finally:
                self._db.execute("ROLLBACK")

    def behind(self) -> int:
        """Number of texts not indexed yet, as far as can be told without a scan."""
        texts = self._store.texts
        if self._index.meta("texts") == f"{texts.made} {texts.size}":
            return 0
        return texts.added_behind(int(self._index.meta("end") or 0))

    def _search(self, text: str, query: Query, asked: Asked) -> Found:
        self._index.words.reload()
        finder = Finder(self._index.words, self._db, query)
        shares = self._topics_of(asked).shares(finder.words) if asked.rank == "topic" else {}
        candidates = finder.candidates(MOST if asked.since is None else _MOST_FILTERED)
        ranked = self._ranked(candidates, asked, shares)
        pages = self._pages(finder, ranked[: asked.n])
        return Found(
            pages=pages,
            query=query,
            matches=finder.matches(),
            meant=None if any(page.has_all for page in pages) else self._meant(text, query),
            left_out=query.left_out,
            behind=self.behind(),
            is_built=self._index.meta("end") is not None,
            without_text=int(self._index.meta("without_text") or 0),
            topics=shares,
        )

    def facets(self, text: str, asked: Asked | None = None, n: int = 10) -> Mapping[str, Mapping[str, int]]:
        """Numbers of pages with all words of a query by site and by language, each the n most frequent."""
        query = parse_query(text, (asked or Asked()).sites)
        with index_errors(self._path):
            self._index.words.reload()
            return Finder(self._index.words, self._db, query).facets(n)

    # The pages and their order.

    def _ranked(self, candidates: Candidates, asked: Asked, shares: Mapping[str, float]) -> list["_Ranked"]:
        """The best pages that may be shown, one of each group of duplicates. shares: of topics."""
        reading = Reading(candidates.words)
        trust = self._importance(asked)(list(candidates.by_page))
        judged = {page: reading.signals(found, trust.get(page, 0.0)) for page, found in candidates.by_page.items()}
        similarity = {page: agreement(signals) for page, signals in judged.items()}
        places = self._places(candidates, similarity, asked, shares, trust)
        scores = {page: score(similarity[page], places.get(page, 0.0), asked.weight) for page in judged}
        best = iter(sorted(scores, key=lambda page: (-scores[page], page)))
        groups: dict[int, _Ranked] = {}
        enough = asked.n * _MARGIN
        at_once = max(enough, _AT_LEAST)
        while len(groups) < enough and (some := list(islice(best, at_once))):
            for page in self._shown(some, asked):
                number = page.page
                leader = page.leader if page.leader is not None else number
                one = _Ranked(
                    page,
                    judged[number],
                    similarity[number],
                    places.get(number, 0.0),
                    scores[number],
                    (),
                )
                groups[leader] = one.joined(groups.get(leader), leader)
            at_once *= 2  # fewer rounds if few may be shown
        return sorted(groups.values(), key=lambda found: (-found.score, found.facts.page))

    def _shown(self, pages: Sequence[int], asked: Asked) -> Iterator[PageFacts]:
        numbers = ",".join(map(str, pages))
        taken = {page for (page,) in self._db.execute(f"SELECT page FROM pages WHERE shown AND page IN ({numbers})")}
        known = unless_forbidden(self._store, facts_of(self._store, pages))
        for number in pages:
            page = known.get(number)
            if page is None or not page.can_be_shown(has_text=number in taken):
                continue
            if asked.since is None or (page.changed_at or 0) >= asked.since:
                yield page

    def _importance(self, asked: Asked) -> Places:
        """The function for R of pages by importance, or the ranking asked for."""
        least, most = (float(self._index.meta(key) or 0.0) for key in ("least", "most"))
        scale = self._scale or scale_of(self._store, asked.by, least, most)
        values_of = self._store.ranks.values_of
        return lambda pages: {page: scale.place(value) for page, value in values_of(pages, asked.by).items()}

    def _places(
        self,
        candidates: Candidates,
        similarity: Mapping[int, float],
        asked: Asked,
        shares: Mapping[str, float],
        importance: Mapping[int, float],
    ) -> Mapping[int, float]:
        """R of the candidates. shares: of topics."""
        if asked.rank == "topic":
            return self._topics_of(asked).places(shares)(list(similarity))
        if asked.rank == "none":
            return {}
        if asked.rank == "hits":
            return authorities_near(self._store, similarity, " ".join(word.term.text for word in candidates.words))
        return importance

    def _topics_of(self, asked: Asked) -> Topics:
        """The topics asked for, prepared anew if the index has changed since."""
        key = asked.topics, self._index.meta("texts")
        if self._topics is None or self._topics[0] != key:
            self._topics = key, Topics(self._store, self._index.words, asked.topics)
        return self._topics[1]

    # The pages as shown.

    def _pages(self, finder: Finder, ranked: Sequence["_Ranked"]) -> tuple[FoundPage, ...]:
        snippets = Snippets(finder.query, finder.words, finder.languages)
        numbers = [found.facts.page for found in ranked]
        importance = self._store.ranks.values_of(numbers, RANKINGS[0])
        records = self._store.texts.records(numbers)
        return tuple(
            FoundPage(
                rank=rank,
                url=found.facts.url,
                title=self._title(found.facts),
                score=found.score,
                importance=importance.get(number, 0.0),
                snippet=snippet,
                similarity=found.similarity,
                place=found.place,
                signals=found.signals,
                hits=found.hits(has_body=bool(snippet.marks)),
                alike=found.alike,
                is_read=found.facts.state == "fetched",
                has_all=found.signals.coverage > 1 - 1e-9,
                fetched_at=found.facts.changed_at,
            )
            for rank, found in enumerate(ranked, 1)
            for number, snippet in [(found.facts.page, _snippet(snippets, found.facts, records))]
        )

    def _title(self, page: PageFacts) -> str:
        """The title of a page, else the most frequent text of links to it."""
        if page.title:
            return page.title
        others, own = AnchorBook(self._db).texts_of([page.page])[page.page]
        return next(iter(others or own), "")

    def _meant(self, text: str, query: Query) -> str | None:
        """The text of a query with its unknown words replaced by words of the index; None if there are none."""
        mended = {word: near for term in query.terms for word in words_of(term.text) if (near := self._near(word))}
        if not mended:
            return None
        return _WORD.sub(lambda found: mended.get(found[0].lower(), found[0]), text)

    def _near(self, word: str) -> str | None:
        """The nearest, most frequent word for one that is in no page."""
        if not _LEAST_MENDED <= len(word) <= _MOST_MENDED or not word.isalpha() or self._index.words.knows(word):
            return None
        near = [(other, pages, _likeness(word, other)) for other, pages in self._index.words.near(word)]
        likely = [(pages * like**8, other) for other, pages, like in near if like >= _ALIKE]
        return max(likely)[1] if likely else None


def mended(search: Callable[[str], Found], text: str) -> Found:
    """A search. Where no page has all words, and some words are in no page, the pages are those of the query that may
    have been meant."""
    found = search(text)
    if found.meant is None:
        return found
    other = search(found.meant)
    return replace(other, meant=found.meant) if other.pages else replace(found, meant=None)


class _Ranked(NamedTuple):
    """The best page of a group of duplicates. `alike`: URLs of the others."""

    facts: PageFacts
    signals: Signals
    similarity: float
    place: float
    score: float
    alike: tuple[str, ...]

    def hits(self, *, has_body: bool) -> tuple[str, ...]:
        """The fields that have words of the query, as they are printed."""
        found = [name for signal, name in _FIELDS.items() if getattr(self.signals, signal) > 0]
        return (*found, "body") if has_body else tuple(found)

    def joined(self, other: "_Ranked | None", leader: int) -> "_Ranked":
        """Merged with its group so far: under the leader if that is one of them, with the best score."""
        if other is None:
            return self
        front, behind = (self, other) if self.facts.page == leader else (other, self)
        best = max(front.score, behind.score)
        return front._replace(score=best, alike=(*front.alike, behind.facts.url, *behind.alike))


def _snippet(snippets: Snippets, page: PageFacts, records: Mapping[int, bytes]) -> Snippet:
    """The snippet of a page. records: stored texts by page."""
    record = records.get(page.page)
    return Snippet("", ()) if record is None else snippets.of(text_begins(record, page.url, LENGTHS))


def _likeness(one: str, other: str) -> float:
    """How much of two words is alike, from 0 to 1."""
    return SequenceMatcher(None, one, other).ratio()
