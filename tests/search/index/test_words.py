"""Text as the index takes it."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.search.index.words import TOKENIZER, has_words, indexed, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("C++ and g++, libstdc++", "Cplusplus  and gplusplus , libstdcplusplus "),
        ("c++11", "cplusplus 11"),
        ("C# but page# and #1", "Csharp  but page# and #1"),
        ("a+++b", "a+++b"),
        ("x1++ and abcdefghijklmnopq++, d++x#", "x1++ and abcdefghijklmnopq++, dplusplus xsharp "),
        ("1# é# ab# _c# #d", "1# ésharp  ab# _csharp  #d"),
        ("日本語", " 日本 本語 "),
        ("Linux内核!", "Linux 内核 !"),
        ("字", " 字 "),
        ("l’été — naïve", "l’été — naïve"),
        ("한국어 문서", "한국어 문서"),
    ],
)
def test_text_is_written_so_that_its_words_are_kept(text, expected):
    assert indexed(text) == expected


def matches(text: str, query: str) -> bool:
    db = sqlite3.connect(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = '{TOKENIZER}')")
    db.execute("INSERT INTO t VALUES (?)", (indexed(text),))
    quoted = indexed(query).replace('"', '""')
    (count,) = db.execute("SELECT count(*) FROM t WHERE t MATCH ?", (f'"{quoted}"',)).fetchone()
    db.close()
    return bool(count)


@pytest.mark.parametrize(
    ("text", "query", "is_found"),
    [
        ("written in C++", "c++", True),
        ("written in C", "c++", False),
        ("written in C++", "c#", False),
        ("std::vector<int>", "std::vector", True),
        ("vector of std", "std::vector", False),
        ("LoadModule mod_rewrite", "mod_rewrite", True),
        ("rewrite mod", "mod_rewrite", False),
        ("東京都庁舎", "京都", True),
        ("東京都庁舎", "東都", False),
        ("ｶﾅ and カナ", "カナ", True),
        ("Crème brûlée", "creme brulee", True),
        ("regular expressions", "regular expression", True),
    ],
)
def test_what_is_typed_is_found(text, query, is_found):
    assert matches(text, query) is is_found


@given(st.text("日本語かなab ", min_size=1, max_size=12), st.data())
def test_any_part_of_unspaced_text_of_two_characters_is_found(text, data):
    run = data.draw(st.sampled_from(text.replace("a", " ").replace("b", " ").split() or ["日本"]))
    if len(run) > 1 and run in text:
        start = data.draw(st.integers(0, len(run) - 2))
        assert matches(text, run[start : start + 2])


@pytest.mark.parametrize(("text", "has"), [("a", True), ("é", True), ("_", False), ("+ - \0", False), ("٣", True)])
def test_what_has_words(text, has):
    assert has_words(text) is has


def test_words_are_in_lower_case():
    assert words_of("Hello, WORLD_wide 日本語") == ["hello", "world", "wide", "日本", "本語"]
