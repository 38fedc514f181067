"""Views in four bytes a line. `comparing` takes them like any other view.

    kind           4 bits
    has numbers    1 bit
    hash          26 bits of the key; of one with numbers 14 of its shape (0: it has no letter) and 12 of the key
    is beside      1 bit

Behind a line with the day or time of its answer stands a number of its own kind: the hash of the line without these.
In a view of hashes a key is letters for the hash, or for that of a shape and a number behind: lines with one shape have
keys with one shape.

A byte stands before all: of a page of more than `MOST` lines one in so many powers of two is kept, by its hash; views
that are compared have the lines that all of them may keep.
"""

import struct
import zlib
from collections.abc import Callable, Iterable, Sequence, Set

from minicrawl.model import KINDS
from minicrawl.web.compare.view import Entry, View, dated_key, shape

MOST = 1_024
"""Lines of a page that are kept."""
_KINDS = (*KINDS, *[""] * (16 - len(KINDS)))
_DATED = 15
"""In place of a kind: the hash of the line before, without its dates."""
_KIND, _NUMBERS, _SHAPE, _VALUES = 28, 1 << 27, 13, (1 << 12) - 1
_ODD, _BITS = 0x9E3779B1, 32
_TEMPLATE = frozenset({"text", "link", "image"})
"""Kinds of lines that a host may repeat."""
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def pack(view: View, most: int = MOST) -> bytes:
    """The hashes of a view's lines, each once, in order. most: see the module."""
    lines = dict[int, list[int]]()
    for entry in view.entries:
        number = _number(entry)
        dated = dated_key(entry.key, view.at) if number & _NUMBERS else entry.key
        lines.setdefault(number | 1, [number, *([_DATED << _KIND | _crc(dated) >> 4] if dated != entry.key else [])])
    level = 0
    while len(lines) > most:
        level += 1
        lines = {line: numbers for line, numbers in lines.items() if _is_kept(line, level)}
    return bytes((level,)) + _packed([number for numbers in lines.values() for number in numbers])


def add(hashes: bytes, entries: Iterable[Entry]) -> bytes:
    """Hashes of a page with those of more lines, that it may have."""
    hashes = hashes or b"\0"
    known = set(_unpacked(hashes))
    return hashes + _packed([number for number in map(_number, entries) if number not in known])


def name_of(entry: Entry) -> tuple[str, str]:
    """The kind and key that a line has in a view of hashes."""
    return entry.kind, _key(_number(entry))


def ids(hashes: bytes) -> bytes:
    """A number for each line, four bytes each, as the pictures of hosts know blocks."""
    return packed_ids(_unpacked(hashes))


def packed_ids(numbers: Iterable[int]) -> bytes:
    return _packed([mixed(number) for number in numbers])


def views(pages: Sequence[bytes], is_repeated: Callable[[int], bool] = lambda _: False) -> list[View]:
    """Views of the hashes of pages, to be compared. is_repeated: whether a line, by its number of `ids`, stands on so
    many pages of its host that it is beside the content."""
    level = max(hashes[0] for hashes in pages)
    numbers = [_unpacked(hashes) for hashes in pages]
    common = set.intersection(*map(set, numbers))
    differing = {number for each in numbers for number in each if number not in common}
    beside = {number for number in differing if _KINDS[number >> _KIND] in _TEMPLATE and is_repeated(mixed(number))}
    return [_view(each, level, beside) for each in numbers]


def repack(view: View, level: int) -> bytes:
    """The hashes that a view was made of. level: their first byte."""
    return bytes((level,)) + "".join(entry.text for entry in view.entries).encode("latin-1")


def _view(numbers: Iterable[int], level: int, beside: Set[int]) -> View:
    entries, alike = list[Entry](), dict[str, str]()
    is_kept = True
    for number in numbers:
        text = _packed([number]).decode("latin-1")
        if number >> _KIND != _DATED:
            if is_kept := _is_kept(number, level):
                entries.append(Entry(KINDS[number >> _KIND], text, _key(number), bool(number & 1) or number in beside))
        elif is_kept:
            alike[entries[-1].key] = _letters(number)
            entries[-1] = entries[-1]._replace(text=entries[-1].text + text)
    return View(0.0, "", 200, entries=tuple(entries), alike=alike)


def _number(entry: Entry) -> int:
    digest = _crc(entry.key)
    number = KINDS.index(entry.kind) << _KIND | entry.is_beside
    if not any(map(str.isdigit, entry.key)):
        return number | digest >> 6 << 1
    bare = shape(entry.key)
    of_shape = (_crc(bare) >> 18 or 1) if any(map(str.isalpha, bare)) else 0
    return number | _NUMBERS | of_shape << _SHAPE | (digest & _VALUES) << 1


def _key(number: int) -> str:
    if not number & _NUMBERS:
        return _letters(number >> 1 & (1 << 26) - 1)
    of_shape = number >> _SHAPE & (1 << 14) - 1
    return f"{_letters(of_shape) if of_shape else ''} {number >> 1 & _VALUES}"


def _letters(number: int) -> str:
    return f"{number:x}".translate(_LETTERS)


def _crc(key: str) -> int:
    return zlib.crc32(key.encode("utf-8", "replace"))


def mixed(number: int) -> int:
    """A number of which the higher bits are as good as all."""
    return (number | 1) * _ODD & (1 << _BITS) - 1


def _is_kept(number: int, level: int) -> bool:
    return not mixed(number) >> _BITS - level


def _packed(numbers: Sequence[int]) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


def _unpacked(hashes: bytes) -> tuple[int, ...]:
    return struct.unpack(f">{len(hashes) // 4}I", hashes[1:])
