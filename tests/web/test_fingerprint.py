"""Digests, sketches and vocabularies of pages."""

import random
import re
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.prose import WORDS, prose

from minicrawl.crawler.recognise.duplicates import ALIKE
from minicrawl.web.fingerprint import (
    BITS,
    FEWEST_SHINGLES,
    LONGEST,
    LONGEST_KEPT,
    alike,
    distance,
    identity_of,
    read_vocabulary,
    shingles_of,
    sketch_of,
    text_of,
    vocabulary,
    word_hashes,
    words_of,
    words_of_url,
)

URL = "http://a.test/p"


def test_the_digest_alone_tells_two_sites_apart() -> None:
    one, elsewhere = (identity_of(prose(1).encode(), url) for url in (URL, "http://b.test/other"))
    assert one.digest != elsewhere.digest
    assert (one.payload, one.sketch) == (elsewhere.payload, elsewhere.sketch)


@pytest.mark.parametrize(
    ("piece", "is_the_same"),
    [
        ('<meta name="csrf-token" content="{}">', True),
        ('<form><input type="hidden" name="token" value="{}"></form>', True),
        ('<script nonce="{}">f(1 < 2, 3 > 2, "<b>")</script>', True),
        ("<script>if (a > b) document.write('<i>{}</i>')</script>", True),
        ("<!-- made in {} s -->", True),
        ('<a href="/x?visit={}">on</a>', True),
        ('<img alt="" src="/pixel.gif?{}">', True),
        ('<img alt="" src="/photo/{}.jpg">', False),
        ("<p>{} guests", False),
    ],
)
def test_digest_is_of_what_is_shown(piece: str, is_the_same: bool) -> None:
    one, two = (identity_of((prose(1) + piece.format(token)).encode(), URL) for token in ("4f2a", "9b1c"))
    assert (one.digest == two.digest, one.payload == two.payload) == (is_the_same, is_the_same)


@pytest.mark.parametrize("body", [b"", b"<", b">", b"<p>", b"<html><body></body></html>"])
def test_page_that_says_nothing_is_like_nothing(body: bytes) -> None:
    assert identity_of(body, URL)[1:3] == (None, None)


def test_page_that_says_next_to_nothing_has_an_even_payload() -> None:
    """Two names of it are one page; beside that it is a duplicate of none."""
    few, enough = (identity_of(body, URL).payload for body in (b"<p>one two three", b"<p>one two three four"))
    assert (few is not None and few & 1, enough is not None and enough & 1) == (0, 1)


def test_short_text_is_told_if_it_is_wanted() -> None:
    page = prose(1, 300).encode()
    told = identity_of(page, URL)
    assert told.short_text == text_of(page)
    assert identity_of(page, URL, wants_text=False) == told._replace(short_text=None)


def test_page_with_much_text_or_markup_has_no_short_text() -> None:
    markup = b"<br>" * 7_000
    assert identity_of(b"<p>" + b"x " * (LONGEST_KEPT // 2), URL).short_text is None
    assert identity_of(markup + b"here", URL).short_text is not None
    assert identity_of(2 * markup + b"here", URL).short_text is None


def test_titles_count_only_beside_much_text() -> None:
    page = b"<title>Sorry</title><p>" + b"nothing here " * 20
    assert b"sorry" not in (identity_of(page, URL).short_text or b"")
    assert b"sorry" in (identity_of(2 * page, URL).short_text or b"")


def sketch(page: str) -> bytes:
    found = sketch_of(shingles_of(words_of(text_of(page.encode()))))
    assert found is not None
    return found


def slow_words(page: str) -> list[str]:
    """The words of a page, by taking out its tags."""
    return re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL | re.IGNORECASE).lower().split()


def likeness(one: str, other: str) -> float:
    """The Jaccard similarity of two pages."""
    first, second = ({*zip(words, words[1:], words[2:], strict=False)} for words in map(slow_words, (one, other)))
    return len(first & second) / len(first | second)


@pytest.mark.parametrize(
    "page",
    [
        prose(1),
        "<p>One two</p>three<b>four</b> five",
        "<p>Ein Wort\nnoch  eins</p>\t<p>a</p>",
        f"<p>{'long' * 40}1 {'long' * 40}2 {'long' * 40}1</p>",
        "<script>var x = 1</script><p>One</p><STYLE>p { x }</STYLE><p>two</p>",
        "<p>Text that stands before a script<script>one(1 < 2)</script>and <b>behind</b><script></script> it",
    ],
)
def test_words_are_those_of_the_text(page: str) -> None:
    expected = slow_words(page)
    hashes = words_of(text_of(page.encode())).tolist()
    assert [hashes.index(word) for word in hashes] == [expected.index(word) for word in expected]


EDITS = {
    "another date": ("<body>", "<body><i>Friday, 20 November 2026</i>"),
    "other links": ("<p>", '<p><a href="/x?sid=4711"></a>'),
    "other classes and ids": ("<p>", '<p class="odd wide" id="n4711" data-x="1">'),
    "a script": ("<body>", f"<body><script>{'var x = 1, y = f(x) ; ' * 100}</script>"),
    "a style sheet": ("<body>", f"<body><style>{'.x p { margin : 0 } ' * 100}</style>"),
    "an advertisement": ("<body>", "<body><div>Buy two lamps for the price of one</div>"),
}


@pytest.mark.parametrize(("old", "new"), EDITS.values(), ids=EDITS.keys())
@pytest.mark.parametrize("words", [600, 1_500])
def test_same_page_with_small_changes_is_near(old: str, new: str, words: int) -> None:
    pages = [prose(number, words) for number in range(20)]
    assert max(distance(sketch(page), sketch(page.replace(old, new))) for page in pages) <= ALIKE


def test_pages_that_say_something_else_are_far() -> None:
    sketches = [sketch(prose(seed)) for seed in range(30)]
    assert min(distance(a, b) for k, a in enumerate(sketches) for b in sketches[:k]) > BITS / 4


@pytest.mark.parametrize("words", [60, 150, 600, 2_000])
@pytest.mark.parametrize("changed", [0.01, 0.03, 0.1, 0.3])
def test_estimate_is_that_of_the_whole_texts(words: int, changed: float) -> None:
    """Unbiased; for short pages it is as good as that many shingles allow."""
    rng = random.Random(words)
    errors = []
    for _ in range(60):
        page = [rng.choice(WORDS) + str(rng.randrange(50)) for _ in range(words)]
        other = [f"{word}x" if rng.random() < changed else word for word in page]
        one, two = (f"<p>{' '.join(text)}</p>" for text in (page, other))
        errors.append(alike(distance(sketch(one), sketch(two))) - likeness(one, two))
    assert abs(statistics.mean(errors)) < 0.02
    assert statistics.pstdev(errors) < 0.04 + 0.6 / np.sqrt(min(words, BITS))


def test_pages_whose_ends_differ_are_not_alike() -> None:
    """As of a manual, where most of a page of 40 kB is the list of all others."""
    menu = "".join(f"<li class='toctree-l1'><a href='/{number}/w'>{word}</a>" for number, word in enumerate(WORDS * 7))
    said = [prose(number, 300) for number in range(4)]
    one, other = (said[number] + menu + said[number + 1] for number in (0, 2))
    assert len(menu) > 1 << 15
    assert likeness(one, other) < 0.8
    assert distance(sketch(one), sketch(other)) > ALIKE


def test_long_page_is_told_by_its_middle() -> None:
    page = prose(1, 30_000).encode()
    middle = (len(page) - LONGEST) // 2
    assert identity_of(page, URL).sketch == identity_of(page[middle : middle + LONGEST], URL).sketch


@settings(max_examples=60)
@given(st.binary(max_size=300), st.integers(1, 300))
def test_any_bytes_will_do(body: bytes, times: int) -> None:
    found = identity_of(body * times, URL).sketch
    assert found is None or len(found) == BITS // 8


def test_few_words_have_no_sketch() -> None:
    words = "<p>" + " ".join(WORDS[: FEWEST_SHINGLES + 1])
    assert sketch_of(shingles_of(words_of(text_of(words.encode())))) is None
    assert sketch_of(shingles_of(words_of(text_of(f"{words} more".encode())))) is not None


def test_words_are_the_same_in_any_order_case_and_number() -> None:
    assert word_hashes(b"Not found: the page") == word_hashes(b"the PAGE, page not found")
    assert len(word_hashes(b"Not found: the page")) == 4
    assert word_hashes(b"page") != word_hashes(b"pages")
    assert word_hashes(b"a&nbsp;b") == word_hashes(b"a b")
    assert word_hashes("Müller".encode()) != word_hashes("Möller".encode())


def test_long_words_are_told_by_both_ends() -> None:
    assert word_hashes(b"abcdefgh" + b"x" * 20 + b"ijklmnop") == word_hashes(b"abcdefgh" + b"y" * 9 + b"ijklmnop")
    assert word_hashes(b"abcdefghxijklmnop") != word_hashes(b"abcdefgzxijklmnop")


def test_what_has_a_digit_is_but_counted() -> None:
    assert read_vocabulary(vocabulary(b"page 12 of 3 at 10:45 b2b")) == (word_hashes(b"page of at"), 5)


def test_vocabulary_tells_a_long_text_from_an_empty_one() -> None:
    assert vocabulary(None) == b"" != vocabulary(b"")
    assert read_vocabulary(vocabulary(b"")) == (frozenset(), 0)


def test_hashes_rise() -> None:
    _, *hashes = np.frombuffer(vocabulary(b"the quick brown fox jumps over the lazy dog"), np.uint32).tolist()
    assert hashes == sorted(set(hashes))
    assert len(hashes) == 8


def test_words_of_a_url_are_those_of_its_path_and_query() -> None:
    assert words_of_url("http://a.test/about%20us?lang=en") == word_hashes(b"about us lang en")
