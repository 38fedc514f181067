"""The difference of two texts: blocks that came, went and moved.

Blocks that stay are the longest subsequence that both texts have in the same order; of equal blocks the first of one
text is the first of the other. Takes n log n steps for n blocks, whatever they say.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

CAME, WENT, MOVED = "+-~"
_MOST = 10_000
"""Blocks of a text that are compared."""
_AHEAD = 5
"""Blocks among which an edited one is looked for."""
_MOST_WORDS = 200
_MOST_EDITS = 100
_WORDS = re.compile(r"\w+|\s+|.")


class Line(NamedTuple):
    """A block that differs. sign: + came, - went, ~ moved. marks: ranges of its characters that were edited, if it is
    the new or old form of the block next to it."""

    sign: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()


def difference(before: Sequence[str], after: Sequence[str]) -> list[Line]:
    """The blocks that differ, of the first 10,000, in the order of the text after; those that went stand where they
    were."""
    old, new = _between(before[:_MOST], after[:_MOST])
    places = {block: at for at, block in enumerate(new)}
    stay = set(_longest_rising([places[block] for block in old if block in places]))
    known, lines, went, at = set(old), list[Line](), list[str](), 0
    edits = iter(range(_MOST_EDITS))

    def tell(end: int) -> None:
        came = [(CAME if block not in known else MOVED, block[0]) for block in new[at:end]]
        lines.extend(_paired(went, came, edits))
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


def _between(before: Sequence[str], after: Sequence[str]) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Both texts without their common start and end, each block with its number among equal ones."""
    least = min(len(before), len(after))
    start = next((at for at in range(least) if before[at] != after[at]), least)
    rest = least - start
    end = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    return list(_numbered(before[start : len(before) - end])), list(_numbered(after[start : len(after) - end]))


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


def _paired(went: Sequence[str], came: Sequence[tuple[str, str]], edits: Iterator[int]) -> Iterator[Line]:
    """Lines of one place of the text: an edited block follows its old form. edits: one is taken for each."""
    at = 0
    for text in went:
        words = set(text.split())
        for ahead in range(at, min(at + _AHEAD, len(came))):
            sign, new = came[ahead]
            if sign == CAME and _is_edit(words, new) and next(edits, None) is not None:
                yield from (Line(*one) for one in came[at:ahead])
                yield from _edited(text, new)
                at = ahead + 1
                break
        else:
            yield Line(WENT, text)
    yield from (Line(*one) for one in came[at:])


def _is_edit(words: set[str], new: str) -> bool:
    """True if two blocks share half of their words."""
    others = set(new.split())
    return 2 * len(words & others) >= max(len(words), len(others))


def _edited(old: str, new: str) -> Iterator[Line]:
    olds, news = _WORDS.findall(old), _WORDS.findall(new)
    marks: tuple[list[tuple[int, int]], list[tuple[int, int]]] = [], []
    if max(len(olds), len(news)) <= _MOST_WORDS:
        for what, *ranges in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
            for of, words, (start, end) in zip(marks, (olds, news), (ranges[:2], ranges[2:]), strict=True):
                if what != "equal" and end > start:
                    first = sum(map(len, words[:start]))
                    of.append((first, first + sum(map(len, words[start:end]))))
    yield Line(WENT, old, tuple(marks[0]))
    yield Line(CAME, new, tuple(marks[1]))
