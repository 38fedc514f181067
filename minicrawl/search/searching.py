"""A search: the index finds the pages that agree with a query; the store has their importance and current state.

    score = (1 + agreement) * (1 + IMPORTANCE * log10(X / X_least)) + ALL_WORDS

X is the importance of a page: ten times of it is worth the same on every web, so that on a small one, where importances
lie close together, the words decide; and by the 1 importance does where every page has the words.

A query has words, "phrases", -words and filters; anything else in it is text. A word is looked for in title, headings,
URL and text, as each language of the index stems it; agreement is BM25, and what a word is worth in each field is in
`BOOSTS`. Only a page with all words has `ALL_WORDS`.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import NamedTuple

from tantivy import DocAddress, Document, Occur, SnippetGenerator
from tantivy import Query as Expression

from minicrawl.analysis.usage import PageUsage
from minicrawl.errors import SettingError
from minicrawl.search.index_folder import index_errors, index_path, open_index, store_mark
from minicrawl.search.inverted import (
    BOOSTS,
    UNKNOWN,
    InvertedIndex,
    analyser,
    folded,
    has_words,
    primary_language,
    shown,
    spelled,
)
from minicrawl.store.reader import Store

MOST_WORDS = 32
"""Words of a query; what comes behind them is left out."""
_LONGEST = 200
_PARTS = re.compile(r'(-?)(?:(site|title|intitle|lang|after):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
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
    """Parse a query. sites: further ones. Raises SettingError if it is no text, or has no words."""
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


_MOST_LANGUAGES = 6
ALL_WORDS = 20.0
"""What it is worth to have all words, beside BM25: about as much as three rare words in a title."""
_TOLD = 1_000.0
"""By so much, more than BM25 gives for any query, tantivy's score tells pages that have all words."""
_LENGTH = 200
"""Characters of a snippet."""
_READ = (3_000, None)
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
        self._languages = tuple(dict.fromkeys((UNKNOWN, *index.languages[:_MOST_LANGUAGES])))
        self._words = [self._word(term) for term in query.terms]
        self._limits = [(Occur.MustNot, self._word(term)) for term in query.excluded]
        for field, values in (("hosts", query.sites), ("language", query.languages)):
            if values:
                some = _any_of([Expression.term_query(self._schema, field, value, "basic") for value in values])
                self._limits.append((Occur.Must, Expression.const_score_query(some, 0.0)))
        terms = zip(query.terms, self._words, strict=True)
        self._required = [(Occur.Must, word) for term, word in terms if term.in_title or term.is_phrase]
        self._all = Expression.boolean_query([(Occur.Must, word) for word in self._words] + self._limits)
        self._generators: dict[str, SnippetGenerator] = {}

    def best(self, n: int) -> dict[int, Hit]:
        """n pages that match: those with all words first, each sort by agreement."""
        whole = (Occur.Should, Expression.const_score_query(self._all, _TOLD))
        wanted = [(Occur.Must, _any_of(self._words)), *self._required, *self._limits, whole]
        found = self._searcher.search(Expression.boolean_query(wanted), n, count=False).hits
        pages = self._searcher.fast_field_values("page", [address for _, address in found])
        return {
            int(page or 0): Hit(score - _TOLD * (score >= _TOLD), score >= _TOLD, address)
            for page, (score, address) in zip(pages, found, strict=True)
        }

    def count(self) -> int:
        """Number of pages that have all words."""
        return self._index.count(self._all)

    def snippet(self, address: DocAddress) -> Snippet:
        """The part of a page's text with most of the query, or else its begin."""
        document = self._searcher.doc(address)
        text, tag = bytes(document.get_first("text") or b"").decode(), document.get_first("language")
        generator = self._generator(primary_language(tag))
        for length in _READ:
            part = Document()
            read = folded(text[:length])
            part.add_text("body", read)
            found = generator.snippet_from_doc(part)
            if marks := found.highlighted():
                octets, first = found.fragment().encode(), read.find(found.fragment())
                fragment = text[first : first + len(found.fragment())]

                def place(byte: int, octets: bytes = octets) -> int:
                    return len(shown(octets[:byte].decode()))

                return Snippet(shown(fragment), tuple((place(mark.start), place(mark.end)) for mark in marks))
        begin = shown(text[: 2 * _LENGTH])
        return Snippet(
            begin if len(begin) <= _LENGTH else begin[: _LENGTH + 1].rpartition(" ")[0] or begin[:_LENGTH], ()
        )

    def _generator(self, language: str) -> SnippetGenerator:
        if language not in self._generators:
            self._index.read_as(language)
            made = SnippetGenerator.create(self._searcher, _any_of(self._words), self._schema, "body")
            made.set_max_num_chars(_LENGTH)
            self._generators[language] = made
        return self._generators[language]

    def _word(self, term: Term) -> Expression:
        """Pages that have a term, in any field unless it has to be in the title."""
        text = folded(spelled(term.text))
        # In Turkish and Azeri the lower case of I is ı, elsewhere i: KAPI and kapı are one word, IBM and ibm, too.
        spellings = (text, text.replace("ı", "i"), text.replace("I", "ı"))
        forms = dict.fromkeys(tuple(analyser(each).analyze(form)) for form in spellings for each in self._languages)
        boosts = {"title": BOOSTS["title"]} if term.in_title else BOOSTS
        places = product(boosts.items(), filter(None, forms))
        return _any_of([Expression.boost_query(self._has(field, form), boost) for (field, boost), form in places])

    def _has(self, field: str, form: Sequence[str]) -> Expression:
        """Pages that have some words in a field, one behind the other."""
        if len(form) == 1:
            return Expression.term_query(self._schema, field, form[0])
        return Expression.phrase_query(self._schema, field, list(form))


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
            raise SettingError(f"--n is a number from 1 to {MOST_SHOWN:,}, not {self.n}")


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
        raise SettingError(f"{store.path} has no texts to search in; crawl with --search, or continue with it")
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
