"""Changes of a page told from what is another at every fetch: of blocks with noise of ten kinds, and of whole pages."""

import random
from collections import Counter
from collections.abc import Iterable
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.changing_web import CHANGES, NOISES, ChangingPage
from support.page_changes import KINDS, Life, summed, verdicts

from minicrawl.crawler.recognise.changes import Difference, compared, first_seen, noted, unchanged
from minicrawl.model import Wanted
from minicrawl.store.texts.repeated_blocks import RepeatedBlocks
from minicrawl.web.html.parse import parse_html
from minicrawl.web.html.tree import MOST_BLOCKS, block_hashes, block_ids

LONGEST_MEMORY = 4 * MOST_BLOCKS + 4


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


def shares(life: Life, fetches: int = 40, pages: int = 40, blocks: tuple[int, int] = (5, 300)) -> tuple[float, float]:
    """Shares of false alarms and of missed changes."""
    every = []
    for seed in range(pages):
        rng = random.Random(f"{seed} {life.kind}")
        every.append(verdicts(content_of(rng, rng.randrange(*blocks)), life, fetches, rng))
    unchanged, changed, false, missed = summed(every)
    return false / max(unchanged, 1), missed / max(changed, 1)


@pytest.mark.parametrize(("kind", "not_modified"), list(zip(KINDS, cycle([0.0, 0.4]), strict=False)))
def test_noise_is_no_change_and_an_edit_is_one_with_answers_304_or_without(kind: str, not_modified: float) -> None:
    false, missed = shares(Life(kind, 0.25, not_modified))
    assert false <= (0.012 if kind in ("rotating list", "resting counter") else 0.01)
    assert missed <= 0.01


@pytest.mark.parametrize("kind", ["none", "ads", "rotating list", "growing thread"])
@pytest.mark.parametrize(("rate", "blocks"), [(0.9, 3), (3.0, 100)])
def test_a_page_that_changes_at_most_fetches_keeps_its_changes(kind: str, rate: float, blocks: int) -> None:
    false, missed = shares(Life(kind, rate), pages=20, blocks=(blocks, blocks + 1))
    assert false <= 0.03
    assert missed <= 0.02


@pytest.mark.slow
def test_changes_of_one_place_are_told_from_noise_up_to_two_of_three_fetches() -> None:
    assert max(shares(Life(kind, 1.0, in_one_place=True))[1] for kind in ("none", "ads")) <= 0.05


def test_of_a_page_without_noise_every_block_that_comes_or_goes_is_a_change() -> None:
    found = found_by(["abc", "abc", "abcd", "bcd", "bcd", "ebc", "ebc"])
    assert [(one.added, one.removed) for one in found] == [(0, 0), (1, 0), (0, 1), (0, 0), (1, 1), (0, 0)]
    assert all(one.is_certain for one in found)


def test_comments_are_no_change_and_leave_the_rate_open_but_what_else_changes_is_one() -> None:
    pages = [
        [f"content {number}" for number in range(5)] + [f"comment {n}" for n in range(fetch)] for fetch in range(30)
    ]
    found = found_by(pages)
    assert not any(one.is_change or one.is_certain for one in found)
    cut = [blocks[1:] for blocks in pages[15:]]
    assert [one.is_change for one in found_by(pages[:15] + cut)].count(True) == 1


def test_other_validators_tell_a_change_from_noise_on_a_page_that_was_answered_304() -> None:
    price = [block_hashes(["a", f"{number}", "b"]) for number in [*range(15), *range(15)]]
    for is_answered_304 in (True, False):
        memory, found = first_seen(price[0]), []
        for page in price[1:]:
            if is_answered_304:
                memory = unchanged(memory).memory
            found.append(compared(memory, page, says_changed=True))
            memory = found[-1].memory
        assert [one.is_change for one in found] == [is_answered_304] * 29
    assert not compared(unchanged(memory).memory, price[-1], says_changed=True).is_change


def test_blocks_that_the_host_repeats_are_no_change_and_those_that_it_may_repeat_wait_a_fetch() -> None:
    def changes(pages_of_x: list[int]) -> list[int]:
        """Blocks added and removed, by the number of pages that x is known to stand on at each fetch."""
        memory, found = first_seen(block_hashes("abc")), []
        x = block_ids(block_hashes("x"))[0]
        for page, count in zip(("abc", "abxc", "abxc", "abxc", "abc"), [0, *pages_of_x], strict=True):
            one = compared(memory, block_hashes(page), pages=lambda block: count * (block == x))  # noqa: B023
            found.append(one.added + one.removed)
            memory = one.memory
        return found

    assert changes([1, 1, 1, 1]) == [0, 1, 0, 0, 1]
    assert changes([2, 2, 2, 2]) == [0, 0, 1, 0, 0]
    assert changes([2, 4, 4, 4]) == [0, 0, 0, 0, 0]
    assert changes([4, 4, 4, 4]) == [0, 0, 0, 0, 0]


@given(st.binary(max_size=40), st.lists(st.binary(max_size=40), max_size=6))
def test_any_blocks_are_compared(first: bytes, others: list[bytes]) -> None:
    memory = first_seen(first[: len(first) // 4 * 4])
    for other in others:
        found = compared(memory, other[: len(other) // 4 * 4])
        memory = unchanged(found.memory).memory
        assert found.is_change == bool(found.added or found.removed) == bool(found.kinds)


def test_memory_is_bounded_and_of_a_long_page_the_blocks_beyond_are_no_change() -> None:
    content = [f"block {number}" for number in range(2 * MOST_BLOCKS)]
    memory = first_seen(block_hashes(content))
    assert compared(memory, block_hashes(content)).is_change is False
    for fetch in range(60):
        memory = compared(memory, block_hashes([f"{fetch} {number}" for number in range(200)])).memory
        assert len(memory) <= LONGEST_MEMORY


FETCHES, LEARNING = 12, 2
"""Fetches of a page, and those before its first change."""


def told(noises: Iterable[set[str]], *, has_validators: bool = False) -> Counter[str]:
    """Counts of fetches with and without a change, of changes by kind, of those missed, and of false alarms.

    A change is missed that is not told at the next fetch, and by what it is; the alarm that comes later is not false.
    """
    rng, picture, counts = random.Random(1), RepeatedBlocks(), Counter[str]()
    posts = list(range(10))
    pages = [ChangingPage(number, random.Random(number), noise, posts) for number, noise in enumerate(noises)]
    memories, open_changes = dict[int, bytes](), dict[int, int]()
    wanted = Wanted(places=True, blocks=True)
    for fetch in range(FETCHES):
        posts.append(10 + fetch)
        for number, page in enumerate(pages):
            what = rng.choice(list(CHANGES)) if fetch >= LEARNING and rng.random() < 0.15 else None
            if what is not None:
                page.change(what)
            elif has_validators and number in memories:
                memories[number] = unchanged(memories[number]).memory
                counts["still"] += 1
                continue
            blocks = parse_html(page.html(), f"http://a.test/page/{number}", None, wanted).blocks
            picture.note(number, blocks)
            if number not in memories:
                memories[number] = first_seen(blocks)
                continue
            found = compared(memories[number], blocks, says_changed=has_validators, pages=picture.pages)
            memories[number] = found.memory
            is_told = CHANGES.get(what or "") in found.kinds
            counts["changed" if what else "still"] += 1
            counts[what or "none"] += 1
            counts["missed"] += what is not None and not is_told
            counts["false"] += what is None and found.is_change and number not in open_changes
            if what is not None and not is_told:
                open_changes[number] = fetch
            elif found.is_change:
                open_changes.pop(number, None)
    return counts


@pytest.mark.parametrize(
    "noises",
    [[set[str]()] * 200, [{NOISES[page % len(NOISES)]} for page in range(200)], [set(NOISES)] * 200],
    ids=["none", "one each", "all"],
)
def test_without_validators_changes_are_told_at_once_by_their_kind_and_noise_is_none(noises: list[set[str]]) -> None:
    counts = told(noises)
    assert min(counts[what] for what in CHANGES) > 5
    assert counts["missed"] <= 0.05 * counts["changed"]
    assert counts["false"] <= 0.01 * counts["still"]


def test_with_validators_no_change_is_missed() -> None:
    counts = told([set(NOISES)] * 100, has_validators=True)
    assert counts["missed"] <= 0.02 * counts["changed"]
    assert counts["false"] == 0


def test_lines_that_differ_in_numbers_alone_on_three_pages_and_a_third_of_those_that_have_them_are_counters() -> None:
    picture = RepeatedBlocks()
    for page in range(30):
        lines = [[f"{page + add:,} views", f"Chapter {page + add * (page % 5 == 0)}", "prose"] for add in (0, 9_999)]
        before, now = map(block_hashes, lines)
        assert noted(picture, page, now, before) == set(block_ids(now)[:1] if page > 1 else ())
        picture = RepeatedBlocks(picture.packed())
