"""Tell a page's real changes since the last fetch from noise.

Dates, counters, advertisements, rotating lists: most pages say something new at every fetch. But a noisy page is never
the same, and one that changes is the same now and then; and noise goes as quickly as it came.

fickle   a block that went and came back: it tells nothing, whether it comes or goes
quiet    a page that was the same at a quarter of its last fetches, and at least as often as a block went that had just
         come. Every block that comes or goes is a change
growing  any other page where blocks came at four of five fetches, and stayed: comments. Only blocks that go are a
         change, and the change rate cannot be told
noisy    all others. A block that goes is a change if it was there for longer than noise stays on this page, and a
         block that comes is one once it has been there for as long

Noise stays for the third longest time, in fetches, after which blocks went at the last eight; on a growing page for
the second longest. A page is noisy until it is found the same for the first time: a difference at its second fetch is
reported at the third or fourth.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from minicrawl.crawler.html.page_text import MOST_BLOCKS, block_numbers

STEADY = 12
"""Fetches in a row that have a block, after which it is no longer short-lived."""
_PAST = 8
"""Fetches that are remembered, a byte each, the last one first; 0: no fetch."""
_WAS, _DIFFERED, _GREW, _FLED, _STAYED = 0x80, 0x40, 0x20, 0x10, 0x0F
"""Bits of a fetch's byte: it exists; blocks came or went; a block that had just come stayed; one went. The low bits:
the longest life, in fetches, of the short-lived blocks that went."""
_FICKLE_NOISE = 2
"""Fetches for which noise stays longer on a page with a fickle block."""
_LONGEST = 31
"""Most fetches in a row counted for a block, present or gone."""
_THERE, _FICKLE, _NOTED = 0x80, 0x40, 0x20
_HASH_SHIFT = 8
_WATCHED = MOST_BLOCKS - MOST_BLOCKS // 8
"""Blocks of a page that are compared: those with the least hashes. The rest is room for blocks that went."""


class Difference(NamedTuple):
    """Result of one fetch. memory: the page's state for the next one, `_PAST` bytes and 4 a block.

    added, removed: blocks, noise left out. is_certain: whether it can be told at all if the page has changed. differs:
    whether any blocks have come or gone.
    """

    is_change: bool
    added: int
    removed: int
    memory: bytes
    is_certain: bool
    differs: bool


def first_seen(blocks: bytes) -> bytes:
    """Memory of a page fetched for the first time. blocks: as `ParsedPage.blocks`."""
    return bytes(_PAST) + _packed((number, _THERE | _NOTED | 1) for number in _watched(_numbers(blocks)))


def unchanged(memory: bytes) -> Difference:
    """Difference of a page that its server says is unchanged. memory: from the fetch before."""
    if _is_quiet(memory[:_PAST]):
        kept = bytes([_WAS]) + memory[: _PAST - 1] + memory[_PAST:]
        return Difference(False, 0, 0, kept, is_certain=True, differs=False)
    known = _unpacked(memory[_PAST:])
    return _judged(memory[:_PAST], known, [number for number, state in known.items() if state & _THERE])


def compared(memory: bytes, blocks: bytes) -> Difference:
    """Difference of a page from the fetch before, which left `memory`."""
    return _judged(memory[:_PAST], _unpacked(memory[_PAST:]), _watched(_numbers(blocks)))


def _judged(past: bytes, known: dict[int, int], now: Collection[int]) -> Difference:
    """past, known: from the fetch before; now: the blocks present."""
    after = {number: _once_more(known.get(number, 0)) for number in now}
    fresh, left = _come_and_left(known, after)
    gone = [state & _LONGEST for state in left.values() if not state & _FICKLE]
    is_first = not past[0]
    past = bytes([_note(after.values(), gone, is_fresh=bool(fresh), is_first=is_first)]) + past[:-1]
    after |= _remembered(known, left, after)

    arrived, removed, is_growing = _beyond_noise(past, after, gone, is_told=bool(fresh) or not is_first)
    added = 0 if is_growing else len(arrived)
    is_change = bool(added or removed)
    if is_change:  # blocks present now belong to this change: not to be reported again
        arrived = [number for number, state in after.items() if state & _THERE]
    after |= {number: after[number] | _NOTED for number in arrived}
    is_certain = not is_growing and (is_change or not (is_first and fresh))
    return Difference(is_change, added, removed, past + _packed(_kept(after)), is_certain, bool(fresh or gone))


def _come_and_left(known: dict[int, int], after: dict[int, int]) -> tuple[list[int], dict[int, int]]:
    """Blocks seen for the first time, and blocks that are present no more, of the range that both fetches watch."""
    there = {number: state for number, state in known.items() if state & _THERE}
    bound = min(_bound(after), _bound(there))
    fresh = [number for number in after if number <= bound and after[number] == _THERE | 1]
    return fresh, {number: state for number, state in there.items() if number <= bound and number not in after}


def _beyond_noise(past: bytes, after: dict[int, int], gone: list[int], *, is_told: bool) -> tuple[list[int], int, bool]:
    """Blocks that have arrived, the number removed, and True for a growing page; on a noisy page those that stay.

    is_told: earlier fetches, or fresh blocks, tell how long blocks stay.
    """
    arrived = [number for number, state in after.items() if state & _THERE and not state & (_NOTED | _FICKLE)]
    if _is_quiet(past):
        return arrived, len(gone), False
    is_fickle = any(state & _FICKLE for state in after.values())
    is_growing = _is_growing(past)
    noise = _noise(past, is_growing=is_growing) + _FICKLE_NOISE * is_fickle
    wait = 1 + noise + _comes_often(past)
    arrived = [number for number in arrived if after[number] & _LONGEST >= wait]
    if not is_told:
        return arrived, len(gone), is_growing
    stay = STEADY if _is_age_unknown(past, is_growing=is_growing) else 1 + noise
    return arrived, sum(1 for fetches in gone if fetches >= stay), is_growing


# A block.


def _once_more(state: int) -> int:
    """State of a present block after one more fetch."""
    if not state & _THERE:
        return _THERE | 1 | (_FICKLE if state else 0)
    return state + (state & _LONGEST < _LONGEST)


def _remembered(known: dict[int, int], left: dict[int, int], after: dict[int, int]) -> dict[int, int]:
    """Absent blocks by the fetches since they went, without those that were steady."""
    soon = {
        number: state & _FICKLE | 1 for number, state in left.items() if state & _FICKLE or state & _LONGEST <= STEADY
    }
    return soon | {
        number: state + 1
        for number, state in known.items()
        if number not in after and not state & _THERE and state & _LONGEST < _LONGEST
    }


# The fetches of a page.


def _note(states: Iterable[int], gone: list[int], *, is_fresh: bool, is_first: bool) -> int:
    """The byte of one fetch. states: of the blocks present. is_first: nothing is known of the fetches before."""
    is_grown = not is_first and any(not state & _FICKLE and state & _LONGEST == 2 for state in states)
    is_fled = not is_first and 1 in gone
    stayed = max((fetches for fetches in gone if fetches <= STEADY), default=0)
    return _WAS | _DIFFERED * (is_fresh or bool(gone)) | _GREW * is_grown | _FLED * is_fled | stayed


def _count(past: bytes, flag: int) -> int:
    return sum(1 for was in past if was & flag)


def _is_quiet(past: bytes) -> bool:
    fetches = _count(past, _WAS)
    same = fetches - _count(past, _DIFFERED)
    return same > 0 and same >= _count(past, _FLED) and 4 * same >= fetches


def _is_growing(past: bytes) -> bool:
    grown = _count(past, _GREW)
    return grown >= 2 and 5 * grown > 4 * (_count(past, _WAS) - 1)


def _comes_often(past: bytes) -> bool:
    """True if blocks that come may be those of a growing page: then one more fetch must tell."""
    return not past[3] or bool(past[1] & _GREW)


def _is_age_unknown(past: bytes, *, is_growing: bool) -> bool:
    """True if blocks present at the first fetch may go because of age, as from a list of the latest."""
    return not past[2] or (is_growing and not past[-1] and _count(past, _STAYED) >= 3)


def _noise(past: bytes, *, is_growing: bool) -> int:
    """Fetches for which noise stays."""
    longest = sorted((was & _STAYED for was in past), reverse=True)
    return max(1, longest[1 if is_growing else 2])


# Bytes.


def _watched(numbers: set[int]) -> list[int]:
    return sorted(numbers)[:_WATCHED]


def _bound(watched: Collection[int]) -> int:
    """Hash above which nothing is known of a page."""
    return max(watched) if len(watched) >= _WATCHED else 1 << 24


def _kept(states: dict[int, int]) -> list[tuple[int, int]]:
    """All blocks present, and the latest of the others while there is room."""
    if len(states) > MOST_BLOCKS:
        latest = sorted(states, key=lambda number: 0 if states[number] & _THERE else states[number] & _LONGEST)
        states = {number: states[number] for number in latest[:MOST_BLOCKS]}
    return sorted(states.items())


def _numbers(blocks: bytes) -> set[int]:
    return {number >> _HASH_SHIFT for number in block_numbers(blocks)}


def _packed(states: Iterable[tuple[int, int]]) -> bytes:
    """A block in four bytes: three of its hash, one of its state."""
    return b"".join((number << _HASH_SHIFT | state).to_bytes(4) for number, state in states)


def _unpacked(memory: bytes) -> dict[int, int]:
    return {number >> _HASH_SHIFT: number & 0xFF for number in block_numbers(memory)}
