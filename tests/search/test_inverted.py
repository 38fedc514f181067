"""Words of texts, as the index has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.search.inverted import analyser, shown, spelled


def words(text: str, language: str = "") -> list[str]:
    return [shown(word) for word in analyser(language).analyze(spelled(text))]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("C++ and g++, libstdc++", "", "c++ and g++ libstdc++"),
        ("C# but page# and #1", "", "c# but page and 1"),
        ("std::vector, mod_rewrite", "", "std vector mod rewrite"),
        ("Linux内核! ひら", "", "linux 内 核 ひ ら"),
        ("l’été — nai\u0308ve", "", "l ete naive"),
        ("Donau\u00addampf\u00adschiff g\u00ad++", "", "donaudampfschiff g++"),
        ("Running in the hotels", "en", "run in the hotel"),
        ("Häuser der Straße", "de", "haus der strass"),
        ("Häuser", "ja", "hauser"),
        ("ok " + "x" * 500, "", "ok"),
    ],
)
def test_words_are_runs_of_letters_stemmed_in_the_language(text: str, language: str, expected: str) -> None:
    assert words(text, language) == expected.split()


@given(st.text("ab C+#é日本–. \x00’", max_size=60))
def test_spelled_text_is_shown_as_it_was(text: str) -> None:
    assert shown(spelled(text)) == text
