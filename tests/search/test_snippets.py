"""Snippets of texts."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.search.candidates import Word, forms_of
from minicrawl.search.index.words import words_of
from minicrawl.search.query import Term, parse_query
from minicrawl.search.snippets import Snippet, Snippets

LANGUAGES = ("en", "de")


def snippets(query: str) -> Snippets:
    words = [Word(Term(word), forms_of(word, LANGUAGES), 1.0) for word in words_of(query)]
    return Snippets(parse_query(query), words, LANGUAGES)


def snippet(query: str, text: str) -> Snippet:
    return snippets(query).of([text])


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("Häuser", "Ein Haus am See", "Ein <Haus> am See"),
        ("gather", "It was gathering dust.", "It was <gathering> dust."),
        ("naïve", "A naive idea, ÉÀ and Éa", "A <naive> idea, ÉÀ and Éa"),
        ("ea", "ÉÀ and Éa", "<ÉÀ> and <Éa>"),
        ("c++", "In C++ and c", "In <C++> and c"),
        ("日本", "これは日本語です", "これは<日本>語です"),
        ("std::vector", "a std::vector here", "a <std>::<vector> here"),
        ("λόγος", "Ο ΛΌΓΟΣ εδώ", "Ο <ΛΌΓΟΣ> εδώ"),
        ("nothing", "has none of it", "has none of it"),
        ("x", "", ""),
    ],
)
def test_words_of_the_query_are_marked(query: str, text: str, marked: str) -> None:
    assert snippet(query, text).marked("<", ">") == marked


def test_both_pieces_have_what_the_query_asks() -> None:
    filler = "some other words that say nothing of it " * 30
    found = snippet("alpha omega", f"{filler} alpha {filler} omega {filler}")
    assert found.text.count("…") == 2
    assert [found.text[start:end] for start, end in found.marks] == ["alpha", "omega"]
    assert len(found.text) < 400


def test_as_much_of_a_text_is_looked_at_as_it_takes() -> None:
    filler = "some other words that say nothing of it " * 30
    texts = [f"alpha {filler}", f"alpha {filler} omega {filler}", f"alpha {filler} omega {filler} alpha and omega"]
    taken: list[str] = []

    def begins() -> Iterator[str]:
        for text in texts:
            taken.append(text)
            yield text

    assert len(snippets("alpha omega").of(begins()).marks) == 2
    assert taken == texts[:2]  # the third only where the first two have no word of it
    taken.clear()
    assert len(snippets("alpha").of(begins()).marks) == 1
    assert taken == texts[:1]


@pytest.mark.parametrize("word", ["sensibility", "ponies", "hopping"])
def test_word_of_any_form_is_found_by_the_begin_of_its_stem(word: str) -> None:
    assert snippet(word, f"It is {word}, naïve.").marks == snippet(word, f"It is {word}, naive.").marks != ()


@given(st.text("ab c<é日\n", max_size=300), st.sampled_from(["a", "ab", "bé c", "日"]))
def test_marks_are_in_order_and_in_the_text(text: str, query: str) -> None:
    found = snippet(query, text)
    ends = [0, *(place for mark in found.marks for place in mark), len(found.text)]
    assert ends == sorted(ends)
    assert found.marked("", "") == found.text


def test_a_million_words_take_no_longer_than_their_begin() -> None:
    words = random.Random(1).choices(["alpha", "beta", "gamma"], k=1_000_000)
    assert len(snippet("alpha beta", " ".join(words)).text) < 400


@given(st.text("abcx+#_- .1", max_size=80), st.sampled_from(["a", "ab c++", "ba a1", "c# x", "b-a", "cab cab1"]))
def test_text_in_ascii_is_marked_as_any_other(text: str, query: str) -> None:
    marks = snippet(query, text).marks
    assert snippet(query, f"{text} é").marks == marks
