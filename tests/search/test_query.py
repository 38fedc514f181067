"""Parsing queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.errors import SettingError
from minicrawl.search.index.words import has_words
from minicrawl.search.query import MOST_WORDS, Term, parse_query


@pytest.mark.parametrize(
    ("text", "terms", "excluded"),
    [
        ("python asyncio", ["python", "asyncio"], []),
        ('"task group" asyncio', ["task group", "asyncio"], []),
        ('asyncio -"task group"', ["asyncio"], ["task group"]),
        ('an "open quote', ["an", "open quote"], []),
        ("c++ std::vector mod_rewrite", ["c++", "std::vector", "mod_rewrite"], []),
        ("a AND b OR NOT c", ["a", "AND", "b", "OR", "NOT", "c"], []),
        ("word + * ( ) ^", ["word"], []),
    ],
)
def test_query_is_read(text: str, terms: list[str], excluded: list[str]) -> None:
    query = parse_query(text)
    assert [term.text for term in query.terms] == terms
    assert [term.text for term in query.excluded] == excluded


def test_fields_say_where() -> None:
    query = parse_query("title:asyncio INTITLE:x site:https://Docs.Python.org/3/ lang:de_AT gather", ("*.test.",))
    assert query.terms == (Term("asyncio", in_title=True), Term("x", in_title=True), Term("gather"))
    assert query.sites == ("test", "docs.python.org")
    assert query.languages == ("de-at",)
    assert parse_query("x after:2026-11-20 after:7d").after == "7d"


@pytest.mark.parametrize("text", ["", "  ", "-only", "+++ \0", "site:a.test", '""'])
def test_query_without_a_word_is_refused_by_name(text: str) -> None:
    with pytest.raises(SettingError, match="at least one word"):
        parse_query(text)


def test_hundred_words_are_cut_and_counted() -> None:
    query = parse_query(" ".join(f"w{i}" for i in range(100)))
    assert len(query.terms) == MOST_WORDS


@given(st.text(max_size=60))
def test_any_text_is_a_query_or_is_refused(text: str) -> None:
    try:
        query = parse_query(text)
    except SettingError:
        return
    assert all(has_words(term.text) for term in (*query.terms, *query.excluded))
