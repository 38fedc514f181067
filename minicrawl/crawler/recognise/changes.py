"""What has changed of a page since it was fetched before, beside what is another at every fetch.

Dates, counters, advertisements, lists that rotate: most pages say something new whenever they are asked. Of every block
of the text (see html/blocks.py) is kept how many fetches in a row have had it, or have lacked it since:

fresh    it was not there before
steady   so many fetches in a row have had it that one without it is a change
fickle   it went and came back: it tells nothing, whether it comes or goes

A page is noisy if at some of its last fetches blocks had gone that had just come, or if it has fickle ones. Of any
other page a block that comes or goes is a change. Of a noisy page a steady block that goes is one at once; one that
comes is one when it has stayed for some fetches.
"""

from collections.abc import Iterable
from typing import NamedTuple

from minicrawl.crawler.html.blocks import MOST, numbers_of

STEADY, SETTLED = 12, 5
"""Fetches in a row that have a block, after which its going, or its coming, is a change of a noisy page."""
YOUNG = 2
"""Fetches in a row that have a block at most, if it has gone as quickly as noise does."""
_LATELY, _OFTEN = 8, 3
"""A page is noisy if such blocks went at three of its last eight fetches."""
_LONGEST = 31
_REMEMBERED = 31
"""Fetches for which a block that went is remembered."""
_THERE, _FICKLE, _COUNTED = 0x80, 0x40, 0x20
_HASH_SHIFT = 8
_WATCHED = MOST - MOST // 8
"""Blocks of a page that are compared: those with the least hashes. The rest is room for blocks that went."""


class Difference(NamedTuple):
    """What one fetch has shown. memory: what is to be kept of the page, at most 4 bytes a block, MOST blocks.

    added, removed: blocks, those that come and go at every fetch left out. differs: whether any have come or gone.
    """

    is_change: bool
    added: int
    removed: int
    memory: bytes
    differs: bool


def first_seen(blocks: bytes) -> bytes:
    """What is to be kept of a page that was fetched for the first time. blocks: as `ParsedPage.blocks`."""
    return _packed((number, _THERE | 1) for number in _watched(_numbers(blocks)))


def compared(memory: bytes, blocks: bytes) -> Difference:
    """What has changed of a page. memory: as the fetch before has left it."""
    known, now = _unpacked(memory), _watched(_numbers(blocks))
    bound = min(_bound(now), _bound([number for number, state in known.items() if state & _THERE]))
    after = {number: _once_more(known.get(number, 0)) for number in now}
    fresh = [number for number in now if number not in known and number <= bound]
    gone = {
        number: state for number, state in known.items() if number not in after and state & _THERE and number <= bound
    }
    after |= {
        number: state & _FICKLE | 1 for number, state in gone.items() if state & _FICKLE or state & _LONGEST <= YOUNG
    }
    after |= {
        number: state + 1
        for number, state in known.items()
        if number not in after and not state & _THERE and state & _LONGEST < _REMEMBERED
    }
    if _is_noisy(after.values()):
        added = sum(1 for state in after.values() if state == _THERE | SETTLED)
        removed = sum(1 for state in gone.values() if _is_steady(state))
    else:
        added, removed = len(fresh), len(gone)
    if added or removed:
        for number in fresh:  # they are part of this change: not to be counted again when they have settled
            after[number] |= _COUNTED
    return Difference(bool(added or removed), added, removed, _packed(_kept(after)), bool(fresh or gone))


def _is_steady(state: int) -> bool:
    return not state & _FICKLE and state & _LONGEST >= STEADY


def _once_more(state: int) -> int:
    """The state of a block that is there, after one fetch more."""
    if not state & _THERE:
        return _THERE | 1 | (_FICKLE if state else 0)
    return state + (state & _LONGEST < _LONGEST)


def _is_noisy(states: Iterable[int]) -> bool:
    lately = set()
    for state in states:
        if state & _FICKLE:
            return True
        if not state & _THERE and state <= _LATELY:
            lately.add(state)
    return len(lately) >= _OFTEN


def _watched(numbers: set[int]) -> list[int]:
    return sorted(numbers)[:_WATCHED]


def _bound(watched: list[int]) -> int:
    """The hash beyond which nothing is known of a page."""
    return max(watched) if len(watched) >= _WATCHED else 1 << 24


def _kept(states: dict[int, int]) -> list[tuple[int, int]]:
    """All blocks that are there, and of the others those that went last, as many as there is room for."""
    if len(states) > MOST:
        latest = sorted(states, key=lambda number: 0 if states[number] & _THERE else states[number] & _LONGEST)
        states = {number: states[number] for number in latest[:MOST]}
    return sorted(states.items())


def _numbers(blocks: bytes) -> set[int]:
    return {number >> _HASH_SHIFT for number in numbers_of(blocks)}


def _packed(states: Iterable[tuple[int, int]]) -> bytes:
    """A block in four bytes: three of its hash, one of its state."""
    return b"".join((number << _HASH_SHIFT | state).to_bytes(4) for number, state in states)


def _unpacked(memory: bytes) -> dict[int, int]:
    return {number >> _HASH_SHIFT: number & 0xFF for number in numbers_of(memory)}
