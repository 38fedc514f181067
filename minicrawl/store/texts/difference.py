"""The difference of two texts: blocks that came, went and moved.

Blocks that stay are the longest subsequence that both texts have in the same order; of equal blocks the first of one
text is the first of the other. Takes n log n steps for n blocks, whatever they say.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

CAME, WENT, MOVED = "+-~"
_MOST = 10_000
"""Blocks of a text that are compared."""


class Line(NamedTuple):
    """A block that differs. sign: + came, - went, ~ moved."""

    sign: str
    text: str


def difference(before: Sequence[str], after: Sequence[str]) -> list[Line]:
    """The blocks that differ, of the first 10,000, in the order of the text after; those that went stand where they
    were."""
    old, new = (list(_numbered(blocks[:_MOST])) for blocks in (before, after))
    places = {block: at for at, block in enumerate(new)}
    stay = set(_longest_rising([places[block] for block in old if block in places]))
    known, lines, went, at = set(old), list[Line](), list[str](), 0

    def tell(end: int) -> None:
        lines.extend(Line(WENT, text) for text in went)
        lines.extend(Line(CAME if block not in known else MOVED, block[0]) for block in new[at:end])
        went.clear()

    for block in old:
        place = places.get(block)
        if place is None:
            went.append(block[0])
        elif place in stay:
            tell(place)
            at = place + 1
    tell(len(new))
    return lines


def _numbered(blocks: Iterable[str]) -> Iterator[tuple[str, int]]:
    seen = Counter[str]()
    for block in blocks:
        seen[block] += 1
        yield block, seen[block]


def _longest_rising(numbers: Sequence[int]) -> list[int]:
    """The longest rising subsequence of distinct numbers, backwards."""
    ends: list[int] = []  # the least last number of a subsequence of each length
    before: dict[int, int | None] = {}
    for number in numbers:
        length = bisect_left(ends, number)
        before[number] = ends[length - 1] if length else None
        ends[length : length + 1] = [number]
    found: list[int] = []
    last = ends[-1] if ends else None
    while last is not None:
        found.append(last)
        last = before[last]
    return found
