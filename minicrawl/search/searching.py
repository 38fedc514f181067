"""A search: the index finds the pages that agree with a query; the store has their importance and current state."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from minicrawl.errors import SettingError
from minicrawl.model import State
from minicrawl.search.index.anchors import AnchorBook
from minicrawl.search.index.index_file import index_errors, index_path, open_index, store_mark
from minicrawl.search.index.words import text_begins, words_of
from minicrawl.search.matching import Similar, is_known, similar_pages
from minicrawl.search.query import Query, nearest_word, parse_query
from minicrawl.search.ranking import WEIGHT, Places, Scale, Topics, authorities_near, by_score
from minicrawl.search.snippets import LENGTHS, Snippet, Snippets, Stems
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

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


def scale_of(store: Store, by: str, least: float, most: float) -> Scale:
    """The scale of a ranking, one of RANKINGS or a saved one. least, most: of importance."""
    return Scale(least, most) if by == RANKINGS[0] else Scale(*store.ranks.extremes(by))


RANKS = ("linear", "none", "hits", "topic")
"""The ranking beside similarity: a stored one, none, HITS near the pages found, PageRank for topics."""
_FIELDS = ("title", "anchor", "own anchor", "heading", "URL")
_MARGIN = 3
"""Pages considered for each page asked for, at least: some may not be shown, or are duplicates."""
_AT_LEAST = 75
"""Pages considered in any case: later ones may be duplicates of the first."""
_MOST_SHOWN = 1_000


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
        if not 1 <= self.n <= _MOST_SHOWN:
            raise SettingError(f"--n is a number from 1 to {_MOST_SHOWN:,}, not {self.n}")
        if self.rank not in RANKS:
            raise SettingError(f"--rank is one of {', '.join(RANKS)}, not {self.rank!r}")
        if self.rank == "topic" and not self.topics:
            raise SettingError("--rank topic needs the pages of topics; say which with --topic NAME=FILE|URL|REGEX")
        if self.topics and self.rank != "topic":
            raise SettingError(f"--topic goes with --rank topic, not with --rank {self.rank}")


@dataclass(frozen=True)
class FoundPage:
    """A page that was found.

    `place`: its R; `hits`: fields with words of the query; `alike`: URLs of duplicates, which are left out; `is_read`:
    it was fetched, else only links to it are known; `has_all`: it has all words.
    """

    rank: int
    url: str
    title: str
    score: float
    importance: float
    snippet: Snippet
    similarity: float
    place: float
    short: float
    full: float
    hits: tuple[str, ...]
    alike: tuple[str, ...]
    is_read: bool
    has_all: bool
    fetched_at: float | None


@dataclass(frozen=True)
class Found:
    """The result of a search. `matches`: number of matching pages, as far as they were counted. `meant`: a query that
    may have been meant. `common`: words left out as most pages have them; `left_out`: number of words beyond the most.
    `behind`: texts not indexed yet; `without_text`: pages read before texts were stored. `topics`: P(topic | query)."""

    pages: tuple[FoundPage, ...]
    query: Query
    matches: int
    meant: str | None
    common: tuple[str, ...]
    left_out: int
    behind: int
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
            self._stems = Stems()
            stack.pop_all()
        self._topics: tuple[object, Topics] | None = None
        self._scale: Scale | None = None
        self.db = self._db = self._index.db

    def close(self) -> None:
        self._stems.close()
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
                return self._search(query, asked)
            finally:
                self._db.execute("ROLLBACK")

    def behind(self) -> int:
        """Number of texts not indexed yet, as far as can be told without a scan."""
        texts = self._store.texts
        if self._index.meta("texts") == f"{texts.made} {texts.size}":
            return 0
        return texts.added_behind(int(self._index.meta("end") or 0))

    def _search(self, query: Query, asked: Asked) -> Found:
        is_filtered = bool(query.sites or query.languages or asked.since is not None)
        similar = similar_pages(self._db, query, asked.n, all_of_them=is_filtered)
        shares = self._topics_of(asked).shares(self._telling(query, similar)) if asked.rank == "topic" else {}
        ranked = self._ranked(query, similar, asked, self._places(query, similar, asked, shares))
        pages = self._pages(query, similar, ranked[: asked.n])
        return Found(
            pages=pages,
            query=query,
            matches=len(similar.similarity),
            meant=self._meant(query) if not similar.has_all else None,
            common=similar.common,
            left_out=query.left_out,
            behind=self.behind(),
            without_text=int(self._index.meta("without_text") or 0),
            topics=shares,
        )

    # The pages and their order.

    def _ranked(self, query: Query, similar: Similar, asked: Asked, places: Places) -> list["_Ranked"]:
        """The best pages that may be shown, one of each group of duplicates."""
        best = by_score(similar.similarity, places, asked.weight)
        groups: dict[int, _Ranked] = {}
        enough = asked.n * _MARGIN
        at_once = max(enough, _AT_LEAST)
        while len(groups) < enough and (some := list(islice(best, at_once))):
            scores = {page: (score, place) for page, score, place in some}
            for page in self._shown(list(scores), query, asked):
                score, place = scores[page.page]
                leader = page.leader if page.leader is not None else page.page
                groups[leader] = _Ranked(page, place, score, ()).joined(groups.get(leader), leader)
            at_once *= 2  # fewer rounds if few may be shown
        return sorted(groups.values(), key=lambda found: (-found.score, found.facts.page))

    def _shown(self, pages: Sequence[int], query: Query, asked: Asked) -> Iterator[PageFacts]:
        taken = dict(self._languages(pages))
        known = facts_of(self._store, pages)
        for number in pages:
            page = known.get(number)
            if page is None or not page.can_be_shown(has_text=number in taken) or not query.is_on_site(page.host):
                continue
            if not query.is_in_language(taken.get(number)):
                continue
            if asked.since is None or (page.changed_at or 0) >= asked.since:
                yield page

    def _languages(self, pages: Sequence[int]) -> list[tuple[int, str | None]]:
        numbers = ",".join(map(str, pages))
        query = f"SELECT page, language FROM pages WHERE document IS NOT NULL AND page IN ({numbers})"
        return self._db.execute(query).fetchall()

    def _places(self, query: Query, similar: Similar, asked: Asked, shares: Mapping[str, float]) -> Places:
        """The function for R of pages. shares: of topics."""
        if asked.rank == "topic":
            return self._topics_of(asked).places(shares)
        if asked.rank == "none":
            return lambda pages: {}
        if asked.rank == "hits":
            near = authorities_near(self._store, similar.similarity, query.text)
            return lambda pages: near
        least, most = (float(self._index.meta(key) or 0.0) for key in ("least", "most"))
        scale = self._scale or scale_of(self._store, asked.by, least, most)
        values_of = self._store.ranks.values_of
        return lambda pages: {page: scale.place(value) for page, value in values_of(pages, asked.by).items()}

    def _topics_of(self, asked: Asked) -> Topics:
        """The topics asked for, prepared anew if the index has changed since."""
        key = asked.topics, self._index.meta("texts")
        if self._topics is None or self._topics[0] != key:
            self._topics = key, Topics(self._store, self._db, asked.topics)
        return self._topics[1]

    def _telling(self, query: Query, similar: Similar) -> list[str]:
        """The telling words of a query, as the index has them."""
        texts = [term.text for term in query.terms if term.text not in similar.common] or list(similar.common)
        return [stem for stems in self._stems.of(texts).values() for stem in stems]

    # The pages as shown.

    def _pages(self, query: Query, similar: Similar, ranked: Sequence["_Ranked"]) -> tuple[FoundPage, ...]:
        snippets = Snippets(query, self._stems)
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
                similarity=similar.similarity[number],
                place=found.place,
                short=similar.short.get(number, 0.0),
                full=similar.full.get(number, 0.0),
                hits=self._hits(snippets, number, has_body=bool(snippet.marks) or number in similar.full),
                alike=found.alike,
                is_read=found.facts.state == "fetched",
                has_all=number in similar.has_all,
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
        return (others or own).partition(" . ")[0]

    def _hits(self, snippets: Snippets, page: int, *, has_body: bool) -> tuple[str, ...]:
        query = "SELECT title, anchors, own_anchors, headings, url FROM short WHERE rowid = ?"
        row = self._db.execute(query, (page,)).fetchone() or ()
        fields = [name for name, is_there in zip(_FIELDS, snippets.found_in(row), strict=False) if is_there]
        return (*fields, "body") if has_body else tuple(fields)

    def _meant(self, query: Query) -> str | None:
        """The query with its unknown words replaced by words of the index; None if there are none."""
        mended = {}
        for term in query.terms:
            for word in words_of(term.text):
                if not is_known(self._db, word) and (near := nearest_word(self._db, word)) is not None:
                    mended[word] = near
        if not mended:
            return None
        return " ".join(" ".join(mended.get(word, word) for word in words_of(term.text)) for term in query.terms)


class _Ranked(NamedTuple):
    """The best page of a group of duplicates. `alike`: URLs of the others."""

    facts: PageFacts
    place: float
    score: float
    alike: tuple[str, ...]

    def joined(self, other: "_Ranked | None", leader: int) -> "_Ranked":
        """Merged with its group so far: under the leader if that is one of them, with the best score."""
        if other is None:
            return self
        front, behind = (self, other) if self.facts.page == leader else (other, self)
        best = max(front.score, behind.score)
        return _Ranked(front.facts, front.place, best, (*front.alike, behind.facts.url, *behind.alike))


def _snippet(snippets: Snippets, page: PageFacts, records: Mapping[int, bytes]) -> Snippet:
    """The snippet of a page. records: stored texts by page."""
    record = records.get(page.page)
    return Snippet("", ()) if record is None else snippets.of(text_begins(record, page.url, LENGTHS))
