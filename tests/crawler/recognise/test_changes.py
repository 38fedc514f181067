"""Changes of a page told from what is another at every answer: of whole pages, by hashes of their lines."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.changing_web import CHANGES, NOISES, ChangingPage

from minicrawl.crawler.recognise.changes import Difference, difference, note
from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.model import KINDS, Wanted
from minicrawl.store.texts.repeated_blocks import RepeatedBlocks
from minicrawl.web.compare import hashes
from minicrawl.web.compare.comparing import Memory, compare
from minicrawl.web.compare.view import Entry, View, shape

NOON = 1_795_000_000.0
FETCHES, LEARNING = 12, 2
"""Fetches of a page, and those before its first change."""
HASHES = Wanted(hashes=True, short_text=False)


def view(*lines: str, at: float = NOON, kind: str = "text") -> View:
    return View(at, "", 200, entries=tuple(Entry(kind, line, line) for line in lines))


def found_by(*answers: Sequence[str], kept: Sequence[str], memory: bytes = b"") -> Difference | None:
    """The difference of pages of lines."""
    return difference(
        hashes.pack(view(*kept)), memory, [hashes.pack(view(*lines)) for lines in answers], RepeatedBlocks()
    )


def told(noises: Iterable[set[str]]) -> Counter[str]:
    """Counts of fetches with and without a change, of changes by kind, of those missed, of false alarms, and of answers
    beyond the first of pages that have not changed. A change is missed that is not told at the next fetch by its kind.
    """
    rng, picture, counts = random.Random(1), RepeatedBlocks(), Counter[str]()
    posts = list(range(10))
    pages = [ChangingPage(number, random.Random(number), noise, posts) for number, noise in enumerate(noises)]
    kept, memories = dict[int, bytes](), dict[int, bytes]()
    for fetch in range(FETCHES):
        posts.append(10 + fetch)
        for number, page in enumerate(pages):
            what = rng.choice(list(CHANGES)) if fetch >= LEARNING and rng.random() < 0.15 else None
            if what is not None:
                page.change(what)
            answers, found = list[bytes](), None
            while found is None:
                parsed, _ = read_page(page.html(), f"http://a.test/page/{number}", None, HASHES)
                answers.append(parsed.hashes)
                note(picture, number, b"", answers[-1], memories.get(number, b""))
                known = kept.get(number, answers[-1])
                found = difference(known, memories.get(number, b""), answers, picture)
            kept[number], memories[number] = found.hashes, found.memory
            is_told = CHANGES.get(what or "") in found.kinds
            counts["changed" if what else "still"] += fetch > 0
            counts[what or "none"] += 1
            counts["missed"] += what is not None and not is_told
            counts["false"] += what is None and found.is_change
            counts["more"] += (what is None and fetch > LEARNING) * (len(answers) - 1)
    return counts


@pytest.mark.slow
@pytest.mark.parametrize(
    "noises",
    [[set[str]()] * 80, [{NOISES[page % len(NOISES)]} for page in range(80)], [set(NOISES)] * 80],
    ids=["none", "one each", "all"],
)
def test_changes_are_told_at_once_by_their_kind_and_noise_is_none(noises: list[set[str]]) -> None:
    counts = told(noises)
    assert min(counts[what] for what in CHANGES) > 1
    posts = FETCHES - 1 if "latest" in noises[-1] | noises[5] else 0  # each is new on three pages, then the host's
    assert counts["missed"] <= 0.01 * counts["changed"]
    assert counts["false"] <= 3 * posts + 0.005 * counts["still"]
    assert counts["more"] <= 0.1 * counts["still"]


def test_a_page_that_is_as_it_was_needs_one_answer_and_another_one_until_three_agree() -> None:
    page, new = ["one", "two", "three", "four"], ["one", "new", "three", "four"]
    same = found_by(page, kept=page)
    assert same is not None
    assert (same.is_change, same.differs) == (False, False)
    assert found_by(new, kept=page) is found_by(new, new, kept=page) is None
    changed = found_by(new, new, new, kept=page)
    assert changed is not None
    assert (changed.is_change, changed.kinds, changed.added, changed.removed) == (True, ("text",), 1, 1)
    assert changed.hashes == hashes.pack(view(*new))


def test_what_differs_between_the_answers_is_noise_and_is_known_the_next_time() -> None:
    def page(seen: int) -> list[str]:
        return ["one", f"seen by {seen} people", "three", "four"]

    noise = found_by(page(2), page(3), kept=page(1))
    assert noise is not None
    assert (noise.is_change, noise.is_certain, noise.differs) == (False, True, True)
    again = found_by(page(9), kept=page(1), memory=noise.memory)
    assert again is not None
    assert not again.is_change
    assert found_by(["one", "seen by nobody", "three", "four"], kept=page(1), memory=b"") is None


def test_noise_of_two_pages_of_a_host_is_noise_of_all() -> None:
    def page(number: int, seen: int) -> bytes:
        return hashes.pack(view(f"page {number}", "one", f"seen by {seen} people", "three", "four"))

    picture = RepeatedBlocks()
    for number in range(2):
        found = difference(page(number, 1), b"", [page(number, 2), page(number, 3)], picture)
        assert found is not None
        assert difference(page(9, 1), b"", [page(9, 2)], picture) is None
        note(picture, number, b"", found.hashes, found.memory)
    shared = difference(page(9, 1), b"", [page(9, 2)], picture)
    assert shared is not None
    assert not shared.is_change


def test_another_page_in_its_place_is_told_once_and_the_page_is_known_when_it_comes_back() -> None:
    page, wall = [f"line {chr(97 + at)}" for at in range(8)], ["Please log in", "Name", "Password"]
    first = found_by(wall, wall, wall, kept=page)
    assert first is not None
    assert (first.is_change, first.hashes) == (True, hashes.pack(view(*page)))
    back = found_by(page, page, page, kept=page, memory=first.memory)
    assert back is not None
    still = found_by(wall, wall, wall, kept=page, memory=first.memory)
    assert still is not None
    assert (still.is_change, still.hashes) == (False, hashes.pack(view(*wall)))


def test_the_day_and_the_time_of_the_answer_are_no_change_but_another_date_is() -> None:
    def page(day: str, at: float) -> bytes:
        return hashes.pack(view("one", "two", f"Today is {day}", "four", at=at))

    day = 86_400.0
    today = page("2026-11-18", NOON)
    tomorrow = difference(today, b"", [page("2026-11-19", NOON + day)], RepeatedBlocks())
    assert tomorrow is not None
    assert not tomorrow.is_change
    assert difference(today, b"", [page("2027-01-01", NOON + day)], RepeatedBlocks()) is None


def test_what_a_host_has_on_four_pages_is_no_change() -> None:
    picture = RepeatedBlocks()
    page = ["one", "two", "three", "four"]
    with_banner = hashes.pack(view("Free shipping", *page))
    for number, is_told in enumerate([True, True, True, False, False]):
        note(picture, number, b"", with_banner, b"")
        found = difference(hashes.pack(view(*page)), b"", [with_banner] * 3, picture)
        assert found is not None
        assert (found.is_change, found.is_frame, found.hashes) == (is_told, not is_told, with_banner)


def test_a_banner_that_comes_or_goes_on_all_pages_is_a_change_of_the_first_three_alone() -> None:
    picture, changed = RepeatedBlocks(), []
    kept = [hashes.pack(view("menu", "one", "two", f"text {page}")) for page in range(30)]
    for banner in ([], ["banner"], ["banner"], ["another"], []):
        for page, before in enumerate(kept):
            now = hashes.pack(view("menu", *banner, "one", "two", f"text {page}"))
            note(picture, page, b"", now, b"")
            found = difference(before, b"", [now] * 3, picture)
            assert found is not None
            kept[page] = found.hashes
            changed += [page] * found.is_change
    assert changed == [0, 1, 2, 0, 1, 2]


LINES = st.lists(st.text("ab 019.,", min_size=1, max_size=9), max_size=9, unique=True)


@given(LINES)
def test_lines_of_one_shape_have_hashes_of_one_shape_and_go_there_and_back(lines: list[str]) -> None:
    packed = hashes.pack(view(*lines))
    (made,) = hashes.views([packed])
    assert hashes.repack(made, packed[0]) == packed
    shapes = {shape(line) for line in lines}
    assert len({shape(entry.key) for entry in made.entries}) <= len(shapes)


@given(LINES, st.lists(LINES, min_size=1, max_size=3))
def test_hashes_have_the_verdict_that_their_lines_have(kept: list[str], answers: list[list[str]]) -> None:
    of_lines = compare(view(*kept), [view(*lines) for lines in answers], Memory(), check=None)
    stored, *views = hashes.views([hashes.pack(view(*lines)) for lines in (kept, *answers)])
    of_hashes = compare(stored, views, Memory(), check=None)
    assert (of_hashes.what, of_hashes.asks) == (of_lines.what, of_lines.asks)
    assert len(of_hashes.added) == len(of_lines.added)


def test_of_a_long_page_a_part_of_the_lines_is_kept_and_no_change_is_seen_as_it_grows() -> None:
    lines = [f"line {at} of words" for at in range(hashes.MOST + 300)]
    short, long = hashes.pack(view(*lines[: hashes.MOST - 10])), hashes.pack(view(*lines))
    assert max(len(short), len(long)) <= 4 * hashes.MOST + 1
    of_short, of_long = hashes.views([short, long])
    assert [entry.key for entry in of_short.entries] == [entry.key for entry in of_long.entries][
        : len(of_short.entries)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_number(kind: str) -> None:
    (made,) = hashes.views([hashes.pack(view("49.00 EUR", kind=kind))])
    assert [entry.kind for entry in made.entries] == [kind]
