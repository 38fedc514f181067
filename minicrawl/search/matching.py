"""Similarity of pages to a query, by both barrels of the index.

    similarity = (short + FULL full) / the most that any page has

short and full are FTS5's bm25 of a page's rows. A page is a candidate if all words of the query are in one of the two
rows; its score in the short row is that of the words in it. Two adjacent words of the query that are adjacent in the
text count as one word more. If there are fewer candidates than asked for, pages with some of the words are added, with
SOME of their similarity.

Among many candidates not all are scored: first those with all words in the short barrel, then those with some of them
there, then the others, until there are ENOUGH. Finding a page takes a thirtieth of the time of its score.

In a large index, words in more than a third of the pages say little and take long: they are not required, and count in
the short barrel only. A query of such words alone is answered by the short barrel.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from minicrawl.search.index.index_file import DOCUMENT_BITS
from minicrawl.search.index.words import has_words
from minicrawl.search.query import Query, Term

FULL, SOME = 0.6, 0.7
WEIGHTS = {"title": 6.0, "anchors": 6.0, "own_anchors": 3.0, "headings": 4.0, "url": 2.0}
"""Weights of the columns of the short barrel."""
_SHORT = f"-bm25(short, {', '.join(map(str, WEIGHTS.values()))})"
_FULL = "-bm25(full)"
_PAGE = (1 << DOCUMENT_BITS) - 1
_COMMON, _SMALL = 3, 500
_MOST = 20_000
"""Rows of a barrel read in Python, at most."""
ENOUGH, _MOST_SCORED = 200, 600
"""Candidates that are scored, at least and at most; among equals those with the lowest numbers, which the crawl has
known longest."""
_MOST_OF_SOME = 300
_FREQUENT = 2_000
"""Texts: a word in more of them is not looked up in the full barrel when pages with some of the words are added."""


@dataclass(frozen=True)
class Similar:
    """Similarity by page, from 0 to 1; `short`, `full`: scores of both barrels. `has_all`: pages with all words.
    `common`: words that were left out as too common."""

    similarity: Mapping[int, float]
    short: Mapping[int, float]
    full: Mapping[int, float]
    has_all: frozenset[int]
    common: tuple[str, ...]


def similar_pages(db: sqlite3.Connection, query: Query, enough: int, *, all_of_them: bool = False) -> Similar:
    """The pages of an index that agree with a query. enough: pages that need no others beside them. all_of_them: score
    them all, as most of them may be of no use."""
    terms, common = _telling(db, query.terms)
    anywhere = _any(query.terms)
    in_title = [term for term in terms if term.in_title]
    in_text = [term for term in terms if not term.in_title and term not in common]
    short_rows = _matching(db, _all(terms))
    in_full = " OR ".join([f"({_all(in_text)})", *_pairs(in_text)]) if in_text else ""
    documents = _documents(db, in_full) if in_text else {}
    excluded = _excluded(db, query.excluded)
    candidates = short_rows | documents.keys()
    for term in in_title:
        candidates &= _matching(db, f"{{title}} : {term.expression}")
    candidates -= excluded
    if len(candidates) > ENOUGH and not all_of_them:
        candidates = _likely(db, candidates, short_rows, anywhere)
    # If all candidates have all words in the short barrel, rows with some of the words need not be scored.
    short_expression = _all(terms) if candidates <= short_rows and not common else anywhere
    short = _scores_of(db, "short", _SHORT, short_expression, candidates)
    full = _scores_of_documents(db, in_full, {documents[page] for page in candidates & documents.keys()})
    similarity = _similarity(candidates, short, full)
    if len(similarity) < enough and len(terms) > 1 and not in_title:
        some = _with_some(db, query.terms, only_short=not in_text)
        others = some.keys() - similarity.keys() - excluded
        similarity |= {page: SOME * some[page] for page in others}
    return Similar(similarity, short, full, frozenset(candidates), tuple(term.text for term in common))


def _similarity(candidates: set[int], short: Mapping[int, float], full: Mapping[int, float]) -> dict[int, float]:
    """The candidates' scores in both barrels, relative to the best."""
    found = {page: short.get(page, 0.0) + FULL * full.get(page, 0.0) for page in candidates}
    most = max(found.values(), default=1.0)
    return {page: score / most for page, score in found.items()} if most > 0 else dict.fromkeys(found, 1.0)


def _likely(db: sqlite3.Connection, candidates: set[int], short_rows: set[int], anywhere: str) -> set[int]:
    """The candidates to score. short_rows: pages with all words in the short barrel; anywhere: any of the words."""
    chosen = set(sorted(candidates & short_rows)[:_MOST_SCORED])
    if len(chosen) < ENOUGH:
        query = "SELECT rowid FROM short WHERE short MATCH ? AND +rowid IN (SELECT value FROM json_each(?)) LIMIT ?"
        some = db.execute(query, (anywhere, json.dumps(list(candidates)), _MOST_SCORED))
        chosen |= {page for (page,) in some}
    if len(chosen) < ENOUGH:
        chosen |= set(sorted(candidates - chosen)[:_MOST_SCORED])
    return chosen


def is_known(db: sqlite3.Connection, text: str) -> bool:
    """True if a word is in the index at all."""
    return any(
        db.execute(f"SELECT 1 FROM {barrel} WHERE {barrel} MATCH ? LIMIT 1", (Term(text).expression,)).fetchone()
        for barrel in ("short", "full")
    )


def _telling(db: sqlite3.Connection, terms: Iterable[Term]) -> tuple[list[Term], list[Term]]:
    """The terms to look for, and those that are too common; all terms if all are."""
    terms = list(terms)
    (documents,) = db.execute("SELECT count(*) FROM pages").fetchone()
    most = documents // _COMMON
    common = []
    if most > _SMALL:
        # Phrases take long to count, and few of them are common.
        common = [term for term in terms if not term.in_title and term.is_word and _is_in_more(db, term, most)]
    return [term for term in terms if term not in common] or terms, common


def _is_in_more(db: sqlite3.Connection, term: Term, texts: int) -> bool:
    """True if a term is in more than so many texts."""
    query = "SELECT 1 FROM full WHERE full MATCH ? LIMIT 1 OFFSET ?"
    return db.execute(query, (term.expression, texts)).fetchone() is not None


def _all(terms: Iterable[Term]) -> str:
    return " AND ".join(term.expression for term in terms)


def _any(terms: Iterable[Term]) -> str:
    return " OR ".join(term.expression for term in terms)


def _pairs(terms: list[Term]) -> list[str]:
    """Expressions for adjacent words of the query."""
    both = (Term(f"{a.text} {b.text}") for a, b in pairwise(terms) if has_words(a.text + b.text))
    return [term.expression for term in both]


def _scores(db: sqlite3.Connection, barrel: str, score: str, expression: str, most: int) -> list[tuple[int, float]]:
    query = f"SELECT rowid, {score} AS score FROM {barrel} WHERE {barrel} MATCH ? ORDER BY score DESC LIMIT ?"
    return db.execute(query, (expression, most)).fetchall()


def _documents(db: sqlite3.Connection, expression: str) -> dict[int, int]:
    """The matching text in the full barrel by page; dead texts are left out."""
    rows = db.execute("SELECT rowid FROM full WHERE full MATCH ? LIMIT ?", (expression, _MOST))
    dead = {document for (document,) in db.execute("SELECT document FROM dead")}
    return {document & _PAGE: document for (document,) in rows if document not in dead}


def _matching(db: sqlite3.Connection, expression: str) -> set[int]:
    rows = db.execute("SELECT rowid FROM short WHERE short MATCH ? LIMIT ?", (expression, _MOST))
    return {page for (page,) in rows}


def _scores_of(
    db: sqlite3.Connection, barrel: str, score: str, expression: str, rows: Iterable[int]
) -> dict[int, float]:
    """Scores of the matching ones among some rows of a barrel."""
    # The plus keeps SQLite from evaluating the expression once a row.
    query = f"SELECT rowid, {score} FROM {barrel} WHERE {barrel} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))"
    return dict(db.execute(query, (expression, json.dumps(list(rows)))))


def _scores_of_documents(db: sqlite3.Connection, expression: str, documents: set[int]) -> dict[int, float]:
    """Scores of texts in the full barrel, by page."""
    scores = _scores_of(db, "full", _FULL, expression, documents) if documents else {}
    return {row & _PAGE: score for row, score in scores.items()}


def _with_some(db: sqlite3.Connection, terms: Iterable[Term], *, only_short: bool) -> dict[int, float]:
    """Pages with some of the words, from 0 to 1; frequent words count in the short barrel only."""
    found = dict(_scores(db, "short", _SHORT, _any(terms), _MOST_OF_SOME))
    rare = [] if only_short else [term for term in terms if not _is_in_more(db, term, _FREQUENT)]
    if rare:
        dead = {document for (document,) in db.execute("SELECT document FROM dead")}
        for document, score in _scores(db, "full", _FULL, _any(rare), _MOST_OF_SOME):
            if document not in dead:
                found[document & _PAGE] = found.get(document & _PAGE, 0.0) + score
    most = max(found.values(), default=1.0)
    return {page: score / most for page, score in found.items()} if most > 0 else {}


def _excluded(db: sqlite3.Connection, terms: Iterable[Term]) -> set[int]:
    pages: set[int] = set()
    for term in terms:
        column = "{title} : " if term.in_title else ""
        pages |= _matching(db, column + term.expression)
        if not term.in_title:
            pages |= _documents(db, term.expression).keys()
    return pages
