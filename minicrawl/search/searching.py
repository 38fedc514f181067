"""A search: the index finds the pages that agree with a query; the store has their importance and current state.

    score = (1 + agreement) * (1 + IMPORTANCE * log10(X / X_least)) + ALL_WORDS

X is the importance of a page: ten times of it is worth the same on every web, so that on a small one, where importances
lie close together, the words decide; and by the 1 importance does where every page has the words.

A query has words, "phrases", -words and filters; anything else in it is text. A word is looked for in title, headings,
URL and text, as each language of the index stems it, and as it is typed; agreement is BM25, and what a word is worth in
each field is in `BOOSTS`. Only a page with all words has `ALL_WORDS`; a word inside a compound hardly counts.
"""

import json
import math
import re
import zlib
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import NamedTuple

from tantivy import DocAddress, Occur
from tantivy import Query as Expression

from minicrawl.analysis.usage import PageUsage
from minicrawl.errors import SettingError
from minicrawl.search.index_folder import index_errors, index_path, open_index, store_mark
from minicrawl.search.inverted import BOOSTS, COMPOUNDS, JOINING, TYPED, InvertedIndex
from minicrawl.search.words import (
    UNKNOWN,
    has_words,
    is_long,
    is_part,
    places_of,
    primary_language,
    readable,
    stemmer,
    typed,
    words_of,
)
from minicrawl.store.reader import Store

MOST_WORDS = 32
"""Words of a query; what comes behind them is left out."""
_LONGEST = 200
_PARTS = re.compile(r'(-?)(?:(site|title|intitle|lang|after):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
_VERSION = re.compile(r"(?<![^\W_])v(?=\d+\.\d)", re.IGNORECASE)
"""What may stand before the number of a version."""
_QUOTES = str.maketrans("“”„«»\0", '""""" ')


@dataclass(frozen=True)
class Term:
    """A word, or words side by side. `in_title`: it must be in the title. `is_phrase`: it was quoted: required."""

    text: str
    in_title: bool = False
    is_phrase: bool = False


@dataclass(frozen=True)
class Query:
    """A parsed query. `excluded`: forbidden terms. `sites`: hosts, or domains above the page's host, one of which is
    required. `languages`: likewise, as declared by the page ("en" covers "en-GB"). `after`: a date, or a time ago."""

    terms: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()
    sites: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    after: str | None = None


def parse_query(text: str, sites: tuple[str, ...] = ()) -> Query:
    """Parse a query. sites: further ones. Raises SettingError if it is not text, or has no words."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise SettingError(f"a search needs text, which {text[:_LONGEST]!r} is not")
    terms: list[Term] = []
    excluded: list[Term] = []
    asked: dict[str, list[str]] = {"site": [_site(site) for site in sites], "lang": [], "after": []}
    for minus, field, phrase, word in _PARTS.findall(text.translate(_QUOTES)):
        words, where = (phrase or word)[:_LONGEST], field.lower()
        if where in asked and not minus:
            asked[where].append(_site(words) if where == "site" else words.lower().replace("_", "-"))
        elif has_words(words) and len(terms) + len(excluded) < MOST_WORDS:
            # A minus excludes a word only at its begin, not inside words such as "x-y".
            (excluded if minus else terms).append(Term(words, where.endswith("title"), bool(phrase)))
    if not terms:
        raise SettingError(f"a search needs at least one word to look for, which {text[:_LONGEST]!r} has not")
    after = next(reversed(asked["after"]), None)
    sites, languages = tuple(asked["site"]), tuple(asked["lang"])
    return Query(tuple(dict.fromkeys(terms)), tuple(excluded), sites, languages, after)


def _site(text: str) -> str:
    """The host or domain in a user's text, which may be a URL."""
    return text.lower().rpartition("://")[2].partition("/")[0].lstrip("*.").rstrip(".")


ALL_WORDS = 20.0
"""What it is worth to have all words, beside BM25: about as much as three rare words in a title."""
_TOLD = 1_000.0
"""By so much, more than BM25 gives for any query, tantivy's score tells pages that have all words."""
_EXACT = 0.1
"""So much is it worth to have a word as it is typed, beside its stem."""
_INSIDE = 0.1
"""What a compound with a word is worth: less than the word anywhere."""
_LENGTH = 200
"""Characters of a snippet."""
_MOST_PLACES = 100
"""Words of the query in a text that are looked at."""
_READ = (1_000, None)
"""Characters of a text in which words are looked for: the second if there are none among the first."""


class Snippet(NamedTuple):
    """Text on one line, and the words of the query in it: (start, end)."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def marked(self, before: str, after: str) -> str:
        """The text with something before and behind every word of the query."""
        pieces, at = list[str](), 0
        for start, end in self.marks:
            pieces += self.text[at:start], before, self.text[start:end], after
            at = end
        return "".join((*pieces, self.text[at:]))


class Hit(NamedTuple):
    """A page that matches. agreement: BM25, boosted; address: in the index."""

    agreement: float
    has_all: bool
    address: DocAddress


class Matching:
    """A query, asked of an index as it is now."""

    def __init__(self, index: InvertedIndex, query: Query) -> None:
        index.reload()
        self._index, self._searcher, self._schema = index, index.searcher, index.schema
        languages = map(primary_language, query.languages) if query.languages else (UNKNOWN, *index.languages)
        self._stemmers = {language: stemmer(language) for language in languages}
        self._weights: dict[str, float] = {}
        self._parts: list[str] = []
        self._words = [self._word(term) for term in query.terms]
        self._limits = [(Occur.MustNot, self._word(term)) for term in query.excluded]
        for field, values in (("hosts", query.sites), ("language", query.languages)):
            if values:
                some = _any_of([Expression.term_query(self._schema, field, value, "basic") for value in values])
                self._limits.append((Occur.Must, Expression.const_score_query(some, 0.0)))
        self._single = [term for term in query.terms if not term.is_phrase and not term.in_title]
        terms = zip(query.terms, self._words, strict=True)
        self._required = [(Occur.Must, word) for term, word in terms if term.in_title or term.is_phrase]
        self._all = Expression.boolean_query([(Occur.Must, word) for word in self._words] + self._limits)

    def best(self, n: int) -> dict[int, Hit]:
        """n pages that match: those with all words first, each sort by agreement. Only where there are fewer, words are
        looked for within longer ones, which takes a walk through all of those."""
        found = self._hits(self._words, n)
        if len(found) < n and (near := list(filter(None, map(self._compounds, self._single)))):
            found = self._hits([*self._words, *near], n)
        pages = self._searcher.fast_field_values("page", [address for _, address in found])
        return {
            int(page or 0): Hit(score - _TOLD * (score >= _TOLD), score >= _TOLD, address)
            for page, (score, address) in zip(pages, found, strict=True)
        }

    def _hits(self, some: Sequence[Expression], n: int) -> list[tuple[float, DocAddress]]:
        whole = (Occur.Should, Expression.const_score_query(self._all, _TOLD))
        wanted = [(Occur.Must, _any_of(some)), *self._required, *self._limits, whole]
        return self._searcher.search(Expression.boolean_query(wanted), n, count=False).hits

    def count(self) -> int:
        """Number of pages that have all words."""
        return self._index.count(self._all)

    def snippet(self, address: DocAddress) -> Snippet:
        """The part of a page's text with most of the query, or else its begin."""
        document = self._searcher.doc(address)
        text = zlib.decompress(bytes(document.get_first("text") or b"")).decode()
        stem = stemmer(primary_language(document.get_first("language")))
        for length in _READ:
            part = text[:length]
            hits = self._weigh(set(words_of(part)), stem)
            places = [(at, at + len(word), weight) for word, weight in hits.items() for at in places_of(word, part)]
            if places:
                break
        return _snippet(text, sorted(places)[:_MOST_PLACES])

    def _weigh(self, words: Set[str], stem: Callable[[str], str]) -> dict[str, float]:
        """The words of a text that the query has, with what they say of it, more for a rare one."""
        weights, hits = self._weights, dict[str, float]()
        # No stem of Latin letters, and no word as it is typed, begins otherwise than the word; but a compound may.
        begins, parts = {form[0] for form in weights}, self._parts
        words = {word for word in words if word[0].lower() in begins or not word.isascii() or (parts and is_long(word))}
        for word, form, exact in zip(words, map(stem, words), map(typed, words), strict=True):
            if form in weights or exact in weights:
                hits[word] = weights.get(form) or weights[exact]
            elif parts and is_long(exact) and any(part in exact for part in parts):
                hits[word] = _INSIDE
        return hits

    def _word(self, term: Term) -> Expression:
        """Pages that have a term, in any field unless it has to be in the title."""
        words = words_of(readable(_VERSION.sub("", term.text)))
        # In Turkish and Azeri the lower case of I is ı, elsewhere i: KAPI and kapı are one word, IBM and ibm, too.
        spellings = [words, [word.replace("ı", "i") for word in words], [word.replace("I", "ı") for word in words]]
        stems = dict.fromkeys(tuple(map(stem, each)) for each in spellings for stem in self._stemmers.values())
        exact = dict.fromkeys(tuple(map(typed, each)) for each in spellings)
        boosts = {"title": BOOSTS["title"]} if term.in_title else BOOSTS
        found = [self._has(field, form, boost) for field, boost in boosts.items() for form in stems]
        for field in TYPED.keys() & boosts.keys():
            found += [self._has(TYPED[field], form, _EXACT * boosts[field]) for form in exact if len(form) == 1]
        return _any_of(list(filter(None, found)))

    def _has(self, field: str, form: Sequence[str], boost: float) -> Expression | None:
        """Pages that have some words in a field, one behind the other; None if there is none with one of them."""
        counts = [self._searcher.doc_freq(field, word) for word in form]
        if not all(counts):
            return None
        for word, count in zip(form, counts, strict=True):
            self._weights[word] = math.log(1 + self._searcher.num_docs / count)
        if len(form) == 1:
            return Expression.boost_query(Expression.term_query(self._schema, field, form[0]), boost)
        return Expression.boost_query(Expression.phrase_query(self._schema, field, list(form)), boost)

    def _compounds(self, term: Term) -> Expression | None:
        """Pages that have a word within a longer one, of languages that write words together."""
        stems = [stem for language, stem in self._stemmers.items() if language in JOINING]
        words = words_of(readable(term.text))
        if not stems or len(words) != 1:
            return None
        forms = {typed(words[0]), *(stem(words[0]) for stem in stems)}
        parts = {form for form in forms if form.isalnum() and is_part(form)}
        if not parts:
            return None
        self._parts += parts
        inside = Expression.regex_query(self._schema, COMPOUNDS, f".*({'|'.join(sorted(parts))}).*")
        return Expression.const_score_query(inside, _INSIDE)


def _snippet(text: str, places: Sequence[tuple[int, int, float]]) -> Snippet:
    """The part of a text with the weightiest words, each counted once. places: start, end and weight of words."""
    best, first, last = 0.0, 0, 0
    for i, (start, _, _) in enumerate(places):
        within = list(takewhile(lambda place: place[1] <= start + _LENGTH, places[i:]))  # noqa: B023 - called at once
        if (weight := sum({text[at:end].lower(): weight for at, end, weight in within}.values())) > best:
            best, first, last = weight, start, within[-1][1]
    begin = max(0, first - (_LENGTH - (last - first)) // 2) if last > _LENGTH else 0
    if begin:
        begin = max(begin, text.find(" ", begin, first) + 1)
    part = text[begin : begin + _LENGTH + 1]
    if len(part) > _LENGTH:
        part = part.rpartition(" ")[0] or part[:_LENGTH]
    end = begin + len(part)
    return Snippet(part, tuple((at - begin, to - begin) for at, to, _ in places if begin <= at and to <= end))


def _any_of(queries: Sequence[Expression]) -> Expression:
    return Expression.boolean_query([(Occur.Should, query) for query in queries])


IMPORTANCE = 0.2
"""So much more is a page worth than one of a tenth of its importance, if they agree alike with a query (chosen by
bench/search.py among .1 to .3)."""
MOST_SHOWN = 1_000
_USE = "search"
_MATCHES, _MOST_FILTERED = 100, 5_000
"""Matches among which importance decides, at least; and those of a search for pages since a date, which the index does
not know."""
_MARGIN = 3
"""Pages considered for each page asked for: some may not be shown, or are duplicates."""


@dataclass(frozen=True)
class Asked:
    """The options of a search. n: pages; since: Unix seconds. Raises SettingError."""

    n: int = 10
    sites: tuple[str, ...] = ()
    since: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST_SHOWN:
            raise SettingError(f"--n must be a number from 1 to {MOST_SHOWN:,}, not {self.n}")


@dataclass(frozen=True)
class FoundPage:
    """A page that was found. `alike`: URLs of duplicates, which are left out."""

    rank: int
    url: str
    title: str
    score: float
    importance: float
    snippet: Snippet
    alike: tuple[str, ...]
    fetched_at: float | None


@dataclass(frozen=True)
class Found:
    """The result of a search. `matches`: number of pages with all words; `behind`: texts not indexed yet, as far as can
    be told without a scan."""

    pages: tuple[FoundPage, ...]
    matches: int
    behind: int


_SHOWN = """
    SELECT pages.id, url, title, leader, coalesce(changed_at, fetches.fetched_at)
    FROM json_each(?) CROSS JOIN pages ON pages.id = json_each.value
    LEFT JOIN fetches ON fetches.id = fetch LEFT JOIN refresh ON refresh.page = pages.id WHERE state = 'fetched'"""
_Facts = tuple[str, str | None, int | None, float | None]
"""URL, title, the page that it duplicates, and the time of the last change of a page, as the store has it now."""


def _powers(importance: float, least: float) -> float:
    """By how many powers of ten a page is more important than the least."""
    return math.log10(importance / least) if importance > least > 0 else 0.0


def search(store: Store, text: str, asked: Asked | None = None) -> Found:
    """The pages of a store that agree best with a query and are most important. Raises SettingError for a query without
    words and a store without texts or index, StoreError."""
    asked = asked or Asked()
    if not store.texts.size:
        raise SettingError(f"{store.path} has no texts to search; continue the crawl with --search")
    path = index_path(store.path)
    with open_index(path, store_mark(store.hash_key)) as index, index_errors(path), store.snapshot():
        matching = Matching(index, parse_query(text, asked.sites))
        hits = matching.best(max(asked.n * _MARGIN, _MATCHES) if asked.since is None else _MOST_FILTERED)
        size = store.size()
        matches = sorted(page for page in hits if page < size)  # the store may be one that was copied earlier
        importance = dict(zip(matches, store.ranks.importance_of(matches).tolist(), strict=True))
        least = float(index.state.get("least") or 0.0)
        scores = {
            page: (1 + hits[page].agreement) * (1 + IMPORTANCE * _powers(importance[page], least))
            + ALL_WORDS * hits[page].has_all
            for page in matches
        }
        facts, groups = _grouped(store, sorted(scores, key=lambda page: (-scores[page], page)), asked)
        best = sorted(groups, key=lambda page: (-scores[groups[page][0]], page))[: asked.n]
        pages = (
            FoundPage(
                rank=rank,
                url=facts[page][0],
                title=facts[page][1] or "",
                score=scores[groups[page][0]],
                importance=importance[page],
                snippet=matching.snippet(hits[page].address),
                alike=tuple(facts[other][0] for other in groups[page] if other != page),
                fetched_at=facts[page][3],
            )
            for rank, page in enumerate(best, 1)
        )
        since = "SELECT count(*) FROM texts WHERE text >= ?"
        return Found(tuple(pages), matching.count(), store.value(since, int(index.state.get("texts") or 0)))


def _grouped(store: Store, pages: Sequence[int], asked: Asked) -> tuple[dict[int, _Facts], dict[int, list[int]]]:
    """Facts of the first pages that may be shown, and their groups of duplicates: each under its leader if that is one
    of them, else under its first page. pages: best first, as they are in each group."""
    best, enough = iter(pages), asked.n * _MARGIN
    facts, groups = dict[int, _Facts](), dict[int, list[int]]()
    while len(groups) < enough and (some := list(islice(best, enough))):
        for page, of_page in _shown(store, some).items():
            if asked.since is None or (of_page[3] or 0) >= asked.since:
                facts[page] = of_page
                groups.setdefault(page if of_page[2] is None else of_page[2], []).append(page)
    return facts, {leader if leader in group else group[0]: group for leader, group in groups.items()}


def _shown(store: Store, pages: Sequence[int]) -> dict[int, _Facts]:
    """The pages, in this order, without those that are gone by now, and those that do not want to be searched for if
    the crawl respects that."""
    found = {page: facts for page, *facts in store.rows(_SHOWN, [json.dumps(pages)])}
    there = {page: tuple(found[page]) for page in pages if page in found}
    respected = store.settings.get("respect_usage")
    if not isinstance(respected, list) or _USE not in respected:
        return there
    says = PageUsage(store).of_pages({page: facts[0] for page, facts in there.items()})
    return {page: facts for page, facts in there.items() if not says[page].forbids([_USE])}
