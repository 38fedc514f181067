"""The words of a page, whatever their order."""

import numpy as np

from minicrawl.crawler.html.words import MOST_BYTES, hashes_of, unpacked, vocabulary, words_of_url


def test_words_are_the_same_in_any_order_case_and_number() -> None:
    assert hashes_of(b"Not found: the page") == hashes_of(b"the PAGE, page not found")
    assert len(hashes_of(b"Not found: the page")) == 4
    assert hashes_of(b"page") != hashes_of(b"pages")
    assert hashes_of(b"a&nbsp;b") == hashes_of(b"a b")
    assert hashes_of("Müller".encode()) != hashes_of("Möller".encode())


def test_long_words_are_told_by_both_ends() -> None:
    assert hashes_of(b"abcdefgh" + b"x" * 20 + b"ijklmnop") == hashes_of(b"abcdefgh" + b"y" * 9 + b"ijklmnop")
    assert hashes_of(b"abcdefghxijklmnop") != hashes_of(b"abcdefgzxijklmnop")


def test_what_has_a_digit_is_but_counted() -> None:
    found = unpacked(vocabulary(b"page 12 of 3 at 10:45 b2b"))
    assert found.words == hashes_of(b"page of at")
    assert found.numbers == 5
    assert not found.is_long


def test_page_that_says_too_much_is_not_kept() -> None:
    assert vocabulary(b"x " * MOST_BYTES) == b""
    assert unpacked(b"").is_long
    empty = unpacked(vocabulary(b""))
    assert (empty.words, empty.numbers, empty.is_long) == (frozenset(), 0, False)


def test_hashes_rise() -> None:
    _, *hashes = np.frombuffer(vocabulary(b"the quick brown fox jumps over the lazy dog"), np.uint32).tolist()
    assert hashes == sorted(set(hashes))
    assert len(hashes) == 8


def test_words_of_a_url_are_those_of_its_path_and_query() -> None:
    assert words_of_url("http://a.test/about%20us?lang=en") == hashes_of(b"about us lang en")
