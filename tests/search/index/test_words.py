"""Words of texts and of kept texts, as the index has them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.html import parse_html
from minicrawl.errors import StoreError
from minicrawl.model import Wanted
from minicrawl.search.index.words import (
    LONGEST_TEXT,
    analysed,
    has_words,
    page_words,
    text_begins,
    words_of,
)
from minicrawl.store.texts.marked_text import unpack


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++ and g++, libstdc++", ["cplusplus", "and", "gplusplus", "libstdcplusplus"]),
        ("C# but page# and #1", ["csharp", "but", "page", "and", "1"]),
        ("x1++ and abcdefghijklmnopq++, d++x#", ["x1", "and", "abcdefghijklmnopq", "dplusplus", "xsharp"]),
        ("日本語", ["日本", "本語"]),
        ("Linux内核!", ["linux", "内核"]),
        ("l’été — nai\u0308ve", ["l", "été", "naïve"]),
        ("Donau\u00addampf\u00adschiff", ["donaudampfschiff"]),
        ("a\u00adb\u200bc\u200cd\u200de\u2060f\ufeffg g\u00ad++", ["abcdefg", "gplusplus"]),
    ],
)
def test_signs_and_scripts_without_spaces_make_words_too(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Running in the hotels", None, "run in the hotel"),
        ("Häuser der Straße", "de-AT", "haus der strass"),
        ("Häuser", "ja", "hauser"),
        ("Δίσκο ΛΌΓΟΣ ёлка", "x", "δισκο λογος елка"),
        ("Crème brûlée 日本語", "en", "creme brule 日本 本語"),
        ("x" * 500, None, "x" * 60),
    ],
)
def test_words_are_stemmed_in_the_language_and_without_accents(text: str, language: str | None, expected: str) -> None:
    assert analysed(text, language) == expected


def test_persian_word_is_found_with_and_without_its_non_joiner() -> None:
    assert analysed("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "fa") == analysed(
        "\u0645\u06cc\u062e\u0648\u0627\u0647\u0645"
    )


@given(st.text("ab C+#é日本–. \x00’\u00ad\u200c", max_size=60), st.sampled_from([None, "de", "ja"]))
def test_text_cut_at_ascii_signs_has_the_words_of_the_whole(text: str, language: str | None) -> None:
    assert analysed(text, language).split() == [w for word in words_of(text) for w in analysed(word, language).split()]


def matches(text: str, query: str) -> bool:
    return f" {analysed(query)} " in f" {analysed(text)} "


@pytest.mark.parametrize(
    ("text", "query", "is_found"),
    [
        ("written in C++", "c++", True),
        ("written in C++", "c#", False),
        ("std::vector<int>", "std::vector", True),
        ("rewrite mod", "mod_rewrite", False),
        ("東京都庁舎", "京都", True),
        ("Crème brûlée", "creme brulee", True),
    ],
)
def test_what_is_typed_is_found(text: str, query: str, is_found: bool) -> None:
    assert matches(text, query) is is_found


@given(st.text("日本語かなab ", min_size=1, max_size=12), st.data())
def test_any_part_of_unspaced_text_of_two_characters_is_found(text: str, data: st.DataObject) -> None:
    run = data.draw(st.sampled_from(text.replace("a", " ").replace("b", " ").split() or ["日本"]))
    if len(run) > 1 and run in text:
        start = data.draw(st.integers(0, len(run) - 2))
        assert matches(text, run[start : start + 2])


@pytest.mark.parametrize(("text", "has"), [("a", True), ("é", True), ("_", False), ("+ - \0", False), ("٣", True)])
def test_what_has_words(text: str, has: bool) -> None:
    assert has_words(text) is has


URL = "http://a.test/"
PAGES = {
    "plain": "<title>T</title><p>one <b>two</b></p><p>three</p>",
    "headings": "<h1>First <a href=/x>one</a></h1><pre>code\n  x</pre><h2>Second</h2><p>text<h5>no</h5>",
    "links": "<ul><li><a href=/x>The x</a>, <a href=/y>y <i>page</i></a></ul><a href=#top>here</a><a href=/z>next</a>",
    "frame": "<nav><a href=/n>Menu</a></nav><table><tr><td>a<td><a href=http://b.test/>b</a></table>",
    "language": "<html lang=de><title>Ü</title><meta name=robots content=noindex><p>ä",
}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_words_are_those_of_the_text(name: str) -> None:
    record = parse_html(PAGES[name].encode(), URL, wanted=Wanted(kept=True)).kept
    words, kept = page_words(record, URL), unpack(record, URL)
    assert words.text.replace("\0", " ").split() == " ".join(block.text for block in kept.content).split()
    assert (words.title, words.language, words.shown) == (kept.title or "", kept.language, kept.index)
    assert words.anchors == tuple(
        (url, " ".join(text.split())) for url, text, *_ in kept.anchors() if text not in {"next", "here"}
    )
    assert list(words.headings) == [" ".join(text.split()) for text in kept.headings if text != "no"]


def test_what_is_long_is_cut() -> None:
    body = f"<title>{'t' * 500_000}</title><h1>{'h ' * 100_000}</h1><p>{'w ' * 1_000_000}<a href=/x>{'a ' * 9_999}</a>"
    words = page_words(parse_html(body.encode(), URL, wanted=Wanted(kept=True)).kept, URL)
    assert len(words.title) <= 300
    assert sum(map(len, words.headings)) <= 1_200
    assert len(words.text) <= LONGEST_TEXT
    assert all(len(text) <= 100 for _, text in words.anchors)


@pytest.mark.parametrize("record", [b"", b"x", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_damaged_text_is_said_with_its_page(record: bytes) -> None:
    with pytest.raises(StoreError, match=r"http://a\.test/ is damaged"):
        page_words(record, URL)


def test_begins_of_a_text_are_unpacked_as_far_as_they_are_asked_for() -> None:
    links = "".join(f"<a href=/{i}-{'x' * 200}>{i}</a> " for i in range(99))
    body = f"<title>T</title><p>{'wörd ' * 20_000}{links}"
    record = parse_html(body.encode(), URL, wanted=Wanted(kept=True)).kept
    whole = " ".join(unpack(record, URL).text.split())
    begins = list(text_begins(record, URL, (50, 4_000, 50_000, 500_000)))
    assert all(whole.startswith(begin.strip()) for begin in begins)
    assert [len(begin) > length * 0.2 for begin, length in zip(begins, (50, 4_000, 50_000), strict=False)] == [True] * 3
    assert begins[-1] == whole
    assert list(text_begins(record[:-50], URL, (50,))) == begins[:1]
