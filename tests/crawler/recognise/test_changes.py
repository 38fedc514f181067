"""What has changed of a page, told from what is another at every fetch: on noise of six kinds."""

import random
from collections.abc import Callable

import pytest

from minicrawl.crawler.html.blocks import MOST, hashes_of
from minicrawl.crawler.recognise.changes import SETTLED, compared, first_seen

Noise = Callable[[], list[str]]
LEARNING = 15
"""Fetches in which a page's noise is learned: what they take for changes is not counted."""


def noise_of(kind: str, rng: random.Random) -> Noise:
    """Blocks that differ at every fetch; of all kinds but the first three their number differs, too."""
    pool = [f"teaser {rng.random()}" for _ in range(rng.choice([8, 15, 30, 60]))]
    views = [1000]

    def counter() -> list[str]:
        views[0] += rng.randrange(1, 30)
        return [f"{views[0]} views"]

    kinds: dict[str, Noise] = {
        "nonce": lambda: [f"token {rng.random()}"],
        "date": lambda: [f"as of {rng.random()}"],
        "counter": counter,
        "ads": lambda: [f"ad {rng.random()}" for _ in range(rng.randrange(4))],
        "rotating": lambda: rng.sample(pool, rng.randrange(3, min(8, len(pool)))),
        "comments": lambda: [f"comment {rng.random()}" for _ in range(rng.randrange(1, 9))],
    }
    return kinds[kind]


@pytest.mark.parametrize("kind", ["nonce", "date", "counter", "ads", "rotating", "comments"])
def test_noise_is_no_change_and_an_edited_sentence_is_one(kind: str) -> None:
    quiet = false = edits = missed = 0
    for seed in range(30):
        rng = random.Random(seed)
        noise = noise_of(kind, rng)
        content = [f"sentence {number} {rng.random()}" for number in range(rng.randrange(5, 300))]
        memory, edited_at = first_seen(hashes_of(content + noise())), 0
        for fetch in range(50):
            is_edited = fetch > LEARNING and rng.random() < 0.05
            if is_edited:
                content[rng.randrange(len(content))] += f" And {rng.random()}."
            found = compared(memory, hashes_of(content + noise()))
            memory = found.memory
            if is_edited:
                edits, missed, edited_at = edits + 1, missed + (not found.is_change), fetch
            elif fetch > LEARNING and fetch - edited_at > SETTLED:
                quiet, false = quiet + 1, false + found.is_change
    assert (edits > 30, quiet > 500) == (True, True)
    assert false <= 0.01 * quiet
    assert missed <= 0.02 * edits


def test_of_a_page_without_noise_every_block_that_comes_or_goes_is_a_change() -> None:
    memory = first_seen(hashes_of(["a", "b", "c"]))
    for blocks, added, removed in (("abc", 0, 0), ("abcd", 1, 0), ("bcd", 0, 1), ("bcd", 0, 0)):
        found = compared(memory, hashes_of(blocks))
        memory = found.memory
        assert (found.is_change, found.added, found.removed) == (bool(added or removed), added, removed)


def test_of_a_noisy_page_a_new_paragraph_is_a_change_once_it_has_stayed() -> None:
    rng = random.Random(1)
    noise, content = noise_of("ads", rng), [f"sentence {number}" for number in range(20)]
    memory = first_seen(hashes_of(content + noise()))
    for _ in range(20):
        memory = compared(memory, hashes_of(content + noise())).memory
    content.append("A new paragraph.")
    changed = []
    for _ in range(SETTLED + 4):
        found = compared(memory, hashes_of(content + noise()))
        memory = found.memory
        changed.append(found.is_change)
    assert changed.count(True) == 1
    assert changed.index(True) == SETTLED - 1


def test_memory_is_bounded_and_of_a_long_page_the_blocks_beyond_are_no_change() -> None:
    content = [f"block {number}" for number in range(2 * MOST)]
    memory = first_seen(hashes_of(content))
    assert compared(memory, hashes_of(content)).is_change is False
    rng = random.Random(0)
    for _ in range(60):
        memory = compared(memory, hashes_of([f"{rng.random()}" for _ in range(200)])).memory
        assert len(memory) <= 4 * MOST
