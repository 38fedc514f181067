"""Candidates: the pages of an index that may answer a query, and what the index says of each.

Pages whose head or body has all words come first; only if these are few, pages with some of them, by BM25. A word is
worth its rarity,

    rarity(w) = log(1 + documents / documents with w),   each divided by the sum over the words of the query

so a page without the rare word of a query falls behind those with it. A word stands for its stems in the languages of
the index. Pages that are named as the query are candidates in any case.
"""

import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise

from minicrawl.search.index.heads import NO_HEAD, Head, heads_of
from minicrawl.search.index.inverted import (
    BODY,
    FIELDS,
    HEAD,
    Expression,
    Form,
    InvertedIndex,
    all_of,
    any_of,
    marked,
    unscored,
)
from minicrawl.search.index.words import UNKNOWN, analysed, words_of
from minicrawl.search.query import MOST_WORDS, Query, Term

MOST = 80
"""Candidates from the heads, from the bodies, and from the names."""
ENOUGH = 60
"""Candidates with all words that need no others beside them."""
_MOST_LANGUAGES = 6
_NEAR = 4
"""Words of the query that are apart by so many others, at most, are near."""
_MOST_MARKS = 20
"""Words told apart in one search, by the bits of a score."""
_BM25 = 2.2
"""The most that tantivy's BM25 can be for a word, beside its rarity."""


@dataclass(frozen=True)
class Word:
    """A term of the query, as the index has it. `forms`: its stems by language, without those of no document.
    `rarity`: its share of the rarity of all. `follows`: it is one with the word before, as in "find_package"."""

    term: Term
    forms: tuple[Form, ...]
    rarity: float
    follows: bool = False

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The forms as they stand in a column of heads."""
        return tuple(f" {' '.join(form)} " for form in self.forms)


@dataclass
class Candidate:
    """A page. `head`: what it is called; `called`, `text`: BM25 of its head and body, 0 to 1; `words`: those that are
    anywhere, as bits by their place in the query; `near`: pairs of neighbouring words that are near one another in the
    body, likewise."""

    page: int
    head: Head = NO_HEAD
    called: float = 0.0
    text: float = 0.0
    words: int = 0
    near: int = 0


@dataclass
class Candidates:
    """The candidates of a query. `all_words`: the bits of its words."""

    words: tuple[Word, ...]
    by_page: dict[int, Candidate] = field(default_factory=dict)

    @property
    def all_words(self) -> int:
        return (1 << len(self.words)) - 1


def forms_of(text: str, languages: Iterable[str]) -> tuple[Form, ...]:
    """The words of a term as pages in these languages have them."""
    return tuple(dict.fromkeys(tuple(analysed(text, language).split()) for language in languages))


class Finder:
    """Finds the candidates of a query in an index."""

    def __init__(self, index: InvertedIndex, db: sqlite3.Connection, query: Query) -> None:
        self._index = index
        self._db = db
        self.query = query
        self.languages = tuple(dict.fromkeys((UNKNOWN, *index.languages[:_MOST_LANGUAGES])))
        self.words = self._words(query.terms)
        self._filters = self._of_filters()
        self._excluded = [self._excluding(kind) for kind in (HEAD, BODY)] if query.excluded else []

    def _words(self, terms: Iterable[Term]) -> tuple[Word, ...]:
        """The words of terms, each by itself if its term is not required as a whole."""
        documents = self._index.documents() + 1
        known: dict[Term, tuple[tuple[Form, ...], float, bool]] = {}
        for term in terms:
            single = [term] if term.is_required else [Term(word) for word in words_of(term.text)]
            for number, one in enumerate(single):
                forms = [form for form in forms_of(one.text, self.languages) if form]
                there = {form: count for form in forms if (count := self._index.frequency(form))}
                rarity = math.log(1 + documents / max(1, sum(there.values())))
                known.setdefault(one, (tuple(there or forms[:1]), rarity, number > 0))
        whole = sum(rarity for _, rarity, _ in known.values())
        self._most = _BM25 * whole
        found = (Word(term, forms, rarity / whole, follows) for term, (forms, rarity, follows) in known.items())
        return tuple(islice(found, MOST_WORDS))

    def _of_filters(self) -> list[Expression]:
        index, query = self._index, self.query
        found = [any_of([index.has("hosts", (site,), scored=False) for site in query.sites])] if query.sites else []
        if query.languages:
            found.append(any_of([index.has("language", (tag,), scored=False) for tag in query.languages]))
        return [unscored(one) for one in found]

    def _any(self, field: str, forms: Sequence[Form]) -> Expression:
        return any_of([self._index.has(field, form) for form in forms])

    def _wanted(self, queries: Sequence[Expression], kind: int) -> Expression:
        """Documents that match all of some queries, the filters and the required words."""
        required = [
            unscored(self._any("title" if word.term.in_title and kind == BODY else FIELDS[kind], word.forms))
            for word in self.words
            if word.term.is_required
        ]
        return all_of([*queries, *required, *self._filters], self._excluded[kind : kind + 1])

    def _excluding(self, kind: int) -> Expression:
        """Documents with a forbidden term."""
        return any_of(
            [
                self._any("title" if term.in_title else FIELDS[kind], forms_of(term.text, self.languages))
                for term in self.query.excluded
            ]
        )

    def candidates(self, most: int = MOST) -> Candidates:
        found = Candidates(self.words)
        if not any(self._index.frequency(form) for word in self.words for form in word.forms):
            return found
        pages = found.by_page
        everything = found.all_words
        for kind in (HEAD, BODY):
            for page, score in self._index.best(self._with_all(kind), most):
                self._note(pages, page, kind, score).words = everything
        named = self._index.has("names", ("".join("".join(word.forms[0]) for word in self.words),))
        for page, _ in self._index.best(self._wanted([named], HEAD), most):
            pages.setdefault(page, Candidate(page)).words = everything
        if len(pages) < ENOUGH and len(self.words) > 1:
            self._add_some(pages, most)
        self._read(pages)
        self._drop_unwanted(pages)
        return found

    def matches(self) -> int:
        """Number of pages whose title and text have all words."""
        return self._index.count(self._with_all(BODY)) if self.words else 0

    def facets(self, n: int) -> dict[str, dict[str, int]]:
        """Numbers of these pages by site and by language."""
        return {field: self._index.counts(self._with_all(BODY), field, n) for field in ("site", "language")}

    def _with_all(self, kind: int) -> Expression:
        return self._wanted([self._any(FIELDS[kind], word.forms) for word in self.words], kind)

    def _note(self, pages: dict[int, Candidate], page: int, kind: int, score: float) -> Candidate:
        candidate = pages.setdefault(page, Candidate(page))
        similarity = min(1.0, score / self._most)
        if kind == BODY:
            candidate.text = similarity
        else:
            candidate.called = similarity
        return candidate

    def _add_some(self, pages: dict[int, Candidate], most: int) -> None:
        """Add pages with some of the words."""
        for kind in (HEAD, BODY):
            some = any_of([self._index.has(FIELDS[kind], form) for word in self.words for form in word.forms])
            for page, score in self._index.best(self._wanted([some], kind), most):
                self._note(pages, page, kind, score)

    def _drop_unwanted(self, pages: dict[int, Candidate]) -> None:
        """Drop pages that have a forbidden term in the other document, or lack a required phrase in the head, of which
        the inverted index knows the words alone."""
        for kind, excluded in enumerate(self._excluded):
            if pages:
                for page, _ in self._index.best(all_of([self._index.among(pages, kind), excluded]), len(pages)):
                    del pages[page]
        for word in (word for word in self.words if word.term.is_required):
            if word.term.in_title:
                having = [page for page, found in pages.items() if any(text in found.head.title for text in word.texts)]
            else:
                having = [page for page, found in pages.items() if any(t in c for t in word.texts for c in found.head)]
            if not word.term.in_title and pages:
                query = all_of([self._index.among(pages, BODY), self._any(FIELDS[BODY], word.forms)])
                having += [page for page, _ in self._index.best(query, len(pages))]
            for page in pages.keys() - having:
                del pages[page]

    def _read(self, pages: dict[int, Candidate]) -> None:
        """Look up what the index says of the candidates."""
        for page, head in heads_of(self._db, pages).items():
            pages[page].head = head
        some = [
            any_of([self._index.has(field, form) for word in self.words for form in word.forms]) for field in FIELDS
        ]
        for kind, scores in ((HEAD, "called"), (BODY, "text")):
            if without := [page for page, candidate in pages.items() if not getattr(candidate, scores)]:
                query = all_of([self._index.among(without, kind), some[kind]])
                for page, score in self._index.best(query, len(without)):
                    self._note(pages, page, kind, score)
        with_text = [page for page, candidate in pages.items() if candidate.text]
        partly = [page for page in with_text if not pages[page].words]
        for page, words in self._marks(partly, [self._any(FIELDS[BODY], word.forms) for word in self.words]).items():
            pages[page].words |= words
        if with_text and len(self.words) > 1:
            pairs = [
                any_of(
                    [
                        self._index.near_one_another([*a, *b], 0 if other.follows else _NEAR)
                        for a in one.forms
                        for b in other.forms
                    ][:4]
                )
                for one, other in pairwise(self.words)
            ]
            for number, pair in enumerate(pairs[:8]):
                for page, _ in self._index.best(all_of([self._index.among(with_text, BODY), pair]), len(with_text)):
                    pages[page].near |= 1 << number

    def _marks(self, pages: Sequence[int], queries: Sequence[Expression]) -> dict[int, int]:
        """The queries that the bodies of pages match, as bits."""
        found = dict.fromkeys(pages, 0)
        for start in range(0, len(queries) if pages else 0, _MOST_MARKS):
            some = any_of([marked(query, 1 << i) for i, query in enumerate(queries[start : start + _MOST_MARKS])])
            for page, score in self._index.best(all_of([self._index.among(pages, BODY), some]), len(pages)):
                found[page] |= int(score) << start
        return found
