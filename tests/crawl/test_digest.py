"""What a page can be told by: its bytes, what it says, and what most of it is like."""

import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prose import WORDS, prose

from minicrawl.crawl.digest import FEWEST_ALIKE, MOST_BYTES, distance, features_of, identity_of, simhash_of

URL = "http://a.test/p"


def simhash(page: str) -> int:
    found = identity_of(page.encode(), URL).simhash
    assert found is not None
    return found


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
    distances = [
        distance(simhash(page), simhash(page.replace(old, new))) for page in (prose(k, words) for k in range(20))
    ]
    assert sorted(distances)[15] <= 3


def test_bits_that_a_changed_word_moves_are_few() -> None:
    page = prose(1, 600)
    moved = [distance(simhash(page), simhash(page.replace(f" {word} ", " never ", 1))) for word in WORDS]
    assert sum(moved) / len(moved) < 2


def test_pages_that_say_something_else_are_far() -> None:
    hashes = [simhash(prose(seed)) for seed in range(30)]
    assert min(distance(a, b) for k, a in enumerate(hashes) for b in hashes[:k]) > 6


def test_pages_of_one_template_are_told_apart_by_their_titles() -> None:
    shared = prose(1)
    hashes = [simhash(shared.replace("One title", f"{word} {word[::-1]}")) for word in WORDS[:30]]
    assert sum(distance(a, b) > 3 for k, a in enumerate(hashes) for b in hashes[:k]) > 0.95 * 30 * 29 / 2


def test_bytes_link_targets_and_site_are_told_apart_as_they_should_be() -> None:
    page = prose(1).replace("<p>", "<p><a href='/x'>more</a>").encode()
    other_links = page.replace(b"/x", b"/y")
    one, two, elsewhere = (
        identity_of(page, URL),
        identity_of(other_links, URL),
        identity_of(page, "http://b.test/other"),
    )
    assert one.digest == two.digest != elsewhere.digest
    assert one.payload == elsewhere.payload != two.payload
    assert one.simhash == two.simhash == elsewhere.simhash


def test_names_that_differ_at_their_end_are_told_apart() -> None:
    names = [f"package.module.Class{word.title()}" for word in WORDS]
    page = "".join(f"<li>\n  {name}\n</li>" for name in names)
    assert len(features_of(page.encode())[0]) == len(WORDS)


@pytest.mark.parametrize("element", ["script", "SCRIPT", "style"])
def test_scripts_and_style_sheets_say_nothing(element: str) -> None:
    page = f"<p>One two three</p><{element} type='x'>var x = 1, y = 2</{element}>"
    assert len(features_of(page.encode())[0]) == 3


def test_features_are_those_of_taking_the_text_apart_word_by_word() -> None:
    said = ["Some  words,\nand a-rather-long-one", "all"]
    page = "<b> \n</b><i>of</i>" + "".join(f"<p>\n {piece}</p>" for piece in said * 2)  # "of" is too short
    expected = set()
    for piece in said:
        padded = "\0" * 8 + piece + "\0" * 8
        for word in re.finditer(r"\S+", padded.replace("\0", " ")):
            expected.add(padded[word.start() : word.start() + 8] + padded[word.end() - 8 : word.end()])
    hashes = {int(feature) for feature in features_of(page.encode())[0]}
    assert hashes == {mixed(feature.encode()) for feature in expected}


def mixed(feature: bytes) -> int:
    low, high = (int.from_bytes(half, "little") for half in (feature[:8], feature[8:]))
    found = (low * 0x9E3779B97F4A7C15 ^ high * 0xC2B2AE3D27D4EB4F) % 2**64
    found = (found ^ found >> 32) * 0xD6E8FEB86659FD93 % 2**64
    return found ^ found >> 32


def test_simhash_is_the_vote_bit_by_bit() -> None:
    rng = random.Random(1)
    features, title = ([rng.getrandbits(64) for _ in range(count)] for count in (90, 4))
    found = simhash_of(np.array(features, dtype=np.uint64), np.array(title, dtype=np.uint64))
    votes = features + title * 3  # sqrt(0.4 * 90 / 4)
    ones = sum(2 * sum(vote >> bit & 1 for vote in votes) > len(votes) for bit in range(64))
    assert (found % 2**64).bit_count() == ones


@pytest.mark.parametrize("body", [b"", b"<", b">", b"<p>", b"<html><body></body></html>", b"no markup at all " * 500])
def test_page_that_says_nothing_is_like_nothing(body: bytes) -> None:
    assert identity_of(body, URL)[1:3] == (None, None)


def test_page_that_says_little_has_no_simhash() -> None:
    found = identity_of(b"<title>Sorry</title><h1>Sorry</h1><p>There is no such page here</p>", URL)
    assert found.payload is not None
    assert found.simhash is None


@settings(max_examples=40)
@given(st.binary(max_size=300), st.integers(1, 300))
def test_any_bytes_will_do(body: bytes, times: int) -> None:
    identity_of(body * times, URL)
    assert identity_of(body * times, URL) == identity_of(bytes(bytearray(body * times)), URL)


def test_long_page_costs_no_more_than_its_middle() -> None:
    page = prose(1, 30_000).encode()
    middle = (len(page) - MOST_BYTES) // 2
    assert features_of(page)[0].tolist() == features_of(page[middle : middle + MOST_BYTES])[0].tolist()


def test_what_is_said_twice_counts_once() -> None:
    features, _ = features_of(prose(1).encode())
    twice, _ = features_of(prose(1).encode() * 2)
    assert len(features) >= FEWEST_ALIKE
    assert set(features.tolist()) - set(twice.tolist()) == set()
    assert len(twice) <= len(features) + 2
    assert simhash_of(features, features[:0]) == simhash_of(features.copy(), features[:0])
