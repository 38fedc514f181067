"""Parsing queries, and words that may have been meant."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.errors import SettingError
from minicrawl.search.index.words import TOKENIZER
from minicrawl.search.query import MOST_WORDS, Term, distance, nearest_word, parse_query


@pytest.mark.parametrize(
    ("text", "terms", "excluded"),
    [
        ("python asyncio", ["python", "asyncio"], []),
        ('"task group" asyncio', ["task group", "asyncio"], []),
        ("“task group”", ["task group"], []),
        ("asyncio -trio", ["asyncio"], ["trio"]),
        ('asyncio -"task group"', ["asyncio"], ["task group"]),
        ("write-ahead", ["write-ahead"], []),
        ('an "open quote', ["an", "open quote"], []),
        ("c++ std::vector mod_rewrite", ["c++", "std::vector", "mod_rewrite"], []),
        ("same same", ["same"], []),
        ("a AND b OR NOT c", ["a", "AND", "b", "OR", "NOT", "c"], []),
        ("word + * ( ) ^", ["word"], []),
    ],
)
def test_query_is_read(text: str, terms: list[str], excluded: list[str]) -> None:
    query = parse_query(text)
    assert [term.text for term in query.terms] == terms
    assert [term.text for term in query.excluded] == excluded


def test_fields_say_where() -> None:
    query = parse_query("title:asyncio site:https://Docs.Python.org/3/ lang:DE gather", ("*.test.",))
    assert query.terms == (Term("asyncio", in_title=True), Term("gather"))
    assert query.sites == ("test", "docs.python.org")
    assert query.languages == ("de",)


@pytest.mark.parametrize(
    ("host", "is_on"),
    [("python.org", True), ("docs.python.org", True), ("docs.python.org:8080", True), ("notpython.org", False)],
)
def test_site_is_a_host_or_a_domain_above_it(host: str, is_on: bool) -> None:
    assert parse_query("x site:python.org").is_on_site(host) is is_on


@pytest.mark.parametrize(
    ("said", "is_in"), [("de", True), ("de-AT", True), ("DE_at", True), ("den", False), (None, False)]
)
def test_language_has_its_regions(said: str | None, is_in: bool) -> None:
    assert parse_query("x lang:de").is_in_language(said) is is_in


@pytest.mark.parametrize("text", ["", "  ", "-only", "+++ \0", "site:a.test", '""'])
def test_query_without_a_word_is_refused_by_name(text: str) -> None:
    with pytest.raises(SettingError, match="at least one word"):
        parse_query(text)


def test_hundred_words_are_cut_and_counted() -> None:
    query = parse_query(" ".join(f"w{i}" for i in range(100)))
    assert (len(query.terms), query.left_out) == (MOST_WORDS, 100 - MOST_WORDS)


@given(st.text(max_size=60))
def test_no_text_of_a_user_is_syntax_of_fts5(text: str) -> None:
    try:
        query = parse_query(text)
    except SettingError:
        return
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE VIRTUAL TABLE t USING fts5 (title, body, tokenize = '{TOKENIZER}')")
        for term in (*query.terms, *query.excluded):
            assert db.execute("SELECT count(*) FROM t WHERE t MATCH ?", (term.expression,)).fetchone() == (0,)


@pytest.mark.parametrize(
    "text", ['"', 'a" OR "b', "title:", "{title}", "a NEAR b", "x*", "^x", "-", "a\0b", "x:y", "column : z"]
)
def test_odd_words_are_looked_for_as_text(text: str) -> None:
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5 (title, body, tokenize = '{TOKENIZER}')")
    db.execute("INSERT INTO t VALUES ('other', 'words')")
    assert db.execute("SELECT count(*) FROM t WHERE t MATCH ?", (Term(text).expression,)).fetchone() == (0,)
    db.close()


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE spellings (word TEXT PRIMARY KEY, pages INTEGER)")
    words = {"asyncio": 9, "gather": 3, "gatherer": 1, "statistics": 2, "straße": 1, "cat": 5}
    db.executemany("INSERT INTO spellings VALUES (?, ?)", words.items())
    yield db
    db.close()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("asynciu", "asyncio"),
        ("ASYNCOI", "asyncio"),
        ("gathr", "gather"),
        ("gatherr", "gather"),
        ("statistcis", "statistics"),
        ("statitcis", "statistics"),
        ("strasse", "straße"),
        ("straßee", "straße"),
        ("zzzzzz", None),
        ("cta", None),
        ("a1b2", None),
        ("x" * 1_000, None),
    ],
)
def test_nearest_word_of_the_index_is_meant(db: sqlite3.Connection, word: str, meant: str | None) -> None:
    assert nearest_word(db, word) == meant


def slow(a: str, b: str) -> int:
    """The distance by its recursive definition."""
    if not a or not b:
        return len(a) + len(b)
    best = min(slow(a[1:], b) + 1, slow(a, b[1:]) + 1, slow(a[1:], b[1:]) + (a[0] != b[0]))
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        best = min(best, slow(a[2:], b[2:]) + 1)
    return best


@given(st.text("ab", max_size=5), st.text("abc", max_size=5), st.integers(0, 4))
def test_distance_is_that_of_its_definition(a: str, b: str, most: int) -> None:
    assert distance(a, b, most) == min(slow(a, b), most + 1)
