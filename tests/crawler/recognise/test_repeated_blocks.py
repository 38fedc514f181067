"""Blocks that stand on several pages of a host, beside a slow count of pages."""

import random
from collections import defaultdict
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.html.page_text import ID_SHIFT, block_hashes, block_ids, packed_numbers
from minicrawl.crawler.recognise.changes import blocks_of, compared, first_seen
from minicrawl.crawler.recognise.repeated_blocks import MOST_HOSTS, PLACES, HostPictures, RepeatedBlocks


def packed(ids: Iterable[int]) -> bytes:
    return packed_numbers([block << ID_SHIFT for block in ids])


@given(st.lists(st.tuples(st.integers(0, 40), st.sets(st.integers(0, 30))), max_size=60))
def test_blocks_with_a_place_each_are_counted_by_their_pages(fetches: list[tuple[int, set[int]]]) -> None:
    picture, pages = RepeatedBlocks(), defaultdict(set)
    for page, blocks in fetches:
        picture.note(page, packed(blocks))
        for block in blocks:
            pages[block].add(page % 10)
    assert [picture.pages(block) for block in range(31)] == [len(pages[block]) for block in range(31)]


@given(st.lists(st.tuples(st.integers(0, 40), st.sets(st.integers(0, 9).map(lambda n: n * PLACES))), max_size=60))
def test_of_blocks_with_one_place_none_is_taken_for_another(fetches: list[tuple[int, set[int]]]) -> None:
    picture, pages = RepeatedBlocks(), defaultdict(set)
    for page, blocks in fetches:
        picture.note(page, packed(blocks))
        for block in blocks:
            pages[block].add(page % 10)
    known = {block: picture.pages(block) for block in pages}
    assert all(count <= len(pages[block]) for block, count in known.items())
    assert sum(count > 0 for count in known.values()) <= 1


def test_what_many_pages_repeat_is_known_among_much_that_they_do_not_and_forgotten_later() -> None:
    rng = random.Random(1)
    picture = RepeatedBlocks()
    repeated = rng.sample(range(1 << 22), 40)

    def note(first: int, last: int, some: list[int]) -> None:
        for page in range(first, last):
            picture.note(page, packed({*some, *(rng.randrange(1 << 22) for _ in range(250))}))

    note(0, 200, repeated)
    assert sum(map(picture.repeats, repeated)) >= 36
    assert sum(map(picture.repeats, rng.sample(range(1 << 22), 20_000))) == 0
    note(200, 800, [])
    assert sum(map(picture.repeats, repeated)) <= 4


def test_a_banner_that_comes_or_goes_on_all_pages_is_a_change_of_the_first_alone() -> None:
    picture, changed = RepeatedBlocks(), []
    memories = [first_seen(block_hashes(["menu", f"text {page}"])) for page in range(30)]
    for banner in ([], ["banner"], ["banner"], ["another"], []):
        for page, memory in enumerate(memories):
            blocks = block_hashes(["menu", *banner, f"text {page}"])
            picture.note(page, blocks_of(memory) + blocks)
            found = compared(memory, blocks, pages=picture.pages)
            memories[page] = found.memory
            changed += [page] * found.is_change
    assert changed == [0, 0]
    assert picture.repeats(block_ids(block_hashes(["menu"]))[0])


def test_pictures_are_loaded_as_they_were_saved_and_those_used_last_stay_in_memory() -> None:
    saved: dict[int, bytes] = {}
    pictures = HostPictures(saved.get)
    first, second = pictures.of(1), pictures.of(2)
    second.note(5, packed([1, 7]))
    for host in range(3, MOST_HOSTS + 2):
        assert pictures.of(host) is not pictures.of(1)
    assert pictures.of(2) is second
    pictures.of(1)
    for host in range(3, MOST_HOSTS + 2):
        pictures.of(host)
    saved |= pictures.unsaved()
    assert sorted(saved) == list(range(1, MOST_HOSTS + 2))
    assert pictures.of(1) is first
    assert pictures.of(2) is not second
    assert [pictures.of(2).pages(block) for block in (1, 2, 7)] == [1, 0, 1]
    assert [host for host, _ in pictures.unsaved()] == [1, 2]
