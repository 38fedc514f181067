"""What has changed of a page, told from what is another at every fetch: on noise of eight kinds, from the start."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.page_changes import KINDS, noise_of, summed, verdicts

from minicrawl.crawler.html.page_text import MOST_BLOCKS, block_hashes
from minicrawl.crawler.recognise.changes import STEADY, Difference, compared, first_seen, unchanged

LONGEST_MEMORY = 4 * MOST_BLOCKS + 8


def found_by(fetches: Iterable[Iterable[str]]) -> list[Difference]:
    """What each fetch but the first shows."""
    pages = [block_hashes(blocks) for blocks in fetches]
    memory, found = first_seen(pages[0]), []
    for page in pages[1:]:
        found.append(compared(memory, page))
        memory = found[-1].memory
    return found


def content_of(rng: random.Random, blocks: int) -> list[str]:
    return [f"sentence {number} {rng.random()}" for number in range(blocks)]


FALSE_ALARMS = {"rotating list": 0.08, "ads or none": 0.05, "growing thread": 0.05, "latest ten": 0.06}
MISSED = {"growing thread": 0.3, "latest ten": 0.35}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rate", "fetches"), [(0.25, 12), (0.25, 50)])
def test_noise_is_no_change_and_an_edit_is_one(kind: str, rate: float, fetches: int) -> None:
    """Of noise that goes as it comes nothing is taken for a change, and no change for noise."""
    every = []
    for seed in range(40):
        rng = random.Random(f"{seed} {kind}")
        every.append(verdicts(content_of(rng, rng.randrange(5, 300)), kind, rate, fetches, rng))
    quiet, changed, false, missed = summed(every)
    assert false <= FALSE_ALARMS.get(kind, 0.005) * quiet
    assert missed <= MISSED.get(kind, 0.02) * changed


def test_of_a_page_without_noise_every_block_that_comes_or_goes_is_a_change() -> None:
    found = found_by(["abc", "abc", "abcd", "bcd", "bcd", "ebc", "ebc"])
    assert [(one.is_change, one.added, one.removed) for one in found] == [
        (False, 0, 0),
        (True, 1, 0),
        (True, 0, 1),
        (False, 0, 0),
        (True, 1, 1),
        (False, 0, 0),
    ]
    assert all(one.is_certain for one in found)


def test_that_a_page_differs_at_its_second_fetch_is_told_once_it_is_found_the_same() -> None:
    found = found_by(["abc", "abd", "abd", "abd"])
    assert [one.is_change for one in found] == [False, True, False]
    assert [one.is_certain for one in found] == [False, True, True]
    assert found[1].added == 1


def test_a_server_that_says_so_shows_that_a_page_is_quiet() -> None:
    memory = compared(first_seen(block_hashes("abc")), block_hashes("abd")).memory
    found = unchanged(memory)
    assert (found.is_change, found.added) == (True, 1)
    found = unchanged(found.memory)
    assert (found.is_change, found.differs, found.is_certain) == (False, False, True)
    assert compared(found.memory, block_hashes("xbd")).is_change


def test_of_a_noisy_page_an_edited_block_is_a_change_at_once_and_a_new_one_at_the_next_fetch() -> None:
    rng = random.Random(1)
    noise, content = noise_of("teasers", rng), content_of(rng, 20)
    steady = [content + noise() for _ in range(10)]
    edited = [[*content[:-1], "edited", *noise()] for _ in range(4)]
    assert [one.is_change for one in found_by(steady + edited)] == [False] * 9 + [True, False, False, False]
    longer = [[*content, "new", *noise()] for _ in range(4)]
    assert [one.is_change for one in found_by(steady + longer)] == [False] * 10 + [True, False, False]


def test_of_a_page_that_grows_at_every_fetch_only_what_goes_is_a_change_and_no_rate_is_found_by() -> None:
    pages = [
        [f"content {number}" for number in range(5)] + [f"comment {n}" for n in range(fetch)] for fetch in range(30)
    ]
    found = found_by(pages)
    assert not any(one.is_change for one in found)
    assert not any(one.is_certain for one in found[3:])
    cut = [blocks[1:] for blocks in pages[STEADY + 3 :]]
    assert [one.is_change for one in found_by(pages[: STEADY + 3] + cut)].count(True) == 1


def test_what_goes_and_comes_back_tells_nothing() -> None:
    weekdays = [["a", "b", "c", ["mon", "tue", "wed"][fetch % 3]] for fetch in range(20)]
    assert not any(one.is_change for one in found_by(weekdays))


def test_of_a_page_that_is_fetched_as_often_as_it_changes_nearly_all_changes_are_found_by() -> None:
    """It is the same at every third fetch, no less: noise is not."""
    quiet, changed, false, missed = summed(
        [verdicts(content_of(random.Random(seed), 50), "none", 1.0, 40, random.Random(seed)) for seed in range(20)]
    )
    assert false <= 0.01 * quiet
    assert missed <= 0.02 * changed


@given(st.lists(st.sets(st.sampled_from("abcdefghij"), min_size=1), min_size=1, max_size=30))
def test_nothing_has_changed_of_a_page_that_is_as_it_was_unless_it_is_told_late(pages: list[set[str]]) -> None:
    """A page that stays as it is from some fetch on is certain, and its change told once at most."""
    after = found_by([*pages, *[pages[-1]] * 12])[-12:]
    assert sum(one.is_change for one in after) <= 1
    assert not any(one.differs for one in after)
    assert not any(one.is_change for one in after[6:])


@given(st.binary(max_size=40).map(lambda raw: raw[: len(raw) // 4 * 4]), st.lists(st.binary(max_size=40), max_size=6))
def test_any_blocks_are_compared(first: bytes, others: list[bytes]) -> None:
    memory = first_seen(first)
    for other in others:
        found = compared(memory, other[: len(other) // 4 * 4])
        memory = unchanged(found.memory).memory
        assert found.is_change == bool(found.added or found.removed)


def test_memory_is_bounded_and_of_a_long_page_the_blocks_beyond_are_no_change() -> None:
    content = [f"block {number}" for number in range(2 * MOST_BLOCKS)]
    memory = first_seen(block_hashes(content))
    assert compared(memory, block_hashes(content)).is_change is False
    rng = random.Random(0)
    for _ in range(60):
        memory = compared(memory, block_hashes([f"{rng.random()}" for _ in range(200)])).memory
        assert len(memory) <= LONGEST_MEMORY
