"""Blocks that stand on several pages of a host, beside a slow count of pages."""

import random
import zlib
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.store.texts.repeated_blocks import RepeatedBlocks, repeated_in
from minicrawl.web.kept_text import ID_SHIFT

ROOM = 4096


def packed(ids: Iterable[int]) -> bytes:
    return b"".join((block << ID_SHIFT).to_bytes(4) for block in ids)


def counts(picture: RepeatedBlocks, ids: Iterable[int]) -> dict[int, int]:
    return {block: picture.pages(block) for block in ids}


fetches = st.lists(st.tuples(st.integers(0, 99), st.sets(st.integers(0, 60).map(lambda n: 2 * n))), max_size=80)


@given(fetches)
def test_blocks_are_counted_by_the_last_pages_that_have_them(fetches: list[tuple[int, set[int]]]) -> None:
    picture, last, of = RepeatedBlocks(), set[int](), {block: set[int]() for block in range(122)}
    for page, blocks in fetches:
        picture.note(page, packed(blocks))
        last.add(page % 64)
        for block, pages in of.items():
            kept = pages if len(pages) == 4 else pages - {page % 64}  # what was once on four stays so
            of[block] = kept | {page % 64} if block in blocks else kept
    expected = {block: len(pages) for block, pages in of.items()}
    assert counts(picture, range(122)) == expected
    many = {block for block, pages in expected.items() if pages >= 4 and 4 * pages >= len(last)}
    assert repeated_in(picture.packed()).template == many
    again = {block: pages if pages > 1 or len(last) < 8 else 0 for block, pages in expected.items()}
    assert counts(RepeatedBlocks(picture.packed()), range(122)) == again


def test_what_many_pages_repeat_is_known_among_much_that_they_do_not_and_forgotten_later() -> None:
    rng = random.Random(1)
    picture = RepeatedBlocks()
    menu = rng.sample(range(1 << 22), 200)

    def note(first: int, last: int, some: list[int]) -> None:
        for page in range(first, last):
            picture.note(page, packed({*some, *(rng.randrange(1 << 22) for _ in range(250))}))

    note(0, 400, menu)
    assert len(repeated_in(picture.packed()).template & set(menu)) >= 195
    assert repeated_in(picture.packed()).template <= set(menu)
    assert len(picture.packed()) < 5_000
    note(400, 464, [])
    assert repeated_in(picture.packed()).template == set()


@pytest.mark.parametrize("packed", [zlib.compress(bytes(4 * ROOM)), b"", b"2", b"2x\x9c?"])
def test_a_damaged_picture_and_one_of_a_former_version_begin_anew(packed: bytes) -> None:
    assert repeated_in(packed).template == set()
    assert RepeatedBlocks(packed).size == 0
