"""Queries as somebody writes them."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.errors import SettingError
from minicrawl.search.index.words import TOKENIZER
from minicrawl.search.query import MOST_WORDS, Term, parse_query


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
def test_query_is_read(text, terms, excluded):
    query = parse_query(text)
    assert [term.text for term in query.terms] == terms
    assert [term.text for term in query.excluded] == excluded


def test_fields_say_where():
    query = parse_query("title:asyncio site:https://Docs.Python.org/3/ lang:DE gather", ("*.test.",))
    assert query.terms == (Term("asyncio", in_title=True), Term("gather"))
    assert query.sites == ("test", "docs.python.org")
    assert query.languages == ("de",)


@pytest.mark.parametrize(
    ("host", "is_on"),
    [("python.org", True), ("docs.python.org", True), ("docs.python.org:8080", True), ("notpython.org", False)],
)
def test_site_is_a_host_or_a_domain_above_it(host, is_on):
    assert parse_query("x site:python.org").is_on_site(host) is is_on


@pytest.mark.parametrize(
    ("said", "is_in"), [("de", True), ("de-AT", True), ("DE_at", True), ("den", False), (None, False)]
)
def test_language_has_its_regions(said, is_in):
    assert parse_query("x lang:de").is_in_language(said) is is_in


@pytest.mark.parametrize("text", ["", "  ", "-only", "+++ \0", "site:a.test", '""'])
def test_query_without_a_word_is_refused_by_name(text):
    with pytest.raises(SettingError, match="at least one word"):
        parse_query(text)


def test_hundred_words_are_cut_and_counted():
    query = parse_query(" ".join(f"w{i}" for i in range(100)))
    assert (len(query.terms), query.left_out) == (MOST_WORDS, 100 - MOST_WORDS)


@given(st.text(max_size=60))
def test_no_text_of_a_user_is_syntax_of_fts5(text):
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
def test_odd_words_are_looked_for_as_text(text):
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5 (title, body, tokenize = '{TOKENIZER}')")
    db.execute("INSERT INTO t VALUES ('other', 'words')")
    assert db.execute("SELECT count(*) FROM t WHERE t MATCH ?", (Term(text).expression,)).fetchone() == (0,)
    db.close()
