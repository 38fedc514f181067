"""Changes of whole pages, amid noise: told at once, and by what they are."""

import random
from collections import Counter
from collections.abc import Iterable, Mapping

import pytest
from support.changing_web import CHANGES, NOISES, ChangingPage

from minicrawl.crawler.html.parse import parse_html
from minicrawl.crawler.recognise.changes import compared, first_seen, unchanged
from minicrawl.model import Wanted, Watch
from minicrawl.store.texts.repeated_blocks import RepeatedBlocks

FETCHES, LEARNING = 12, 2
"""Fetches of a page, and those before its first change."""


def told(
    noises: Iterable[set[str]],
    *,
    has_validators: bool = False,
    watch: tuple[Watch, ...] = (),
    kinds: Mapping[str, str] = CHANGES,
) -> Counter[str]:
    """Counts of fetches with and without a change, of changes by kind, of those missed, and of false alarms.

    A change is missed that is not told at the next fetch, and by what it is; the alarm that comes later is not false.
    """
    rng, picture, counts = random.Random(1), RepeatedBlocks(), Counter[str]()
    posts = list(range(10))
    pages = [ChangingPage(number, random.Random(number), noise, posts) for number, noise in enumerate(noises)]
    memories, open_changes = dict[int, bytes](), dict[int, int]()
    wanted = Wanted(places=True, blocks=True, watch=watch)
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
            found = compared(
                memories[number], blocks, says_changed=has_validators, pages=picture.pages, is_watched=bool(watch)
            )
            memories[number] = found.memory
            is_told = kinds.get(what or "") in found.kinds
            counts["changed" if what else "still"] += 1
            counts[what or "none"] += 1
            counts["missed"] += what is not None and not is_told
            counts["false"] += (what is None or what not in kinds) and found.is_change and number not in open_changes
            if what is not None and not is_told:
                open_changes[number] = fetch
            elif found.is_change:
                open_changes.pop(number, None)
    return counts


@pytest.mark.parametrize(
    "noises",
    [[set[str]()] * 200, [{NOISES[page % 6]} for page in range(200)], [set(NOISES)] * 200],
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


@pytest.mark.parametrize(
    ("what", "kinds"),
    [
        ("css:link[rel=canonical]::attr(href)", {"canonical": "watch"}),
        ("css:h1", {}),
        ("price,title", {"price": "price", "title": "title"}),
    ],
)
def test_of_a_watched_page_all_that_is_watched_counts_and_nothing_else(what: str, kinds: dict[str, str]) -> None:
    counts = told([set(NOISES)] * 60, watch=(Watch("/page/[0-9]+$", what),), kinds=kinds)
    assert counts["changed"] - counts["missed"] == sum(counts[kind] for kind in kinds)
    assert counts["false"] == 0
